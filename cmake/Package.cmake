# What `cpack` makes of a build: an archive, and a package for Debian.
set(CPACK_PACKAGE_NAME stridewise)
set(CPACK_PACKAGE_VENDOR Stridewise)
set(CPACK_PACKAGE_CONTACT "Stridewise <https://pypi.org/project/stridewise>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME
    "stridewise-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What a program needs that is built with the library.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libexpected-dev, libfmt-dev, zlib1g-dev, libtbb-dev, ocl-icd-opencl-dev")
include(CPack)
