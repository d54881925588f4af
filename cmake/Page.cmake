# The page of the server: packed from web/ with Node.js and npm, if they are there. Sets STATMILL_PAGE_SOURCE, a C++ source
# that server/ compiles. Without node 18, npm or a network the server builds too; its `GET /` then says what is missing.
option(STATMILL_PAGE "Pack the page of the server (needs node 18 and npm)" ON)

set(STATMILL_PAGE_DIR ${CMAKE_BINARY_DIR}/web)
set(STATMILL_PAGE_SOURCE ${STATMILL_PAGE_DIR}/page.cc)
set(page_again "Then build again: cmake --build --preset release")
set(page_template ${CMAKE_SOURCE_DIR}/server/web/no_page.cc.in)
set(page_embed ${CMAKE_SOURCE_DIR}/server/web/embed.mjs)

find_program(STATMILL_NODE node)
find_program(STATMILL_NPM npm)
set(node_version 0)
if(STATMILL_NODE)
  execute_process(COMMAND ${STATMILL_NODE} --version OUTPUT_VARIABLE node_version ERROR_QUIET)
  string(REGEX REPLACE "^v([0-9]+)[^$]*$" "\\1" node_version "${node_version}")
endif()
if(node_version GREATER_EQUAL 18)
  set(STATMILL_HAS_NODE ON)
else()
  set(STATMILL_HAS_NODE OFF)
endif()

file(GLOB_RECURSE page_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/package.json ${CMAKE_SOURCE_DIR}/web/src/*)
set(STATMILL_PAGE_MISSING)
if(NOT STATMILL_PAGE)
  set(STATMILL_PAGE_MISSING "This binary has no page: it was built with -DSTATMILL_PAGE=OFF.")
elseif(NOT EXISTS ${CMAKE_SOURCE_DIR}/web/package.json)
  set(STATMILL_PAGE_MISSING "This binary has no page: its source tree has no folder web/.")
elseif(NOT STATMILL_HAS_NODE OR NOT STATMILL_NPM)
  set(STATMILL_PAGE_MISSING
    "This binary has no page: node 18 or later and npm were missing when it was built. tools/install-packages installs them. ${page_again}")
endif()

if(STATMILL_PAGE_MISSING)
  message(STATUS "${STATMILL_PAGE_MISSING}")
  configure_file(${page_template} ${STATMILL_PAGE_SOURCE} @ONLY)
endif()

# statmill_pack_page(): adds the rule that writes STATMILL_PAGE_SOURCE; called by the folder that compiles it.
function(statmill_pack_page)
  if(STATMILL_PAGE_MISSING)
    return()
  endif()
  # The stamp exists only after success, so that a build without a network tries again the next time.
  add_custom_command(OUTPUT ${STATMILL_PAGE_SOURCE} ${STATMILL_PAGE_DIR}/packed.stamp
    COMMAND ${CMAKE_COMMAND} -DWEB=${CMAKE_SOURCE_DIR}/web -DOUT=${STATMILL_PAGE_DIR} -DNODE=${STATMILL_NODE} -DNPM=${STATMILL_NPM}
      -DEMBED=${page_embed} -DTEMPLATE=${page_template} -P ${CMAKE_SOURCE_DIR}/cmake/PackPage.cmake
    DEPENDS ${page_files} ${CMAKE_SOURCE_DIR}/web/index.html ${CMAKE_SOURCE_DIR}/web/pack.mjs
      ${CMAKE_SOURCE_DIR}/web/package-lock.json ${page_embed} ${page_template} ${CMAKE_SOURCE_DIR}/cmake/PackPage.cmake
    COMMENT "Packing the page" VERBATIM)
endfunction()
