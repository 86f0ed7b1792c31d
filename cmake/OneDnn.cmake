# oneDNN as the imported target onednn. Its own package config insists on
# OpenCL's development files, which nothing here uses.
include_guard(GLOBAL)
find_library(ONEDNN_LIBRARY dnnl REQUIRED)
find_path(ONEDNN_INCLUDE_DIR dnnl.hpp REQUIRED)
add_library(onednn INTERFACE IMPORTED GLOBAL)
target_link_libraries(onednn INTERFACE ${ONEDNN_LIBRARY})
target_include_directories(onednn SYSTEM INTERFACE ${ONEDNN_INCLUDE_DIR})
