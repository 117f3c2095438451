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

/// The options of the stages of a chain of layers on the devices of a machine: a `stage_option_model`.
///
/// A stage with d replicas of t devices each takes 1/d of the time, activations, workspace and buffers, as its replicas
/// share the samples of a microbatch; resident bytes are on each of them. After its last backward pass come its
/// `update`, and its gradients around a ring over the link of its devices: 2 (d - 1) messages of 1/d of them. With t
/// devices a layer has the figures of one of its `shardings` of degree t; a layer without one runs whole on each
/// device. The t devices of a replica lie in one group of the innermost level of the machine that can hold them. The
/// input arrives over the link before the stage's first device, each replica's share of it.
///
/// All mixtures of the recomputations and shardings (of the same degree) of its layers are options of a stage, except
/// dominated ones, up to `most_mixtures` or two more per interval and tensor-parallel degree (`is_whole`). Layers of
/// one group are on one stage, as are those between layers whose tied parameters are colocated. Parameters that layers
/// of a stage share count once, divided by the tensor-parallel degree if all of these layers are sharded; their
/// exchange between stages is not counted. `time` covers both passes, or another `measure`; there a wider stage may
/// take less time, so that all are shown.
class profile_options : public detail::layer_stages {
 public:
  /// Points are cut points.
  static constexpr bool is_chain = true;

  /// @throws argument_error for invalid choices; invalid_input as `check_figures`, and for a layer with none of the
  ///         recomputations, a fixed stage, or a variant with another output or a duplicate name
  profile_options(const profile& model, device_choices choices) : layer_stages(model, std::move(choices), true) {
    keep();
  }

  /// Number of layers.
  [[nodiscard]] std::size_t size() const noexcept { return layers_.size(); }
  /// Whether no mixture of any interval was left out because there were too many.
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

  /// Returns how the layers of a stage run under an option: for each layer an index into its alternatives of the same
  /// degree, which `alternative` returns. @pre it is one of its options
  [[nodiscard]] std::vector<std::size_t> mixture(std::size_t first, std::size_t last, const stage_option& option) const;

  /// The layers of a stage.
  [[nodiscard]] static std::vector<std::size_t> layers_of(std::size_t first, std::size_t last);

  /// Bytes that cross a point, forward.
  [[nodiscard]] double crossing(std::size_t point) const noexcept {
    return point == 0 || point == size() ? 0 : layers_.output(point - 1);
  }

  /// Resident bytes, on each device, that layers of a stage share; the figures of its layers exclude them.
  [[nodiscard]] double shared_bytes(std::size_t first, std::size_t last, std::size_t ways) const {
    return shared(first, last, stages_.way_of(ways)).resident;
  }

 private:
  friend struct mixed_options<profile_options>;

  [[nodiscard]] detail::layer_bonds::shared_bytes shared(std::size_t first, std::size_t last, std::size_t w) const {
    return bonds_.shared(w, [&](std::size_t layer) { return first <= layer && layer < last; });
  }

  static constexpr std::size_t most_kept = 200'000;  // intervals, for each tensor-parallel degree

  /// Computes the mixtures of all intervals, unless these are too many to keep.
  void keep();

  /// Visits the mixtures of the intervals that end at a point, narrower ones first, until `visit` returns false.
  template <class Visit>
  void each_mixtures(std::size_t last, const Visit& visit) const {
    const std::size_t ways = choices_.tensor_parallel.size();
    if (!kept_.empty()) {
      const detail::stage_mixtures* at = kept_.data() + last * (last - 1) / 2 * ways;
      for (std::size_t first = last; first-- > 0; at += ways) {
        if (!visit(first, at)) return;
      }
      return;
    }
    std::vector<detail::stage_mixtures> mixtures(ways, detail::stage_mixtures(choices_.relaxed));
    for (std::size_t first = last; first-- > 0;) {
      for (std::size_t w = 0; w < ways; ++w) mixtures[w].add(layers_.of(w, first));
      if (!visit(first, mixtures.data())) return;
    }
  }

  /// Whether these layers may form a stage.
  [[nodiscard]] bool may_be(std::size_t first, std::size_t last) const;

  std::vector<detail::stage_mixtures> kept_{};  // by last, then by decreasing first, then by tensor-parallel degree
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/profile_options.ipp>
#endif
