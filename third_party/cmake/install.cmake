# What `cmake --install` puts where, and the package that find_package(sinter CONFIG) reads.

include(CMakePackageConfigHelpers)
set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sinter)

set_target_properties(sinter_static PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
install(TARGETS sinter sinter_static EXPORT sinter-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS sinter_pjrt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET sinter_tool)
  install(TARGETS sinter_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/sinter DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} 
  FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
install(EXPORT sinter-targets NAMESPACE sinter:: DESTINATION ${_package_dir})

# LLVM stands in the package only if some room links it.
set(SINTER_STATIC_LLVM "")
set(_system -ldl)
if("llvm" IN_LIST SINTER_ROOM_EXTERNALS)
  set(SINTER_STATIC_LLVM ${SINTER_LLVM_LIBRARIES})
  list(APPEND _system ${SINTER_LLVM_SYSTEM_LIBRARIES})
endif()
# One item, since CMake removes repeated flags from link lines.
list(JOIN _system "," _system)
set(SINTER_STATIC_SYSTEM "-Wl,--push-state,--as-needed,${_system},--pop-state")
configure_package_config_file(third_party/cmake/sinter-config.cmake.in
  ${PROJECT_BINARY_DIR}/package/sinter-config.cmake
  INSTALL_DESTINATION ${_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/sinter-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/package/sinter-config.cmake
  ${PROJECT_BINARY_DIR}/package/sinter-config-version.cmake
  DESTINATION ${_package_dir})
