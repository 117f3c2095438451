# What is installed, as three parts: `library` (headers and package files), `program`, whose files stand beside it in
# examples/cli, and `documentation` (pages, schemas, licence), which either asks for.
if(STAGECUT_INSTALL)
  include(CMakePackageConfigHelpers)
  # find_package(stagecut 0.2 COMPONENTS compiled fit graph io search)
  set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/stagecut")
  configure_package_config_file(cmake/stagecut-config.cmake.in stagecut-config.cmake INSTALL_DESTINATION "${package_dir}"
                                NO_SET_AND_CHECK_MACRO)
  configure_file(cmake/stagecut-config-version.cmake.in stagecut-config-version.cmake @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/stagecut-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/stagecut-config-version.cmake"
                cmake/stagecut-search.cmake
          DESTINATION "${package_dir}" COMPONENT library)
endif()

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/stagecut" COMPONENT documentation)
install(DIRECTORY docs/ DESTINATION "${STAGECUT_DOCDIR}" COMPONENT documentation
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.schema.json")
