# Library, headers, command, pkg-config file, CMake package, man pages.
include(CMakePackageConfigHelpers)

install(TARGETS hasten EXPORT hasten-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/hasten DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET hasten_cli)
  set_target_properties(hasten_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS hasten_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT hasten-targets NAMESPACE hasten:: FILE hasten-targets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hasten)
configure_package_config_file(cmake/hasten-config.cmake.in hasten-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hasten)
write_basic_package_version_file(hasten-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hasten-config.cmake
              ${PROJECT_BINARY_DIR}/hasten-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/hasten)

# The prefix is told from where the file lies: it may be given, or moved, when installing.
file(RELATIVE_PATH pc_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(cmake/hasten.pc.in hasten.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hasten.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(GLOB man_pages ${PROJECT_SOURCE_DIR}/docs/man/*.1 ${PROJECT_SOURCE_DIR}/docs/man/*.3)
foreach(page ${man_pages})
  string(REGEX MATCH "[0-9]$" section ${page})
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
