# The port of this checkout: vcpkg install "stagecut[io]" --overlay-ports=cmake/ports. Its source is the checkout itself until
# there is a release, so there is no hash to state.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# Headers are the same for debugging; so the program, a tool, is built once.
if(NOT "compiled" IN_LIST FEATURES)
  set(VCPKG_BUILD_TYPE release)
endif()
vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES cli STAGECUT_INSTALL_CLI compiled STAGECUT_COMPILED)
set(needing io graph fit)
set(needed nlohmann_json Boost Eigen3)
foreach(feature package IN ZIP_LISTS needing needed)  # what another port has brought is not compiled in
  if(NOT feature IN_LIST FEATURES AND NOT "cli" IN_LIST FEATURES)
    list(APPEND options -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
  endif()
endforeach()
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${options} -DSTAGECUT_BUILD_TESTS=OFF -DSTAGECUT_BUILD_EXAMPLES=OFF -DSTAGECUT_BUILD_BENCH=OFF
          "-DSTAGECUT_DOCUMENTS=../../share/doc/${PORT}")  # from the folder of the program, tools/stagecut
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/stagecut)
foreach(feature fit graph io search)  # the others' files for pkg-config ask for what is not there
  if(NOT feature IN_LIST FEATURES)
    file(REMOVE "${CURRENT_PACKAGES_DIR}/share/pkgconfig/stagecut-${feature}.pc")
  endif()
endforeach()
vcpkg_fixup_pkgconfig()
if("cli" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES stagecut AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
     "${CURRENT_PACKAGES_DIR}/share/cmake" "${CURRENT_PACKAGES_DIR}/share/licenses")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
