// Writes the words of scenarios as a dictionary of libFuzzer.
#include <cctype>
#include <cstdio>
#include <string>

#include "settings.h"

int main() {
  for (const std::string& word : trainyard::fuzz::words()) {
    if (word.empty()) continue;
    std::string escaped;
    for (const char c : word) {
      if (c == '"' || c == '\\') escaped += '\\';
      escaped += c;
    }
    std::printf("\"%s\"\n", escaped.c_str());
  }
  return 0;
}
