// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Bytes of a device with so many microbatches in flight.
[[nodiscard]] inline double bytes_with(const stage_option& option, double in_flight) noexcept {
  return option.resident + in_flight * option.activations;
}

/// What a stage with replicas adds to a path through an iteration: a message is that before the stage.
enum hybrid_kind : std::uint8_t { hybrid_forward, hybrid_backward, hybrid_message, hybrid_all_reduce, hybrid_kinds };

/// The durations of an option, by `hybrid_kind`.
STAGECUT_DECL void times_of(const stage_option& option, double* to) noexcept;

/// Simulates 1F1B of so many stages, with times `[s * hybrid_kinds + kind]`.
[[nodiscard]] STAGECUT_DECL engine::times_simulator hybrid_simulator(std::size_t stages, std::size_t microbatches);

/// When the iteration of a cut ends.
[[nodiscard]] STAGECUT_DECL double iteration_of(const std::vector<hybrid_stage>& stages, std::size_t microbatches);

/// All ways to run all stages of a model, asked for once: those that no other one on as many devices beats.
class hybrid_options {
 public:
  /// A stage with options, at one position of its devices.
  struct stage {
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t position;  // of the device behind its last one, modulo the period
    std::uint32_t begin;     // of its options
    std::uint32_t end;
  };

  /// @param most_pass  of both passes, of a stage that is of use
  /// @param clock      may say stop: then stages are missing
  hybrid_options(const any_stage_options& model, std::size_t devices, const std::optional<double>& memory,
                 double most_pass, engine::search_clock& clock);

  /// Number of points.
  [[nodiscard]] std::size_t points() const noexcept { return points_; }
  [[nodiscard]] std::size_t period() const noexcept { return period_; }
  /// The stages that begin at a point, narrower ones before wider ones.
  [[nodiscard]] view<const stage> stages_from(std::size_t first) const noexcept {
    return {stages_.data() + begin_[first], begin_[first + 1] - begin_[first]};
  }
  /// The number of the first of them among all stages.
  [[nodiscard]] std::size_t number_of(std::size_t first) const noexcept { return begin_[first]; }
  [[nodiscard]] const stage_option& operator[](std::size_t option) const noexcept { return options_[option]; }
  [[nodiscard]] std::size_t size() const noexcept { return options_.size(); }
  /// Whether no option was left out for its time.
  [[nodiscard]] bool complete() const noexcept { return complete_; }

  /// No iteration takes longer, of so many stages at most: everything one after the other.
  [[nodiscard]] double longest_iteration(std::size_t stages, std::size_t microbatches) const noexcept;

 private:
  /// Whether `a` is nowhere worse than `b`, on as many devices.
  [[nodiscard]] static bool covers(const stage_option& a, const stage_option& b) noexcept;

  void keep(std::uint32_t first, std::uint32_t last, std::uint32_t position);

  std::size_t points_;
  std::size_t period_;
  std::vector<stage> stages_{};         // by `first`, then by `last`
  std::vector<std::uint32_t> begin_{};  // of those that begin at a point
  std::vector<stage_option> options_{};
  std::vector<stage_option> found_{};
  bool complete_ = true;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/hybrid_options.ipp>
#endif
