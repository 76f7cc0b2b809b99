# trainyard_commit(<target>): compiles in which commit the program is built from (cli/commit.h). Every build asks
# git, and writes the source again only where the answer is another one. Results name the version alone, so that
# they are the same bytes from any build of it.
#
# As a script (cmake -P): writes OUTPUT for the checkout at ROOT.
if(CMAKE_SCRIPT_MODE_FILE)
  set(commit "")
  find_program(git git)
  if(git)
    # The folder may lie within a checkout of something else.
    execute_process(COMMAND "${git}" -C "${ROOT}" rev-parse --show-toplevel
                    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    file(REAL_PATH "${ROOT}" root)
    if(top STREQUAL root)
      execute_process(
        COMMAND "${git}" --no-optional-locks -C "${ROOT}" describe --always --dirty --abbrev=8 --exclude=*
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
  endif()
  file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [=[
#include "cli/commit.h"

namespace trainyard {

const char* build_commit() { return "@commit@"; }

}  // namespace trainyard
]=])
  return()
endif()

function(trainyard_commit target)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/commit.cpp")
  add_custom_target(${target}_commit
    COMMAND "${CMAKE_COMMAND}" -D "ROOT=${CMAKE_SOURCE_DIR}" -D "OUTPUT=${output}"
            -P "${CMAKE_SOURCE_DIR}/cmake/Commit.cmake"
    BYPRODUCTS "${output}"
    COMMENT "Asking git for the commit")
  set_source_files_properties("${output}" PROPERTIES GENERATED TRUE)
  target_sources(${target} PRIVATE "${output}")
  add_dependencies(${target} ${target}_commit)
endfunction()
