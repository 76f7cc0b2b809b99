// What a module shows the program.
#pragma once

#define TY_EXPORTED __attribute__((visibility("default")))
