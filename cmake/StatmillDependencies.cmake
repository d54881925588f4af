# All external dependencies, as packaged by Debian 12 (tools/packages lists them). Their headers are SYSTEM includes,
# to suppress warnings in them.

find_package(Threads REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED COMPONENTS program_options json url)
find_package(PkgConfig REQUIRED)
find_library(STATMILL_RE2 re2 REQUIRED)  # its pkg-config file asks for -pthread, which our precompiled headers lack
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_package(OpenSSL REQUIRED)
pkg_check_modules(SYSTEMD REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_package(ZLIB REQUIRED)
pkg_check_modules(ROCKSDB REQUIRED IMPORTED_TARGET rocksdb)
pkg_check_modules(YAML_CPP REQUIRED IMPORTED_TARGET yaml-cpp)
pkg_check_modules(SNAPPY REQUIRED IMPORTED_TARGET snappy)

# Asio and Beast, with the same configuration macros for all users. Link statmill_asio (base/) rather than this. The macros that
# disable other allocators make Asio use operator new, which ends the process if it fails (base/out_of_memory.h).
add_library(statmill_asio_headers INTERFACE)
target_link_libraries(statmill_asio_headers INTERFACE Boost::headers OpenSSL::SSL Threads::Threads)
target_compile_definitions(statmill_asio_headers INTERFACE
  BOOST_ASIO_DISABLE_BOOST_ALIGN BOOST_ASIO_DISABLE_STD_ALIGNED_ALLOC BOOST_ASIO_NO_DEPRECATED
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION)

if(STATMILL_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
