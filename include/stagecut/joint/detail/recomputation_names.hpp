// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/as_recompute_model.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether there is a variant with that name.
[[nodiscard]] inline bool find_variant_of(const std::vector<layer_variant>& variants, const std::string& name) {
  for (const layer_variant& variant : variants) {
    if (variant.name == name) return true;
  }
  return false;
}

/// The recomputations of layers as profiled, including `none`.
[[nodiscard]] inline std::vector<std::string> own_recomputations(const profile& model) {
  std::vector<std::string> result{"none"};
  for (const auto& layer : model.layers) {
    bool known = layer.recomputation.empty();
    for (const std::string& name : result) known = known || name == layer.recomputation.get();
    if (!known) result.push_back(layer.recomputation);
  }
  return result;
}

/// The recomputations that a layer has or offers, in the order of the layers.
/// @param sharded  whether those of shardings count, and `none`
[[nodiscard]] inline std::vector<std::string> offered_recomputations(const profile& model, bool sharded) {
  std::vector<std::string> result;
  const auto add = [&](const std::string& name) {
    if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
  };
  if (sharded) add(no_recomputation);
  for (const auto& layer : model.layers) {
    add(own_recomputation(layer));
    for (const layer_variant& variant : layer.recomputations.get()) add(variant.name);
    for (const layer_variant& variant : layer.shardings.get()) {
      if (sharded && !variant.recomputation.empty()) add(variant.recomputation);
    }
  }
  return result;
}

/// The number of characters that have to be added, left out or replaced to turn one word into another.
[[nodiscard]] inline std::size_t edits_between(const std::string& one, const std::string& other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, diagonal + 1, replaced});
    }
  }
  return row.back();
}

/// The known name that a misspelled one is nearest to; empty: more than a third of it differs from each.
[[nodiscard]] inline std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;
  std::string result;
  std::size_t least = name.size() > longest ? 0 : std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& each : known) {
    if (each.size() > longest) continue;
    const std::size_t here = edits_between(name, each);
    if (here < least) least = here, result = each;
  }
  return result;
}

/// Rejects a name of a recomputation that is not known.
/// @param argument  the list of names
inline void check_recomputation_names(std::string_view function, const char* argument,
                                      const std::vector<std::string>& known, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(known.begin(), known.end(), names[i]) != known.end()) continue;
    std::string all;
    for (std::size_t k = 0; k < known.size(); ++k) {
      all += joined({k == 0 ? "" : k + 1 == known.size() ? " or " : ", ", in_quotes(known[k])});
    }
    const std::string near = nearest_name(names[i], known);
    fail(argument_error(function, joined({argument, "[", i, "]"}), in_quotes(names[i]),
                        joined({"is the recomputation of no layer: must be ", all,
                                near.empty() ? "" : joined({"; did you mean ", in_quotes(near), "?"})})));
  }
}

/// Whether a layer supports this tensor-parallel degree with one of these recomputations; empty: with any.
[[nodiscard]] inline bool can_run(const layer& each, std::size_t ways, const std::vector<std::string>& names) {
  bool any = names.empty();
  bool choice = false;
  bool sharded = false;
  const auto look = [&](const std::string& name) {
    for (const std::string& asked : names) any = any || asked == (name.empty() ? "none" : name);
  };
  for (const layer_variant& variant : each.shardings.get()) {
    if (ways == 1 || variant.tensor_parallel != ways) continue;
    sharded = true;
    choice = choice || !variant.recomputation.empty();
    look(variant.recomputation);
  }
  if (sharded) return any || !choice;
  look(each.recomputation);
  for (const layer_variant& variant : each.recomputations.get()) look(variant.name);
  return any || each.recomputations.empty();
}

/// The given tensor-parallel degrees that all layers of a model support with them.
[[nodiscard]] inline std::vector<std::size_t> ways_of_all(const profile& model, const std::vector<std::size_t>& ways,
                                                          const std::vector<std::string>& names) {
  std::vector<std::size_t> result;
  for (const std::size_t t : ways) {
    bool all = true;
    for (const auto& layer : model.layers) all = all && can_run(layer, t, names);
    if (all) result.push_back(t);
  }
  return result;
}

/// The recomputations that all layers with a choice support, at any of these tensor-parallel degrees.
[[nodiscard]] inline std::vector<std::string> common_recomputations(const profile& model,
                                                                    const std::vector<std::size_t>& ways) {
  std::vector<std::string> result = own_recomputations(model);
  const auto add = [&](const std::string& name) {
    for (const std::string& each : result) {
      if (each == name) return;
    }
    result.push_back(name);
  };
  for (const layer& each : model.layers) {
    for (const layer_variant& variant : each.recomputations.get()) add(variant.name);
    for (const layer_variant& variant : each.shardings.get()) {
      if (!variant.recomputation.empty()) add(variant.recomputation);
    }
  }
  const auto runs = [&](const layer& each, const std::string& name, std::size_t t) {
    const bool own = own_recomputation(each) == name;
    bool choice = false;
    bool any = false;
    bool found = false;
    for (const layer_variant& variant : each.shardings.get()) {
      if (t == 1 || variant.tensor_parallel != t) continue;
      any = true;
      choice = choice || !variant.recomputation.empty();
      found = found || (variant.recomputation.empty() ? "none" : variant.recomputation) == name;
    }
    if (any) return !choice || found;
    return each.recomputations.empty() || own || find_variant_of(each.recomputations, name);
  };
  std::size_t kept = 0;
  for (std::size_t k = 0; k < result.size(); ++k) {
    bool all = true;
    for (const layer& each : model.layers) {
      for (const std::size_t t : ways) all = all && runs(each, result[k], t);
    }
    if (all && kept != k) result[kept] = std::move(result[k]);
    kept += all ? 1U : 0U;
  }
  result.resize(kept);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
