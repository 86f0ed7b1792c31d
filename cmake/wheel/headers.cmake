# The headers of libraries alone: beside them lie those of this machine's glibc, which are
# not to be found.
set(headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${headers})
foreach(name fmt tl toml++ CLI nlohmann xxhash.h zlib.h)
  file(CREATE_LINK /usr/include/${name} ${headers}/${name} SYMBOLIC)
endforeach()
file(GLOB zconf /usr/include/zconf.h /usr/include/*/zconf.h)
list(GET zconf 0 zconf)
file(CREATE_LINK ${zconf} ${headers}/zconf.h SYMBOLIC)
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${headers})
list(APPEND CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES /usr/include)
