// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>
#include <stagecut/joint/detail/stage_mixtures.hpp>
#include <stagecut/joint/device_choices.hpp>
#include <stagecut/joint/placed_links.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline v0 {

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
/// share count once, divided by the ways where the layer is sharded; their exchange between stages is not counted.
class profile_options {
 public:
  /// Points are cut points.
  static constexpr bool is_chain = true;
  /// Mixtures of an interval, at most.
  static constexpr std::size_t most_mixtures = detail::stage_mixtures::most;

  /// @throws argument_error for choices that make no sense; invalid_input as `check_figures`, and for a layer that has none
  ///         of the recomputations, a place of its own, or a variant of another output or of the name of another one
  profile_options(const profile& model, device_choices choices)
      : choices_(std::move(choices)),
        links_(choices_.machine),
        layers_(model, choices_.ways, choices_.recomputations, choices_.memory) {
    check();
    keep();
  }

  /// Number of layers.
  [[nodiscard]] std::size_t size() const noexcept { return layers_.size(); }
  /// Of positions.
  [[nodiscard]] std::size_t period() const noexcept { return links_.period(); }
  /// The links of the machine.
  [[nodiscard]] const placed_links& links() const noexcept { return links_; }
  /// Whether no mixture was left out of any interval because there were too many.
  [[nodiscard]] bool is_whole() const {
    bool whole = true;
    for (std::size_t last = 1; last <= size(); ++last) {
      each_mixtures(last, [&](std::size_t, const detail::stage_mixtures* all) {
        for (std::size_t w = 0; w < choices_.ways.size(); ++w) whole = whole && all[w].is_whole();
        return whole;
      });
    }
    return whole;
  }

