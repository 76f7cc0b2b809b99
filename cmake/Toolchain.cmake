# Language, warnings and ccache: what holds for all code of ours.
option(TRAINYARD_WERROR "Warnings are errors" ON)
option(TRAINYARD_FUZZ "Build the libFuzzer targets (preset fuzz)" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(TRAINYARD_CCACHE ccache)
if(TRAINYARD_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache asks for with the tests' precompiled header. From its own folder every checkout looks
  # alike, so that a copy (tools/check_extending.py) finds the objects of sources that it has not changed.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_ABSSTDERR=1
      "${TRAINYARD_CCACHE}")
endif()

# Linked by every target of ours: both include roots, and warnings that system headers are exempt from.
add_library(ty_options INTERFACE)
target_include_directories(ty_options INTERFACE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
target_compile_definitions(ty_options INTERFACE TRAINYARD_VERSION="${PROJECT_VERSION}")
set(warnings
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wold-style-cast -Wcast-qual -Wformat=2
    -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wundef)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -Wrestrict is wrong about "text" + std::string in g++ 12 (GCC bug 105651).
  list(APPEND warnings -Wduplicated-cond -Wlogical-op -Wno-restrict -fdiagnostics-color=auto)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_FLAGS_DEBUG MATCHES "fsanitize")
  # g++ spends a twentieth of its time on collecting garbage; without, no source takes more than 1.7 GB.
  set(memory --param=ggc-min-heapsize=524288)
endif()
if(CMAKE_CXX_FLAGS_DEBUG MATCHES "fsanitize")
  # As g++ says it, for what would take too long.
  add_compile_definitions($<$<CXX_COMPILER_ID:Clang>:__SANITIZE_ADDRESS__=1>)
  # g++ cannot follow values through instrumented code.
  list(APPEND warnings -Wno-maybe-uninitialized -Wno-array-bounds -Wno-unknown-warning-option)
endif()
if(TRAINYARD_WERROR)
  list(APPEND warnings -Werror)
endif()
# No contraction to fused multiply-add: the same bits on every processor.
target_compile_options(ty_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings};${memory};-ffp-contract=off>")
