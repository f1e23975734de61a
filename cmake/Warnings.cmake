# metamorph_warnings: strict warnings for our own targets; third-party code never gets them.
add_library(metamorph_warnings INTERFACE)
target_compile_options(metamorph_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
# GCC 12 reports string concatenations that it inlined itself (its bug 105329).
target_compile_options(metamorph_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
