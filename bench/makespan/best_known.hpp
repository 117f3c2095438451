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

/// The least makespans that anybody has found for some instances, in a file: on each line a name and a makespan.
class best_known {
 public:
  /// @param path  of the file; if there is none, nothing is known
  explicit best_known(std::string path) : path_(std::move(path)) {
    std::ifstream file(path_);
    std::string name;
    double makespan = 0;
    while (file >> name >> makespan) makespans_[name] = makespan;
    readable_ = !file.is_open() || file.eof();
  }

  /// Whether the file has the form that it should; one that there is not has.
  [[nodiscard]] bool readable() const noexcept { return readable_; }

  /// Of an instance, if it is known.
  [[nodiscard]] std::optional<double> find(const std::string& name) const {
    const auto found = makespans_.find(name);
    if (found == makespans_.end()) return std::nullopt;
    return found->second;
  }

  /// Writes one to the file, if it is less than what is known. Whoever stops the program finds a whole file.
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
