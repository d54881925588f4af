# How all our targets are compiled: language level, warnings and sanitizers.

find_program(STATMILL_CCACHE ccache)
if(STATMILL_CCACHE)
  # Required for precompiled headers with ccache: ignore macros and times in them.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${STATMILL_CCACHE})
endif()

add_library(statmill_options INTERFACE)
target_compile_features(statmill_options INTERFACE cxx_std_20)
target_include_directories(statmill_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(statmill_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror
  # The codec and buckets must compute the same results on every CPU: no fused multiply-add.
  -ffp-contract=off
  -fno-omit-frame-pointer -fstack-protector-strong
  # Our libraries are linked into programs only, so calls and thread-local data need not be replaceable at run time.
  -fPIE -fno-plt
  # False positives of g++ 12: overlaps in std::string, and moves beyond its end (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow -Wno-error=maybe-uninitialized>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Werror=thread-safety>)
if(NOT STATMILL_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  target_compile_definitions(statmill_options INTERFACE _FORTIFY_SOURCE=2)
endif()
if(CMAKE_UNITY_BUILD)  # g++ takes a source that another includes for a header
  target_compile_options(statmill_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
target_compile_definitions(statmill_options INTERFACE _GLIBCXX_ASSERTIONS
  STATMILL_VERSION="${PROJECT_VERSION}")
target_link_options(statmill_options INTERFACE -Wl,-z,relro,-z,now)
# lld links a test program in a fifth of the time of GNU ld.
find_program(STATMILL_LLD NAMES ld.lld)
if(STATMILL_LLD)
  target_link_options(statmill_options INTERFACE -fuse-ld=lld)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(STATMILL_SANITIZE)
  target_compile_options(statmill_options INTERFACE -fsanitize=${STATMILL_SANITIZE})
  if(STATMILL_SANITIZE MATCHES undefined)
    # vptr checks through a pipe whether an object is readable, so it fails in a test that has no descriptors left.
    target_compile_options(statmill_options INTERFACE -fno-sanitize-recover=undefined -fno-sanitize=vptr)
  endif()
  target_link_options(statmill_options INTERFACE -fsanitize=${STATMILL_SANITIZE})
endif()

# statmill_precompiled(NAME HEADERS... [LINK libs...] [OPTIONS...]): precompiles headers for targets that use
# target_precompile_headers(... REUSE_FROM NAME) and the same compile options.
function(statmill_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINK;OPTIONS" ${ARGN})
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${unit} CONTENT "")
  add_library(${name} OBJECT ${unit})
  # Without a timestamp, the file that clang writes is reproducible, so ccache finds it.
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS}
    $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  target_link_libraries(${name} PRIVATE statmill_options ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# Headers that most of our sources include. tests/architecture checks that each file still includes what it uses.
set(common_headers <algorithm> <array> <atomic> <chrono> <cmath> <cstring> <filesystem> <functional> <limits> <map>
  <memory> <optional> <span> <string> <string_view> <thread> <unordered_map> <utility> <vector>
  <boost/system/result.hpp>)
# Under sanitizers, code that mostly waits is not optimized: that would take more than half of its compile time.
set(waiting_options)
if(STATMILL_SANITIZE)
  set(waiting_options -O0)
endif()
statmill_precompiled(statmill_precompiled HEADERS ${common_headers})
statmill_precompiled(statmill_asio_precompiled OPTIONS ${waiting_options} LINK statmill_asio_headers
  HEADERS ${common_headers} <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp> <boost/asio/post.hpp> <boost/asio/steady_timer.hpp>)
if(STATMILL_FUZZ)
  statmill_precompiled(statmill_fuzzed_precompiled HEADERS ${common_headers} OPTIONS -fsanitize=fuzzer-no-link)
endif()

# What statmill_library() uses for WAITS, unless fuzzers run for long.
if(STATMILL_SANITIZE AND NOT STATMILL_FUZZES_LONG)
  statmill_precompiled(statmill_waiting_precompiled HEADERS ${common_headers} OPTIONS ${waiting_options})
  if(STATMILL_FUZZ)
    statmill_precompiled(statmill_fuzzed_waiting_precompiled HEADERS ${common_headers} OPTIONS -fsanitize=fuzzer-no-link ${waiting_options})
  endif()
endif()

# With CMAKE_UNITY_BUILD, a compiler reads this many sources at once, which halves the time of a cold build.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)

# statmill_batches(NAME sources...): a unity build compiles these sources in batches of their own, in this order.
function(statmill_batches name)
  set(count 0)
  foreach(source ${ARGN})
    math(EXPR batch "${count} / ${CMAKE_UNITY_BUILD_BATCH_SIZE}")
    math(EXPR count "${count} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}${batch})
  endforeach()
endfunction()

# statmill_library(NAME [FUZZED] [WAITS] SOURCES... [APART sources...] [ALONE sources...] [ASIO sources...] LINK libs...): adds a
# static library.
# FUZZED: fuzzers run this library; with STATMILL_FUZZ on, it is instrumented so that they see its branches.
# WAITS: no test makes it compute for long, so under sanitizers it is not optimized, but for STATMILL_FUZZES_LONG.
# APART: sources that a unity build does not compile together with those of SOURCES, because these have file-local names in
#   common with them. New ones go to the end of it, so that no other batch changes.
# ALONE: sources that a unity build compiles alone, for the same reason.
# ASIO: the sources that instantiate Asio or Beast, which wait for sockets.
function(statmill_library name)
  cmake_parse_arguments(ARG "FUZZED;WAITS" "" "SOURCES;APART;ALONE;ASIO;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES} ${ARG_APART} ${ARG_ALONE})
  if(ARG_APART)
    set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
    statmill_batches("" ${ARG_SOURCES})
    statmill_batches(apart_ ${ARG_APART})
  endif()
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name} PUBLIC statmill_options ${ARG_LINK})
  set(precompiled precompiled)
  if(ARG_WAITS AND TARGET statmill_waiting_precompiled)
    target_compile_options(${name} PRIVATE ${waiting_options})
    set(precompiled waiting_precompiled)
  endif()
  if(ARG_FUZZED AND STATMILL_FUZZ)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
    set(precompiled fuzzed_${precompiled})
  endif()
  target_precompile_headers(${name} REUSE_FROM statmill_${precompiled})
  if(ARG_ASIO)
    add_library(${name}_asio OBJECT ${ARG_ASIO})
    target_link_libraries(${name}_asio PRIVATE statmill_options ${ARG_LINK})
    target_compile_options(${name}_asio PRIVATE ${waiting_options})
    target_precompile_headers(${name}_asio REUSE_FROM statmill_asio_precompiled)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_asio>)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)  # it may have no C++ sources of its own
  endif()
endfunction()

# statmill_program(NAME SOURCES... LINK libs...): adds a program, built into build/PRESET/bin.
function(statmill_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE statmill_options ${ARG_LINK})
  target_link_options(${name} PRIVATE -pie)
endfunction()
