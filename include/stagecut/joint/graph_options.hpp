// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/layer_bonds.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>
#include <stagecut/joint/detail/placed_stages.hpp>
#include <stagecut/joint/detail/stage_mixtures.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/joint/placed_links.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline v0 {

/// The ways to run stages of a graph of layers, on the devices of a machine: a `stage_option_model`. Its points are the sets of
/// layers that hold all that their layers need, so that all cuts of the graph are considered, by any objective.
///
/// Stages are a pipeline: each sends to the next one. What a layer hands over to stages further behind goes through those
/// between, which hand it on, and its gradient back; it counts at each boundary that it crosses, once, however many need it.
/// All else is as for `profile_options`: of a chain both are the same. `device_choices::allowed` is asked with points.
///
/// With edges a wider stage may send less, and with buffers for messages need fewer bytes; `each_stage` therefore shows all
/// stages, whatever `visit` returns.
///
/// For N points of n layers there are up to N^2/2 stages, and N may be exponential in n.
class graph_options {
 public:
  /// Mixtures of a stage, at most.
  static constexpr std::size_t most_mixtures = detail::stage_mixtures::most;

  /// @param most  points, at most
  /// @throws      as `profile_options`; invalid_input for a cycle, and for more points
  graph_options(const profile& model, device_choices choices, std::size_t most = 5000)
      : choices_(std::move(choices)),
        stages_(choices_),
        layers_(model, choices_.ways, choices_.recomputations, choices_.memory, false),
        bonds_(model, choices_.ways, choices_.memory, false),
        graph_(points_of(model, most)),
        place_(model.layers.size()) {
    for (std::size_t v = 0; v < graph_.layers.size(); ++v) place_[graph_.layers[v]] = v;
    find_steps();
    keep();
  }

  /// Number of the last point, which holds all layers.
  [[nodiscard]] std::size_t size() const noexcept { return graph_.states.size(); }
  /// Of positions.
  [[nodiscard]] std::size_t period() const noexcept { return stages_.links().period(); }
  /// The links of the machine.
  [[nodiscard]] const placed_links& links() const noexcept { return stages_.links(); }
  /// Whether no mixture was left out of any stage because there were too many.
  [[nodiscard]] bool is_whole() const {
    bool whole = true;
    for (std::size_t last = 1; last <= size(); ++last) {
      each_mixtures(last, [&](std::size_t, const detail::stage_mixtures* all) {
        for (std::size_t w = 0; w < choices_.ways.size(); ++w) whole = whole && all[w].is_whole();
      });
    }
    return whole;
  }

