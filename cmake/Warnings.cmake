# metamorph_warnings: strict warnings for our own targets; third-party code never gets them.
add_library(metamorph_warnings INTERFACE)
target_compile_options(metamorph_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
