// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Names of one figure, the usual one first.
using figure_names = std::initializer_list<const char*>;

/// Larger counts are mistakes; products of two that meet are far from an overflow.
inline constexpr std::size_t most_of_a_figure = std::size_t{1} << 31U;
/// Of layers, of which each has its form.
inline constexpr std::size_t most_layers = 100'000;
/// Tokens of a sample: published lengths can be far beyond what a training run has.
inline constexpr std::size_t most_of_a_sequence = 8192;

/// What a family's class in the library transformers takes for what is not said; 0: nothing, or what others imply.
struct figure_defaults {
  std::size_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0, vocabulary = 0;
  std::size_t positions = 0;  ///< tokens that the model is made for
  bool tied = false;          ///< the head is the embedding matrix
};

/// The figures of an object by the names that others gave them. Collects those that are missing, to name all at once.
class hf_figures {
 public:
  /// @param from      an object
  /// @param defaults  what is left out has its default: so it is of objects within others, which are written as what
  ///                  differs from it
  explicit hf_figures(json_value from, bool defaults = false) : from_(std::move(from)), defaults_(defaults) {
    (void)from_.object();
  }

  /// The object.
  [[nodiscard]] const json_value& object() const noexcept { return from_; }

  /// Whether there is such a member, be it `null`.
  [[nodiscard]] bool states(const char* name) const {
    asked_.emplace_back(name);
    return (*from_).contains(name);
  }

  /// The figure by the first of its names that is there; `null` is not.
  [[nodiscard]] std::optional<json_value> find(figure_names names) const {
    asked_.insert(asked_.end(), names.begin(), names.end());
    for (const char* const name : names) {
      if (auto found = from_.find(name)) return found;
    }
    return std::nullopt;
  }

  /// A count, or else the default.
  [[nodiscard]] std::size_t count(figure_names names, std::size_t otherwise, std::size_t least = 0,
                                  std::size_t most = most_of_a_figure) const {
    const auto found = find(names);
    if (!found) return otherwise;
    const std::size_t value = found->count(least);
    if (value > most)
      found->fail(std::to_string(value), " is not from ", std::to_string(least), " to ", std::to_string(most));
    return value;
  }

  /// A count that has to be there, unless objects of this kind leave out their defaults.
  /// @param otherwise  the default; 0: there is none
  [[nodiscard]] std::size_t needed(figure_names names, std::size_t otherwise = 0, std::size_t most = most_of_a_figure) {
    if (find(names)) return count(names, 0, 1, most);
    if (defaults_ && otherwise != 0) return otherwise;
    missing_.emplace_back(*names.begin());
    return 1;
  }

  /// A count whose default counts only where it is not said: `null` is 0.
  [[nodiscard]] std::size_t count_or_null(const char* name, std::size_t otherwise) const {
    return count({name}, states(name) ? 0 : otherwise);
  }

  /// True or false, or else the default.
  [[nodiscard]] bool flag(const char* name, bool otherwise) const {
    const auto found = find({name});
    return found ? found->flag() : otherwise;
  }

  /// A number that is not negative, or else the default.
  [[nodiscard]] double amount(const char* name, double otherwise) const {
    const auto found = find({name});
    return found ? found->amount() : otherwise;
  }

  /// A text, or else the default.
  [[nodiscard]] std::string text(const char* name, const char* otherwise) const {
    const auto found = find({name});
    return found ? found->text() : otherwise;
  }

  /// An object within, whose defaults need not be said; `null` is not there.
  [[nodiscard]] std::optional<hf_figures> within(const char* name) const {
    const auto found = find({name});
    if (!found) return std::nullopt;
    return hf_figures(*found, true);
  }

  /// Refuses a member that nobody asked for, unless it says that something is not there, or is one of `others`.
  void refuse_unasked(std::initializer_list<std::string_view> others, std::string_view problem) const {
    std::vector<std::string_view> known(asked_);
    known.insert(known.end(), others);
    from_.each_member([&](std::string_view name, const json_value& member) {
      const bool nothing = (*member).is_null() || *member == json(false) || *member == json(0);
      const bool remark = name.starts_with('_') || name.starts_with('$');
      if (nothing || remark || std::find(known.begin(), known.end(), name) != known.end()) return;
      member.fail(problem);
    });
  }

  /// Refuses the object if any figure was needed and missing: names all.
  void refuse_missing(std::string_view family) const {
    if (missing_.empty()) return;
    std::string names;
    for (const std::string& each : missing_) names.append(names.empty() ? "" : ", ").append(in_quotes(each));
    from_.fail(names, missing_.size() == 1 ? " is missing, which " : " are missing, which ", family, " needs");
  }

 private:
  json_value from_;
  bool defaults_;
  std::vector<std::string> missing_{};
  mutable std::vector<std::string_view> asked_{};  // names, all literals
};

/// Layers whose windows follow a pattern: of every `period` the last one sees all tokens, the others `window`; with a
/// period of 0 all have the window.
inline void set_windows(transformer::architecture& a, std::size_t window, std::size_t period) {
  if (window == 0) return;
  a.forms.resize(a.layers);
  for (std::size_t i = 0; i < a.layers; ++i) {
    if (period == 0 || (i + 1) % period != 0) a.forms[i].window = window;
  }
}

/// What `layer_types` says of each layer, if it is there: whether it sees all tokens or has a window.
/// @param window  its width; 0: there is none
/// @param name    what the file calls that figure
/// @return        whether the list is there
inline bool set_listed_windows(const hf_figures& at, transformer::architecture& a, std::size_t window,
                               const char* name) {
  const auto listed = at.find({"layer_types"});
  if (!listed) return false;
  const json_elements types = listed->elements();
  if (types.size() != a.layers) {
    listed->fail(std::to_string(types.size()), " elements, and ", std::to_string(a.layers), " layers");
  }
  constexpr word<bool> words[] = {{"full_attention", false}, {"sliding_attention", true}, {"chunked_attention", true}};
  a.forms.resize(a.layers);
  for (std::size_t i = 0; i < a.layers; ++i) {
    if (!types[i].one_of(words)) continue;
    if (window == 0) types[i].fail(types[i].shown(), ", and no ", in_quotes(name));
    a.forms[i].window = window;
  }
  return true;
}

/// Marks the layers that have one feed-forward part where others have experts.
template <class IsDense>
void set_dense(transformer::architecture& a, const IsDense& is_dense) {
  a.forms.resize(a.layers);
  for (std::size_t i = 0; i < a.layers; ++i) a.forms[i].dense = is_dense(i);
}

/// Says nothing twice: no list of forms where all layers are alike and plain, no biases that are as all others.
inline void settle(transformer::architecture& a) {
  bool plain = true;
  for (const transformer::layer_form& each : a.forms) plain = plain && each == transformer::layer_form{};
  if (plain) a.forms.clear();
  for (std::optional<bool>* const each : {&a.qkv_bias, &a.output_bias, &a.ffn_bias}) {
    if (*each == a.biases) each->reset();
  }
  if (a.sequence > most_of_a_sequence) a.sequence = most_of_a_sequence;
  if (a.positions != 0 && a.sequence > a.positions) a.sequence = a.positions;
}

/// Of listed layers, each by its number from 0, which ones there are.
[[nodiscard]] inline std::vector<bool> listed_layers(const json_value& list, std::size_t layers) {
  std::vector<bool> made(layers, false);
  for (const json_value& each : list.elements()) {
    const std::size_t layer = each.count();
    if (layer >= layers) each.fail(std::to_string(layer), " is no layer: there are ", std::to_string(layers));
    made[layer] = true;
  }
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
