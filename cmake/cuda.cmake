# Enables CUDA where there is a compiler for it, for this project's own programs: STAGECUT_CUDA. With a GPU they are compiled for
# it, without one for the architectures of an old one and of Hopper, to see that they compile. Beside tests and without a GPU only a
# test of searches is for both, the processor's part of a program, which starts no kernel there, is optimised less, and `tests/run
# --long` alone turns STAGECUT_CUDA_PROGRAMS on.
include(CheckLanguage)
find_package(CUDAToolkit QUIET)
check_language(CUDA)
set(STAGECUT_CUDA OFF)
set(with_programs ON)
set(STAGECUT_CUDA_TEST_ARCHITECTURES 75-real 90-real)
set(STAGECUT_CUDA_ARCHITECTURES ${STAGECUT_CUDA_TEST_ARCHITECTURES})
if(STAGECUT_BUILD_TESTS)
  set(STAGECUT_CUDA_ARCHITECTURES 90-real)
  set(with_programs OFF)
endif()
if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND AND NOT STAGECUT_SANITIZED)
  find_program(NVIDIA_SMI nvidia-smi)
  set(architectures 75-real)
  if(NVIDIA_SMI)
    execute_process(COMMAND "${NVIDIA_SMI}" -L RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(architectures native)
      set(with_programs ON)
      set(STAGECUT_CUDA_ARCHITECTURES native)
      set(STAGECUT_CUDA_TEST_ARCHITECTURES native)
    endif()
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "")
  enable_language(CUDA)
  if(STAGECUT_BUILD_TESTS AND NOT architectures STREQUAL "native")
    string(REPLACE "-O3" "-O0" CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
  endif()
  set(STAGECUT_CUDA ON)
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
endif()
option(STAGECUT_CUDA_PROGRAMS "Where there is CUDA, the command-line program searches on GPUs, and the executor runs on them" ${with_programs})

# stagecut_cuda_program(NAME FILE...): a program that searches on a device.
function(stagecut_cuda_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE stagecut::search_cuda)
  # CMake before 3.25.2 does not know that nvcc can read C++20.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES "${STAGECUT_CUDA_ARCHITECTURES}")
endfunction()

# stagecut_no_local_memory(NAME): a kernel of that program whose arrays or registers lie in the device's memory fails to compile.
function(stagecut_no_local_memory name)
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=--warn-on-local-memory-usage,--warn-on-spills,--warning-as-error>)
endfunction()
