// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "errors.hpp"
#include "published_rows.hpp"

#include <stagecut/fit/fit_efficiencies.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <future>
#include <map>
#include <set>
#include <string>
#include <vector>

// Tables about the rows of rows.csv: errors, the order of runs, changes of configuration, memory, refits.
namespace published {

/// Predicted over measured tokens per second, minus 1.
inline double error_of(const row& of, const stagecut::transformer::efficiencies& reached = {}) {
  return predicted_tokens(of, reached) / of.tokens - 1;
}

/// Errors by group.
inline void print_row_errors(const std::vector<row>& all) {
  std::map<std::string, errors> groups;
  for (const row& each : all) {
    const double error = error_of(each);
    const std::string kind = each.dense()    ? "dense"
                             : each.of.recurrence ? "hybrids of Mamba and experts"
                                             : "mixtures of experts";
    groups[kind].values.push_back(error);
    groups[kind + ", " + each.precision].values.push_back(error);
    groups[each.older ? "all, older configurations" : "all, newest"].values.push_back(error);
    groups["all"].values.push_back(error);
    groups["on " + each.device].values.push_back(error);
  }
  std::printf("%s", error_head);
  for (const auto& [name, of] : groups) print_errors(name, of);
  std::printf("\n| run | measured | predicted tokens/s a GPU | error | GB of a device |\n|---|---|---|---|---|\n");
  for (const row& each : all) {
    std::printf("| %s%s | %.0f | %.0f | %+.1f %% | %.0f of %.0f |\n", each.name().c_str(), each.older ? " (older)" : "",
                each.tokens, predicted_tokens(each, {}), 100 * error_of(each), needed_bytes(each) * 1e-9,
                each.on.memory * 1e-9);
  }
  std::printf("\n");
}

/// Of two runs of one model and release that differ by more than 3 %, how many are predicted in the order measured.
struct ordering {
  std::size_t pairs = 0, right = 0;
};
inline ordering order_of_pairs(const std::vector<row>& all) {
  ordering made;
  std::vector<double> predicted;
  for (const row& each : all) predicted.push_back(predicted_tokens(each, {}));
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const row &a = all[i], &b = all[j];
      if (a.model != b.model || a.release != b.release) continue;
      if (std::abs(std::log(a.tokens / b.tokens)) < std::log(1.03)) continue;
      ++made.pairs;
      made.right += (a.tokens > b.tokens) == (predicted[i] > predicted[j]) ? 1 : 0;
    }
  }
  return made;
}

/// From a configuration to the next of one model, device and precision.
inline void print_changes(const std::vector<row>& all) {
  std::printf("| change of configuration | measured | predicted |\n|---|---|---|\n");
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const row &a = all[i], &b = all[j];
      if (a.pair() != b.pair() || a.precision != b.precision) continue;
      if (std::abs(b.tokens / a.tokens - 1) < 0.05) continue;
      std::printf("| %s to %s | %+.0f %% | %+.0f %% |\n", a.name().c_str(),
                  b.name().substr(b.precision.size() + b.pair().size()).c_str(), 100 * (b.tokens / a.tokens - 1),
                  100 * (predicted_tokens(b, {}) / predicted_tokens(a, {}) - 1));
      break;
    }
  }
  std::printf("\n");
}

/// How many rows need more than their device has.
inline std::size_t refused_rows(const std::vector<row>& all) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const row& each) { return needed_bytes(each) > each.on.memory; }));
}

/// Constants fitted to all rows but those of some pairs.
inline stagecut::transformer::efficiencies fitted_without(const std::vector<row>& all, const std::set<std::string>& out,
                                                          const std::vector<stagecut::fitted_constant>& constants) {
  std::vector<const row*> used;
  std::vector<stagecut::measured_time> times;
  for (const row& each : all) {
    if (out.count(each.pair()) != 0) continue;
    used.push_back(&each);
    times.push_back({1 / each.tokens, each.older ? 0.3 : 1});
  }
  const auto predict = [&](const stagecut::transformer::efficiencies& reached) {
    std::vector<double> made;
    for (const row* each : used) made.push_back(1 / predicted_tokens(*each, reached));
    return made;
  };
  return stagecut::fit_efficiencies(times, predict, {}, constants).reached;
}

/// Fits the constants of mixtures of experts again to four of five parts of the pairs of model and device, and predicts the
/// fifth.
inline void print_folds(const std::vector<row>& all) {
  using stagecut::transformer::efficiencies;
  const std::vector<stagecut::fitted_constant> constants = {
      &efficiencies::memory,          &efficiencies::expert_bytes, &efficiencies::expert_tokens, &efficiencies::dispatch_rate,
      &efficiencies::dispatch_hidden, &efficiencies::launch,       &efficiencies::sync};
  std::set<std::string> names;
  for (const row& each : all) names.insert(each.pair());
  std::vector<std::set<std::string>> left_out(5);
  std::size_t i = 0;
  for (const std::string& name : names) left_out[i++ % 5].insert(name);
  std::vector<std::future<efficiencies>> fitted;
  for (const auto& out : left_out) {
    fitted.push_back(std::async(std::launch::async, [&] { return fitted_without(all, out, constants); }));
  }
  errors dense, experts, older;
  for (std::size_t fold = 0; fold < left_out.size(); ++fold) {
    const efficiencies reached = fitted[fold].get();
    for (const row& each : all) {
      if (left_out[fold].count(each.pair()) == 0) continue;
      (each.dense() ? dense : each.older ? older : experts).values.push_back(error_of(each, reached));
    }
  }
  std::printf("Five-fold, whole pairs of model and device left out, seven constants fitted again:\n\n%s", error_head);
  print_errors("dense", dense);
  print_errors("mixtures of experts, newest", experts);
  print_errors("mixtures of experts, older configurations", older);
  std::printf("\n");
}

/// All tables but the refits.
inline void print_rows(const std::vector<row>& all) {
  print_row_errors(all);
  const ordering order = order_of_pairs(all);
  std::printf(
      "Of %zu pairs of runs of one model and release that differ by more than 3 %%, %zu are ordered as measured.\n",
      order.pairs, order.right);
  std::printf("%zu of %zu runs need more memory than their device has, by this count.\n\n", refused_rows(all),
              all.size());
  print_changes(all);
}

}  // namespace published
