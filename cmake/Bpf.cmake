# Builds eBPF programs into headers: clang compiles them, bpftool strips DWARF and generates a skeleton header.
#
# STATMILL_BPF_BUILT is false if clang, bpftool or libbpf is missing. The agent is then built without its eBPF
# collectors, and reports this at run time.

set(STATMILL_BPF_BUILT OFF)
if(STATMILL_BPF)
  find_program(STATMILL_BPF_CLANG NAMES clang-16 clang)
  find_program(STATMILL_BPFTOOL bpftool PATHS /usr/sbin /sbin)
  pkg_check_modules(LIBBPF IMPORTED_TARGET libbpf>=1.1)
  if(STATMILL_BPF_CLANG AND STATMILL_BPFTOOL AND LIBBPF_FOUND)
    set(STATMILL_BPF_BUILT ON)
  else()
    message(STATUS "No eBPF collectors: clang, bpftool or libbpf is missing")
  endif()
endif()

# statmill_bpf_program(TARGET SUBJECT): builds SUBJECT.bpf.c into SUBJECT.skel.h, for targets that link the interface
# library TARGET.
function(statmill_bpf_program target subject)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${subject}.bpf.c)
  set(directory ${CMAKE_CURRENT_BINARY_DIR}/skeletons)
  set(compiled ${CMAKE_CURRENT_BINARY_DIR}/${subject}.compiled.o)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${subject}.bpf.o)
  set(skeleton ${directory}/${subject}.skel.h)
  file(MAKE_DIRECTORY ${directory})
  add_custom_command(
    OUTPUT ${skeleton}
    COMMAND ${STATMILL_BPF_CLANG} -target bpf -mcpu=v3 -O2 -g -std=gnu11 -Wall -Wextra -Wno-unused-parameter
      -Werror -fdebug-prefix-map=${CMAKE_SOURCE_DIR}=. -I${CMAKE_SOURCE_DIR} -MMD -MF ${compiled}.d -MT ${skeleton}
      -c ${source} -o ${compiled}
    COMMAND ${STATMILL_BPFTOOL} gen object ${object} ${compiled}
    COMMAND ${STATMILL_BPFTOOL} gen skeleton ${object} name ${subject}_bpf > ${skeleton}
    DEPENDS ${source}
    DEPFILE ${compiled}.d
    COMMENT "Building eBPF skeleton ${subject}.skel.h"
    VERBATIM)
  add_custom_target(${target}_${subject} DEPENDS ${skeleton})
  add_dependencies(${target} ${target}_${subject})
  target_include_directories(${target} SYSTEM INTERFACE ${directory})  # generated code: no warnings
endfunction()
