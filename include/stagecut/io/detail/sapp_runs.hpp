// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/sapp_choices.hpp>

// The numbers of layers of each rank in SAPP's dry runs, and their recomputation.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The number of runs that a setting covers: if one element is a list, each element is a run.
[[nodiscard]] inline std::size_t sapp_runs_of(const json_value& said) {
  if (!(*said).is_array()) return 1;
  for (const json_value& element : said.elements()) {
    if ((*element).is_array()) return said.elements().size();
  }
  return 1;
}

/// The part of a setting for one run: the setting itself if it is no list of runs.
[[nodiscard]] inline json_value sapp_part_of(const json_value& said, std::size_t run, std::size_t runs) {
  if (!(*said).is_array()) return said;
  const bool by_runs = runs > 1 || (said.elements().size() == 1 && (*said)[0].is_array());
  if (by_runs && said.elements().size() != runs) {
    said.fail("has ", std::to_string(said.elements().size()), " elements, and there are ", std::to_string(runs),
              " runs");
  }
  return by_runs ? said.elements()[run] : said;
}

/// Layers by choice, in the order of `sapp_choice`.
using sapp_counts = std::array<double, sapp_choices>;

/// Layers by choice, from three settings that include the stronger kinds.
/// @param layers  of the rank
/// @param full    `recompute`
/// @param select  `select_recompute`
/// @param comm    `select_comm_recompute`
/// @return        with NONE below 0 if the settings count more layers than there are
[[nodiscard]] inline sapp_counts sapp_counts_of(double layers, double full, double select, double comm) noexcept {
  const double both = std::max(std::min(select - full, comm - full), 0.0);
  const double only_select = std::max(select - full - both, 0.0);
  const double only_comm = std::max(comm - full - both, 0.0);
  return {layers - full - both - only_select - only_comm, only_select, only_comm, both, full};
}

/// The pipelines of all runs.
class sapp_pipelines {
 public:
  /// @param pipeline     `pipeline_config`
  /// @param recompute    `recompute_config`
  /// @param measured     `stage_id`, if present
  /// @param lenient      whether the layers of the ranks may add up to more or less than the model's
  sapp_pipelines(const json_value& pipeline, const json_value& recompute, const std::optional<json_value>& measured,
                 bool lenient)
      : ranks_(bounded(pipeline.at("pipeline_num"), 2, 10'000)),
        layers_(bounded(pipeline.at("num_layer"), 1, 1'000'000)),
        offset_(pipeline.at("offset")),
        recompute_(recompute) {
    pipeline.only({"pipeline_num", "num_layer", "offset"});
    recompute.only({names[0], names[1], names[2]});
    runs_ = std::max(sapp_runs_of(offset_), measured ? sapp_runs_of(*measured) : 1);
    for (std::size_t i = 0; i < 3; ++i) {
      settings_[i] = recompute.find(names[i]);
      if (settings_[i]) runs_ = std::max(runs_, sapp_runs_of(*settings_[i]));
    }
    for (std::size_t run = 0; run < runs_; ++run) check_run(run, lenient);
  }

  [[nodiscard]] std::size_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::size_t layers() const noexcept { return layers_; }
  [[nodiscard]] std::size_t runs() const noexcept { return runs_; }

  /// Layers of a rank.
  [[nodiscard]] std::size_t layers_of(std::size_t run, std::size_t rank) const {
    const json_value said = sapp_part_of(offset_, run, runs_);
    return static_cast<std::size_t>(even_share() + ((*said).is_array() ? offset(said.elements()[rank]) : 0));
  }

  /// Their numbers by choice.
  [[nodiscard]] sapp_counts counts_of(std::size_t run, std::size_t rank) const {
    const auto layers = static_cast<double>(layers_of(run, rank));
    double counts[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!settings_[i]) continue;
      json_value said = sapp_part_of(*settings_[i], run, runs_);
      if ((*said).is_array()) said = said.elements()[rank];
      counts[i] = (*said).is_boolean() ? (said.flag() ? layers : 0) : static_cast<double>(said.count());
    }
    const sapp_counts made = sapp_counts_of(layers, counts[0], counts[1], counts[2]);
    if (made[0] < 0) {
      recompute_.fail("recomputes more layers of rank ", std::to_string(rank), " in run ", std::to_string(run),
                      " than the ", std::to_string(layers_of(run, rank)), " that it holds");
    }
    return made;
  }

 private:
  static constexpr const char* names[] = {"recompute", "select_recompute", "select_comm_recompute"};

  static std::size_t bounded(const json_value& value, std::size_t least, std::size_t most) {
    const std::size_t count = value.count(least);
    if (count > most) value.fail(value.shown(), " is above ", std::to_string(most));
    return count;
  }

  [[nodiscard]] double even_share() const {
    const std::size_t whole = layers_ / ranks_;
    return static_cast<double>(whole);
  }

  /// An integer, possibly negative, at most the number of layers.
  [[nodiscard]] double offset(const json_value& value) const {
    if (!(*value).is_number()) value.fail(value.shown(), " is not a number");
    const double number = (*value).get<double>();
    if (number != std::floor(number)) value.fail(value.shown(), " is no whole number");
    if (!(std::abs(number) <= static_cast<double>(layers_))) value.fail(value.shown(), " is more than all layers");
    return number;
  }

  /// Rejects a list whose length is not the number of ranks.
  void check_size(const json_value& list) const {
    const std::size_t size = list.elements().size();
    if (size != ranks_)
      list.fail("has ", std::to_string(size), " elements, and there are ", std::to_string(ranks_), " ranks");
  }

  void check_run(std::size_t run, bool lenient) const {
    check_offsets(sapp_part_of(offset_, run, runs_), lenient);
    for (const auto& setting : settings_) {
      if (!setting) continue;
      const json_value said = sapp_part_of(*setting, run, runs_);
      if (!(*said).is_array()) {
        if (!(*said).is_boolean() && *said != json(0)) said.fail(said.shown(), " is neither true, false nor a list");
        continue;
      }
      check_size(said);
      for (const json_value& count : said.elements()) {
        if (!(*count).is_boolean()) (void)count.count();
      }
    }
  }

  void check_offsets(const json_value& said, bool lenient) const {
    const double share = even_share();
    double held = share * static_cast<double>(ranks_);
    if ((*said).is_array()) {
      check_size(said);
      for (const json_value& element : said.elements()) {
        if (share + offset(element) < 0)
          element.fail(element.shown(), " leaves fewer than 0 layers: an even share is ", shown(share));
        held += offset(element);
      }
    } else if (*said != json(0)) {
      said.fail(said.shown(), " is neither 0 nor a list");
    }
    if (lenient || held == static_cast<double>(layers_)) return;
    said.fail("leaves ", shown(held), " layers on the ranks, and the model has ", std::to_string(layers_));
  }

  static std::string shown(double whole) { return std::to_string(static_cast<long long>(whole)); }

  std::size_t ranks_;
  std::size_t layers_;
  std::size_t runs_ = 1;
  json_value offset_;
  json_value recompute_;
  std::optional<json_value> settings_[3];
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
