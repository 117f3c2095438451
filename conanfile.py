# SPDX-License-Identifier: BSL-1.0
"""The package for Conan 2: `conan create . -s compiler.cppstd=20`. Components are those of CMake: stagecut::stagecut, and with
the option of its name io, graph, fit, search or compiled; `cli` is the command-line program, and has `compiled` unless told otherwise."""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, load, rm


class Stagecut(ConanFile):
    name = "stagecut"
    license = "BSL-1.0"
    description = "Cuts neural networks into pipeline stages"
    topics = ("pipeline-parallelism", "partitioning", "deep-learning", "header-only")
    settings = "os", "compiler", "build_type", "arch"
    options = {**{name: [True, False] for name in ("io", "graph", "search", "fit", "cli")}, "compiled": [None, True, False]}
    default_options = {**{name: False for name in options}, "compiled": None}  # None: as `cli`
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "docs/*", "examples/cli/*", "examples/models/*", "include/*"
    no_copy_source = True
    test_package_folder = "tests/packages/conan"

    def set_version(self):
        lines = load(self, os.path.join(self.recipe_folder, "include", "stagecut", "version.hpp"))
        self.version = ".".join(re.findall(r"#define STAGECUT_VERSION_\w+ (\d+)", lines))

    def configure(self):
        if self.options.compiled == None:  # noqa: E711, an option is no None
            self.options.compiled = bool(self.options.cli)
        self.package_type = "static-library" if self.options.compiled else "header-library"

    def requirements(self):
        o = self.options
        if o.io or o.cli:
            self.requires("nlohmann_json/[>=3.10 <4]", transitive_headers=True)
        if o.graph or o.cli:
            self.requires("boost/[>=1.74 <2]", options={"header_only": True}, transitive_headers=True)
        if o.fit or o.cli:
            self.requires("eigen/[>=3.3 <4]", transitive_headers=True)
        if o.cli:
            self.requires("cli11/[>=2.3 <3]")
            self.requires("fmt/[>=9 <13]")

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        if not self.info.options.cli and not self.info.options.compiled:
            self.info.clear()  # the same headers, whatever is asked for

    def generate(self):
        o = self.options
        if o.cli or o.compiled:
            tools = CMakeToolchain(self)
            for part in ("TESTS", "EXAMPLES", "BENCH"):
                tools.cache_variables[f"STAGECUT_BUILD_{part}"] = False
            tools.cache_variables["STAGECUT_COMPILED"] = bool(o.compiled)
            tools.cache_variables["STAGECUT_INSTALL_CLI"] = bool(o.cli)
            for option, package in (("io", "nlohmann_json"), ("graph", "Boost"), ("fit", "Eigen3")):  # not the machine's
                tools.cache_variables[f"CMAKE_DISABLE_FIND_PACKAGE_{package}"] = not (o.cli or o.get_safe(option))
            tools.generate()
            CMakeDeps(self).generate()

    def build(self):
        if self.options.cli or self.options.compiled:
            cmake = CMake(self)
            cmake.configure()
            cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        copy(self, "include/*", self.source_folder, self.package_folder)
        copy(self, "stagecut-search.cmake", os.path.join(self.source_folder, "cmake"),
             os.path.join(self.package_folder, "share", "cmake", "stagecut"))
        if self.options.compiled:
            copy(self, "libstagecut.a", self.build_folder, os.path.join(self.package_folder, "lib"))
        if self.options.cli:
            CMake(self).install(component="program")
            rm(self, "copyright", os.path.join(self.package_folder, "share", "doc"), recursive=True)  # of Debian's packages
            for pattern in ("*.md", "*.svg", "*.schema.json"):
                copy(self, pattern, os.path.join(self.source_folder, "docs"), os.path.join(self.package_folder, "share", "doc", "stagecut"))

    def package_info(self):
        o = self.options
        self.cpp_info.set_property("cmake_file_name", "stagecut")
        self.cpp_info.set_property("cmake_target_name", "stagecut::all-components")  # stagecut::stagecut is one of them
        self.cpp_info.set_property("cmake_config_version_compat", "SameMinorVersion")
        needs = {"stagecut": [], "compiled": [], "io": ["nlohmann_json::nlohmann_json"], "graph": ["boost::headers"], "fit": ["eigen::eigen"],
                 "search": []}
        if o.cli:
            self.cpp_info.components["cli"].bindirs = ["bin"]
            self.cpp_info.components["cli"].includedirs = self.cpp_info.components["cli"].libdirs = []
            self.cpp_info.components["cli"].requires = ["boost::headers", "cli11::cli11", "eigen::eigen", "fmt::fmt", "nlohmann_json::nlohmann_json"]
        for name, requires in needs.items():
            if name != "stagecut" and not o.get_safe(name):
                continue
            part = self.cpp_info.components[name]
            part.set_property("cmake_target_name", f"stagecut::{name}")
            part.set_property("pkg_config_name", name if name == "stagecut" else f"stagecut-{name}")
            part.requires = ([] if name == "stagecut" else ["stagecut"]) + requires
            part.bindirs = part.libdirs = []
            if name == "compiled":
                part.libdirs, part.libs, part.defines = ["lib"], ["stagecut"], ["STAGECUT_COMPILED"]
        if o.search:  # Thrust is the machine's: the CUDA Toolkit has it
            self.cpp_info.set_property("cmake_build_modules", [os.path.join("share", "cmake", "stagecut", "stagecut-search.cmake")])
