# SPDX-License-Identifier: BSL-1.0
"""What `conan create` builds and runs against the package, with every component that was asked for."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain


class Consumer(ConanFile):
    settings = "os", "compiler", "build_type", "arch"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        self.folders.root = "../../.."  # build/ of the checkout: nothing is written beside the sources
        self.folders.source = "tests/packages/conan"
        self.folders.build = f"build/conan/{self.settings.build_type}"
        self.folders.generators = f"{self.folders.build}/generators"

    def generate(self):
        options = self.dependencies["stagecut"].options
        tools = CMakeToolchain(self)
        tools.user_presets_path = False
        tools.cache_variables["COMPONENTS"] = ";".join(c for c in ("io", "graph", "fit", "search", "compiled") if options.get_safe(c))
        tools.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(f'"{os.path.join(self.build_folder, "consumer")}"', env="conanrun")
            package = self.dependencies["stagecut"]
            if package.options.cli:
                self.run(f'"{os.path.join(package.package_folder, "bin", "stagecut")}" formats', env="conanrun")
