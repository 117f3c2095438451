// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/parts/each_tie.hpp>
#include <stagecut/profile/profile.hpp>

// What a target knows of a model's layers, for any cut.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The index of a kind that a target does not know.
inline constexpr std::size_t unknown_kind = static_cast<std::size_t>(-1);

/// A layer in an error.
[[nodiscard]] inline std::string kind_text(const layer& each) {
  return joined({"layer ", in_quotes(each.name), " of kind ", in_quotes(each.kind)});
}

/// How many of the first and the last stage need no decoder if all others have some.
[[nodiscard]] constexpr std::size_t ends_without_decoders(const target_entry& entry, std::size_t stages,
                                                          std::size_t chunks) {
  // Megatron-LM counts the embedding and the loss as a decoder each if a device has several stages.
  const bool counted = entry.counts == decoder_counts::equal_or_ends && chunks > 1;
  return entry.ends_without_decoders || counted ? (stages > 2 ? 2 : stages - 1) : 0;
}

/// The rule of a target for each layer of a model. Some targets treat the layers of an encoder without decoders as
/// decoders.
class target_kinds {
 public:
  target_kinds(const target_entry& entry, const profile& model) : entry_(entry), model_(model) {
    for (const auto& layer : model.layers) {
      decoders_ = decoders_ || layer.kind == "decoder";
      mtp_ = mtp_ || layer.kind == "mtp";
      hybrid_ = hybrid_ || stagecut::find_name(pattern_kinds, layer.kind) != nullptr;
    }
    hybrid_ = hybrid_ && entry.counts_patterns && !decoders_;
  }

  /// The number of the rule; `unknown_kind` if there is none.
  [[nodiscard]] std::size_t number(std::size_t i) const {
    const std::string_view kind = is_decoder(i) ? std::string_view("decoder") : model_.layers[i].kind;
    for (std::size_t k = 0; k < entry_.kinds.size(); ++k) {
      if (kind == entry_.kinds[k].name) return k;
    }
    return unknown_kind;
  }

  /// Whether the target counts it as a decoder.
  [[nodiscard]] bool is_decoder(std::size_t i) const {
    const std::string& kind = model_.layers[i].kind;
    if (hybrid_) return stagecut::find_name(pattern_kinds, kind) != nullptr;
    return kind == "decoder" || (entry_.counts_encoders && !decoders_ && kind == "encoder");
  }

  /// Whether the counted layers are of several kinds, in a pattern.
  [[nodiscard]] bool is_hybrid() const noexcept { return hybrid_; }

  /// The place of a layer; any stage for an unknown kind.
  [[nodiscard]] layer_place place(std::size_t i) const {
    const std::size_t k = number(i);
    if (k == unknown_kind) return layer_place::any_stage;
    const layer_place said = entry_.kinds[k].place;
    if (said != layer_place::with_last_decoder || (mtp_ && last_decoder() != model_.layers.size())) return said;
    return layer_place::last_stage;
  }

  /// The last counted layer; the number of layers if there is none.
  [[nodiscard]] std::size_t last_decoder() const {
    std::size_t result = model_.layers.size();
    for (std::size_t i = 0; i < model_.layers.size(); ++i) result = is_decoder(i) ? i : result;
    return result;
  }

 private:
  const target_entry& entry_;
  const profile& model_;
  bool decoders_ = false;
  bool mtp_ = false;
  bool hybrid_ = false;
};

/// A remedy for a layer of an unknown kind: merge it with an adjacent decoder; empty if there is none.
[[nodiscard]] inline std::string merge_text(const target_kinds& kinds, const profile& model, std::size_t i) {
  const bool before = i > 0 && kinds.is_decoder(i - 1);
  const bool behind = i + 1 < model.layers.size() && kinds.is_decoder(i + 1);
  if (!before && !behind) return "";
  return joined({"; as one layer with ", kind_text(model.layers[before ? i - 1 : i + 1]), ", ",
                 before ? "before" : "behind", " it, it would have a place"});
}

