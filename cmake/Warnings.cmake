# The warnings that every target compiles without. They may be errors with the
# compilers that ./test builds with, whose warnings are known.
option(STRIDEWISE_WERROR "warnings of g++ 12 and clang 14 are errors" OFF)

function(stridewise_warnings target)
  set(known "^(GNU 12|Clang 14|Clang 19)\\.")
  if(STRIDEWISE_WERROR AND
     "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "${known}")
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef
    -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Wimplicit-fallthrough)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
    # Addresses have 32 bits there: what counts bytes in memory is narrower than sizes.
    target_compile_options(${target} PRIVATE -Wno-shorten-64-to-32)
  endif()
endfunction()
