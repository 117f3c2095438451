# The package: find_package(stagecut 0.1 COMPONENTS fit graph io search).
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/stagecut")
configure_package_config_file(cmake/stagecut-config.cmake.in stagecut-config.cmake INSTALL_DESTINATION "${package_dir}"
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(stagecut-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/stagecut-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/stagecut-config-version.cmake"
              cmake/stagecut-search.cmake
        DESTINATION "${package_dir}")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/stagecut")
