# metamorph_layer(NAME DEPENDS a b …): the static library of one folder of src/, from all its .cpp files. DEPENDS lists the
# layers whose headers it may include; linking nothing else is what keeps the architecture's arrows true.
function(metamorph_layer NAME)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()  # a layer that is not there yet
  endif()
  add_library(mm_${NAME} STATIC ${sources})
  target_include_directories(mm_${NAME} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(mm_${NAME} PRIVATE METAMORPH_VERSION="${PROJECT_VERSION}")
  foreach(layer ${ARG_DEPENDS})
    target_link_libraries(mm_${NAME} PUBLIC mm_${layer})
  endforeach()
  target_link_libraries(mm_${NAME} PUBLIC ${ARG_LINK} PRIVATE metamorph_warnings)
endfunction()

# metamorph_test(NAME LABELS l … DEPENDS a b … SOURCES f …): one GoogleTest program, one ctest entry a test case.
# SANITIZED filter (as of --gtest_filter): only these run under sanitizers. For programs whose cases differ by what is not
# sanitized: firmware, and C that is compiled at test time. What is left has to come by each line of ours.
function(metamorph_test NAME)
  cmake_parse_arguments(ARG "" "TIMEOUT;SANITIZED" "DEPENDS;SOURCES;LABELS;LINK" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  foreach(layer ${ARG_DEPENDS})
    target_link_libraries(${NAME} PRIVATE mm_${layer})
  endforeach()
  target_link_libraries(${NAME} PRIVATE ${ARG_LINK} GTest::gtest_main metamorph_warnings)
  target_include_directories(${NAME} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/test)
  target_compile_definitions(${NAME} PRIVATE METAMORPH_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  # A test runs once for each time it is compiled, or nearly: half of -O2's compile time is saved here, and lines stay known.
  target_compile_options(${NAME} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1 -g1>)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(ARG_LABELS MATCHES "^(unit|error|golden|e2e|powerloss)$")
    add_dependencies(sanitized_tests ${NAME})
  endif()
  set(filter)
  if(METAMORPH_SANITIZE AND ARG_SANITIZED)
    set(filter TEST_FILTER ${ARG_SANITIZED})
  endif()
  include(GoogleTest)  # without "pretty" values: those of structs are addresses, and change with each build
  gtest_discover_tests(${NAME} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES ${filter} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
