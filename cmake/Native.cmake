# STRIDEWISE_NATIVE: leaves on, of the options for instruction sets, the best that this
# machine has and those that plans mix with it.
if(NOT STRIDEWISE_NATIVE OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  return()
endif()
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} -march=native -dM -E -x c++ /dev/null
  OUTPUT_VARIABLE macros RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the compiler does not tell this machine's instruction "
                      "sets; configure with -DSTRIDEWISE_NATIVE=OFF")
endif()
foreach(set SSE4_1 AVX2 F16C AVX512F AVX512BW AVX512DQ AVX512VL AVX512VBMI)
  string(FIND "${macros}" "__${set}__" at)
  if(at EQUAL -1)
    set(has_${set} OFF)
  else()
    set(has_${set} ON)
  endif()
endforeach()
if(NOT (has_AVX2 AND has_F16C))
  set(STRIDEWISE_AVX2 OFF)
endif()
if(NOT (has_AVX512F AND has_AVX512BW AND has_AVX512DQ AND has_AVX512VL))
  set(STRIDEWISE_AVX512 OFF)
endif()
if(STRIDEWISE_AVX2)
  set(STRIDEWISE_SSE4 OFF)
endif()
