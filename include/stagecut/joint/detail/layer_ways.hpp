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

namespace stagecut::inline STAGECUT_ABI::detail {

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

/// Bytes that stay for parameters.
[[nodiscard]] inline double stays(const memory_options& memory, double parameters, const std::optional<double>& known) {
  return memory.use_resident && known ? *known : parameters * memory.parameter_multiplier;
}

/// One way to run a layer.
struct layer_way : way_figures {
  std::string recomputation{};  // the variant of that name; empty: as profiled
  std::string sharding{};
};

/// The ways to run each layer of a chain or a graph, on each number of devices.
class layer_ways {
 public:
  layer_ways(const profile& model, const std::vector<std::size_t>& ways, const std::vector<std::string>& names,
             const memory_options& memory, bool of_chain = true)
      : size_(model.layers.size()), memory_(memory) {
    check(model, of_chain);
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
    for (const layer& each : model.layers) outputs_.push_back(each.output);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The alternatives of a layer on the `w`-th number of devices.
  [[nodiscard]] const std::vector<layer_way>& of(std::size_t w, std::size_t layer) const noexcept {
    return ways_[w * size_ + layer];
  }
  [[nodiscard]] double output(std::size_t layer) const noexcept { return outputs_[layer]; }
  [[nodiscard]] double buffers() const noexcept { return memory_.boundary_buffers; }

 private:
  void check(const profile& model, bool of_chain) const {
    check_figures(model);
    const auto refuse = [](const char* name, const std::string& value, const char* must) {
      fail(argument_error("profile_options", name, value, must));
    };
    if (model.layers.empty()) fail(invalid_input("layers", "there are none"));
    if (of_chain && !model.edges.empty())
      refuse("model.edges", std::to_string(model.edges.size()), "must be empty: see as_chain");
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
    if (each.is_backward) refuse("is of the backward pass alone, and stages have both passes of their layers");
    if (!each.children.empty()) refuse("has children: see flatten_modules");
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

  template <class Figures>
  [[nodiscard]] layer_way way(const Figures& each) const {
    layer_way result;
    result.forward = each.forward;
    result.backward = each.backward;
    result.update = each.update;
    result.parameters = each.parameters;
    result.resident = stays(memory_, each.parameters, each.resident);
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
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
