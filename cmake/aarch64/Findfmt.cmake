# fmt's library is there for the building machine only. What is used of it is compiled once,
# from its headers: every file that compiled it, too, would take twice as long.
if(NOT TARGET fmt::fmt)
  add_library(fmt_functions STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
  target_compile_features(fmt_functions PRIVATE cxx_std_20)
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
  target_link_libraries(fmt::fmt INTERFACE fmt_functions)
endif()
set(fmt_FOUND TRUE)
