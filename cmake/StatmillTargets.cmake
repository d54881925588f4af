# How every target of ours is compiled: one place for the language level, warnings and sanitizers.

find_program(STATMILL_CCACHE ccache)
if(STATMILL_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${STATMILL_CCACHE})
endif()

add_library(statmill_options INTERFACE)
target_compile_features(statmill_options INTERFACE cxx_std_20)
target_include_directories(statmill_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(statmill_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror
  # Codec and buckets must compute the same on every CPU: no fused multiply-add behind our back.
  -ffp-contract=off
  -fno-omit-frame-pointer -fstack-protector-strong
  # All of ours ends in programs: calls and thread-local data need not allow for being replaced at run time.
  -fPIE -fno-plt
  # g++ 12 sees overlaps in std::string that are not there (its bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-error=maybe-uninitialized>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Werror=thread-safety>)
if(NOT STATMILL_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  target_compile_definitions(statmill_options INTERFACE _FORTIFY_SOURCE=2)
endif()
target_compile_definitions(statmill_options INTERFACE _GLIBCXX_ASSERTIONS
  STATMILL_VERSION="${PROJECT_VERSION}")
target_link_options(statmill_options INTERFACE -Wl,-z,relro,-z,now)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(STATMILL_SANITIZE)
  target_compile_options(statmill_options INTERFACE -fsanitize=${STATMILL_SANITIZE})
  if(STATMILL_SANITIZE MATCHES undefined)
    # vptr asks the kernel, through a pipe, whether an object is readable: a test without descriptors left confuses it.
    target_compile_options(statmill_options INTERFACE -fno-sanitize-recover=undefined -fno-sanitize=vptr)
  endif()
  target_link_options(statmill_options INTERFACE -fsanitize=${STATMILL_SANITIZE})
endif()
if(STATMILL_FUZZ)
  target_compile_options(statmill_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# statmill_library(NAME SOURCES... LINK libs...): the static library of one folder.
function(statmill_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC statmill_options ${ARG_LINK})
endfunction()

# statmill_program(NAME SOURCES... LINK libs...): one program, in build/PRESET/bin.
function(statmill_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE statmill_options ${ARG_LINK})
  target_link_options(${name} PRIVATE -pie)
endfunction()
