# What is used of fmt, compiled once from its headers: for machines that have no library of
# it, and for products that must not need one. Every file that compiled it, too, would take
# twice as long.
if(NOT TARGET fmt::fmt)
  add_library(fmt_functions STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
  target_compile_features(fmt_functions PRIVATE cxx_std_20)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
    set_target_properties(fmt_functions PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
  target_link_libraries(fmt::fmt INTERFACE fmt_functions)
endif()
set(fmt_FOUND TRUE)
