// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/detail/sort.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline v0::detail {

/// What a layer takes when it is run in one way, or layers together: on each of the devices that share them.
struct layer_way {
  double forward = 0;
  double backward = 0;
  double update = 0;
  double parameters = 0;  // bytes
  double resident = 0;
  double activations = 0;
  double workspace = 0;
  std::string recomputation{};  // of one layer: the variant of that name; empty: as profiled
  std::string sharding{};

  /// Takes what is better of both.
  void lower(const layer_way& other) noexcept {
    const auto take = [&](double layer_way::*part) {
      if (other.*part < this->*part) this->*part = other.*part;
    };
    for (const auto part : {&layer_way::forward, &layer_way::backward, &layer_way::update, &layer_way::parameters,
                            &layer_way::resident, &layer_way::activations, &layer_way::workspace}) {
      take(part);
    }
  }
  /// Whether it is nowhere worse.
  [[nodiscard]] bool covers(const layer_way& other) const noexcept {
    return forward <= other.forward && backward <= other.backward && update <= other.update &&
           parameters <= other.parameters && resident <= other.resident && activations <= other.activations &&
           workspace <= other.workspace;
  }
};

/// The recomputations of layers as they were profiled, `none` among them.
[[nodiscard]] inline std::vector<std::string> own_recomputations(const profile& model) {
  std::vector<std::string> result{"none"};
  for (const layer& each : model.layers) {
    bool known = each.recomputation.empty();
    for (const std::string& name : result) known = known || name == each.recomputation.get();
    if (!known) result.push_back(each.recomputation);
  }
  return result;
}

/// The ways to run each layer of a chain, on each number of devices.
class layer_ways {
 public:
  layer_ways(const profile& model, const std::vector<std::size_t>& ways, const std::vector<std::string>& names,
             const memory_options& memory)
      : size_(model.layers.size()), memory_(memory) {
    check(model);
    for (const std::size_t t : ways) {
      for (const layer& each : model.layers) {
        std::vector<layer_way> alternatives = t == 1 ? recomputed(each, names) : sharded(each, t, names);
        for (const layer_variant& variant : (t == 1 ? each.recomputations : each.shardings).get()) {
          if (variant.output == each.output || (t != 1 && variant.ways != t)) continue;
          fail(invalid_input(layer_text(model, static_cast<std::size_t>(&each - model.layers.data())),
                             joined({"variant ", in_quotes(variant.name), " has another output than the layer"})));
        }
        if (alternatives.empty()) {
          fail(invalid_input(
              layer_text(model, static_cast<std::size_t>(&each - model.layers.data())),
              joined({"has none of the recomputations that were asked for, from ", in_quotes(names.front()), " on"})));
        }
        ways_.push_back(std::move(alternatives));
      }
    }
    for (const layer& each : model.layers) outputs_.push_back(each.output);
    find_cuts(model);
  }

  /// Whether a stage may begin or end there.
  [[nodiscard]] bool may_cut(std::size_t point) const noexcept { return cuts_[point] != 0; }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The alternatives of a layer on the `w`-th number of devices.
  [[nodiscard]] const std::vector<layer_way>& of(std::size_t w, std::size_t layer) const noexcept {
    return ways_[w * size_ + layer];
  }
  [[nodiscard]] double output(std::size_t layer) const noexcept { return outputs_[layer]; }
  [[nodiscard]] double buffers() const noexcept { return memory_.boundary_buffers; }

 private:
  void check(const profile& model) const {
    check_figures(model);
    const auto refuse = [](const char* name, const std::string& value, const char* must) {
      fail(argument_error("profile_options", name, value, must));
    };
    if (model.layers.empty()) fail(invalid_input("layers", "there are none"));
    if (!model.edges.empty()) refuse("model.edges", std::to_string(model.edges.size()), "must be empty: see as_chain");
    if (model.inference) refuse("model.inference", "true", "must be false: replicas exchange gradients");
    if (memory_.checkpoint != checkpointing::never) {
      refuse("memory.checkpoint", to_string(memory_.checkpoint),
             "must be never: recomputations say what is computed again");
    }
  }

