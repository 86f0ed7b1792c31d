# `cmake --install` and find_package(stridewise [COMPONENTS threads opencl]).
include(CMakePackageConfigHelpers)

set(stridewise_targets stridewise)
if(STRIDEWISE_THREADS)
  list(APPEND stridewise_targets stridewise_threads)
endif()
if(STRIDEWISE_HAS_OPENCL)
  list(APPEND stridewise_targets stridewise_opencl)
endif()
install(TARGETS ${stridewise_targets} EXPORT stridewise-targets)
set(absent_headers "")
if(NOT STRIDEWISE_THREADS)
  list(APPEND absent_headers PATTERN threads.hpp EXCLUDE)
endif()
if(NOT STRIDEWISE_HAS_OPENCL)
  list(APPEND absent_headers PATTERN opencl.hpp EXCLUDE)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/stridewise
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${absent_headers})
if(STRIDEWISE_CLI)
  install(TARGETS stridewise_cli)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stridewise)
install(EXPORT stridewise-targets NAMESPACE stridewise::
        DESTINATION ${package_dir})
configure_package_config_file(cmake/stridewise-config.cmake.in
  stridewise-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(stridewise-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stridewise-config.cmake
              ${PROJECT_BINARY_DIR}/stridewise-config-version.cmake
        DESTINATION ${package_dir})
