# stagecut::compiled: the bodies of the library, compiled once; who links to it compiles declarations. It is built where something
# links to it, and with everything else, and installed, where STAGECUT_COMPILED is on. One file a room, of the rooms whose packages
# are there. They are asked for their headers alone: an installed archive asks its users for none of them.
if(STAGECUT_COMPILED_ROOMS)  # a folder that was configured before has it, empty
  message(FATAL_ERROR "STAGECUT_COMPILED_ROOMS is called STAGECUT_COMPILED_MODULES since version 0.2")
endif()
set(STAGECUT_COMPILED_MODULES "" CACHE STRING "Modules that stagecut::compiled has, with all that they include; empty: all")
set(STAGECUT_COMPILED_LIBRARY "" CACHE FILEPATH "A library of this version, compiled already, which is stagecut::compiled then")
if(STAGECUT_COMPILED_LIBRARY)
  if(NOT EXISTS "${STAGECUT_COMPILED_LIBRARY}" OR STAGECUT_COMPILED)
    message(FATAL_ERROR "STAGECUT_COMPILED_LIBRARY = ${STAGECUT_COMPILED_LIBRARY}: must be a file that is there, and STAGECUT_COMPILED, "
                        "which compiles another one, must be off")
  endif()
  add_library(stagecut_compiled UNKNOWN IMPORTED GLOBAL)
  add_library(stagecut::compiled ALIAS stagecut_compiled)
  set_target_properties(stagecut_compiled PROPERTIES IMPORTED_LOCATION "${STAGECUT_COMPILED_LIBRARY}")
  target_link_libraries(stagecut_compiled INTERFACE stagecut::stagecut)
  target_compile_definitions(stagecut_compiled INTERFACE STAGECUT_COMPILED)
  return()
endif()

set(compiled_excluded EXCLUDE_FROM_ALL)
if(STAGECUT_COMPILED)
  set(compiled_excluded "")
endif()
add_library(stagecut_compiled ${compiled_excluded})  # static, or as BUILD_SHARED_LIBS says
add_library(stagecut::compiled ALIAS stagecut_compiled)
set_target_properties(stagecut_compiled PROPERTIES OUTPUT_NAME stagecut EXPORT_NAME compiled POSITION_INDEPENDENT_CODE ON
                      CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_link_libraries(stagecut_compiled PUBLIC stagecut::stagecut)
target_compile_definitions(stagecut_compiled PUBLIC STAGECUT_COMPILED)
target_compile_options(stagecut_compiled PRIVATE ${stagecut_program_optimisation})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # else, as position independent code, it inlines none of these functions
  target_compile_options(stagecut_compiled PRIVATE -fno-semantic-interposition)
endif()
if(PROJECT_IS_TOP_LEVEL)
  target_compile_options(stagecut_compiled PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(STAGECUT_BUILD_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # g++ 12 warns at -O1 of what is not there
    target_compile_options(stagecut_compiled PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                           -Wno-stringop-overread -Wno-maybe-uninitialized)
  endif()
endif()

# stagecut_compile_rooms(SOURCE-DIR BUILD-DIR [ROOM...]): called when it is known which packages there are.
function(stagecut_compile_rooms source build)
  set(needed_io nlohmann_json::nlohmann_json)
  set(needed_fit Eigen3::Eigen)
  foreach(package IN ITEMS ${needed_io} ${needed_fit} Boost::headers)
    if(TARGET ${package})
      target_include_directories(stagecut_compiled SYSTEM PRIVATE
                                 $<TARGET_PROPERTY:${package},INTERFACE_INCLUDE_DIRECTORIES>)
      target_compile_definitions(stagecut_compiled PRIVATE $<TARGET_PROPERTY:${package},INTERFACE_COMPILE_DEFINITIONS>)
    endif()
  endforeach()
  file(GLOB rooms RELATIVE "${source}/include/stagecut/source" CONFIGURE_DEPENDS "${source}/include/stagecut/source/*.hpp")
  list(REMOVE_ITEM rooms all.hpp)
  list(TRANSFORM rooms REPLACE "\\.hpp$" "")
  foreach(room IN LISTS ARGN)
    if(NOT room IN_LIST rooms)
      message(FATAL_ERROR "STAGECUT_COMPILED_MODULES: there is no module \"${room}\", but ${rooms}")
    endif()
  endforeach()
  foreach(room IN LISTS rooms)
    if(ARGN AND NOT room IN_LIST ARGN)
      continue()
    endif()
    if(needed_${room} AND NOT TARGET ${needed_${room}})
      message(STATUS "stagecut::compiled: left out: ${room} (there is no ${needed_${room}})")
      continue()
    endif()
    file(CONFIGURE OUTPUT "${build}/compiled/${room}.cpp" CONTENT "#include <stagecut/source/${room}.hpp>\n")
    target_sources(stagecut_compiled PRIVATE "${build}/compiled/${room}.cpp")
    if(room STREQUAL "graph" AND NOT TARGET Boost::headers)  # what it has without is there
      message(STATUS "stagecut::compiled: left out: bodies that need Boost (there is no Boost::headers)")
      continue()
    endif()
    list(APPEND compiled_rooms ${room})
  endforeach()
  set(stagecut_compiled_rooms "${compiled_rooms}" PARENT_SCOPE)  # the package says them
endfunction()

# What a project around this one has found for itself is seen by its own folder alone, until it is said to be for all.
macro(stagecut_compile_rooms_now)
  foreach(package IN ITEMS nlohmann_json::nlohmann_json Boost::headers Eigen3::Eigen)
    if(TARGET ${package})
      get_target_property(imported ${package} IMPORTED)
      if(imported)
        set_target_properties(${package} PROPERTIES IMPORTED_GLOBAL TRUE)
      endif()
    endif()
  endforeach()
  stagecut_compile_rooms(${ARGN})
endmacro()

set(arguments "\"${PROJECT_SOURCE_DIR}\" \"${PROJECT_BINARY_DIR}\" ${STAGECUT_COMPILED_MODULES}")
if(PROJECT_IS_TOP_LEVEL OR STAGECUT_INSTALL_CLI)
  cmake_language(EVAL CODE "stagecut_compile_rooms(${arguments})")
else()  # after `stagecut_find_now`
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY \"${CMAKE_SOURCE_DIR}\" CALL stagecut_compile_rooms_now ${arguments})")
endif()

if(STAGECUT_COMPILED AND STAGECUT_INSTALL)
  install(TARGETS stagecut_compiled EXPORT stagecut-compiled-targets COMPONENT library)
  install(EXPORT stagecut-compiled-targets NAMESPACE stagecut:: DESTINATION "${CMAKE_INSTALL_DATADIR}/cmake/stagecut"
          COMPONENT library)
  stagecut_pkg_config(stagecut-compiled "${CMAKE_INSTALL_LIBDIR}" "The bodies of stagecut, compiled once"
                      REQUIRES "stagecut = ${PROJECT_VERSION}" VARIABLES "libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}"
                      CFLAGS -DSTAGECUT_COMPILED LIBS "-L\${libdir}" -lstagecut)
endif()
