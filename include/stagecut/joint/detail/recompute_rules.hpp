// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/joint/detail/rank_options.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What takes time on a stage beside its layers: the head on the first one, the tail on the last.
struct first_and_last {
  double forward = 0;
  double backward = 0;
  double weight = 0;
  double resident = 0;
  double activations = 0;
  double workspace = 0;
  double peak = 0;
  double recomputed = 0;
  std::vector<std::size_t> shared{};  // which of the model's; their bytes are in `resident`

  first_and_last(const recompute_model& model, const schedule& order, std::size_t s);

 private:
  void add(const recompute_model& model, const layer_type& end);

 public:
  /// Counts those that are not there yet.
  void share(const recompute_model& model, const std::vector<std::size_t>& with);
};

/// What the stages of a rank hold at the moments that count.
[[nodiscard]] STAGECUT_DECL held_moments moments_of_rank(const recompute_model& model, const schedule& order,
                                                         std::size_t rank);

/// Bytes that a rank has for layers and ends; very many without a limit.
[[nodiscard]] STAGECUT_DECL double memory_of(const recompute_request& request, std::size_t rank);

/// Layers that every stage has at least.
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> least_layers_of(const recompute_request& request);

/// Whether layers can be dealt out without a forbidden cut, however much memory there is.
[[nodiscard]] STAGECUT_DECL bool can_be_cut(const recompute_model& model, const recompute_request& request);

/// Whether a cut parts what is to stand on one stage. That before the head, or behind the tail, no cut does.
[[nodiscard]] inline bool parts_layers(const recompute_model& model, const cuts& of) {
  for (std::size_t s = 1; s < of.stages(); ++s) {
    for (const std::size_t each : model.forbidden_cuts) {
      if (of[s] == each) return true;
    }
  }
  return false;
}

/// Layers that all stages together have at least.
[[nodiscard]] STAGECUT_DECL std::size_t least_layers_in_all(const recompute_request& request);

/// Bytes that pass a cut point.
[[nodiscard]] inline double sent_at(const recompute_model& model, std::size_t cut) noexcept {
  return cut == 0 ? model.head.sent : model.types[model.layers[cut - 1]].sent;
}

/// The least and the most bytes that pass the cut point behind every stage but the last, wherever it may stand.
struct sent_bytes {
  std::vector<double> least{}, most{};

  sent_bytes(const recompute_model& model, const recompute_request& request);
};

/// Whether buffers depend on where stages are cut.
[[nodiscard]] STAGECUT_DECL bool buffers_differ(const recompute_model& model, const recompute_request& request);

/// The rules of all ranks.
[[nodiscard]] STAGECUT_DECL std::vector<rank_rules> rules_of(const recompute_model& model,
                                                             const recompute_request& request, const whole_times& unit,
                                                             bool splits);

/// The unit of all times: of passes, and of messages.
[[nodiscard]] STAGECUT_DECL whole_times unit_of(const recompute_model& model, const std::vector<double>& messages,
                                                const schedule& order);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/recompute_rules.ipp>
#endif
