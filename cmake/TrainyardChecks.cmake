# Tests, compile-fail tests, benchmarks and fuzzers, one function each.

set(TRAINYARD_TEST_SECONDS 900)
set(TRAINYARD_RANDOM_CASES 100 CACHE STRING "Cases that each test of random ones takes")

# What every test links; one precompiled header serves all of them.
if(GTest_FOUND AND rapidcheck_FOUND)
  set(TRAINYARD_TESTS ON)
  add_library(ty_test INTERFACE)
  target_include_directories(ty_test INTERFACE "${CMAKE_SOURCE_DIR}/tests")
  # At -O1 g++ does not see everything that sets a value.
  target_compile_options(ty_test INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_libraries(ty_test INTERFACE ty_options fmt::fmt GTest::gmock rapidcheck_gtest)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/test_pch.cpp" CONTENT "")
  add_library(ty_test_pch OBJECT EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/test_pch.cpp")
  target_link_libraries(ty_test_pch PRIVATE ty_test)
  target_precompile_headers(ty_test_pch PRIVATE <gtest/gtest.h> <gmock/gmock.h> <rapidcheck/gtest.h> <algorithm> <cmath>
                            <filesystem> <map> <random> <set> <string> <vector>)
  trainyard_cold(ty_test_pch OUTSIDE)
  target_compile_options(ty_test_pch PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
else()
  set(TRAINYARD_TESTS OFF)
endif()

# Ends the configuration where a name of `names` (Suite.Test or Suite.*) is no test of these sources.
function(trainyard_are_tests names)
  set(texts)
  foreach(source IN LISTS ARGN)
    file(READ "${source}" text)
    string(APPEND texts "${text}")
  endforeach()
  foreach(test IN LISTS names)
    string(REGEX REPLACE "\\.\\*$" "," wanted "${test}")
    string(REGEX REPLACE "\\.(.*)$" ",[ \n]+\\1[ \n]*[,)]" wanted "${wanted}")
    if(NOT texts MATCHES "[(]${wanted}")
      message(FATAL_ERROR "UNSANITIZED ${test}: no source of this program has that test")
    endif()
  endforeach()
endfunction()

# trainyard_test(<name> SOURCES <files> LINKS <modules> [LIBRARIES <imported targets>] [PROGRAM] [CHECKOUT]
#                [COST <seconds>] [UNSANITIZED <tests>])
# The executable test_<name>, one ctest <name>. As with modules, release and asan compile up to 16 SOURCES as one: names in
# their unnamed namespaces differ, and what two of them need is in a header beside them.
# PROGRAM: it runs the trainyard executable (TRAINYARD_PROGRAM). COST: what it takes, if that is much: ctest begins with the
# longest. UNSANITIZED: tests that go where others of it go, for longer; sanitizers leave them out. Suite.Test, or Suite.*
# for all of a suite.
# CHECKOUT: it reads files of the repository (TRAINYARD_SOURCE_DIR); all others compile alike in every checkout, so
# that ccache knows them.
function(trainyard_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PROGRAM;CHECKOUT" "COST" "SOURCES;LINKS;LIBRARIES;UNSANITIZED")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "trainyard_test(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  trainyard_targets(links ${arg_LINKS})
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE ty_test ${links} ${arg_LIBRARIES} GTest::gmock_main)
  trainyard_cold(test_${name} OUTSIDE)
  target_precompile_headers(test_${name} REUSE_FROM ty_test_pch)
  target_compile_options(test_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  if(arg_CHECKOUT)
    target_compile_definitions(test_${name} PRIVATE TRAINYARD_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  endif()
  if(arg_PROGRAM)
    target_compile_definitions(test_${name} PRIVATE TRAINYARD_PROGRAM="${CMAKE_BINARY_DIR}/trainyard")
    add_dependencies(test_${name} trainyard)
  endif()
  set(left_out)
  trainyard_are_tests("${arg_UNSANITIZED}" ${arg_SOURCES})
  if(arg_UNSANITIZED AND CMAKE_CXX_FLAGS_DEBUG MATCHES "fsanitize")
    list(JOIN arg_UNSANITIZED ":" tests)
    set(left_out "--gtest_filter=-${tests}")
  endif()
  add_test(NAME ${name} COMMAND test_${name} ${left_out})
  if(arg_COST)
    set_tests_properties(${name} PROPERTIES COST ${arg_COST})
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${TRAINYARD_TEST_SECONDS}
    ENVIRONMENT "RC_PARAMS=seed=1 max_success=${TRAINYARD_RANDOM_CASES}")
endfunction()

# trainyard_compile_fail(<name> <source> [CASES <n>])
# The ctest compile_fail_<name>: the source compiles as it stands, and does not with -DTRAINYARD_WRONG=1 to n. It is the
# compiler that is asked: sanitizers have nothing to find there.
function(trainyard_compile_fail name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "CASES" "")
  if(CMAKE_CXX_FLAGS_DEBUG MATCHES "fsanitize")
    return()
  endif()
  if(NOT arg_CASES)
    set(arg_CASES 1)
  endif()
  cmake_path(ABSOLUTE_PATH source NORMALIZE)
  add_test(NAME compile_fail_${name}
    COMMAND "${CMAKE_COMMAND}" -D "COMPILER=${CMAKE_CXX_COMPILER}" -D "ROOT=${CMAKE_SOURCE_DIR}"
            -D "SOURCE=${source}" -D CASES=${arg_CASES} -P "${CMAKE_SOURCE_DIR}/cmake/CompileFail.cmake")
endfunction()

# trainyard_bench(<name> SOURCE <file> LINKS <modules> [LIBRARIES <imported targets>])
# The executable bench/bench_<name> (Google Benchmark), built by the target `benches` only.
function(trainyard_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "LINKS;LIBRARIES")
  trainyard_targets(links ${arg_LINKS})
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${arg_SOURCE})
  target_link_libraries(bench_${name} PRIVATE ty_options ${links} ${arg_LIBRARIES} benchmark::benchmark_main)
  add_dependencies(benches bench_${name})
endfunction()

# trainyard_fuzzer(<name> SOURCE <file> LINKS <modules>)
# The source defines LLVMFuzzerTestOneInput. In preset fuzz: the libFuzzer executable fuzz_<name>. Elsewhere:
# the ctest fuzz_corpus_<name>, which replays fuzz/corpus/<name>/ and mutations of it with any compiler.
function(trainyard_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "LINKS")
  trainyard_targets(links ${arg_LINKS})
  if(TRAINYARD_FUZZ)
    add_executable(fuzz_${name} ${arg_SOURCE})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  elseif(TRAINYARD_TESTS)
    add_executable(fuzz_${name} ${arg_SOURCE} "${CMAKE_SOURCE_DIR}/fuzz/replay_main.cpp")
    add_test(NAME fuzz_corpus_${name} COMMAND fuzz_${name} "${CMAKE_SOURCE_DIR}/fuzz/corpus/${name}")
    # Among the longest: begun first, they leave no core idle at the end.
    set_tests_properties(fuzz_corpus_${name} PROPERTIES TIMEOUT ${TRAINYARD_TEST_SECONDS} COST 10)
  else()
    return()
  endif()
  target_link_libraries(fuzz_${name} PRIVATE ty_options ${links})
endfunction()
