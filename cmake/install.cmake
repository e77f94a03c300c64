# Installation: headers, libraries, find_package(carom), pkg-config, and the samples as a separate project.
# No installed file names the prefix, so the tree can be moved.
include(CMakePackageConfigHelpers)
set(CAROM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
install(TARGETS carom carom_static carom_io carom_io_static EXPORT carom_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(EXPORT carom_targets NAMESPACE carom:: FILE carom-targets.cmake DESTINATION ${CAROM_PACKAGE_DIR})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/carom-config.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/carom-config.cmake INSTALL_DESTINATION ${CAROM_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/carom-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/carom-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/carom-config-version.cmake
        DESTINATION ${CAROM_PACKAGE_DIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The samples get their shapes from scenes/, which needs only the public headers.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/carom)
if(TARGET carom_tool)
  install(TARGETS carom_tool)
endif()

# pkg-config finds the prefix from where the file is: as many steps up as the folder is deep. A packager who gives
# absolute folders gets these.
set(CAROM_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(CAROM_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH CAROM_PC_PREFIX /prefix/${CAROM_PC_DIR} /prefix)
  string(REGEX REPLACE "/$" "" CAROM_PC_PREFIX "\${pcfiledir}/${CAROM_PC_PREFIX}")
endif()
foreach(folder LIBDIR INCLUDEDIR)
  set(CAROM_PC_${folder} ${CMAKE_INSTALL_${folder}})
  if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_${folder}})
    set(CAROM_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
foreach(name carom carom-io)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CAROM_PC_DIR})
endforeach()
