// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace bench {

/// The smallest known makespans of some instances, in a file: a name and a makespan per line.
class best_known {
 public:
  /// @param path  of the file; if missing, nothing is known
  explicit best_known(std::string path) : path_(std::move(path)) {
    std::ifstream file(path_);
    std::string name;
    double makespan = 0;
    while (file >> name >> makespan) makespans_[name] = makespan;
    readable_ = !file.is_open() || file.eof();
  }

  /// Whether the file is well-formed; a missing one is.
  [[nodiscard]] bool readable() const noexcept { return readable_; }

  /// The makespan of an instance, if known.
  [[nodiscard]] std::optional<double> find(const std::string& name) const {
    const auto found = makespans_.find(name);
    if (found == makespans_.end()) return std::nullopt;
    return found->second;
  }

  /// Writes a makespan to the file, if it is smaller than the known one. The file stays complete even if the program is
  /// stopped.
  void record(const std::string& name, double makespan) {
    const auto known = find(name);
    if (known && *known <= makespan) return;
    makespans_[name] = makespan;
    const std::string unfinished = path_ + ".new";
    {
      std::ofstream file(unfinished);
      file << std::setprecision(17);
      for (const auto& [each, least] : makespans_) file << each << ' ' << least << '\n';
      if (!file.flush()) {
        std::fprintf(stderr, "%s: cannot be written\n", unfinished.c_str());
        return;
      }
    }
    std::error_code failed;
    std::filesystem::rename(unfinished, path_, failed);
    if (failed) std::fprintf(stderr, "%s: %s\n", path_.c_str(), failed.message().c_str());
  }

 private:
  std::string path_;
  std::map<std::string, double> makespans_;
  bool readable_ = false;
};

}  // namespace bench