/// What a target does not know about a model's layers: their kinds, their order, their number; empty: nothing.
[[nodiscard]] inline std::string kinds_obstacle(const target_entry& entry, const profile& model) {
  const target_kinds kinds(entry, model);
  std::vector<std::size_t> seen(entry.kinds.size());
  std::size_t order = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const std::size_t k = kinds.number(i);
    const std::string text = kind_text(model.layers[i]);
    if (k == unknown_kind && entry.other_kinds) continue;
    if (k != unknown_kind && entry.kinds[k].place == layer_place::nowhere) {
      return joined({text, ": it would leave that out; a model without it would do"});
    }
    if (k == unknown_kind) {
      const bool hybrid = kinds.is_hybrid() || stagecut::find_name(pattern_kinds, model.layers[i].kind) != nullptr;
      const bool patterns = hybrid && entry.counts_patterns;
      return joined({text, ": kinds known to it are ", stagecut::list_names(entry.kinds),
                     patterns ? "; or, in place of decoders, " : "",
                     patterns ? stagecut::list_names(pattern_kinds) : "", merge_text(kinds, model, i)});
    }
    if (kinds.is_hybrid() && model.layers[i].kind == "mtp") {
      return joined({text, ": in a hybrid model it has a pattern of its own, which no profile has"});
    }
    if (entry.kinds[k].order < order) return joined({text, " stands behind ", kind_text(model.layers[i - 1])});
    order = entry.kinds[k].order;
    if (++seen[k] > 1 && entry.kinds[k].single) return joined({text, " is the second of its kind"});
  }
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (entry.kinds[k].needed && seen[k] == 0) {
      return joined({"it has no layer of kind ", in_quotes(entry.kinds[k].name)});
    }
  }
  return "";
}

/// Whether a layer belongs to the vision part, in front of a language model.
[[nodiscard]] inline bool sees(const layer& each) {
  return each.kind == "vision_embedding" || each.kind == "vision" || each.kind == "projector";
}

/// Whether a name is a child of a model, or an index into a list of children: `norm`, `layers.3`.
[[nodiscard]] inline bool names_child(std::string_view name) noexcept {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return true;
  const std::string_view index = name.substr(dot + 1);
  return dot != 0 && !index.empty() && index.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The names of a layer's modules in the framework's model.
[[nodiscard]] inline std::vector<std::string_view> module_names_of(const layer& each) {
  if (each.modules.empty()) return {each.name};
  return {each.modules.begin(), each.modules.end()};
}

/// The names by which a target cannot find the modules of a model's layers; empty: it finds all. If children are named,
/// the vision part is one module of its own.
[[nodiscard]] inline std::string names_obstacle(const target_entry& entry, const profile& model) {
  if (entry.names == name_rule::none) return "";
  const target_kinds kinds(entry, model);
  std::size_t count = 0;
  for (const layer& each : model.layers) count += module_names_of(each).size();
  name_numbers number(count);
  std::vector<std::size_t> of_layer;  // the first layer with each name
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer& each = model.layers[i];
    if (each.is_backward || (entry.names == name_rule::child && sees(each))) continue;
    for (const std::string_view name : module_names_of(each)) {
      if (name.empty()) return joined({kind_text(each), " has a module without a name"});
      if (entry.names == name_rule::child && !names_child(name)) {
        return joined({"module ", in_quotes(name), " of ", kind_text(each),
                       " is inside of another one, and it knows children of the model, and of its lists"});
      }
      const std::size_t known = number(name);
      if (known < of_layer.size()) {
        return joined({"module ", in_quotes(name), " of ", kind_text(each), " stands also in ",
                       kind_text(model.layers[of_layer[known]])});
      }
      of_layer.push_back(i);
    }
  }
  return "";
}

/// The shared parameters that a target cannot share with that many stages; empty: none.
[[nodiscard]] inline std::string shared_obstacle(const target_entry& entry, const profile& model, std::size_t stages) {
  const bool one = entry.shared == tie_rule::one_device && stages == 1;
  if (one || entry.shared == tie_rule::anywhere || entry.shared == tie_rule::one_stage) return "";
  std::string text;
  std::vector<std::size_t> first;
  detail::each_tie(model, [&](std::size_t i, const tied_parameters& tied, std::size_t name) {
    if (name == first.size()) return first.push_back(i);
    if (!text.empty() || first[name] == i) return;
    text = joined({kind_text(model.layers[i]), " shares ", in_quotes(tied.name), " with ",
                   kind_text(model.layers[first[name]]), ", and its layers share no parameters: untied, it would do"});
  });
  return text;
}

/// The layers that a target keeps on one stage, each from the first to the last of them: `[first, last)`.
[[nodiscard]] inline std::vector<interval> kept_by_target(const target_entry& entry, const profile& model) {
  std::vector<interval> result;
  const target_kinds kinds(entry, model);
  const std::size_t decoder = kinds.last_decoder();
  interval mtp{model.layers.size(), 0};
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer_place place = kinds.place(i);
    if (place == layer_place::one_of_the_last) mtp = {mtp.first < i ? mtp.first : i, i + 1};
    if (place == layer_place::with_last_decoder) result.push_back({decoder < i ? decoder : i, i + 1});
  }
  if (mtp.first < mtp.last) result.push_back(mtp);
  if (entry.shared != tie_rule::one_stage) return result;
  std::vector<interval> tied;  // for each name
  detail::each_tie(model, [&](std::size_t i, const tied_parameters&, std::size_t name) {
    if (name == tied.size()) tied.push_back({i, i + 1});
    tied[name].last = i + 1;
  });
  result.insert(result.end(), tied.begin(), tied.end());
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
