// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>

// Formulas over the members of a JSON object: what the figures of a family's models are made of, as data.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Nothing: a member is missing.
struct lacking {
  std::string_view member{};  ///< its name; empty: none in particular
};

/// What a formula gives: nothing, a truth, a number, a word, a list, or a member of the file, whose place errors name.
struct figure_value {
  std::variant<lacking, bool, double, std::string_view, json_value, std::vector<figure_value>> is{};

  /// Whether there is nothing.
  [[nodiscard]] bool nothing() const noexcept { return is.index() == 0; }
  /// The missing member, if there is nothing.
  [[nodiscard]] std::string_view lacks() const noexcept {
    const auto* const found = std::get_if<lacking>(&is);
    return found == nullptr ? std::string_view() : found->member;
  }
  /// The member of the file, if it is one.
  [[nodiscard]] const json_value* member() const noexcept { return std::get_if<json_value>(&is); }
};

/// As an error shows it: a number without needless digits, a word without quotes, a member as in the file.
[[nodiscard]] inline std::string shown_figure(const figure_value& value);

/// Whether it is true; nothing is not. A member must be true or false.
[[nodiscard]] inline bool truth_of(const figure_value& value);

/// As a number; nothing is 0. A member must be a number that is not negative.
[[nodiscard]] inline double number_of(const figure_value& value);

/// Elements of a list, or of a member that must be an array; empty for other values.
[[nodiscard]] inline std::vector<figure_value> elements_of(const figure_value& list);

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
[[nodiscard]] inline figure_value evaluate_formula(std::string_view formula, const figure_scope& scope);

/// A number without its fraction, if it is small enough to have one.
[[nodiscard]] inline double whole_part(double x) noexcept {
  constexpr double most = 9007199254740992.;  // 2^53
  return x > -most && x < most ? static_cast<double>(static_cast<std::int64_t>(x)) : x;
}

/// A number as in a file: without an exponent if it is whole.
[[nodiscard]] inline std::string figure_text(double x) {
  constexpr double most = 9007199254740992.;  // 2^53
  return x > -most && x < most && whole_part(x) == x ? std::to_string(static_cast<std::int64_t>(x)) : shortest_text(x);
}

inline std::string shown_figure(const figure_value& value) {
  if (const json_value* const member = value.member()) return member->shown();
  if (const auto* const truth = std::get_if<bool>(&value.is)) return *truth ? "true" : "false";
  if (const auto* const number = std::get_if<double>(&value.is)) return figure_text(*number);
  if (const auto* const word = std::get_if<std::string_view>(&value.is)) return std::string(*word);
  return value.nothing() ? "nothing" : "a list";
}

inline bool truth_of(const figure_value& value) {
  if (const json_value* const member = value.member()) return member->flag();
  if (const auto* const truth = std::get_if<bool>(&value.is)) return *truth;
  if (const auto* const number = std::get_if<double>(&value.is)) return *number != 0;
  return !value.nothing();
}

inline double number_of(const figure_value& value) {
  if (const json_value* const member = value.member()) return member->amount();
  if (const auto* const truth = std::get_if<bool>(&value.is)) return *truth ? 1 : 0;
  const auto* const number = std::get_if<double>(&value.is);
  return number == nullptr ? 0 : *number;
}

inline std::vector<figure_value> elements_of(const figure_value& list) {
  if (const auto* const all = std::get_if<std::vector<figure_value>>(&list.is)) return *all;
  std::vector<figure_value> made;
  if (const json_value* const member = list.member()) {
    for (const json_value& each : member->elements()) made.push_back({each});
  }
  return made;
}

/// The text of a word or of a member that is one; null otherwise.
[[nodiscard]] inline std::string_view word_of(const figure_value& value) {
  if (const auto* const word = std::get_if<std::string_view>(&value.is)) return *word;
  const json_value* const member = value.member();
  return member != nullptr && (**member).is_string() ? std::string_view(member->text()) : std::string_view();
}

