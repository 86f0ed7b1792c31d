# Up to 24 files of a folder compile as one: their headers are read once, and templates that they
# share are made once. So no two of them may have the same private name.
function(stridewise_unity target)
  if(NOT STRIDEWISE_UNITY)
    return()
  endif()
  get_target_property(files ${target} SOURCES)
  foreach(file ${files})
    get_filename_component(folder ${file} DIRECTORY)
    string(REPLACE "${PROJECT_SOURCE_DIR}" "" folder "${folder}")
    string(MAKE_C_IDENTIFIER "${target}${folder}" group)
    math(EXPR "${group}" "${${group}} + 1")
    math(EXPR part "${${group}} / 24")
    set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES
      UNITY_GROUP ${group}_${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A private name hides nothing in its own file, nor is a private type shared.
  target_compile_options(${target} PRIVATE
    -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Those files of a library whose paths match are compiled by a target of their own, as the
# others are.
function(stridewise_part part target matching)
  get_target_property(files ${target} SOURCES)
  set(own ${files})
  list(FILTER own INCLUDE REGEX "${matching}")
  list(REMOVE_ITEM files ${own})
  set_target_properties(${target} PROPERTIES SOURCES "${files}")
  add_library(${part} OBJECT ${own})
  foreach(property INCLUDE_DIRECTORIES LINK_LIBRARIES COMPILE_OPTIONS COMPILE_FEATURES
          PRECOMPILE_HEADERS POSITION_INDEPENDENT_CODE)
    get_target_property(value ${target} ${property})
    set_target_properties(${part} PROPERTIES ${property} "${value}")
  endforeach()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
endfunction()
