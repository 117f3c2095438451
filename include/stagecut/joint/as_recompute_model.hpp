// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/profile/check_figures.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A chain of layers of which each may be recomputed, and where in its profile they stand.
struct recomputed_chain {
  recompute_model model{};  ///< the chain
  /// The layers of the profile before the first layer of the model: its head. Behind the last one stands its tail.
  std::size_t first = 0;

  /// Equal in both parts.
  friend bool operator==(const recomputed_chain&, const recomputed_chain&) = default;
};

namespace detail {

/// What a choice that recomputes nothing is called.
inline constexpr const char* no_recomputation = "none";

/// Makes the model of a profile.
class recomputed_chain_maker {
 public:
  recomputed_chain_maker(const profile& model, const std::vector<std::string>& names, const memory_options& memory)
      : model_(model), names_(names), memory_(memory) {
    check_figures(model);
    if (!model.edges.empty()) refuse("model.edges", std::to_string(model.edges.size()), "must be empty: see as_chain");
    if (model.inference) refuse("model.inference", "true", "must be false: nothing is kept for a backward pass");
    if (memory.checkpoint != checkpointing::never) {
      refuse("memory.checkpoint", to_string(memory.checkpoint), "must be never: choices say what is computed again");
    }
  }

  [[nodiscard]] recomputed_chain make() {
    const std::size_t n = model_.layers.size();
    const auto has_choice = [&](std::size_t i) { return !model_.layers[i].recomputations.empty(); };
    std::size_t first = 0;
    std::size_t last = n;
    while (first < n && !has_choice(first)) ++first;
    if (first == n) first = 0;  // none has: each is a layer like others
    while (last > first && has_any_choice_before(last) && !has_choice(last - 1)) --last;
    result_.first = first;
    result_.model.head = end(0, first);
    result_.model.tail = end(last, n);
    for (std::size_t i = first; i < last; ++i) result_.model.layers.push_back(type_of(i));
    return std::move(result_);
  }

 private:
  [[noreturn]] static void refuse(const char* name, const std::string& value, const char* requirement) {
    fail(argument_error("as_recompute_model", name, value, requirement));
  }

  [[nodiscard]] bool has_any_choice_before(std::size_t last) const {
    for (std::size_t i = 0; i < last; ++i) {
      if (!model_.layers[i].recomputations.empty()) return true;
    }
    return false;
  }

  [[nodiscard]] double stays(double parameters, const std::optional<double>& known) const {
    return memory_.use_resident && known ? *known : parameters * memory_.parameter_multiplier;
  }

  /// What stays of a layer, its shared parameters counted with it.
  [[nodiscard]] double resident(const layer& each) const {
    double sum = stays(each.parameters, each.resident);
    for (const tied_parameters& tied : each.tied.get()) sum += stays(tied.bytes, tied.resident);
    return sum;
  }

  /// Layers that have no choice, as one.
  [[nodiscard]] layer_type end(std::size_t first, std::size_t last) const {
    layer_type sum;
    if (first == last) return sum;
    sum.choices.push_back({no_recomputation});
    for (std::size_t i = first; i < last; ++i) {
      const layer& each = model_.layers[i];
      sum.name += (i == first ? "" : ", ") + each.name;
      sum.forward += each.forward;
      sum.resident += resident(each);
      sum.workspace = sum.workspace < each.workspace ? each.workspace : sum.workspace;
      sum.sent = each.output;
      sum.choices[0].backward += each.backward;
      sum.choices[0].backward_weight += each.backward_weight.value_or(0);
      sum.choices[0].activations += each.activations;
    }
    return sum;
  }

  [[nodiscard]] bool is_asked_for(const std::string& name) const {
    bool found = names_.empty();
    for (const std::string& each : names_) found = found || each == name;
    return found;
  }

  /// The type of a layer, which is made if no other layer is alike.
  [[nodiscard]] std::size_t type_of(std::size_t i) {
    const layer& each = model_.layers[i];
    layer_type type;
    type.forward = each.forward;
    type.resident = resident(each);
    type.sent = each.output;
    const std::string own = each.recomputation.empty() ? no_recomputation : each.recomputation.get();
    const auto add = [&](const std::string& name, const auto& way) {
      if (!each.recomputations.empty() && !is_asked_for(name)) return;
      type.choices.push_back({name, way.backward, way.backward_weight.value_or(0), way.activations, way.workspace});
    };
    add(own, each);
    for (const layer_variant& way : each.recomputations.get()) {
      if (way.forward != each.forward || way.output != each.output) {
        fail(invalid_input(layer_text(model_, i), joined({"recomputation ", in_quotes(way.name),
                                                          " has another forward pass or output than the layer"})));
      }
      add(way.name, way);
    }
    if (type.choices.empty()) {
      fail(invalid_input(layer_text(model_, i), joined({"has none of the recomputations that were asked for, from ",
                                                        in_quotes(names_.front()), " on"})));
    }
    for (std::size_t t = 0; t < result_.model.types.size(); ++t) {
      type.name = result_.model.types[t].name;
      if (result_.model.types[t] == type) return t;
    }
    type.name = each.name;
    result_.model.types.push_back(std::move(type));
    return result_.model.types.size() - 1;
  }

  const profile& model_;
  const std::vector<std::string>& names_;
  const memory_options& memory_;
  recomputed_chain result_{};
};

}  // namespace detail

/// A profile as a chain of layers that may be recomputed: the choices of a layer are its own figures, and those of its
/// `recomputations`.
///
/// @param model   a chain, which `as_chain` makes of a graph
/// @param names   the recomputations that may be chosen, `none` for a layer's own figures if these recompute nothing; empty:
///                all that there are
/// @param memory  how memory is reckoned, without checkpoints
/// @return        the layers between the first and the last one that have a choice; those before are the head, those
///                behind the tail. If none has one, all layers, with the one choice each. Layers of the same figures are of
///                one type. Parameters that layers share count with each of them
/// @throws        argument_error for edges, inference and checkpoints; invalid_input as `check_figures`, for a layer that
///                has choices but none that was asked for, and for a recomputation with another forward pass or output
[[nodiscard]] inline recomputed_chain as_recompute_model(const profile& model,
                                                         const std::vector<std::string>& names = {},
                                                         const memory_options& memory = {}) {
  return detail::recomputed_chain_maker(model, names, memory).make();
}

}  // namespace stagecut::inline STAGECUT_ABI
