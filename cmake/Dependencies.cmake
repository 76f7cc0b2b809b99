# Debian packages that the build uses; tools/bootstrap installs them.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
# Where memory ends while a value is made, its destructor asserts: the program says so and ends (cli/main.cpp).
set_property(TARGET nlohmann_json::nlohmann_json APPEND PROPERTY
             INTERFACE_COMPILE_OPTIONS "-DJSON_ASSERT(x)=((x)?void():std::terminate())")
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(cereal REQUIRED)
find_package(EXPAT REQUIRED)
find_package(SQLite3 REQUIRED)

# minizip comes without a CMake package.
find_path(TRAINYARD_MINIZIP_INCLUDE minizip/unzip.h REQUIRED)
find_library(TRAINYARD_MINIZIP_LIBRARY minizip REQUIRED)
add_library(ty_minizip INTERFACE IMPORTED)
target_include_directories(ty_minizip INTERFACE "${TRAINYARD_MINIZIP_INCLUDE}")
target_link_libraries(ty_minizip INTERFACE "${TRAINYARD_MINIZIP_LIBRARY}" ZLIB::ZLIB)
find_package(Boost REQUIRED)
find_package(nanoflann REQUIRED)
find_package(pagmo REQUIRED)
find_path(TRAINYARD_GEOGRAPHIC_INCLUDE GeographicLib/Geodesic.hpp REQUIRED)
find_library(TRAINYARD_GEOGRAPHIC_LIBRARY GeographicLib REQUIRED)

# Debian's own target would switch toml++ to its shared library; ours is header-only.
find_path(TRAINYARD_TOML_INCLUDE toml++/toml.h REQUIRED)
add_library(ty_toml INTERFACE IMPORTED)
target_compile_definitions(ty_toml INTERFACE TOML_HEADER_ONLY=1)

# A program that loads no shared libraries but the system's starts in half of the time: where archives are installed, as with
# Debian's packages, release builds hold them. Modules and other programs link the shared ones.
set(TRAINYARD_ARCHIVES)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  foreach(library GeographicLib minizip expat png16 sqlite3 z)
    find_library(TRAINYARD_ARCHIVE_${library} lib${library}.a)
    mark_as_advanced(TRAINYARD_ARCHIVE_${library})
    if(TRAINYARD_ARCHIVE_${library})
      list(APPEND TRAINYARD_ARCHIVES "${TRAINYARD_ARCHIVE_${library}}")
    endif()
  endforeach()
endif()

set(TRAINYARD_CHART_JS /usr/share/javascript/chart.js/chart.min.js)

# Only some make targets need these: without them, that part of the build is left out.
find_package(GTest QUIET)
find_package(rapidcheck QUIET)
find_package(benchmark QUIET)

# With MPI, the processes that mpirun or srun starts work together. The C interface alone is used.
set(TRAINYARD_MPI AUTO CACHE STRING "MPI: AUTO (where it is found), ON or OFF")
set(MPI_CXX_SKIP_MPICXX ON)
if(TRAINYARD_MPI STREQUAL "ON")
  find_package(MPI REQUIRED COMPONENTS CXX)
elseif(NOT TRAINYARD_MPI STREQUAL "OFF")
  find_package(MPI QUIET COMPONENTS CXX)
endif()
