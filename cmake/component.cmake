# stagecut_component(NAME DESCRIPTION TEXT ROOMS ROOM... [LINKS TARGET...] [PKG_CONFIG_REQUIRES NAME...]
#                    [PKG_CONFIG_VARIABLES LINE...] [PKG_CONFIG_CFLAGS FLAG...])
#
# Adds the interface target of one component, stagecut::NAME, with the headers of its rooms. The component `stagecut` also
# owns the headers that stand in no room, and the sources of the compiled form; every other component links to it. Each is exported on its own, so that a user
# who asks for one is not asked for the dependencies of another. Its file for pkg-config is stagecut-NAME.pc, or stagecut.pc.
function(stagecut_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION"
                        "ROOMS;LINKS;PKG_CONFIG_REQUIRES;PKG_CONFIG_VARIABLES;PKG_CONFIG_CFLAGS")
  if(name STREQUAL "stagecut")
    set(target stagecut)
    file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/stagecut/*.hpp")
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/stagecut/source/*.hpp")
    set_property(GLOBAL APPEND PROPERTY STAGECUT_ROOMS source)
  else()
    set(target stagecut_${name})
    set(headers "")
    set(sources "")
  endif()
  set(device_headers "")
  set(bodies "")
  foreach(room IN LISTS arg_ROOMS)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/stagecut/${room}/*.hpp")
    file(GLOB_RECURSE found_for_devices CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/stagecut/${room}/*.cuh")
    file(GLOB_RECURSE found_bodies CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/stagecut/${room}/*.ipp")
    if(NOT found)
      message(FATAL_ERROR "component ${name}: there is no room ${room}")
    endif()
    list(APPEND headers ${found})
    list(APPEND device_headers ${found_for_devices})
    list(APPEND bodies ${found_bodies})
    set_property(GLOBAL APPEND PROPERTY STAGECUT_ROOMS ${room})
  endforeach()

  add_library(${target} INTERFACE)
  add_library(stagecut::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_sources(${target} INTERFACE FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${headers})
  set(file_sets FILE_SET HEADERS)
  set_target_properties(${target} PROPERTIES INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  foreach(set IN ITEMS device_headers bodies sources)  # a C++ compiler cannot verify them alone
    if(${set})
      target_sources(${target} INTERFACE FILE_SET ${set} TYPE HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${${set}})
      list(APPEND file_sets FILE_SET ${set})
    endif()
  endforeach()
  if(NOT name STREQUAL "stagecut")
    target_link_libraries(${target} INTERFACE stagecut::stagecut ${arg_LINKS})
  endif()
  if(STAGECUT_INSTALL)
    list(TRANSFORM file_sets REPLACE "^(HEADERS|device_headers|bodies|sources)$" "\\1;COMPONENT;library")
    install(TARGETS ${target} EXPORT stagecut-${name}-targets ${file_sets})
    install(EXPORT stagecut-${name}-targets NAMESPACE stagecut:: DESTINATION "${CMAKE_INSTALL_DATADIR}/cmake/stagecut"
            COMPONENT library)
    set(package stagecut)
    if(NOT name STREQUAL "stagecut")
      set(package stagecut-${name})
      list(PREPEND arg_PKG_CONFIG_REQUIRES "stagecut = ${PROJECT_VERSION}")
    endif()
    stagecut_pkg_config(${package} "${CMAKE_INSTALL_DATADIR}" "${arg_DESCRIPTION}" REQUIRES ${arg_PKG_CONFIG_REQUIRES}
                        VARIABLES ${arg_PKG_CONFIG_VARIABLES} CFLAGS ${arg_PKG_CONFIG_CFLAGS})
  endif()
endfunction()

# stagecut_pkg_config(PACKAGE FOLDER DESCRIPTION [REQUIRES NAME...] [VARIABLES LINE...] [CFLAGS FLAG...] [LIBS FLAG...])
#
# The file for pkg-config, in FOLDER/pkgconfig. It finds its prefix from where it lies, so the installed folder may be moved.
function(stagecut_pkg_config package folder description)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "REQUIRES;VARIABLES;CFLAGS;LIBS")
  file(RELATIVE_PATH up "/${folder}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  list(JOIN arg_REQUIRES ", " requires)
  list(JOIN arg_CFLAGS " " cflags)
  list(JOIN arg_LIBS " " libs)
  list(JOIN arg_VARIABLES "\n" variables)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/stagecut.pc.in" ${package}.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${package}.pc" DESTINATION "${folder}/pkgconfig" COMPONENT library)
endfunction()

# stagecut_find(TARGET PACKAGE WORD...)
#
# Finds what a component needs, if it is there, for all folders. A project around this one may bring its own, also later: then it is
# only looked for when all of that project is known.
macro(stagecut_find target)
  if(PROJECT_IS_TOP_LEVEL OR STAGECUT_INSTALL_CLI)
    find_package(${ARGN} QUIET GLOBAL)
  else()
    cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY \"${CMAKE_SOURCE_DIR}\" CALL stagecut_find_now ${target} ${ARGN})")
  endif()
endmacro()

macro(stagecut_find_now target)
  if(NOT TARGET ${target})
    find_package(${ARGN} QUIET GLOBAL)
  endif()
endmacro()

# stagecut_check_rooms()
#
# Fails if a folder of headers belongs to no component: it would be neither installed nor checked.
function(stagecut_check_rooms)
  get_property(known GLOBAL PROPERTY STAGECUT_ROOMS)
  file(GLOB found RELATIVE "${PROJECT_SOURCE_DIR}/include/stagecut" CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/stagecut/*")
  list(FILTER found EXCLUDE REGEX "\\.hpp$")
  list(REMOVE_ITEM found ${known})
  if(found)
    message(FATAL_ERROR "include/stagecut: no component has ${found}")
  endif()
endfunction()