  /// See `stage_option_model`.
  /// @{
  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    if (query.first >= query.last || query.last > size() || !may_be(query.first, query.last)) return;
    std::vector<detail::stage_mixtures> all;
    for (std::size_t w = 0; w < choices_.ways.size(); ++w) {
      all.push_back(mixtures_of(query.first, query.last, w).back());
    }
    mixed_options{*this, all.data()}.each_option(query, visit);
  }
  template <class Visit>
  void each_stage(std::size_t last, const Visit& visit) const {
    each_mixtures(last, [&](std::size_t first, const detail::stage_mixtures* all) {
      if (may_be(first, last)) static_cast<void>(visit(first, mixed_options{*this, all}));
    });
  }
  /// @}

  /// The layers of a stage between two points, each behind all that feed it.
  /// @pre both are points, and `last` holds `first`
  [[nodiscard]] std::vector<std::size_t> layers_of(std::size_t first, std::size_t last) const {
    return graph_.layers_between(first, last);
  }

  /// How the layers of a stage are run, by an option of it: of each of `layers_of` its number among the alternatives of as many
  /// ways, which `alternative` tells. @pre it is one of its options
  [[nodiscard]] std::vector<std::size_t> mixture(std::size_t first, std::size_t last,
                                                 const stage_option& option) const {
    const std::vector<detail::stage_mixtures> steps = mixtures_of(first, last, stages_.way_of(option.ways));
    std::vector<std::size_t> result;
    std::size_t point = option.choice;
    for (std::size_t i = steps.size(); i-- > 1;) {
      const detail::stage_mixtures::origin from = steps[i].from(point);
      result.push_back(from.alternative);
      point = from.point;
    }
    return result;
  }

  /// What a layer takes by an alternative.
  [[nodiscard]] const detail::layer_way& alternative(std::size_t layer, std::size_t ways, std::size_t number) const {
    return layers_.of(stages_.way_of(ways), layer)[number];
  }

 private:
  struct mixed_options {
    const graph_options& model;
    const detail::stage_mixtures* mixtures;  // of every number of ways

    template <class Visit>
    void each_option(const stage_query& query, const Visit& visit) const {
      detail::placed_stages::ends ends;
      ends.input = model.graph_.states.output[query.first];
      ends.output = model.graph_.states.output[query.last];
      const auto holds = [&](std::size_t layer) { return model.holds(query.first, query.last, layer); };
      for (std::size_t w = 0; w < model.choices_.ways.size(); ++w) {
        ends.shared = model.bonds_.shared(w, holds);
        model.stages_.show(w, mixtures[w], ends, query, visit);
      }
    }
  };

  static constexpr std::size_t most_kept = 200'000;  // stages, of each number of ways

  [[nodiscard]] static graph_states points_of(const profile& model, std::size_t most) {
    state_options options;
    options.most_states = most;
    outcome<graph_states> found = states_of_graph(model, options);
    if (found) return *std::move(found);
    detail::fail(invalid_input(
        "edges", detail::joined({"there are more than ", most, " sets of layers that stages could end at"})));
  }

  [[nodiscard]] bool held(std::size_t point, std::size_t v) const noexcept {
    return (graph_.held[point * graph_.words + v / 64] >> (v % 64) & 1) != 0;
  }
  /// Whether a layer is one of a stage.
  [[nodiscard]] bool holds(std::size_t first, std::size_t last, std::size_t layer) const noexcept {
    return held(last, place_[layer]) && !held(first, place_[layer]);
  }

  [[nodiscard]] bool may_be(std::size_t first, std::size_t last) const {
    if (!bonds_.may_be([&](std::size_t layer) { return holds(first, last, layer); })) return false;
    return !choices_.allowed || choices_.allowed(first, last);
  }

  /// Finds of every point what it is with one layer more, and those that it holds more than.
  void find_steps() {
    const std::size_t n = graph_.layers.size();
    steps_.assign((size() + 1) * n, 0);
    earlier_.resize(size() + 1);
    for (std::size_t p = 0; p <= size(); ++p) {
      bool near = true;
      for (const std::size_t q : graph_.states.later[p]) {
        earlier_[q].push_back(p);
        if (!near) continue;
        std::size_t more = 0;
        std::size_t one = 0;
        for (std::size_t v = 0; v < n && more < 2; ++v) {
          if (held(q, v) && !held(p, v)) ++more, one = v;
        }
        near = more == 1;  // later ones hold no fewer
        if (near) steps_[p * n + one] = q;
      }
    }
  }

  /// The first layer of a stage: all that feed it are before the stage.
  [[nodiscard]] std::size_t first_of(std::size_t first, std::size_t last) const noexcept {
    std::size_t v = 0;
    while (!held(last, v) || held(first, v)) ++v;
    return v;
  }

  /// The mixtures of the last layers of a stage: of none, of the last one, .. of all.
  [[nodiscard]] std::vector<detail::stage_mixtures> mixtures_of(std::size_t first, std::size_t last,
                                                                std::size_t w) const {
    const std::vector<std::size_t> layers = layers_of(first, last);
    std::vector<detail::stage_mixtures> steps(1, detail::stage_mixtures(choices_.hopeful));
    for (std::size_t i = layers.size(); i-- > 0;) {
      steps.push_back(steps.back());
      steps.back().add(layers_.of(w, layers[i]));
    }
    return steps;
  }

  /// Works out the mixtures of all stages, unless these are too many to keep.
  void keep() {
    std::size_t all = 0;
    for (const auto& each : earlier_) all += each.size();
    if (all * choices_.ways.size() > most_kept) return;
    std::vector<std::vector<detail::stage_mixtures>> kept(size() + 1);
    for (std::size_t last = 1; last <= size(); ++last) kept[last] = mixtures_to(last);
    kept_ = std::move(kept);
  }

  /// The mixtures of the stages that end at a point, by where they begin, then by ways: each is that of a stage without
  /// its first layer, and this layer.
  [[nodiscard]] std::vector<detail::stage_mixtures> mixtures_to(std::size_t last) const {
    const std::vector<std::size_t>& firsts = earlier_[last];
    const std::size_t ways = choices_.ways.size();
    std::vector<detail::stage_mixtures> result(firsts.size() * ways, detail::stage_mixtures(choices_.hopeful));
    std::vector<std::size_t> number(last);
    for (std::size_t i = firsts.size(); i-- > 0;) {
      number[firsts[i]] = i;
      const std::size_t v = first_of(firsts[i], last);
      const std::size_t rest = steps_[firsts[i] * graph_.layers.size() + v];
      for (std::size_t w = 0; w < ways; ++w) {
        detail::stage_mixtures& here = result[i * ways + w];
        if (rest != last) here = result[number[rest] * ways + w];
        here.add(layers_.of(w, graph_.layers[v]));
      }
    }
    return result;
  }

  /// Shows the mixtures of the stages that end at a point, those of fewer layers first.
  template <class Visit>
  void each_mixtures(std::size_t last, const Visit& visit) const {
    const std::vector<detail::stage_mixtures> made =
        kept_.empty() ? mixtures_to(last) : std::vector<detail::stage_mixtures>();
    const detail::stage_mixtures* const all = kept_.empty() ? made.data() : kept_[last].data();
    for (std::size_t i = earlier_[last].size(); i-- > 0;) visit(earlier_[last][i], all + i * choices_.ways.size());
  }

  device_choices choices_;
  detail::placed_stages stages_;
  detail::layer_ways layers_;
  detail::layer_bonds bonds_;
  graph_states graph_;
  std::vector<std::size_t> place_;                           // of every layer in the order of points
  std::vector<std::size_t> steps_{};                         // [point * layers + place]: the point with that layer, too
  std::vector<std::vector<std::size_t>> earlier_{};          // of every point, those of which it holds all, ascending
  std::vector<std::vector<detail::stage_mixtures>> kept_{};  // by last, then as `mixtures_to`
};

}  // namespace stagecut::inline v0
