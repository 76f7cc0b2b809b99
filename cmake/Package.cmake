# A Debian package (make package): what `make install` installs, below /usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME trainyard)
# As Debian's own tools have it: DEBFULLNAME and DEBEMAIL of the environment.
set(maintainer "The Trainyard authors <trainyard@example.org>")
if(DEFINED ENV{DEBEMAIL} AND DEFINED ENV{DEBFULLNAME})
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(TRAINYARD_MAINTAINER "${maintainer}" CACHE STRING "Who packs the program")
set(CPACK_PACKAGE_CONTACT "${TRAINYARD_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "design, price and simulate AI training datacenters")
set(CPACK_PACKAGE_DESCRIPTION
    "One TOML file asks: a budget or a cluster, a model, a network. The answer can
be checked: what can be built, which model it trains, how the model is cut over
the devices, how long a step takes and how much of it waits for the network,
which network is the cheapest that does not slow training, where it can stand
on a power grid, and what the run costs.")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/package")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
# Libraries that the program needs are read from it; programs that link libtrainyard.a need their headers, too.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(TARGET ty_python)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3 (>= 3.11), python3 (<< 3.12), python3-numpy")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "man-db, bash-completion")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libfmt-dev, libexpat1-dev, libpng-dev, zlib1g-dev, libsqlite3-dev, libpagmo-dev, libminizip-dev, libgeographiclib-dev, libeigen3-dev, libboost-dev")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/PackageFiles.cmake")
set(CPACK_TRAINYARD_CHANGELOG "${CMAKE_SOURCE_DIR}/CHANGELOG.md")
include(CPack)
