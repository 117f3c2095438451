// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects an option with invalid figures.
inline void check_stage_option(const stage_option& option, std::size_t first, std::size_t last);

inline void check_stage_option(const stage_option& option, std::size_t first, std::size_t last) {
  const double figures[] = {option.forward,    option.backward,    option.time,    option.message,
                            option.all_reduce, option.activations, option.resident};
  bool sound = option.replicas != 0 && option.tensor_parallel != 0;
  for (const double figure : figures) sound = sound && is_finite(figure) && !is_negative(figure);
  if (sound) return;
  fail(invalid_input(joined({"option of the stage [", first, ", ", last, ")"}),
                     "replicas and tensor_parallel must be at least 1, times and bytes finite and not negative"));
}

/// Bytes per device with `in_flight` microbatches in flight.
[[nodiscard]] inline double bytes_with(const stage_option& option, double in_flight) noexcept {
  return option.resident + in_flight * option.activations;
}

/// The durations that a stage with replicas adds to a path through an iteration; the message is the one before the
/// stage.
enum hybrid_kind : std::uint8_t { hybrid_forward, hybrid_backward, hybrid_message, hybrid_all_reduce, hybrid_kinds };

/// The durations of an option, by `hybrid_kind`.
inline void times_of(const stage_option& option, double* to) noexcept;

/// Returns a simulator of 1F1B with `stages` stages, for times `[s * hybrid_kinds + kind]`.
[[nodiscard]] inline engine::times_simulator hybrid_simulator(std::size_t stages, std::size_t microbatches);

/// The end of the iteration of a cut.
[[nodiscard]] inline double iteration_of(const std::vector<hybrid_stage>& stages, std::size_t microbatches);

/// All options of all stages of a model, queried once, without those dominated on the same number of devices.
class hybrid_options {
 public:
  /// A stage with options, at one position of its devices.
  struct stage {
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t position;  // of the device after its last one, modulo the period
    std::uint32_t begin;     // of its options
    std::uint32_t end;
  };

  /// @param most_pass  limit of the sum of both passes of a useful stage
  /// @param clock      may stop it: then stages are missing
  hybrid_options(const any_stage_options& model, std::size_t devices, const std::optional<double>& memory,
                 double most_pass, engine::search_clock& clock);

  /// Number of points.
  [[nodiscard]] std::size_t points() const noexcept { return points_; }
  [[nodiscard]] std::size_t period() const noexcept { return period_; }
  /// The stages that begin at a point, narrower ones before wider ones.
  [[nodiscard]] view<const stage> stages_from(std::size_t first) const noexcept {
    return {stages_.data() + begin_[first], begin_[first + 1] - begin_[first]};
  }
  /// The index of the first of them among all stages.
  [[nodiscard]] std::size_t number_of(std::size_t first) const noexcept { return begin_[first]; }
  [[nodiscard]] const stage_option& operator[](std::size_t option) const noexcept { return options_[option]; }
  [[nodiscard]] std::size_t size() const noexcept { return options_.size(); }
  /// Whether no option was left out for its time.
  [[nodiscard]] bool complete() const noexcept { return complete_; }

  /// An upper bound of every iteration with at most `stages` stages: everything runs sequentially.
  [[nodiscard]] double longest_iteration(std::size_t stages, std::size_t microbatches) const noexcept;

 private:
  /// Whether `a` is nowhere worse than `b` on the same number of devices.
  [[nodiscard]] static bool covers(const stage_option& a, const stage_option& b) noexcept;

  void keep(std::uint32_t first, std::uint32_t last, std::uint32_t position);

  std::size_t points_;
  std::size_t period_;
  std::vector<stage> stages_{};         // by `first`, then by `last`
  std::vector<std::uint32_t> begin_{};  // of the stages that begin at a point
  std::vector<stage_option> options_{};
  std::vector<stage_option> found_{};
  bool complete_ = true;
};

inline void times_of(const stage_option& option, double* to) noexcept {
  to[hybrid_forward] = option.forward;
  to[hybrid_backward] = option.backward;
  to[hybrid_message] = option.message;
  to[hybrid_all_reduce] = option.all_reduce;
}

