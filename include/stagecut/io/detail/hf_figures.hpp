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

/// Larger counts are mistakes; products of two counts are far from overflow.
inline constexpr std::size_t most_of_a_figure = std::size_t{1} << 31U;
/// For layers, which each have a form.
inline constexpr std::size_t most_layers = 100'000;
/// Tokens of a sample: published lengths can far exceed those of training runs.
inline constexpr std::size_t most_of_a_sequence = 8192;

/// Defaults of a family's class in the library transformers; 0: none, or implied by others.
struct figure_defaults {
  std::size_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0, vocabulary = 0;
  std::size_t positions = 0;  ///< the model's maximum number of tokens
  bool tied = false;          ///< the head is the embedding matrix
};

/// The figures of an object under names from other projects. Collects missing ones, to report all at once.
class hf_figures {
 public:
  /// @param from      an object
  /// @param defaults  missing figures have defaults: for nested objects, which are written as differences from these
  explicit hf_figures(json_value from, bool defaults = false) : from_(std::move(from)), defaults_(defaults) {
    (void)from_.object();
  }

  /// The object.
  [[nodiscard]] const json_value& object() const noexcept { return from_; }

  /// Whether there is such a member, possibly `null`.
  [[nodiscard]] bool states(const char* name) const {
    asked_.emplace_back(name);
    return (*from_).contains(name);
  }

  /// The figure under the first of its names that is present and not `null`.
  [[nodiscard]] std::optional<json_value> find(figure_names names) const {
    asked_.insert(asked_.end(), names.begin(), names.end());
    for (const char* const name : names) {
      if (auto found = from_.find(name)) return found;
    }
    return std::nullopt;
  }

  /// A count, or the default.
  [[nodiscard]] std::size_t count(figure_names names, std::size_t otherwise, std::size_t least = 0,
                                  std::size_t most = most_of_a_figure) const {
    const auto found = find(names);
    if (!found) return otherwise;
    const std::size_t value = found->count(least);
    if (value > most)
      found->fail(std::to_string(value), " is not from ", std::to_string(least), " to ", std::to_string(most));
    return value;
  }

  /// A count that is required, unless objects of this kind omit their defaults.
  /// @param otherwise  the default; 0: none
  [[nodiscard]] std::size_t needed(figure_names names, std::size_t otherwise = 0, std::size_t most = most_of_a_figure) {
    if (find(names)) return count(names, 0, 1, most);
    if (defaults_ && otherwise != 0) return otherwise;
    missing_.emplace_back(*names.begin());
    return 1;
  }

  /// A count whose default applies only if it is missing: `null` is 0.
  [[nodiscard]] std::size_t count_or_null(const char* name, std::size_t otherwise) const {
    return count({name}, states(name) ? 0 : otherwise);
  }

  /// True or false, or the default.
  [[nodiscard]] bool flag(const char* name, bool otherwise) const {
    const auto found = find({name});
    return found ? found->flag() : otherwise;
  }

  /// A number that is not negative, or the default.
  [[nodiscard]] double amount(const char* name, double otherwise) const {
    const auto found = find({name});
    return found ? found->amount() : otherwise;
  }

  /// A text, or the default.
  [[nodiscard]] std::string text(const char* name, const char* otherwise) const {
    const auto found = find({name});
    return found ? found->text() : otherwise;
  }

  /// A nested object, which may omit defaults; `null` counts as missing.
  [[nodiscard]] std::optional<hf_figures> within(const char* name) const {
    const auto found = find({name});
    if (!found) return std::nullopt;
    return hf_figures(*found, true);
  }

  /// Rejects members that were not read, unless they state an absence or are in `others`.
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

  /// Rejects the object if required figures are missing, naming all of them.
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

/// Layers with a periodic pattern of windows: the last of every `period` sees all tokens, the others `window`; with a
/// period of 0 all have the window.
inline void set_windows(transformer::architecture& a, std::size_t window, std::size_t period) {
  if (window == 0) return;
  a.forms.resize(a.layers);
  for (std::size_t i = 0; i < a.layers; ++i) {
    if (period == 0 || (i + 1) % period != 0) a.forms[i].window = window;
  }
}

/// Reads `layer_types`, if present: whether each layer sees all tokens or has a window.
/// @param window  its width; 0: none
/// @param name    the name of that figure in the file
/// @return        whether the list is present
inline bool set_listed_windows(const hf_figures& at, transformer::architecture& a, std::size_t window,
                               const char* name) {
  const auto listed = at.find({"layer_types"});
  if (!listed) return false;
  const json_elements types = listed->elements();
  if (types.size() != a.layers) {
    listed->fail(std::to_string(types.size()), " elements, and ", std::to_string(a.layers), " layers");
  }
  constexpr named<bool> words[] = {{"full_attention", false}, {"sliding_attention", true}, {"chunked_attention", true}};
  a.forms.resize(a.layers);
  for (std::size_t i = 0; i < a.layers; ++i) {
    if (!types[i].one_of(words)) continue;
    if (window == 0) types[i].fail(types[i].shown(), ", and no ", in_quotes(name));
    a.forms[i].window = window;
  }
  return true;
}

/// Marks the layers that have one feed-forward part instead of experts.
template <class IsDense>
void set_dense(transformer::architecture& a, const IsDense& is_dense) {
  a.forms.resize(a.layers);
  for (std::size_t i = 0; i < a.layers; ++i) a.forms[i].dense = is_dense(i);
}

/// Removes redundancy: the list of forms if all layers are alike and plain, biases that equal all others.
inline void settle(transformer::architecture& a) {
  bool plain = true;
  for (const transformer::layer_form& form : a.forms) plain = plain && form == transformer::layer_form{};
  if (plain) a.forms.clear();
  for (std::optional<bool>* const each : {&a.qkv_bias, &a.output_bias, &a.ffn_bias}) {
    if (*each == a.biases) each->reset();
  }
  if (a.sequence > most_of_a_sequence) a.sequence = most_of_a_sequence;
  if (a.positions != 0 && a.sequence > a.positions) a.sequence = a.positions;
}

/// The layers in a list of numbers from 0.
[[nodiscard]] inline std::vector<bool> listed_layers(const json_value& list, std::size_t layers) {
  std::vector<bool> made(layers, false);
  for (const json_value& element : list.elements()) {
    const std::size_t layer = element.count();
    if (layer >= layers) element.fail(std::to_string(layer), " is no layer: there are ", std::to_string(layers));
    made[layer] = true;
  }
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
