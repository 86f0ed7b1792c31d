# Programs for machines with a glibc that is years older than this one's, by Zig's clang and
# libc++, which are in them: what wheels are made with. ZIG_CXX names the compiler.
set(CMAKE_CXX_COMPILER $ENV{ZIG_CXX})
set(CMAKE_PROJECT_INCLUDE ${CMAKE_CURRENT_LIST_DIR}/headers.cmake)
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/../static_fmt)