  /// See `stage_option_model`.
  /// @{
  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    if (!may_be(query.first, query.last)) return;
    each_mixtures(query.last, [&](std::size_t first, const detail::stage_mixtures* all) {
      if (first != query.first) return true;
      mixed_options{*this, all}.each_option(query, visit);
      return false;
    });
  }
  template <class Visit>
  void each_stage(std::size_t last, const Visit& visit) const {
    if (!layers_.may_cut(last)) return;
    // With buffers for smaller messages a wider stage may take fewer bytes: then all of them are shown.
    const bool grows = !(layers_.buffers() > 0);
    each_mixtures(last, [&](std::size_t first, const detail::stage_mixtures* all) {
      return !may_be(first, last) || visit(first, mixed_options{*this, all}) || !grows;
    });
  }
  /// @}

  /// How the layers of a stage are run, by an option of it: of each layer its number among the alternatives of as many
  /// ways, which `alternative` tells. @pre it is one of its options
  [[nodiscard]] std::vector<std::size_t> mixture(std::size_t first, std::size_t last,
                                                 const stage_option& option) const {
    const std::size_t w = way_of(option.ways);
    std::vector<detail::stage_mixtures> steps(1);
    for (std::size_t i = last; i-- > first;) {
      steps.push_back(steps.back());
      steps.back().add(layers_.of(w, i));
    }
    std::vector<std::size_t> result;
    std::size_t point = option.choice;
    for (std::size_t i = first; i < last; ++i) {
      const detail::stage_mixtures::origin from = steps[last - i].from(point);
      result.push_back(from.alternative);
      point = from.point;
    }
    return result;
  }

  /// Bytes that stay of what layers of a stage have in common, on each device; they are not in its layers' figures.
  [[nodiscard]] double shared_bytes(std::size_t first, std::size_t last, std::size_t ways) const {
    return layers_.shared(way_of(ways), first, last).resident;
  }

  /// What a layer takes by an alternative.
  [[nodiscard]] const detail::layer_way& alternative(std::size_t layer, std::size_t ways, std::size_t number) const {
    return layers_.of(way_of(ways), layer)[number];
  }

 private:
  struct mixed_options {
    const profile_options& model;
    const detail::stage_mixtures* mixtures;  // of every number of ways

    template <class Visit>
    void each_option(const stage_query& query, const Visit& visit) const {
      for (std::size_t w = 0; w < model.choices_.ways.size(); ++w) model.show(w, mixtures[w], query, visit);
    }
  };

  static constexpr std::size_t most_kept = 200'000;  // intervals, of each number of ways

  /// Works out the mixtures of all intervals, unless these are too many to keep.
  void keep() {
    const std::size_t all = size() * (size() + 1) / 2 * choices_.ways.size();
    if (all > most_kept) return;
    std::vector<detail::stage_mixtures> kept;
    kept.reserve(all);
    for (std::size_t last = 1; last <= size(); ++last) {
      each_mixtures(last, [&](std::size_t, const detail::stage_mixtures* here) {
        for (std::size_t w = 0; w < choices_.ways.size(); ++w) kept.push_back(here[w]);
        return true;
      });
    }
    kept_ = std::move(kept);
  }

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
  [[nodiscard]] bool may_be(std::size_t first, std::size_t last) const {
    if (!layers_.may_cut(first) || !layers_.may_cut(last)) return false;
    return !choices_.allowed || choices_.allowed(first, last);
  }

  [[nodiscard]] std::size_t way_of(std::size_t ways) const noexcept {
    std::size_t w = 0;
    while (w + 1 < choices_.ways.size() && choices_.ways[w] != ways) ++w;
    return w;
  }

  void check() const {
    const auto refuse = [](const char* name, const std::string& value, const char* must) {
      detail::fail(argument_error("profile_options", name, value, must));
    };
    for (const auto& [name, list] : {std::pair("replicas", &choices_.replicas), std::pair("ways", &choices_.ways)}) {
      if (list->empty()) refuse(name, "{}", "must have a number");
      for (const std::size_t each : *list) {
        if (each == 0) refuse(name, "0", "must be at least 1");
      }
    }
    if (!is_finite(choices_.gradient_bytes) || is_negative(choices_.gradient_bytes)) {
      refuse("gradient_bytes", detail::number_text(choices_.gradient_bytes), "must be finite and not negative");
    }
  }

  /// Whether every group of so many devices lies close together.
  [[nodiscard]] bool is_close(std::size_t position, std::size_t replicas, std::size_t ways) const noexcept {
    for (std::size_t d = 0; d < replicas && ways > 1; ++d) {
      if (!links_.is_close(position + d * ways, ways)) return false;
    }
    return true;
  }

  template <class Visit>
  void show(std::size_t w, const detail::stage_mixtures& mixtures, const stage_query& query, const Visit& visit) const {
    const std::size_t ways = choices_.ways[w];
    const std::size_t period = links_.period();
    for (const std::size_t d : choices_.replicas) {
      const std::size_t devices = d * ways;
      if (devices > links_.devices()) continue;
      // Positions repeat: a whole number of periods is added, so that nothing falls below 0.
      const std::size_t rounds = (devices + period - 1) / period * period;
      const std::size_t start = (query.device % period + rounds - devices) % period;
      if (!is_close(start, d, ways) || (choices_.in_one_node && period > 1 && start + devices > period)) continue;
      stage_option option;
      option.replicas = d;
      option.ways = ways;
      const auto share = static_cast<double>(choices_.own_microbatches ? 1 : d);
      const double input = query.first == 0 ? 0 : layers_.output(query.first - 1);
      const double output = query.last == size() ? 0 : layers_.output(query.last - 1);
      if (query.first != 0) option.message = links_.before(start)(input / share);
      const auto shared = layers_.shared(w, query.first, query.last);
      stage_option roomiest;
      double most = -1;
      for (std::size_t k = 0; k < mixtures.size(); ++k) {
        const detail::way_figures& sum = mixtures[k];
        option.choice = k;
        option.forward = sum.forward / share;
        option.backward = sum.backward / share;
        option.time = option.forward + option.backward;
        if (option.time > query.most_time) break;  // those behind are no faster
        option.all_reduce = sum.update + exchange(start, d, ways, sum.parameters + shared.parameters);
        option.activations = sum.activations / share;
        option.resident =
            sum.resident + shared.resident + (sum.workspace + layers_.buffers() * (input + output)) / share;
        if (!query.roomiest || !query.memory || !(option.activations > 0)) {
          visit(option);
          continue;
        }
        const double room = (*query.memory - option.resident) / option.activations;
        if (room > most) most = room, roomiest = option;
      }
      if (most >= 0) visit(roomiest);
    }
  }

  /// Seconds of a ring of replicas that sum their gradients.
  [[nodiscard]] double exchange(std::size_t start, std::size_t replicas, std::size_t ways, double parameters) const {
    if (replicas < 2) return 0;
    const link_speed link = links_.within(start, replicas * ways);
    const auto d = static_cast<double>(replicas);
    return 2 * (d - 1) * link(choices_.gradient_bytes * parameters / d);
  }

  device_choices choices_;
  placed_links links_;
  detail::layer_ways layers_;
  std::vector<detail::stage_mixtures> kept_{};  // by last, then by falling first, then by ways
};

}  // namespace stagecut::inline v0