/// Whether both are the same word, number or truth. Values of unlike types are not.
[[nodiscard]] inline bool same_figure(const figure_value& a, const figure_value& b) {
  const std::string_view word_a = word_of(a);
  const std::string_view word_b = word_of(b);
  if (word_a.data() != nullptr || word_b.data() != nullptr) return word_a.data() && word_b.data() && word_a == word_b;
  const auto is_number = [](const figure_value& x) {
    return x.member() != nullptr ? (**x.member()).is_number() : std::holds_alternative<double>(x.is);
  };
  const auto is_truth = [](const figure_value& x) {
    return x.member() != nullptr ? (**x.member()).is_boolean() : std::holds_alternative<bool>(x.is);
  };
  if (is_number(a) && is_number(b)) return number_of(a) == number_of(b);
  if (is_truth(a) && is_truth(b)) return truth_of(a) == truth_of(b);
  return a.nothing() && b.nothing();
}

/// Reads and evaluates a formula from left to right by recursive descent. What a condition excludes is read too, so that
/// every mistake of syntax is found, but not evaluated.
class formula_reader {
 public:
  formula_reader(std::string_view formula, const figure_scope& scope) : text_(formula), scope_(&scope) {}

  figure_value whole() {
    figure_value made = choice();
    skip_space();
    if (at_ != text_.size()) fail("is not understood");
    return made;
  }