inline engine::times_simulator hybrid_simulator(std::size_t stages, std::size_t microbatches) {
  return {one_forward_one_backward(stages, microbatches),
          transfer_kind::link,
          false,
          stages > 1,
          {.kinds = hybrid_kinds,
           .forward = hybrid_forward,
           .backward = hybrid_backward,
           .message = hybrid_message,
           .before = true,
           .all_reduce = hybrid_all_reduce}};
}

inline double iteration_of(const std::vector<hybrid_stage>& stages, std::size_t microbatches) {
  std::vector<double> times(stages.size() * hybrid_kinds);
  for (std::size_t s = 0; s < stages.size(); ++s) times_of(stages[s].option, times.data() + s * hybrid_kinds);
  return hybrid_simulator(stages.size(), microbatches).run(times.data());
}

inline hybrid_options::hybrid_options(const any_stage_options& model, std::size_t devices,
                                      const std::optional<double>& memory, double most_pass,
                                      engine::search_clock& clock)
    : points_(model.size() + 1), period_(model.period()) {
  for (std::size_t last = 1; last < points_ && !clock.look(); ++last) {
    model.each_stage(last, [&](std::size_t first, const auto& options) {
      bool any = false;
      for (std::size_t position = 0; position < period_; ++position) {
        stage_query query{first, last, position == 0 ? period_ : position};
        query.memory = memory;
        found_.clear();
        std::size_t looked_at = 0;
        options.each_option(query, [&](const stage_option& option) {
          ++looked_at;
          check_stage_option(option, first, last);
          if (option.devices() > devices) return;
          if (option.forward + option.backward > most_pass) {
            complete_ = false;
            return;
          }
          any = true;
          if (memory && bytes_with(option, 1) > *memory) return;
          found_.push_back(option);
        });
        // Querying an option and comparing it with all others takes longer than a choice.
        clock.work(8 * looked_at + found_.size() * found_.size() / 16);
        keep(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(position));
      }
      return any;
    });
  }
  std::stable_sort(stages_.begin(), stages_.end(), [](const stage& a, const stage& b) { return a.first < b.first; });
  begin_.assign(points_ + 1, 0);
  for (const stage& each : stages_) ++begin_[each.first + 1];
  for (std::size_t i = 0; i < points_; ++i) begin_[i + 1] += begin_[i];
}

inline double hybrid_options::longest_iteration(std::size_t stages, std::size_t microbatches) const noexcept {
  double longest = 0;
  for (const stage_option& option : options_) {
    const double passes = option.forward + option.backward + 2 * option.message;
    const double here = static_cast<double>(microbatches) * passes + option.all_reduce;
    longest = std::max(longest, here);
  }
  return longest * static_cast<double>(stages) * (1 + 0x1p-30);
}

inline bool hybrid_options::covers(const stage_option& a, const stage_option& b) noexcept {
  return a.forward <= b.forward && a.backward <= b.backward && a.message <= b.message && a.all_reduce <= b.all_reduce &&
         a.activations <= b.activations && a.resident <= b.resident;
}

inline void hybrid_options::keep(std::uint32_t first, std::uint32_t last, std::uint32_t position) {
  if (found_.empty()) return;
  std::stable_sort(found_.begin(), found_.end(),
                   [](const stage_option& a, const stage_option& b) { return a.devices() < b.devices(); });
  const auto begin = static_cast<std::uint32_t>(options_.size());
  for (std::size_t i = 0; i < found_.size(); ++i) {
    bool covered = false;
    for (std::size_t j = 0; j < found_.size() && !covered; ++j) {
      if (j == i || found_[j].devices() != found_[i].devices() || !covers(found_[j], found_[i])) continue;
      covered = j < i || !covers(found_[i], found_[j]);
    }
    if (!covered) options_.push_back(found_[i]);
  }
  stages_.push_back({first, last, position, begin, static_cast<std::uint32_t>(options_.size())});
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