  /// Groups, and layers whose shared parameters are on one device, are not cut.
  void find_cuts(const profile& model) {
    cuts_.assign(size_ + 1, 1);
    const auto keep = [&](std::size_t first, std::size_t last) {
      for (std::size_t point = first + 1; point <= last; ++point) cuts_[point] = 0;
    };
    const auto colocated = [](const layer& each, const std::string& name) {
      for (const tied_parameters& tied : each.tied.get()) {
        if (tied.name == name && tied.where == tied_parameters::placement::colocated) return true;
      }
      return false;
    };
    for (std::size_t i = 0; i < size_; ++i) {
      const layer& one = model.layers[i];
      for (std::size_t j = i + 1; j < size_; ++j) {
        const layer& other = model.layers[j];
        if (!one.group.empty() && one.group.get() == other.group.get()) keep(i, j);
        for (const tied_parameters& tied : one.tied.get()) {
          if (tied.where == tied_parameters::placement::colocated && colocated(other, tied.name)) keep(i, j);
        }
      }
    }
  }

  [[nodiscard]] double stays(double parameters, const std::optional<double>& known) const {
    return memory_.use_resident && known ? *known : parameters * memory_.parameter_multiplier;
  }

  template <class Figures>
  [[nodiscard]] layer_way way(const layer& of, const Figures& each, double ways) const {
    layer_way result;
    result.forward = each.forward;
    result.backward = each.backward;
    result.update = each.update;
    result.parameters = each.parameters;
    result.resident = stays(each.parameters, each.resident);
    result.activations = each.activations;
    result.workspace = each.workspace;
    for (const tied_parameters& tied : of.tied.get()) {
      result.parameters += tied.bytes / ways;
      result.resident += stays(tied.bytes, tied.resident) / ways;
    }
    return result;
  }

  [[nodiscard]] static bool is_asked_for(const std::string& name, const std::vector<std::string>& names) {
    bool found = names.empty();
    for (const std::string& each : names) found = found || each == name;
    return found;
  }

  /// On one device: its own figures, and its recomputations.
  [[nodiscard]] std::vector<layer_way> recomputed(const layer& each, const std::vector<std::string>& names) const {
    std::vector<layer_way> result;
    const std::string own = each.recomputation.empty() ? "none" : each.recomputation.get();
    if (each.recomputations.empty() || is_asked_for(own, names)) result.push_back(way(each, each, 1));
    for (const layer_variant& variant : each.recomputations.get()) {
      if (!is_asked_for(variant.name, names)) continue;
      result.push_back(way(each, variant, 1));
      result.back().recomputation = variant.name;
    }
    return result;
  }

  /// On several ones: its shardings of so many ways, or run whole by each of them.
  [[nodiscard]] std::vector<layer_way> sharded(const layer& each, std::size_t ways,
                                               const std::vector<std::string>& names) const {
    std::vector<layer_way> result;
    bool any = false;
    bool any_again = false;  // whether there is a choice
    for (const layer_variant& variant : each.shardings.get()) {
      any = any || variant.ways == ways;
      any_again = any_again || (variant.ways == ways && !variant.recomputation.empty());
    }
    for (const layer_variant& variant : each.shardings.get()) {
      const std::string how = variant.recomputation.empty() ? "none" : variant.recomputation;
      if (variant.ways != ways || (any_again && !is_asked_for(how, names))) continue;
      result.push_back(way(each, variant, static_cast<double>(ways)));
      result.back().sharding = variant.name;
    }
    return any ? result : recomputed(each, names);
  }

  std::size_t size_;
  memory_options memory_;
  std::vector<std::vector<layer_way>> ways_{};  // [w * layers + layer]
  std::vector<double> outputs_{};
  std::vector<char> cuts_{};
};

