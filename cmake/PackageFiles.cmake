# What Debian's policy wants of a package and an installation from source does not need: compressed manuals and
# changelog, the licence. Run by CPack between installation and packing.
set(root "${CPACK_TEMPORARY_DIRECTORY}/usr")
set(doc "${root}/share/doc/trainyard")
file(MAKE_DIRECTORY "${doc}")
file(WRITE "${doc}/copyright" "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: trainyard

Files: *
Copyright: 2026 The Trainyard authors
License: Apache-2.0

License: Apache-2.0
 On Debian systems, the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
file(COPY_FILE "${CPACK_TRAINYARD_CHANGELOG}" "${doc}/changelog")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # SOURCE_DATE_EPOCH, where it is set
set(version "${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")
file(WRITE "${doc}/changelog.Debian" "trainyard (${version}) unstable; urgency=low

  * What is new: changelog.gz beside this file.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
# Where Debian's Python looks below /usr.
file(GLOB modules "${root}/lib/python3.*/dist-packages")
foreach(folder IN LISTS modules)
  cmake_path(GET folder PARENT_PATH parent)
  file(MAKE_DIRECTORY "${root}/lib/python3")
  file(RENAME "${folder}" "${root}/lib/python3/dist-packages")
  execute_process(COMMAND rmdir "${parent}")
endforeach()
file(GLOB pages "${root}/share/man/man1/*.1")
execute_process(COMMAND gzip -9nf ${pages} "${doc}/changelog" "${doc}/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
# Users other than the builder read it, too, whatever the builder's umask is.
execute_process(COMMAND chmod -R u+rwX,go+rX,go-w "${CPACK_TEMPORARY_DIRECTORY}" COMMAND_ERROR_IS_FATAL ANY)
