# The warnings that every target compiles without; errors in presets that say so.
option(STRIDEWISE_WERROR "warnings are errors" OFF)

function(stridewise_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef
    -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Wimplicit-fallthrough
    $<$<BOOL:${STRIDEWISE_WERROR}>:-Werror>)
endfunction()
