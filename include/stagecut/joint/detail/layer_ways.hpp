// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline v0::detail {

/// What a layer takes when it is run in one way, or layers together: on each of the devices that share them. Bytes but for
/// the first three.
struct way_figures {
  double forward = 0;
  double backward = 0;
  double update = 0;
  double activations = 0;
  double resident = 0;
  double workspace = 0;
  double parameters = 0;

  /// Whether it is nowhere worse.
  [[nodiscard]] bool covers(const way_figures& other) const noexcept {
    return backward <= other.backward && activations <= other.activations && forward <= other.forward &&
           resident <= other.resident && workspace <= other.workspace && update <= other.update &&
           parameters <= other.parameters;
  }
  /// Takes what is better of both.
  void lower(const way_figures& other) noexcept {
    const auto take = [&](double way_figures::*part) {
      if (other.*part < this->*part) this->*part = other.*part;
    };
    for (const auto part :
         {&way_figures::forward, &way_figures::backward, &way_figures::update, &way_figures::activations,
          &way_figures::resident, &way_figures::workspace, &way_figures::parameters}) {
      take(part);
    }
  }
};

/// One way to run a layer.
struct layer_way : way_figures {
  std::string recomputation{};  // the variant of that name; empty: as profiled
  std::string sharding{};
};

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
        if (alternatives.empty()) {
          fail(invalid_input(
              layer_text(model, static_cast<std::size_t>(&each - model.layers.data())),
              joined({"has none of the recomputations that were asked for, from ", in_quotes(names.front()), " on"})));
        }
        ways_.push_back(std::move(alternatives));
      }
    }
    for (std::size_t i = 0; i < size_; ++i) {
      outputs_.push_back(model.layers[i].output);
      if (!model.layers[i].tied.empty()) find_shared(model.layers[i], i, ways);
    }
    find_cuts(model);
  }

  /// What layers of an interval have in common and hold once, on each of the devices: bytes that stay, and of parameters.
  struct shared_bytes {
    double resident = 0;
    double parameters = 0;
  };
  [[nodiscard]] shared_bytes shared(std::size_t w, std::size_t first, std::size_t last) const {
    shared_bytes sum;
    for (std::size_t k = 0; k < shared_.size(); ++k) {
      if (shared_[k].layer < first || shared_[k].layer >= last) continue;
      bool again = false;
      for (std::size_t j = 0; j < k; ++j) {
        again = again || (shared_[j].layer >= first && shared_[j].name == shared_[k].name);
      }
      if (again) continue;
      sum.resident += shared_[k].resident / shared_[k].ways[w];
      sum.parameters += shared_[k].parameters / shared_[k].ways[w];
    }
    return sum;
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
    for (std::size_t i = 0; i < model.layers.size(); ++i) check_layer(model, i);
  }

  /// Refuses variants that send other messages, or are called as another one, and layers that have a place of their own.
  static void check_layer(const profile& model, std::size_t i) {
    const layer& each = model.layers[i];
    const auto refuse = [&](const std::string& problem) { fail(invalid_input(layer_text(model, i), problem)); };
    if (each.stage || !each.accelerator)
      refuse("has a stage or a device of its own, which this planner does not keep to");
    for (const auto* const variants : {&each.recomputations.get(), &each.shardings.get()}) {
      for (std::size_t k = 0; k < variants->size(); ++k) {
        const layer_variant& variant = (*variants)[k];
        if (variant.output != each.output) {
          refuse(joined({"variant ", in_quotes(variant.name), " has another output than the layer"}));
        }
        for (std::size_t j = 0; j < k; ++j) {
          if ((*variants)[j].name == variant.name) refuse(joined({"has two variants ", in_quotes(variant.name)}));
        }
      }
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

  /// Parameters that a layer has in common with others, and by how many devices they are divided.
  struct shared_parameters {
    std::string name{};
    std::size_t layer = 0;
    double resident = 0;
    double parameters = 0;
    std::vector<double> ways{};
  };

  void find_shared(const layer& each, std::size_t i, const std::vector<std::size_t>& ways) {
    std::vector<double> divisors;
    for (const std::size_t t : ways) {
      bool divided = false;
      for (const layer_variant& variant : each.shardings.get()) divided = divided || (t > 1 && variant.ways == t);
      divisors.push_back(divided ? static_cast<double>(t) : 1);
    }
    for (const tied_parameters& tied : each.tied.get()) {
      shared_.push_back({tied.name, i, stays(tied.bytes, tied.resident), tied.bytes, divisors});
    }
  }

  template <class Figures>
  [[nodiscard]] layer_way way(const Figures& each) const {
    layer_way result;
    result.forward = each.forward;
    result.backward = each.backward;
    result.update = each.update;
    result.parameters = each.parameters;
    result.resident = stays(each.parameters, each.resident);
    result.activations = each.activations;
    result.workspace = each.workspace;
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
    if (each.recomputations.empty() || is_asked_for(own, names)) result.push_back(way(each));
    for (const layer_variant& variant : each.recomputations.get()) {
      if (!is_asked_for(variant.name, names)) continue;
      result.push_back(way(variant));
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
      result.push_back(way(variant));
      result.back().sharding = variant.name;
    }
    return any ? result : recomputed(each, names);
  }

  std::size_t size_;
  memory_options memory_;
  std::vector<std::vector<layer_way>> ways_{};  // [w * layers + layer]
  std::vector<double> outputs_{};
  std::vector<shared_parameters> shared_{};  // by layer
  std::vector<char> cuts_{};
};

}  // namespace stagecut::inline v0::detail
