// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/layer_bonds.hpp>
#include <stagecut/joint/detail/layer_stages.hpp>
#include <stagecut/joint/detail/stage_mixtures.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The ways to run stages of a chain of layers, on the devices of a machine: a `stage_option_model`.
///
/// A stage with d replicas of t devices each takes a d-th of the time, of the activations, workspace and buffers, as its replicas
/// share the samples of a microbatch; what stays is on each of them. Behind its last backward pass come its `update`, and
/// the gradients of its parameters around a ring over the link of its devices: 2 (d - 1) messages of a d-th of them. With
/// t devices a layer takes what one of its `shardings` of so many ways says; one that has none is run whole by each of them. A
/// group of t devices lies in one group of the innermost level of the machine that can hold it. The input comes over the
/// link before the stage's first device, each replica its share.
///
/// Of how layers are recomputed, or which of several shardings of as many ways they have, all mixtures are options, but for
/// those that another one beats: of `most_mixtures` or two more, for each interval and number of ways (`is_whole`). Layers of
/// one group stand on one stage, as do those between layers whose tied parameters are colocated. Parameters that layers of a stage
/// share count once, divided by the ways if all of these layers are sharded; their exchange between stages is not counted.
/// `time` is that of both passes, or another `measure` of them; with that a wider stage may take less time, so that all are shown.
class profile_options : public detail::layer_stages {
 public:
  /// Points are cut points.
  static constexpr bool is_chain = true;

  /// @throws argument_error for choices that make no sense; invalid_input as `check_figures`, and for a layer that has none
  ///         of the recomputations, a place of its own, or a variant of another output or of the name of another one
  profile_options(const profile& model, device_choices choices)
      : layer_stages(model, std::move(choices), true) {
    keep();
  }

  /// Number of layers.
  [[nodiscard]] std::size_t size() const noexcept { return layers_.size(); }
  /// Whether no mixture was left out of any interval because there were too many.
  [[nodiscard]] bool is_whole() const;

  /// See `stage_option_model`.
  /// @{
  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    if (!may_be(query.first, query.last)) return;
    each_mixtures(query.last, [&](std::size_t first, const detail::stage_mixtures* all) {
      if (first != query.first) return true;
      mixed_options<profile_options>{*this, all}.each_option(query, visit);
      return false;
    });
  }
  template <class Visit>
  void each_stage(std::size_t last, const Visit& visit) const {
    if (!bonds_.may_cut(last)) return;
    // With buffers for smaller messages a wider stage may take fewer bytes: then all of them are shown.
    const bool grows = !(layers_.buffers() > 0) && stages_.grows();
    each_mixtures(last, [&](std::size_t first, const detail::stage_mixtures* all) {
      return !may_be(first, last) || visit(first, mixed_options<profile_options>{*this, all}) || !grows;
    });
  }
  /// @}

  /// How the layers of a stage are run, by an option of it: of each layer its number among the alternatives of as many
  /// ways, which `alternative` tells. @pre it is one of its options
  [[nodiscard]] std::vector<std::size_t> mixture(std::size_t first, std::size_t last, const stage_option& option) const;

  /// The layers of a stage.
  [[nodiscard]] static std::vector<std::size_t> layers_of(std::size_t first, std::size_t last);

  /// Bytes that cross a point, forward.
  [[nodiscard]] double crossing(std::size_t point) const noexcept {
    return point == 0 || point == size() ? 0 : layers_.output(point - 1);
  }

  /// Bytes that stay of what layers of a stage have in common, on each device; they are not in its layers' figures.
  [[nodiscard]] double shared_bytes(std::size_t first, std::size_t last, std::size_t ways) const {
    return shared(first, last, stages_.way_of(ways)).resident;
  }

 private:
  friend struct mixed_options<profile_options>;

  [[nodiscard]] detail::layer_bonds::shared_bytes shared(std::size_t first, std::size_t last, std::size_t w) const {
    return bonds_.shared(w, [&](std::size_t layer) { return first <= layer && layer < last; });
  }

  static constexpr std::size_t most_kept = 200'000;  // intervals, of each number of ways

  /// Works out the mixtures of all intervals, unless these are too many to keep.
  void keep();

  /// Shows the mixtures of the intervals that end at a point, narrower ones first, until `visit` returns false.
  template <class Visit>
  void each_mixtures(std::size_t last, const Visit& visit) const {
    const std::size_t ways = choices_.ways.size();
    if (!kept_.empty()) {
      const detail::stage_mixtures* at = kept_.data() + last * (last - 1) / 2 * ways;
      for (std::size_t first = last; first-- > 0; at += ways) {
        if (!visit(first, at)) return;
      }
      return;
    }
    std::vector<detail::stage_mixtures> mixtures(ways, detail::stage_mixtures(choices_.hopeful));
    for (std::size_t first = last; first-- > 0;) {
      for (std::size_t w = 0; w < ways; ++w) mixtures[w].add(layers_.of(w, first));
      if (!visit(first, mixtures.data())) return;
    }
  }

  /// Whether these layers may be a stage.
  [[nodiscard]] bool may_be(std::size_t first, std::size_t last) const;

  std::vector<detail::stage_mixtures> kept_{};  // by last, then by falling first, then by ways
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/profile_options.ipp>
#endif