/// The ways to run an interval of layers, each in one of its ways: their sums, but for those that another one beats. It grows by
/// a layer before it.
class stage_mixtures {
 public:
  /// How many there are at most; beyond, some of those between the fastest and the leanest are left out, or neighbours
  /// become one.
  static constexpr std::size_t most = 96;

  /// @param hopeful  where there are too many, whether sums that are as good as any of several take their place: what is
  ///                 planned with them is a bound
  explicit stage_mixtures(bool hopeful = false) : hopeful_(hopeful) {}

  /// Of what a sum is made: the sum of the layers behind, and the way of the first layer.
  struct origin {
    std::uint32_t point = 0;
    std::uint32_t alternative = 0;
  };

  [[nodiscard]] std::size_t size() const noexcept { return sums_.size(); }
  [[nodiscard]] const layer_way& operator[](std::size_t point) const noexcept { return sums_[point]; }
  [[nodiscard]] origin from(std::size_t point) const noexcept { return from_[point]; }
  [[nodiscard]] bool is_whole() const noexcept { return whole_; }

  /// Puts a layer before them.
  void add(const std::vector<layer_way>& alternatives) {
    std::vector<layer_way> before = std::move(sums_);
    if (from_.empty()) before.assign(1, {});
    sums_.clear();
    from_.clear();
    for (std::uint32_t p = 0; p < before.size(); ++p) {
      for (std::uint32_t a = 0; a < alternatives.size(); ++a) take(plus(before[p], alternatives[a]), {p, a});
    }
    order();
    thin();
  }

 private:
  [[nodiscard]] static layer_way plus(const layer_way& sum, const layer_way& one) {
    layer_way result;
    result.forward = sum.forward + one.forward;
    result.backward = sum.backward + one.backward;
    result.update = sum.update + one.update;
    result.parameters = sum.parameters + one.parameters;
    result.resident = sum.resident + one.resident;
    result.activations = sum.activations + one.activations;
    result.workspace = sum.workspace < one.workspace ? one.workspace : sum.workspace;
    return result;
  }

  void take(layer_way sum, origin from) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].covers(sum)) return;  // then none before was dropped
      if (sum.covers(sums_[i])) continue;
      if (kept != i) sums_[kept] = std::move(sums_[i]), from_[kept] = from_[i];
      ++kept;
    }
    sums_.resize(kept);
    from_.resize(kept);
    sums_.push_back(std::move(sum));
    from_.push_back(from);
  }

  /// The fastest first.
  void order() {
    std::vector<std::size_t> places(sums_.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    detail::sort(places, [&](std::size_t a, std::size_t b) {
      return sums_[a].forward + sums_[a].backward < sums_[b].forward + sums_[b].backward;
    });
    std::vector<layer_way> sums;
    std::vector<origin> from;
    for (const std::size_t i : places) sums.push_back(std::move(sums_[i])), from.push_back(from_[i]);
    sums_ = std::move(sums);
    from_ = std::move(from);
  }

  void thin() {
    if (sums_.size() <= most) return;
    whole_ = false;
    std::vector<layer_way> sums;
    std::vector<origin> from;
    for (std::size_t k = 0; k < most; ++k) {
      const std::size_t i = hopeful_ ? k * sums_.size() / most : k * (sums_.size() - 1) / (most - 1);
      sums.push_back(std::move(sums_[i]));
      from.push_back(from_[i]);
      for (std::size_t j = i + 1; hopeful_ && j < (k + 1) * sums_.size() / most; ++j) sums.back().lower(sums_[j]);
    }
    sums_ = std::move(sums);
    from_ = std::move(from);
  }

  std::vector<layer_way> sums_{};
  std::vector<origin> from_{};
  bool hopeful_;
  bool whole_ = true;
};

}  // namespace stagecut::inline v0::detail
