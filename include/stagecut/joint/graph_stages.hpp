// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/graph_points.hpp>
#include <stagecut/joint/detail/layer_bonds.hpp>
#include <stagecut/joint/detail/layer_stages.hpp>
#include <stagecut/joint/detail/stage_mixtures.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The options of the stages of a graph of layers on the devices of a machine: a `stage_option_model`. Its points are
/// the order ideals of the graph, so that all its cuts are considered, by any objective.
///
/// Stages form a pipeline: each sends to the next one. A tensor for a later stage is forwarded by the stages between,
/// and its gradient back; it counts once at each boundary that it crosses, however many layers need it. Everything else
/// is as for `profile_options`: for a chain both are equal. `device_choices::allowed` is called with points.
///
/// With edges a wider stage may send less, and with message buffers need fewer bytes; `each_stage` therefore visits all
/// stages, whatever `visit` returns.
///
/// For N points of n layers there are up to N^2/2 stages, and N may be exponential in n.
class graph_stages : public detail::layer_stages {
 public:
  /// @param most  limit of points
  /// @throws      as `profile_options`; invalid_input for a cycle, and for more points
  graph_stages(const profile& model, device_choices choices, std::size_t most = 5000)
      : graph_stages(model, std::move(choices), points_of(model, most)) {}

  /// Uses only some of the points: the cuts of a linear order, each containing all before it, see `states_of_order`.
  /// @throws  as `profile_options`
  graph_stages(const profile& model, device_choices choices, graph_states points)
      : layer_stages(model, std::move(choices), false), points_(std::move(points)) {
    keep();
  }

  /// Number of the last point, which holds all layers.
  [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }
  /// Whether no mixture of any stage was left out because there were too many.
  [[nodiscard]] bool is_whole() const;

  /// See `stage_option_model`.
  /// @{
  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    if (query.first >= query.last || query.last > size() || !points_.within(query.first, query.last)) return;
    if (!may_be(query.first, query.last)) return;
    std::vector<detail::stage_mixtures> all;
    for (std::size_t w = 0; w < choices_.tensor_parallel.size(); ++w) {
      all.push_back(mixtures_of(layers_of(query.first, query.last), w).back());
    }
    mixed_options<graph_stages>{*this, all.data()}.each_option(query, visit);
  }
  template <class Visit>
  void each_stage(std::size_t last, const Visit& visit) const {
    each_mixtures(last, [&](std::size_t first, const detail::stage_mixtures* all) {
      if (may_be(first, last)) static_cast<void>(visit(first, mixed_options<graph_stages>{*this, all}));
    });
  }
  /// @}

  /// Returns the layers of a stage between two points, each after all that feed it.
  /// @pre both are points, and `last` contains `first`
  [[nodiscard]] std::vector<std::size_t> layers_of(std::size_t first, std::size_t last) const {
    return points_.layers_of(first, last);
  }

  /// Bytes that cross a point, forward.
  [[nodiscard]] double crossing(std::size_t point) const noexcept { return points_.crossing(point); }

  /// Resident bytes, on each device, that layers of a stage share; the figures of its layers exclude them.
  [[nodiscard]] double shared_bytes(std::size_t first, std::size_t last, std::size_t ways) const {
    return shared(first, last, stages_.way_of(ways)).resident;
  }

  /// Returns how the layers of a stage run under an option: for each of `layers_of` an index into its alternatives of
  /// the same degree, which `alternative` returns. @pre it is one of its options
  [[nodiscard]] std::vector<std::size_t> mixture(std::size_t first, std::size_t last, const stage_option& option) const;

 private:
  friend struct mixed_options<graph_stages>;

  [[nodiscard]] detail::layer_bonds::shared_bytes shared(std::size_t first, std::size_t last, std::size_t w) const {
    return bonds_.shared(w, [&](std::size_t layer) { return points_.holds(first, last, layer); });
  }

  static constexpr std::size_t most_kept = 200'000;  // stages, for each tensor-parallel degree

  [[nodiscard]] static graph_states points_of(const profile& model, std::size_t most);

  [[nodiscard]] bool may_be(std::size_t first, std::size_t last) const;

  /// Computes the mixtures of all stages, unless these are too many to keep.
  void keep();

  /// The mixtures of the stages that end at a point, by start, then by tensor-parallel degree: each extends the
  /// mixtures of a stage without its first layers.
  [[nodiscard]] std::vector<detail::stage_mixtures> mixtures_to(std::size_t last) const;

  /// Visits the mixtures of the stages that end at a point, those with fewer layers first.
  template <class Visit>
  void each_mixtures(std::size_t last, const Visit& visit) const {
    const std::vector<detail::stage_mixtures> made =
        kept_.empty() ? mixtures_to(last) : std::vector<detail::stage_mixtures>();
    const detail::stage_mixtures* const all = kept_.empty() ? made.data() : kept_[last].data();
    for (std::size_t i = points_.earlier(last); i-- > 0;) {
      visit(points_.earlier(last, i), all + i * choices_.tensor_parallel.size());
    }
  }

  detail::graph_points points_;
  std::vector<std::vector<detail::stage_mixtures>> kept_{};  // by last, then as `mixtures_to`
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/graph_stages.ipp>
#endif
