# What the component `search` needs: Thrust, as stagecut::thrust, and a target for each of its systems that this machine has:
# stagecut::search_cpp, stagecut::search_omp, stagecut::search_tbb and stagecut::search_cuda. Each chooses the device system of what links to
# it; two of them cannot meet in one program. It says what is left out, and why. Read by the project and by its package.

# Thrust stands among the headers of the CUDA Toolkit, or in Debian's libthrust-dev. Not found by CCCL's own package: that one is
# found by luck of PATH, and chooses a device system.
if(NOT TARGET stagecut::thrust)
  find_package(CUDAToolkit QUIET)
  # The toolkit's own before any other: nvcc goes with that one.
  find_path(STAGECUT_THRUST_INCLUDE_DIR thrust/version.h PATHS ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES cccl NO_DEFAULT_PATH
            DOC "Where thrust/version.h is: the CUDA Toolkit's include/cccl, say")
  find_path(STAGECUT_THRUST_INCLUDE_DIR thrust/version.h)
  if(STAGECUT_THRUST_INCLUDE_DIR)
    add_library(stagecut::thrust INTERFACE IMPORTED GLOBAL)
    target_include_directories(stagecut::thrust SYSTEM INTERFACE "${STAGECUT_THRUST_INCLUDE_DIR}")
    # The simplest device system where none is chosen; for files that nvcc compiles it is Thrust's own choice.
    set(stagecut_chosen "$<TARGET_PROPERTY:STAGECUT_DEVICE_SYSTEM>")
    target_compile_definitions(stagecut::thrust INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:THRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_$<IF:$<BOOL:${stagecut_chosen}>,${stagecut_chosen},CPP>>)
  endif()
endif()

# Conan's target of the component knows nothing of Thrust.
if(TARGET stagecut::thrust AND TARGET stagecut::search)
  get_target_property(stagecut_linked stagecut::search INTERFACE_LINK_LIBRARIES)
  get_target_property(stagecut_imported stagecut::search IMPORTED)
  if(stagecut_imported AND NOT "stagecut::thrust" IN_LIST stagecut_linked)
    set_property(TARGET stagecut::search APPEND PROPERTY INTERFACE_LINK_LIBRARIES stagecut::thrust)
  endif()
endif()

if(TARGET stagecut::thrust AND NOT TARGET stagecut::search_cpp)
  if(CMAKE_CXX_COMPILER_LOADED)
    find_package(OpenMP QUIET COMPONENTS CXX)
  endif()
  find_package(TBB QUIET CONFIG)
  set(stagecut_systems "")
  set(stagecut_left_out "")

  # stagecut_search_system(NAME WHY-NOT [TARGET...]): the target, if there are others that it needs.
  function(stagecut_search_system name explain_infeasible)
    foreach(needed IN LISTS ARGN)
      if(NOT TARGET ${needed})
        list(APPEND stagecut_left_out "${name} (${explain_infeasible})")
        set(stagecut_left_out "${stagecut_left_out}" PARENT_SCOPE)
        return()
      endif()
    endforeach()
    string(TOUPPER ${name} system)
    add_library(stagecut::search_${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(stagecut::search_${name} INTERFACE stagecut::search ${ARGN})
    set_target_properties(stagecut::search_${name} PROPERTIES COMPATIBLE_INTERFACE_STRING STAGECUT_DEVICE_SYSTEM
                          INTERFACE_STAGECUT_DEVICE_SYSTEM ${system})
    list(APPEND stagecut_systems ${name})
    set(stagecut_systems "${stagecut_systems}" PARENT_SCOPE)
  endfunction()

  stagecut_search_system(cpp "")
  stagecut_search_system(omp "the compiler has no OpenMP" OpenMP::OpenMP_CXX)
  stagecut_search_system(tbb "there is no package TBB: libtbb-dev" TBB::tbb)
  if(CUDAToolkit_FOUND)
    stagecut_search_system(cuda "")
    # CMake before 3.25.2 does not know that nvcc can read C++20.
    target_compile_options(stagecut::search_cuda INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  else()
    list(APPEND stagecut_left_out "cuda (there is no CUDA Toolkit)")
  endif()

  list(JOIN stagecut_systems ", " stagecut_systems)
  list(JOIN stagecut_left_out ", " stagecut_left_out)
  if(stagecut_left_out)
    set(stagecut_left_out "; left out: ${stagecut_left_out}")
  endif()
  if(NOT stagecut_FIND_QUIETLY)
    message(STATUS "stagecut::search: Thrust of ${STAGECUT_THRUST_INCLUDE_DIR} with ${stagecut_systems}${stagecut_left_out}")
  endif()
elseif(NOT TARGET stagecut::thrust AND NOT stagecut_FIND_QUIETLY)
  message(STATUS "stagecut::search: left out: there is no Thrust: the CUDA Toolkit has it, and so has libthrust-dev")
endif()
