# libtrainyard.a: all modules behind the public headers of include/trainyard, and how other programs find it
# (CMake: find_package(trainyard), target trainyard::trainyard; pkg-config: trainyard).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(objects)
foreach(module IN LISTS TRAINYARD_MODULES)
  trainyard_targets(target ${module})
  foreach(part ${target} ${target}_first)
    if(TARGET ${part})
      list(APPEND objects $<TARGET_OBJECTS:${part}>)
    endif()
  endforeach()
endforeach()

add_library(ty_library STATIC ${objects})
add_library(trainyard::trainyard ALIAS ty_library)
set_target_properties(ty_library PROPERTIES OUTPUT_NAME trainyard EXPORT_NAME trainyard LINKER_LANGUAGE CXX
                      ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
target_compile_features(ty_library INTERFACE cxx_std_20)
target_include_directories(ty_library INTERFACE "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>"
                           "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_libraries(ty_library PRIVATE fmt::fmt EXPAT::EXPAT PNG::PNG ZLIB::ZLIB SQLite::SQLite3 Threads::Threads
                      Pagmo::pagmo $<LINK_ONLY:minizip> $<LINK_ONLY:GeographicLib>)

install(TARGETS ty_library EXPORT trainyard ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/trainyard" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/trainyard")
install(EXPORT trainyard NAMESPACE trainyard:: FILE trainyardTargets.cmake DESTINATION "${package}")
configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/trainyardConfig.cmake.in"
                              "${CMAKE_CURRENT_BINARY_DIR}/trainyardConfig.cmake" INSTALL_DESTINATION "${package}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/trainyardConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/trainyardConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/trainyardConfigVersion.cmake"
        DESTINATION "${package}")
file(RELATIVE_PATH TRAINYARD_PREFIX_FROM_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${CMAKE_SOURCE_DIR}/cmake/trainyard.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/trainyard.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/trainyard.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
