// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "errors.hpp"
#include "predict_run.hpp"
#include "print_rows.hpp"

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// The table that the program prints errors from: for each kind of model, precision and device, the errors of all published
// runs with complete settings.
namespace published {

/// The table as C++, with the errors of these runs. The constants are fitted to `runs` but for those of experts, and to `rows`,
/// not to `further`.
inline std::string validated_table(const std::vector<run>& runs, const std::vector<row>& rows, const std::vector<row>& further) {
  struct group {
    errors of;
    std::size_t fitted = 0;
  };
  std::map<std::string, group> groups;
  const auto add = [&](const char* kind, const std::string& precision, const std::string& device, double error,
                       bool fitted) {
    if (device.empty()) return;
    const std::string format = precision == "fp16" ? "bf16" : precision;
    group& into = groups[std::string("{\"") + kind + "\", \"" + format + "\", \"" + device + "\", "];
    into.of.values.push_back(error);
    into.fitted += fitted ? 1 : 0;
  };
  for (const run& each : runs) {
    const char* const kind = each.model.experts == 0 ? "dense" : "experts";
    add(kind, stagecut::name_of(stagecut::transformer::precision_names, each.training.precision),
        std::string(each.on.name), predicted_seconds(each, {}) / each.seconds - 1, each.model.experts == 0);
  }
  for (const auto* const set : {&rows, &further}) {
    for (const row& each : *set) {
      const char* const kind = each.dense() ? "dense" : each.of.recurrence ? "hybrid" : "experts";
      add(kind, each.precision, each.device, error_of(each), set == &rows);
    }
  }
  std::string text;
  for (const auto& [key, made] : groups) {
    char line[200];
    std::snprintf(line, sizeof line, "%s%zu, %zu, %.1f, %.1f}", key.c_str(), made.of.values.size(), made.fitted,
                  100 * made.of.median(), 100 * made.of.worst());
    text += std::string(text.empty() ? "" : ",\n") + "    " + line;
  }
  return R"(// SPDX-License-Identifier: BSL-1.0
#pragma once

// Written by `bench/published/run --write`.

/// Published runs of a kind of model, in a precision, on a device: how many there are, to how many of them the constants of
/// the cost model are fitted, and how far predictions are from what was measured, tokens a second or seconds, in percent: in
/// the median, and at most.
struct validated_runs {
  const char* kind;  ///< dense, experts, or hybrid: with layers of Mamba
  const char* precision;
  const char* device;
  int runs, fitted;
  double median, worst;
};

inline constexpr validated_runs all_validated_runs[] = {
)" + text +
         "};\n";
}

/// Whether a file has the table; writes it if asked.
inline bool has_table(const std::string& file, const std::string& table, bool write) {
  if (write) std::ofstream(file) << table;
  std::ifstream input(file);
  std::ostringstream text;
  text << input.rdbuf();
  return text.str() == table;
}

}  // namespace published
