# WebAssembly by Debian's clang and its C library for WASI. That C++ library has neither
# exceptions nor threads nor files: what needs them is left out (STRIDEWISE_SYSTEM).
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR /usr/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB /usr/bin/ranlib CACHE FILEPATH "")
set(CMAKE_CXX_FLAGS_INIT
    "-stdlib=libc++ -fno-exceptions -include ${CMAKE_CURRENT_LIST_DIR}/wasm/no_files.hpp")
# Without the numbers of a locale, which take a twentieth of the page.
add_compile_definitions(FMT_STATIC_THOUSANDS_SEPARATOR=44)
# There is no main() to link a test with.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# Headers without code of their own serve every machine.
list(APPEND CMAKE_PREFIX_PATH /usr)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/static_fmt)
