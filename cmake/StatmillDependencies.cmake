# Everything statmill takes from outside, as Debian 12 packages it (tools/packages lists them).
# Headers of others are SYSTEM: their warnings are not ours to mend.

find_package(Threads REQUIRED)
find_package(Boost 1.81.0 EXACT CONFIG REQUIRED COMPONENTS program_options json url)
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_package(OpenSSL REQUIRED)
pkg_check_modules(SYSTEMD REQUIRED IMPORTED_TARGET libsystemd)
pkg_check_modules(ROCKSDB REQUIRED IMPORTED_TARGET rocksdb)

# Asio and Beast: header-only, one definition of their knobs for all users.
add_library(statmill_asio INTERFACE)
target_link_libraries(statmill_asio INTERFACE Boost::headers Threads::Threads)
target_compile_definitions(statmill_asio INTERFACE BOOST_ASIO_NO_DEPRECATED)

if(STATMILL_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
