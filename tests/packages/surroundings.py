# SPDX-License-Identifier: BSL-1.0
"""The library among other projects: what a project around it brings, where its own files lie, folders that are set by hand, and
components whose needs are missing: `surroundings.py`. Nothing is compiled."""

import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
OFF = [f"-DSTAGECUT_BUILD_{part}=OFF" for part in ("TESTS", "EXAMPLES", "BENCH")]
failed = checked = 0


def cmake(*words):
    return subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True)


def check(what, holds, ended):
    global failed, checked
    checked += 1
    if not holds:
        failed += 1
        print(f"FAILED: {what}\n{ended.stdout}{ended.stderr}")


def project(folder, text):
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.24)\nproject(mine LANGUAGES CXX)\n{text}")
    (folder / "main.cpp").write_text("int main() {}\n")
    return cmake("-S", folder, "-B", folder / "build", f"-DSTAGECUT={root}", f"-DCMAKE_INSTALL_PREFIX={folder}/prefix")


with tempfile.TemporaryDirectory() as name:
    place = pathlib.Path(name).resolve()

    own = "".join(f"add_library({alias.replace('::', '_')} INTERFACE)\nadd_library({alias} ALIAS {alias.replace('::', '_')})\n"
                  for alias in ("nlohmann_json::nlohmann_json", "Boost::headers", "Eigen3::Eigen"))
    use = "add_executable(mine main.cpp)\ntarget_link_libraries(mine PRIVATE stagecut::io stagecut::graph stagecut::fit)\n"
    for order, text in (("after", f"add_subdirectory(${{STAGECUT}} stagecut)\n{own}{use}"),
                        ("before", f"{own}add_subdirectory(${{STAGECUT}} stagecut)\n{use}"),
                        ("nowhere", f"add_subdirectory(${{STAGECUT}} stagecut)\n{use}"),
                        ("twice", f"add_subdirectory(${{STAGECUT}} a)\nadd_subdirectory(${{STAGECUT}} b)\n{use}")):
        ended = project(place / order, text)
        check(f"packages of the project around, {order}", ended.returncode == 0, ended)

    ended = project(place / "around", "include(GNUInstallDirs)\nfile(WRITE CHANGELOG.md mine)\nset(STAGECUT_INSTALL ON)\n"
                    'install(FILES "${CMAKE_CURRENT_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")\n'
                    "add_subdirectory(${STAGECUT} stagecut)\n")
    installed = cmake("--install", place / "around/build")
    documents = place / "around/prefix/share/doc"
    check("pages lie apart from those of the project around", installed.returncode == 0
          and (documents / "mine/CHANGELOG.md").read_text() == "mine" and (documents / "stagecut/CHANGELOG.md").exists()
          and [each.name for each in (documents / "mine").iterdir()] == ["CHANGELOG.md"], installed)

    prefix = place / "absolute prefix"
    folders = [f"-DCMAKE_INSTALL_{each}={prefix}/{where}" for each, where in (("INCLUDEDIR", "headers"), ("DATADIR", "data"))]
    cmake("-S", root, "-B", place / "absolute", *OFF, f"-DCMAKE_INSTALL_PREFIX={prefix}", *folders)
    installed = cmake("--install", place / "absolute")
    find = f'find_package(stagecut REQUIRED CONFIG PATHS "{prefix}/data/cmake")\nadd_executable(mine main.cpp)\n'
    ended = project(place / "finds", f"{find}target_link_libraries(mine PRIVATE stagecut::stagecut)\n")
    check("absolute folders in the prefix", installed.returncode == 0 and ended.returncode == 0
          and (prefix / "headers/stagecut/stagecut.hpp").exists(), ended)
    flags = subprocess.run(["pkg-config", "--cflags", "stagecut"], capture_output=True, text=True,
                           env={"PATH": "/usr/bin:/bin", "PKG_CONFIG_LIBDIR": str(prefix / "data/pkgconfig")})
    check("pkg-config with absolute folders", flags.returncode == 0 and (
        pathlib.Path(flags.stdout.strip().removeprefix("-I").replace("\\ ", " ")) / "stagecut/stagecut.hpp").exists(), flags)
    ended = cmake("-S", root, "-B", place / "outside", *OFF, f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DCMAKE_INSTALL_INCLUDEDIR=/elsewhere")
    check("a folder outside the prefix is refused", ended.returncode != 0 and "does not lie in CMAKE_INSTALL_PREFIX" in " ".join(ended.stderr.split()), ended)

    # Components whose needs are missing: found without them where they are optional, else refused with what is missing.
    cmake("-S", root, "-B", place / "plain", *OFF, f"-DCMAKE_INSTALL_PREFIX={place}/plain-prefix")
    cmake("--install", place / "plain")
    missing = ("set(CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json ON)\nset(CMAKE_DISABLE_FIND_PACKAGE_Boost ON)\n"
               f'set(CMAKE_DISABLE_FIND_PACKAGE_Eigen3 ON)\nset(CMAKE_PREFIX_PATH "{place}/plain-prefix")\n')
    ended = project(place / "optional", f"{missing}find_package(stagecut 0.2 REQUIRED OPTIONAL_COMPONENTS io graph fit)\n"
                    "foreach(each io graph fit)\n  if(stagecut_${each}_FOUND OR TARGET stagecut::${each})\n"
                    "    message(FATAL_ERROR ${each})\n  endif()\nendforeach()\n")
    check("optional components without what they need", ended.returncode == 0, ended)
    for component, needs in (("io", "nlohmann_json 3.10"), ("graph", "Boost 1.74"), ("fit", "Eigen3 3.3")):
        ended = project(place / component, f"{missing}find_package(stagecut 0.2 REQUIRED COMPONENTS {component})\n")
        check(f"component {component} without {needs}", ended.returncode != 0
              and f'the component "{component}" needs {needs}' in " ".join(ended.stderr.split()), ended)

    # The script that builds packages removes no folder that it did not make.
    (place / "precious").mkdir()
    (place / "precious/file").touch()
    ended = subprocess.run([root / "cmake/package"], capture_output=True, text=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                           "STAGECUT_BUILD": str(place / "precious")})
    check("cmake/package keeps folders of others", ended.returncode == 2 and (place / "precious/file").exists(), ended)
print(f"{checked} surroundings, {failed} failed")
sys.exit(failed != 0)