 private:
  using list = std::vector<figure_value>;
  static constexpr std::size_t most_depth_ = 60;

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... problem) const {
    detail::fail(invalid_input(joined({"formula ", text_}), joined({in_quotes(text_.substr(at_)), " ", problem...})));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  [[nodiscard]] static bool in_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  /// Skips a sign or a keyword if it is next. `?` is not the start of `??`, and a keyword is not the start of a name.
  bool take(std::string_view sign) {
    skip_space();
    if (!text_.substr(at_).starts_with(sign)) return false;
    const std::size_t end = at_ + sign.size();
    if (end < text_.size() && in_name(sign[0]) && (in_name(text_[end]) || text_[end] == '.')) return false;
    if (sign == "?" && end < text_.size() && text_[end] == '?') return false;
    at_ = end;
    return true;
  }
  void need(std::string_view sign) {
    if (!take(sign)) fail("has no ", in_quotes(sign), " before it");
  }

  /// What `read` reads, evaluated only if `live`.
  template <class Read>
  auto only_if(bool live, const Read& read) {
    const bool before = std::exchange(live_, live_ && live);
    auto made = read();
    live_ = before;
    return made;
  }

  figure_value choice() {
    if (++depth_ > most_depth_) fail("is nested too deeply");
    figure_value made = either();
    if (take("?")) {
      const bool yes = live_ && truth_of(made);
      figure_value first = only_if(yes, [&] { return choice(); });
      need(":");
      figure_value second = only_if(!yes, [&] { return choice(); });
      made = yes ? std::move(first) : std::move(second);
    }
    --depth_;
    return made;
  }

  figure_value either() {
    figure_value made = both();
    while (take("or")) {
      const bool yes = live_ && truth_of(made);
      const figure_value next = only_if(!yes, [&] { return both(); });
      made = {yes || (live_ && truth_of(next))};
    }
    return made;
  }

  figure_value both() {
    figure_value made = negation();
    while (take("and")) {
      const bool yes = live_ && truth_of(made);
      const figure_value next = only_if(yes, [&] { return negation(); });
      made = {yes && truth_of(next)};
    }
    return made;
  }

  figure_value negation() {
    if (!take("not")) return comparison();
    const figure_value made = comparison();
    return {live_ && !truth_of(made)};
  }

  figure_value comparison() {
    figure_value made = sum();
    for (const std::string_view sign : {"==", "!=", "<=", ">=", "<", ">", "in"}) {
      if (!take(sign)) continue;
      const figure_value other = sum();
      return {live_ && holds(sign, made, other)};
    }
    return made;
  }

  static bool holds(std::string_view sign, const figure_value& a, const figure_value& b) {
    if (sign == "==") return same_figure(a, b);
    if (sign == "!=") return !same_figure(a, b);
    if (sign == "in") {
      const list all = elements_of(b);
      return std::any_of(all.begin(), all.end(), [&](const figure_value& x) { return same_figure(a, x); });
    }
    if (a.nothing() || b.nothing()) return false;
    const double x = number_of(a);
    const double y = number_of(b);
    return sign == "<" ? x < y : sign == "<=" ? x <= y : sign == ">" ? x > y : x >= y;
  }

  figure_value sum() {
    figure_value made = product();
    for (;;) {
      const char sign = take("+") ? '+' : take("-") ? '-' : '\0';
      if (sign == '\0') return made;
      made = computed(sign, made, product());
    }
  }

  figure_value product() {
    figure_value made = fallback();
    for (;;) {
      const char sign = take("*") ? '*' : take("/") ? '/' : take("%") ? '%' : '\0';
      if (sign == '\0') return made;
      made = computed(sign, made, fallback());
    }
  }

  [[nodiscard]] figure_value computed(char sign, const figure_value& a, const figure_value& b) const {
    if (!live_ || a.nothing()) return a;
    if (b.nothing()) return b;
    const double x = number_of(a);
    const double y = number_of(b);
    if (sign == '+') return {x + y};
    if (sign == '-') return {x - y};
    if (sign == '*') return {x * y};
    if (y == 0) return refused({b, {std::string_view("is 0")}});
    return {sign == '/' ? x / y : x - y * whole_part(x / y)};
  }

  figure_value fallback() {
    figure_value made = element();
    while (take("??")) {
      const bool used = live_ && made.nothing();
      figure_value other = only_if(used, [&] { return element(); });
      if (used && (!other.nothing() || made.lacks().empty())) made = std::move(other);
    }
    return made;
  }

  figure_value element() {
    figure_value made = primary();
    for (;;) {
      if (take("[")) {
        const figure_value index = choice();
        need("]");
        made = live_ ? element_at(made, index) : figure_value{};
      } else if (take(".")) {
        const std::string_view name = next_name();
        const json_value* const member = live_ ? made.member() : nullptr;
        if (member != nullptr) {
          const auto found = member->object().find(name);
          made = found ? figure_value{*found} : figure_value{lacking{name}};
        }
      } else {
        return made;
      }
    }
  }

  static figure_value element_at(const figure_value& of, const figure_value& index) {
    if (of.nothing()) return of;
    if (index.nothing()) return index;
    const double i = number_of(index);
    if (!(i >= 0)) return {};
    const std::string_view word = word_of(of);
    if (word.data() != nullptr) {
      return i < static_cast<double>(word.size()) ? figure_value{word.substr(static_cast<std::size_t>(i), 1)}
                                                  : figure_value{};
    }
    if (const json_value* const member = of.member()) {
      const json_elements all = member->elements();
      return i < static_cast<double>(all.size()) ? present(all[static_cast<std::size_t>(i)]) : figure_value{};
    }
    const auto* const all = std::get_if<list>(&of.is);
    return all != nullptr && i < static_cast<double>(all->size()) ? (*all)[static_cast<std::size_t>(i)]
                                                                  : figure_value{};
  }
  static figure_value present(const json_value& of) { return (*of).is_null() ? figure_value{} : figure_value{of}; }

  /// A name of letters, digits and underscores, or several with points between them.
  std::string_view next_name(bool dotted = false) {
    skip_space();
    const std::size_t first = at_;
    while (at_ < text_.size() && (in_name(text_[at_]) || (dotted && text_[at_] == '.'))) ++at_;
    if (at_ == first) fail("is no name");
    return text_.substr(first, at_ - first);
  }

  figure_value primary() {
    skip_space();
    if (take("(")) {
      figure_value made = choice();
      need(")");
      return made;
    }
    if (take("[")) return {arguments("]")};
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (take("\"") || take("'")) {
      const std::size_t end = text_.find(quote, at_);
      if (end == text_.npos) fail("has no end");
      const std::string_view word = text_.substr(at_, end - at_);
      at_ = end + 1;
      return {word};
    }
    if (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') return {number()};
    const std::string_view name = next_name(true);
    if (name == "true" || name == "false") return {name == "true"};
    if (name == "nothing") return {};
    if (take("(")) return call(name);
    return live_ ? scope_->value(name) : figure_value{};
  }

  double number() {
    const std::size_t first = at_;
    while (at_ < text_.size() && ((text_[at_] >= '0' && text_[at_] <= '9') || text_[at_] == '.')) ++at_;
    return amount(text_.substr(first, at_ - first), "number", joined({"formula ", text_}));
  }

  list arguments(std::string_view end) {
    list made;
    if (take(end)) return made;
    do made.push_back(choice());
    while (take(","));
    need(end);
    return made;
  }

  figure_value call(std::string_view name) {
    if (name == "has") {
      const std::string_view member = next_name(true);
      need(")");
      return {live_ && scope_->states(member)};
    }
    if (name == "first") return first_of();
    if (name == "case") return case_of();
    const list given = arguments(")");
    if (name == "refuse" && given.size() > 1) return live_ ? refused(given) : figure_value{};
    if (name == "range" && given.size() == 3) return live_ ? range_of(given) : figure_value{};
    if (name == "listed" && given.size() == 3) return {live_ && listed(given)};
    if ((name == "min" || name == "max") && given.size() == 2) return extreme(name == "min", given[0], given[1]);
    if (given.size() != 1) fail("follows ", in_quotes(name), ", which takes another number of arguments");
    if (!live_ || given[0].nothing()) return given[0];
    return function_of(name, given[0]);
  }

  [[nodiscard]] figure_value function_of(std::string_view name, const figure_value& x) const {
    if (name == "len") {
      const std::string_view word = word_of(x);
      return {static_cast<double>(word.data() != nullptr ? word.size() : elements_of(x).size())};
    }
    if (name == "sum") {
      double made = 0;
      for (const figure_value& each : elements_of(x)) made += number_of(each);
      return {made};
    }
    if (name == "floor") return {whole_part(number_of(x))};
    if (name == "ceil") {
      const double down = whole_part(number_of(x));
      return {down < number_of(x) ? down + 1 : down};
    }
    if (name == "one") {
      const bool many = x.member() != nullptr ? (**x.member()).is_array() : std::holds_alternative<list>(x.is);
      return many ? element_at(x, {0.}) : x;
    }
    if (name == "sorted") return sorted(elements_of(x));
    fail("follows ", in_quotes(name), ", which is no function");
  }

  figure_value first_of() {
    figure_value made;
    do {
      const bool used = live_ && made.nothing();
      figure_value next = only_if(used, [&] { return choice(); });
      if (used && (!next.nothing() || made.lacks().empty())) made = std::move(next);
    } while (take(","));
    need(")");
    return made;
  }

  figure_value case_of() {
    const figure_value of = choice();
    const std::string_view word = word_of(of);
    std::string words;
    figure_value made;
    bool found = of.nothing();
    while (take(",")) {
      const figure_value each = choice();
      need(",");
      const bool same = live_ && !found && same_figure(of, each);
      figure_value value = only_if(same, [&] { return choice(); });
      if (same) made = std::move(value);
      found = found || same;
      words.append(words.empty() ? "" : ", ").append(word_of(each));
    }
    need(")");
    if (live_ && !found && of.member() != nullptr) {
      if (word.data() == nullptr) (void)of.member()->text();  // says that it is no word
      of.member()->fail(of.member()->shown(), " is none of ", words);
    }
    return made;
  }

  [[nodiscard]] figure_value extreme(bool least, const figure_value& a, const figure_value& b) const {
    if (!live_ || a.nothing()) return a;
    if (b.nothing()) return b;
    return (number_of(a) < number_of(b)) == least ? a : b;
  }

  [[nodiscard]] figure_value refused(const list& given) const {
    std::string problem;
    for (std::size_t i = 1; i < given.size(); ++i) problem += shown_figure(given[i]);
    if (const json_value* const member = given[0].member()) member->fail(problem);
    fail(problem);
  }

  static figure_value range_of(const list& given) {
    constexpr double most = 100'000;
    list made;
    const double step = number_of(given[1]) < 1 ? 1 : number_of(given[1]);
    const double below = number_of(given[2]) < most ? number_of(given[2]) : most;
    for (double x = number_of(given[0]); x < below && made.size() < 100'000; x += step) made.push_back({x});
    return {std::move(made)};
  }

  static figure_value sorted(list all) {
    const auto number = [](const figure_value& a) { return number_of(a); };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return number(a) < number(b); });
    const auto end =
        std::unique(all.begin(), all.end(), [&](const auto& a, const auto& b) { return number(a) == number(b); });
    all.erase(end, all.end());
    return {std::move(all)};
  }

  static bool listed(const list& given) {
    bool found = false;
    const double below = number_of(given[2]);
    for (const figure_value& each : elements_of(given[0])) {
      const double x = each.member() != nullptr ? static_cast<double>(each.member()->count()) : number_of(each);
      if (x >= below && each.member() != nullptr)
        each.member()->fail(figure_text(x), " is not below ", figure_text(below));
      found = found || x == number_of(given[1]);
    }
    return found;
  }

  std::string_view text_;
  const figure_scope* scope_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool live_ = true;
};

inline figure_value evaluate_formula(std::string_view formula, const figure_scope& scope) {
  return formula_reader(formula, scope).whole();
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
