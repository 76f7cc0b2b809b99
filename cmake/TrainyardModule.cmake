# The folders of src/ as targets, network/flow as ty_network_flow. Their order, and who may link whom, is read from tools/layers.txt.
set(layers "${CMAKE_SOURCE_DIR}/tools/layers.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${layers}")
file(STRINGS "${layers}" lines REGEX "^[a-z_/]+")
set(TRAINYARD_MODULES)
foreach(line IN LISTS lines)
  string(REGEX MATCHALL "[a-z_/]+" words "${line}")
  list(POP_FRONT words module)
  if(module STREQUAL "trainyard")
    continue()
  endif()
  set(TRAINYARD_LAYER_${module} ${TRAINYARD_MODULES})
  if(words)
    list(REMOVE_ITEM TRAINYARD_LAYER_${module} ${words})
  endif()
  list(APPEND TRAINYARD_MODULES ${module})
endforeach()

# Module names into target names, into `out`; an unknown name is an error.
function(trainyard_targets out)
  set(targets)
  foreach(module IN LISTS ARGN)
    if(NOT module IN_LIST TRAINYARD_MODULES)
      message(FATAL_ERROR "there is no module '${module}'; tools/layers.txt has: ${TRAINYARD_MODULES}")
    endif()
    string(REPLACE "/" "_" target "ty_${module}")
    list(APPEND targets ${target})
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

# So that the module of Python can hold it; with names hidden the packet engine takes the same instructions.
function(trainyard_as_library target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# Folders whose time nobody waits for are optimised a little and compiled in larger units: in half of the time. Elsewhere
# larger units cost instructions, as g++ inlines less the larger they are. OUTSIDE of the program (tests) -Og takes a
# quarter less; within, its copies of small templates would be those that the linker keeps for all.
set(TRAINYARD_COLD catalog results scenario siting/grid_import jobs ownership validation serve report/data
                   report/text report/drawing report/page report/reproduction)
if(CMAKE_CXX_FLAGS_DEBUG MATCHES "fsanitize")
  list(REMOVE_ITEM TRAINYARD_COLD catalog scenario)  # tests of searches wait for them: twice as long at -O0
endif()
function(trainyard_cold target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OUTSIDE" "" "")
  set(level -O1)
  if(arg_OUTSIDE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(level -Og)
  endif()
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${level}>)
  if(CMAKE_CXX_FLAGS_DEBUG MATCHES "fsanitize")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)  # in a third of clang's time
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 16)
endfunction()

# What nearly every source includes is read once for all folders: a twelfth of the time. Sources still include what they
# use: the preset lint compiles them without. Cold folders have their own: g++ keeps some of the level that a header was
# precompiled at (validation took a third longer), and clang refuses one of another level.
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/pch.cpp" CONTENT "")
foreach(pch ty_pch ty_pch_cold)
  add_library(${pch} OBJECT EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/pch.cpp")
  target_link_libraries(${pch} PRIVATE ty_options fmt::fmt)
  target_precompile_headers(${pch} PRIVATE
    <algorithm> <array> <cmath> <cstddef> <cstdint> <fmt/core.h> <functional> <limits> <map> <memory> <optional> <set>
    <span> <string> <string_view> <utility> <vector>)
  trainyard_as_library(${pch})
endforeach()
trainyard_cold(ty_pch_cold)
function(trainyard_pch target pch)
  target_link_libraries(${target} PRIVATE fmt::fmt)
  target_precompile_headers(${target} REUSE_FROM ${pch})
  # With it ccache sees what is precompiled.
  target_compile_options(${target} PRIVATE
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>>:-fpch-preprocess>)
endfunction()

# What `plan` and its report take is built first and apart, for `make demo` (cli/CMakeLists.txt): these folders, and what
# others name as FIRST. A first part links first parts alone, so that the linker refuses what it may not call.
set(TRAINYARD_FIRST base ranks results catalog model scenario facility parallel collective topology cost)

# A static library of a folder, or of its first part.
function(trainyard_part target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;LINKS")
  add_library(${target} STATIC ${arg_SOURCES})
  target_link_libraries(${target} PUBLIC ty_options ${arg_LINKS})
  set(pch ty_pch)
  if(name IN_LIST TRAINYARD_COLD)
    trainyard_cold(${target})
    set(pch ty_pch_cold)
  endif()
  trainyard_as_library(${target})
  trainyard_pch(${target} ${pch})
endfunction()

# trainyard_module(<name> [FIRST <files>] SOURCES <files> [ALONE <files>] [LINKS <modules>] [LIBRARIES <imported targets>])
# The static library ty_<name> of the folder src/<name>, which links ty_<name>_first, what `plan` takes of it. LINKS and
# LIBRARIES pass on to who links it. The presets release and asan compile several SOURCES as one, so that the headers they
# share are read once: names in their unnamed namespaces differ. Sources that say the same words in turn (kinds of a
# registry) are ALONE, of FIRST or beside.
function(trainyard_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "FIRST;SOURCES;ALONE;LINKS;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "trainyard_module(${name}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()
  trainyard_targets(self ${name})
  trainyard_targets(links ${arg_LINKS})
  set(firsts)
  foreach(module IN LISTS arg_LINKS)
    if(NOT module IN_LIST TRAINYARD_LAYER_${name})
      message(FATAL_ERROR "${name} may not link ${module}: tools/layers.txt allows ${TRAINYARD_LAYER_${name}}")
    endif()
    get_property(first GLOBAL PROPERTY TRAINYARD_FIRST_${module})
    list(APPEND firsts ${first})
  endforeach()
  list(REMOVE_DUPLICATES firsts)
  if(arg_ALONE)
    set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    list(REMOVE_ITEM arg_ALONE ${arg_FIRST})
  endif()
  if(arg_FIRST)
    trainyard_part(${self}_first ${name} SOURCES ${arg_FIRST} LINKS ${firsts} ${arg_LIBRARIES})
    set(firsts ${self}_first)
    list(APPEND links ${firsts})
  elseif(name IN_LIST TRAINYARD_FIRST)
    set(firsts ${self})
  endif()
  trainyard_part(${self} ${name} SOURCES ${arg_SOURCES} ${arg_ALONE} LINKS ${links} ${arg_LIBRARIES})
  set_property(GLOBAL PROPERTY TRAINYARD_FIRST_${name} ${firsts})
endfunction()

# trainyard_program(<name> SOURCES <files> LINKS <modules> [LIBRARIES <imported targets>])
# An executable at build/<preset>/<name>.
function(trainyard_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;LIBRARIES")
  trainyard_targets(links ${arg_LINKS})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ty_options ${links} ${arg_LIBRARIES})
  trainyard_cold(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
  install(TARGETS ${name} RUNTIME)
endfunction()
