# The Debian packages: `cpack -G DEB` makes one of each component. tools/test-packages tests them.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME statmill)
set(CPACK_PACKAGE_CONTACT "The statmill authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# deb_package(COMPONENT SECTION SUMMARY DETAILS): the package of a component.
macro(deb_package component section summary details)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${${component}_package})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${details}")
endmacro()

deb_package(server admin "time-series statistics server"
  "statmilld takes samples over UDP, TCP and HTTP and from agents, keeps them as\nbuckets of 10 s, 5 min and 1 h, and answers queries over HTTP.")
deb_package(agent admin "agent that measures a host for statmill"
  "statmill-agent collects from eBPF and /proc, takes the lines of this host's\nprograms, and sends all of it to statmill servers. It keeps a spool on disk.")
deb_package(tools admin "command line client and benchmarks of statmill"
  "statmill puts and queries samples, and administers a server on its own host.\nstatmill-bench measures what statmill costs.")
deb_package(counters libdevel "counters, gauges and histograms for C and C++ programs"
  "A static library that counts in two or three nanoseconds from any number of\nthreads and sends what it counted to statmill.")

set(CPACK_DEBIAN_SERVER_PACKAGE_RECOMMENDS "statmill-tools, tzdata")
set(CPACK_DEBIAN_AGENT_PACKAGE_DEPENDS
  "systemd | systemd-standalone-sysusers | systemd-sysusers, systemd | systemd-standalone-tmpfiles | systemd-tmpfiles")
set(CPACK_DEBIAN_AGENT_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "statmill-server, statmill-agent")
set(CPACK_DEBIAN_COUNTERS_PACKAGE_DEPENDS "libc6-dev, libstdc++-12-dev | libstdc++-dev")
set(CPACK_DEBIAN_COUNTERS_PACKAGE_SUGGESTS "pkg-config, cmake")

# deb_service(COMPONENT UNIT CONFIG STOPPED SETUP DATA...): scripts of a package that has a unit. STOPPED are the units that a removal
# stops, in this order; SETUP runs before the unit starts; DATA are the directories that a purge removes.
macro(deb_service component unit config stopped setup)
  string(TOUPPER ${component} key)
  set(deb_unit ${unit})
  set(deb_stopped "${stopped}")
  set(deb_setup "${setup}")
  string(REPLACE ";" " " deb_data "${ARGN}")
  set(deb_directory ${CMAKE_CURRENT_BINARY_DIR}/deb/${component})
  foreach(script postinst prerm postrm)
    configure_file(deb/${script}.in ${deb_directory}/${script} @ONLY
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endforeach()
  file(WRITE ${deb_directory}/conffiles "/etc/statmill/${config}\n")
  set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA
    ${deb_directory}/conffiles ${deb_directory}/postinst ${deb_directory}/prerm ${deb_directory}/postrm)
endmacro()

deb_service(server statmilld.service statmilld.conf "statmilld.service" ":" /var/lib/statmill /var/lib/private/statmill)
deb_service(agent statmill-agent.service statmill-agent.conf "statmill-agent.service run-statmill.mount"
  "systemd-sysusers statmill-agent.conf\n  systemd-tmpfiles --create statmill-agent.conf || true  # a chroot may lack /proc; the next boot makes it"
  /var/lib/statmill-agent)

include(CPack)
