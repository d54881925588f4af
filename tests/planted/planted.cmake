# Bugs that tests must find. Each is a production source with one text replaced, linked before the library with the
# original.

# statmill_planted(NAME OF libraries FOUND_BY objects LINK libraries): NAME.txt of this folder, a bug in a source of the
# libraries OF. The objects FOUND_BY have a main() that returns 0 if it finds the bug.
function(statmill_planted name)
  cmake_parse_arguments(ARG "" "FOUND_BY" "OF;LINK" ${ARGN})
  set(plant ${CMAKE_SOURCE_DIR}/tests/planted/plant.cmake)
  set(planted ${CMAKE_CURRENT_SOURCE_DIR}/${name}.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${planted})
  file(STRINGS ${planted} path REGEX "^file: " LIMIT_COUNT 1)
  string(REPLACE "file: " "" path "${path}")
  set_source_files_properties(${CMAKE_SOURCE_DIR}/${path} TARGET_DIRECTORY ${ARG_OF}
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # to be replaced
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DPLANTED=${planted} -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DOUT=${out} -P ${plant}
    DEPENDS ${planted} ${CMAKE_SOURCE_DIR}/${path} ${plant})
  add_executable(planted_${name} ${out} $<TARGET_OBJECTS:${ARG_FOUND_BY}>)
  target_link_libraries(planted_${name} PRIVATE statmill_options ${ARG_LINK})
  target_compile_options(planted_${name} PRIVATE -w)
  target_precompile_headers(planted_${name} REUSE_FROM statmill_precompiled)
  set_target_properties(planted_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/planted)
  add_test(NAME Planted.${name} COMMAND planted_${name})
  set_tests_properties(Planted.${name} PROPERTIES TIMEOUT 300)
endfunction()
