# cmake/PackPage.cmake with fakes of npm and node: a step that fails gives a source that says so, and no stamp; the packages are
# installed once.
file(REMOVE_RECURSE ${OUT})
file(WRITE ${OUT}/web/package.json "{}")
file(WRITE ${OUT}/web/package-lock.json "{}")
# node.sh pack.mjs OUT ..., or node.sh embed.mjs FOLDER OUT.cc
file(WRITE ${OUT}/node.sh "#!/bin/sh\nif [ $# -gt 3 ]; then mkdir -p $2; else echo page > $3; fi\n")
file(WRITE ${OUT}/npm.sh "#!/bin/sh\necho run >> ${OUT}/npm.log\n")
file(CHMOD ${OUT}/node.sh ${OUT}/npm.sh PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

# Packs, then compares the source with `pattern`, and whether there is a stamp.
function(pack pattern has_stamp)
  execute_process(COMMAND ${CMAKE_COMMAND} -DWEB=${OUT}/web -DOUT=${OUT}/build -DEMBED=embed.mjs
      -DTEMPLATE=${SOURCE}/server/web/no_page.cc.in ${ARGN} -P ${SOURCE}/cmake/PackPage.cmake
    RESULT_VARIABLE result ERROR_VARIABLE said)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the build does not go on: ${said}")
  endif()
  file(READ ${OUT}/build/page.cc source)
  if(NOT source MATCHES "${pattern}")
    message(FATAL_ERROR "page.cc does not match '${pattern}': ${source}")
  endif()
  if(has_stamp AND NOT EXISTS ${OUT}/build/packed.stamp)
    message(FATAL_ERROR "there is no stamp")
  elseif(NOT has_stamp AND EXISTS ${OUT}/build/packed.stamp)
    message(FATAL_ERROR "there is a stamp")
  endif()
endfunction()

pack("has no page: npm ci failed" OFF -DNODE=${OUT}/node.sh -DNPM=false)
pack("has no page: node web/pack.mjs failed" OFF -DNODE=false -DNPM=${OUT}/npm.sh)
pack("^page" ON -DNODE=${OUT}/node.sh -DNPM=${OUT}/npm.sh)
pack("^page" ON -DNODE=${OUT}/node.sh -DNPM=false)
file(WRITE ${OUT}/web/package-lock.json "{ }")
pack("^page" ON -DNODE=${OUT}/node.sh -DNPM=${OUT}/npm.sh)
pack("has no page: node web/pack.mjs failed" OFF -DNODE=false -DNPM=${OUT}/npm.sh)
file(STRINGS ${OUT}/npm.log runs)
list(LENGTH runs count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "npm ran ${count} times")
endif()
