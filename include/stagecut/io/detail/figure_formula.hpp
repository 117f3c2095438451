// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/io/detail/json_value.hpp>

// Formulas over the members of a JSON object: what the figures of a family's models are made of, as data.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Nothing, for want of a member.
struct lacking {
  std::string_view member{};  ///< its name; empty: none in particular
};

/// What a formula gives: nothing, a truth, a number, a word, a list, or a member of the file, whose place errors name.
struct figure_value {
  std::variant<lacking, bool, double, std::string_view, json_value, std::vector<figure_value>> is{};

  /// Whether there is nothing.
  [[nodiscard]] bool nothing() const noexcept { return is.index() == 0; }
  /// The member for want of which there is nothing.
  [[nodiscard]] std::string_view lacks() const noexcept {
    const auto* const found = std::get_if<lacking>(&is);
    return found == nullptr ? std::string_view() : found->member;
  }
  /// The member of the file, if it is one.
  [[nodiscard]] const json_value* member() const noexcept { return std::get_if<json_value>(&is); }
};

/// As an error shows it: a number without needless digits, a word without quotes, a member as in the file.
[[nodiscard]] STAGECUT_DECL std::string shown_figure(const figure_value& value);

/// Whether it is true; nothing is not. A member must be true or false.
[[nodiscard]] STAGECUT_DECL bool truth_of(const figure_value& value);

/// As a number; nothing is 0. A member must be a number that is not negative.
[[nodiscard]] STAGECUT_DECL double number_of(const figure_value& value);

/// Elements of a list, or of a member that must be an array; empty for other values.
[[nodiscard]] STAGECUT_DECL std::vector<figure_value> elements_of(const figure_value& list);

/// What stands behind the names in a formula.
struct figure_scope {
  function_ref<figure_value(std::string_view name)> value;  ///< of a name, as `hidden_size` or `vision_config.depth`
  function_ref<bool(std::string_view name)> states;         ///< whether the file has that member, possibly `null`
};

/// Evaluates a formula:
///
///     c ? x : y                     only one of both is evaluated
///     or, and, not, == != < <= > >=, x in LIST
///     + - * / %                     of numbers, on nothing they give nothing; `/` need not give a whole number
///     x ?? y                        y if x is nothing; binds most tightly
///     list[i], list[i].name         an element of a list or a letter of a text, and a member of it; nothing beyond the end
///     12, 0.5, "word", 'word', true, false, nothing, [x, y]
///     NAME, NAME.NAME               as the scope says
///     first(x, y, ...)              the first that is not nothing
///     has(NAME)                     whether the file has that member, possibly `null`
///     len(x), sum(x)                of a list; `len` also of a text, in letters
///     one(x)                        the first element of a list, or x itself
///     min(x, y), max(x, y), floor(x), ceil(x)
///     range(FIRST, STEP, BELOW), sorted(LIST)  lists of numbers; the latter has each once
///     listed(LIST, i, BELOW)        whether i is in the list, all of whose elements must be counts below BELOW
///     case(x, "WORD", y, ...)       the value behind the word that x is; rejects others
///     refuse(x, PART, ...)          rejects the file at the place of x with a message of the parts
///
/// @param formula  text as above
/// @param scope    for the names in it
/// @throws         invalid_input: at the formula for wrong syntax, else at the member of a wrong type
[[nodiscard]] STAGECUT_DECL figure_value evaluate_formula(std::string_view formula, const figure_scope& scope);

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/figure_formula.ipp>
#endif
