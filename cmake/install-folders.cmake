# Where things are installed. Headers, the archive and package files lie below the prefix, which may be moved: folders that are absolute and
# lie in it are made relative, others are refused. Pages lie in STAGECUT_DOCDIR, never among those of a project around this one.
include(GNUInstallDirs)
foreach(folder INCLUDEDIR DATADIR LIBDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    file(RELATIVE_PATH relative "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_${folder}}")
    if(relative MATCHES "^\\.\\." AND (STAGECUT_INSTALL OR STAGECUT_INSTALL_CLI))
      message(FATAL_ERROR "CMAKE_INSTALL_${folder}=${CMAKE_INSTALL_${folder}} does not lie in CMAKE_INSTALL_PREFIX="
                          "${CMAKE_INSTALL_PREFIX}: stagecut's package files find each other from where they lie")
    endif()
    set(CMAKE_INSTALL_${folder} "${relative}")
  endif()
endforeach()
set(STAGECUT_DOCDIR "${CMAKE_INSTALL_DATADIR}/doc/stagecut")
if(PROJECT_IS_TOP_LEVEL)
  set(STAGECUT_DOCDIR "${CMAKE_INSTALL_DOCDIR}")
endif()
