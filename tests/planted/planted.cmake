# Bugs that tests must find. Each is a production source with one text replaced, linked before the library with the
# original. With STATMILL_NIGHTLY only: they are 60 programs.

if(STATMILL_NIGHTLY)
  add_custom_target(planted_bugs)
endif()

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
  add_dependencies(planted_bugs planted_${name})
  add_test(NAME Planted.${name} COMMAND planted_${name})
  set_tests_properties(Planted.${name} PROPERTIES TIMEOUT 300)
endfunction()

# Every build checks that the texts to replace still exist.
file(GLOB planted_texts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/planted/*.txt ${CMAKE_SOURCE_DIR}/tests/*/*/planted/*.txt)
list(FILTER planted_texts EXCLUDE REGEX "CMakeLists[.]txt$")
add_test(NAME Planted.TextsAreInTheSources COMMAND bash -c
  "for text; do '${CMAKE_COMMAND}' -DPLANTED=\"$text\" -DSOURCE_DIR='${CMAKE_SOURCE_DIR}' -DOUT=planted.cc -P '${CMAKE_SOURCE_DIR}/tests/planted/plant.cmake' || exit 1; done"
  texts ${planted_texts})
