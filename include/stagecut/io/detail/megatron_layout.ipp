// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/megatron_layout.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/megatron_letter.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Reads a layout.
class megatron_layout_reader {
 public:
  megatron_layout_reader(std::string_view text, std::string_view source, const profile& model)
      : text_(text), source_(source), model_(model), kinds_(entry_of(framework::megatron), model) {}

  [[nodiscard]] cuts read() {
    for (std::size_t at = 0; at < text_.size();) at = kinds_.is_hybrid() ? take_layer(at) : take(at);
    const std::size_t stages = bars_ + 1;
    std::vector<std::size_t> sizes(stages);
    for (const std::size_t stage : stage_of_layers()) ++sizes[stage];
    for (std::size_t s = 0; s < stages; ++s) {
      if (sizes[s] == 0 || (s == bars_ && !is_last_given()))
        refuse(joined({"stage ", s, " has no layer: every stage of a plan has one"}));
    }
    return cuts::from_sizes(sizes);
  }

 private:
  /// More than any model has.
  static constexpr std::size_t most_letters = std::size_t{1} << 20U;

  [[noreturn]] void refuse(const std::string& why) const {
    fail(invalid_input(std::string(source_), joined({in_quotes(text_), ": ", why})));
  }

  /// The number after a star, and the position after it; 1 and the same position if there is none.
  [[nodiscard]] std::pair<std::size_t, std::size_t> times_at(std::size_t at) const {
    while (at < text_.size() && text_[at] == ',') ++at;
    if (at == text_.size() || text_[at] != '*') return {1, at};
    std::size_t end = at + 1, times = 0;
    for (; end < text_.size() && text_[end] >= '0' && text_[end] <= '9'; ++end) {
      times = 10 * times + static_cast<std::size_t>(text_[end] - '0');
      if (times > most_letters) refuse("has more layers than any model");
    }
    if (end == at + 1) refuse(joined({"character ", at + 1, ": a number has to follow *"}));
    return {times, end};
  }

  /// The letters of layers.
  [[nodiscard]] std::string known() const {
    if (!kinds_.is_hybrid()) return "EtmL";
    std::string letters;
    for (const pattern_kind& kind : pattern_kinds) letters += kind.letter;
    return letters;
  }

  /// Reads a letter of a pattern, which denotes itself; returns the position after it.
  [[nodiscard]] std::size_t take_layer(std::size_t at) {
    if (text_[at] == '/')
      refuse(joined({"character ", at + 1, ": guesses of further tokens, which the model has not"}));
    add(text_[at], at);
    return at + 1;
  }

  /// Reads a letter or a group with its number; returns the position after it.
  [[nodiscard]] std::size_t take(std::size_t at) {
    const char sign = text_[at];
    if (sign == ',') return at + 1;
    if (sign == '(') return take_group(at);
    const auto [times, end] = times_at(at + 1);
    for (std::size_t n = 0; n < times; ++n) add(sign, at);
    return end;
  }

  [[nodiscard]] std::size_t take_group(std::size_t at) {
    const std::size_t close = text_.find(')', at);
    if (close == std::string_view::npos) refuse(joined({"character ", at + 1, ": the parenthesis is not closed"}));
    const auto [times, end] = times_at(close + 1);
    if (end == close + 1 || text_[end - 1] == ',') {
      refuse(joined({"character ", close + 1, ": *N has to follow the parenthesis"}));
    }
    for (std::size_t n = 0; n < times; ++n) {
      const std::size_t before = letters_.size() + bars_;
      for (std::size_t inside = at + 1; inside < close;) {
        if (text_[inside] == '(') refuse(joined({"character ", inside + 1, ": a parenthesis in another one"}));
        inside = take(inside);
      }
      if (letters_.size() + bars_ == before) break;
    }
    return end;
  }

  void add(char sign, std::size_t at) {
    if (sign == '|') {
      if (++bars_ > most_letters) refuse("has more stages than any pipeline");
      return;
    }
    if (known().find(sign) == std::string::npos) {
      refuse(joined({"character ", at + 1, ", ", in_quotes(std::string_view(&sign, 1)), ": letters are ",
                     kinds_.is_hybrid() ? "M, *, -, E and G, of a hybrid model" : "E, t, m and L",
                     ", bars stand between stages"}));
    }
    letters_.push_back({sign, bars_});
    if (letters_.size() > most_letters) refuse("has more layers than any model");
  }

  /// Whether a letter is on the last stage. Layers without a letter do not create a stage of a layout; the first and last
  /// stages of a hybrid model's pattern may consist of them.
  [[nodiscard]] bool is_last_given() const {
    return kinds_.is_hybrid() || (!letters_.empty() && letters_.back().second == bars_);
  }

  /// The letters of a model, for display.
  [[nodiscard]] std::string counted() const {
    std::string text;
    for (const char each : known()) {
      std::size_t said = 0, has = 0;
      for (const auto& letter : letters_) said += letter.first == each ? 1 : 0;
      for (std::size_t i = 0; i < model_.layers.size(); ++i) has += letter_of(i) == each ? 1 : 0;
      if (said != has) text += joined({text.empty() ? "" : ", ", said, " ", std::string_view(&each, 1), " for ", has});
    }
    return text;
  }

  [[nodiscard]] char letter_of(std::size_t i) const { return detail::megatron_letter(kinds_, model_, i); }

  [[nodiscard]] std::vector<std::size_t> stage_of_layers() const {
    const std::string wrong = counted();
    if (!wrong.empty()) refuse(joined({"has other layers than the model: ", wrong}));
    const std::size_t n = model_.layers.size();
    std::vector<std::size_t> result(n);
    std::size_t next = 0, last_decoder = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const char letter = letter_of(i);
      if (letter == '\0') continue;
      const auto [said, stage] = letters_[next++];
      if (said != letter) {
        refuse(joined({"letter ", next, " is ", std::string_view(&said, 1), ", and layer ", i, " (",
                       in_quotes(model_.layers[i].name), ") is ", std::string_view(&letter, 1)}));
      }
      result[i] = stage;
      if (kinds_.is_decoder(i)) last_decoder = stage;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (letter_of(i) != '\0') continue;
      const layer_place place = kinds_.place(i);
      if (place == layer_place::last_stage) result[i] = bars_;
      if (place == layer_place::with_last_decoder) result[i] = last_decoder;
    }
    return result;
  }

  std::string_view text_, source_;
  const profile& model_;
  stagecut::detail::target_kinds kinds_;
  std::vector<std::pair<char, std::size_t>> letters_{};  // with their stages
  std::size_t bars_ = 0;
};

}  // namespace detail

STAGECUT_DECL cuts read_megatron_layout(std::string_view layout, std::string_view source, const profile& model) {
  const target_entry& entry = entry_of(framework::megatron);
  const std::string why = stagecut::detail::kinds_obstacle(entry, model);
  if (!why.empty()) stagecut::detail::fail(not_representable(entry.name, why, "model"));
  return detail::megatron_layout_reader(layout, source, model).read();
}

}  // namespace stagecut::inline STAGECUT_ABI::io
