// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/layer_bonds.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>
#include <stagecut/joint/detail/placed_stages.hpp>
#include <stagecut/joint/detail/stage_mixtures.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/placed_links.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The common base of the stages of chains (`profile_options`) and of graphs (`graph_stages`): layers with their
/// alternatives on the devices of a machine. A derived class defines points, and the layers between two of them.
class layer_stages {
 public:
  /// The most mixtures of a stage.
  static constexpr std::size_t most_mixtures = stage_mixtures::most;

  /// The number of positions after which links repeat.
  [[nodiscard]] std::size_t period() const noexcept { return stages_.links().period(); }
  /// The links of the machine.
  [[nodiscard]] const placed_links& links() const noexcept { return stages_.links(); }
  /// One of the alternatives of a layer at tensor-parallel degree `ways`.
  [[nodiscard]] const layer_way& alternative(std::size_t layer, std::size_t ways, std::size_t number) const {
    return layers_.of(stages_.way_of(ways), layer)[number];
  }

 protected:
  /// @throws  see `profile_options`
  layer_stages(const profile& model, device_choices choices, bool of_chain)
      : choices_(std::move(choices)),
        stages_(choices_),
        layers_(model, choices_.tensor_parallel, choices_.recomputations, choices_.memory_accounting, of_chain),
        bonds_(model, choices_.tensor_parallel, choices_.memory_accounting, of_chain) {}

  /// The options of a stage from its mixtures. `Stages` has `crossing(point)` and `shared(first, last, w)`.
  template <class Stages>
  struct mixed_options {
    const Stages& model;
    const stage_mixtures* mixtures;  // for every tensor-parallel degree

    template <class Visit>
    void each_option(const stage_query& query, const Visit& visit) const {
      placed_stages::ends ends;
      ends.input = model.crossing(query.first);
      ends.output = model.crossing(query.last);
      for (std::size_t w = 0; w < model.choices_.tensor_parallel.size(); ++w) {
        ends.shared = model.shared(query.first, query.last, w);
        model.stages_.show(w, mixtures[w], ends, query, visit);
      }
    }
  };

  /// The mixtures of the suffixes of some layers: of none, of the last one, .. of all.
  [[nodiscard]] std::vector<stage_mixtures> mixtures_of(const std::vector<std::size_t>& layers, std::size_t w) const;

  /// The index of each layer's alternative in an option of the stage with these layers.
  [[nodiscard]] std::vector<std::size_t> mixture_of(const std::vector<std::size_t>& layers,
                                                    const stage_option& option) const;

  device_choices choices_;
  placed_stages stages_;
  layer_ways layers_;
  layer_bonds bonds_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/layer_stages.ipp>
#endif
