# stagecut_component(NAME ROOMS ROOM... [LINKS TARGET...])
#
# Adds the interface target of one component, stagecut::NAME, with the headers of its rooms. The component `stagecut` also
# owns the headers that stand in no room; every other component links to it. Each is exported on its own, so that a user
# who asks for one is not asked for the dependencies of another.
function(stagecut_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ROOMS;LINKS")
  if(name STREQUAL "stagecut")
    set(target stagecut)
    file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/stagecut/*.hpp")
  else()
    set(target stagecut_${name})
    set(headers "")
  endif()
  foreach(room IN LISTS arg_ROOMS)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/stagecut/${room}/*.hpp"
         "${PROJECT_SOURCE_DIR}/include/stagecut/${room}/*.cuh")
    if(NOT found)
      message(FATAL_ERROR "component ${name}: there is no room ${room}")
    endif()
    list(APPEND headers ${found})
    set_property(GLOBAL APPEND PROPERTY STAGECUT_ROOMS ${room})
  endforeach()

  add_library(${target} INTERFACE)
  add_library(stagecut::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  if(STAGECUT_BUILD_TESTS AND NOT STAGECUT_SANITIZED)  # once is enough
    set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
  target_sources(${target} INTERFACE FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${headers})
  if(NOT name STREQUAL "stagecut")
    target_link_libraries(${target} INTERFACE stagecut::stagecut ${arg_LINKS})
  endif()
  if(STAGECUT_INSTALL)
    install(TARGETS ${target} EXPORT stagecut-${name}-targets FILE_SET HEADERS)
    install(EXPORT stagecut-${name}-targets NAMESPACE stagecut:: DESTINATION "${CMAKE_INSTALL_DATADIR}/cmake/stagecut")
  endif()
endfunction()

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
