// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/architecture_figures.hpp>
#include <stagecut/io/detail/families.hpp>
#include <stagecut/io/detail/figure_formula.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Larger counts are mistakes; products of two counts are far from overflow.
inline constexpr std::size_t most_of_a_figure = std::size_t{1} << 31U;
/// For layers, which each have a form.
inline constexpr std::size_t most_layers = 10'000;
/// Tokens of a sample: published lengths can far exceed those of training runs.
inline constexpr std::size_t most_of_a_sequence = 8192;

/// A row of a family, see `family`.
struct family_row {
  enum class kinds { figure, helper, check, otherwise, nested };
  kinds kind;
  std::string_view name;
  std::string_view formula;
};

/// The rows of a family behind those of its base that it does not replace.
/// @throws invalid_input for a line that is none
[[nodiscard]] inline std::vector<family_row> rows_of(const family& of);

/// An object of a file read by a family's rows. Collects missing figures, to report all at once.
class family_reader {
 public:
  /// @param of      the family
  /// @param from    an object
  /// @param nested  whether the members that a family lists so may be missing
  /// @param outer   the object around it, if any
  family_reader(const family& of, json_value from, bool nested, std::optional<json_value> outer = std::nullopt);

  /// Sets the value of a name for formulas.
  void know(std::string name, figure_value value) { known_.emplace_back(std::move(name), std::move(value)); }
  /// The same of each count in a list such as `each_figure`, behind a prefix.
  template <class Figures>
  void know_all(std::string_view prefix, const Figures& figures) {
    figures([&](std::string_view key, const auto& value, const auto&...) {
      if constexpr (std::is_same_v<decltype(value), const std::size_t&>) {
        know(joined({prefix, key}), {static_cast<double>(value)});
      }
    });
  }

  /// Whether there are figures of a part: of `latent.`, unless a row `latent` says that it is not there.
  [[nodiscard]] bool has_part(std::string_view part);
  /// The value of a name in formulas.
  [[nodiscard]] figure_value value(std::string_view name) { return look_up(name); }
  /// The value of a figure; nothing if there is no such row. Notes that a figure is missing if its row gives nothing.
  [[nodiscard]] figure_value figure(std::string_view name);

  /// Evaluates the rows that refuse files.
  void check();
  /// Sets each field of a list that has a row.
  /// @param prefix    before the names in rows: `latent.`
  /// @param required  names whose counts are at least 1
  template <class Figures>
  void read(const Figures& figures, std::string_view prefix = "", std::initializer_list<const char*> required = {}) {
    figures(setter{this, prefix, required});
  }
  /// A layer's form.
  [[nodiscard]] transformer::layer_form form(std::size_t layer);
  /// Whether there are figures that tell the layers' forms.
  [[nodiscard]] bool has_forms() const;

  /// Whether a formula that was evaluated names a member of the object.
  [[nodiscard]] bool asked(std::string_view name) const;
  /// Rejects members that were not read, unless they state an absence or are in `others`.
  void refuse_unasked(std::initializer_list<std::string_view> others, std::string_view problem) const;
  /// Rejects the object if required figures are missing, naming all of them.
  void refuse_missing() const;

 private:
  /// Sets fields from rows: a visitor of lists of figures.
  struct setter {
    family_reader* rows;
    std::string_view prefix;
    std::initializer_list<const char*> required;

    [[nodiscard]] figure_value value(std::string_view key) const { return rows->figure(joined({prefix, key})); }

    void operator()(std::string_view key, std::size_t& into, std::size_t least = 0) const;
    template <class Flag>
    requires(std::is_same_v<Flag, bool> || std::is_same_v<Flag, std::optional<bool>>) void operator()(
        std::string_view key, Flag& into) const {
      const figure_value found = value(key);
      if (!found.nothing()) into = truth_of(found);
    }
    void operator()(std::string_view key, std::string& into) const;
    void operator()(std::string_view key, std::vector<std::size_t>& into, std::size_t least) const;
    template <class Field, class Choice, std::size_t n>
    void operator()(std::string_view key, Field& into, const named<Choice> (&words)[n]) const {
      const figure_value found = value(key);
      if (found.nothing()) return;
      if (const json_value* const member = found.member()) {
        into = member->one_of(words);
        return;
      }
      const auto* const known = find_name(words, shown_figure(found));
      if (known == nullptr) rows->refuse(key, found, "is no word that is known");
      into = known->value;
    }
  };

  [[nodiscard]] const family_row* find(std::string_view name, family_row::kinds kind) const;
  [[nodiscard]] const family_row* find_inactive(std::string_view name) const;
  [[nodiscard]] figure_value evaluate(const family_row& row);
  [[nodiscard]] figure_value look_up(std::string_view name);
  [[nodiscard]] figure_value member(const json_value& of, std::string_view name);
  [[nodiscard]] figure_value otherwise(std::string_view name);
  [[nodiscard]] bool states(std::string_view name);
  void note_asked(std::string_view name);
  [[nodiscard]] std::size_t count(std::string_view key, const figure_value& of, std::size_t least);
  [[noreturn]] void refuse(std::string_view key, const figure_value& value, std::string_view problem) const;

  const char* name_;
  std::vector<family_row> rows_;
  json_value from_;
  bool nested_;
  std::optional<json_value> outer_;
  std::vector<std::pair<std::string, figure_value>> known_{};
  std::vector<const family_row*> active_{};  // being evaluated
  std::vector<std::string_view> asked_{};    // members
  std::vector<std::string> missing_{};
};

/// A model of text, from the rows of its family.
[[nodiscard]] inline transformer::architecture read_text_figures(family_reader& at);

/// A vision tower, from the rows of its family and of the model that it is part of.
[[nodiscard]] inline transformer::vision_tower read_tower_figures(family_reader& at);

/// A family or a base by its name; null if there is none.
[[nodiscard]] inline const family* find_family(std::string_view name) noexcept {
  if (const family* const found = find_name(family_bases, name)) return found;
  if (const family* const found = find_name(text_families, name)) return found;
  if (const family* const found = find_name(tower_families, name)) return found;
  return find_name(pair_families, name);
}

/// Appends the row in a line, or the rows, if it is one of defaults.
inline void add_rows(std::vector<family_row>& into, std::string_view line) {
  constexpr named<family_row::kinds> words[] = {{"let ", family_row::kinds::helper},
                                                {"check ", family_row::kinds::check},
                                                {"default ", family_row::kinds::otherwise},
                                                {"nested ", family_row::kinds::nested}};
  family_row row{family_row::kinds::figure, {}, {}};
  for (const auto& [word, kind] : words) {
    if (!line.starts_with(word)) continue;
    row.kind = kind;
    line.remove_prefix(std::string_view(word).size());
  }
  while (!line.empty()) {
    // A formula may contain commas, a list of defaults has no formulas that do.
    const std::size_t end = row.kind == family_row::kinds::nested ? line.find(',') : line.npos;
    const std::string_view one = line.substr(0, end);
    line = end == line.npos ? std::string_view() : line.substr(end + 1);
    const std::size_t sign = one.find(" = ");
    if (sign == one.npos) fail(invalid_input(joined({"row ", one}), "has no \" = \""));
    row.formula = one.substr(sign + 3);
    std::string_view names = one.substr(0, sign);
    while (!names.empty()) {
      row.name = names.substr(0, names.find(','));
      names.remove_prefix(std::min(row.name.size() + 1, names.size()));
      row.name.remove_prefix(std::min(row.name.find_first_not_of(" \n"), row.name.size()));
      const auto same = [&](const family_row& other) { return other.kind == row.kind && other.name == row.name; };
      into.erase(std::remove_if(into.begin(), into.end(), same), into.end());
      into.push_back(row);
    }
  }
}

inline std::vector<family_row> rows_of(const family& of) {
  std::vector<family_row> made;
  if (*of.base != '\0') {
    const family* const base = find_family(of.base);
    if (base == nullptr) fail(invalid_input(of.name, joined({in_quotes(of.base), " is no family"})));
    made = rows_of(*base);
  }
  std::string_view rest = of.rows;
  while (!rest.empty()) {
    std::size_t end = rest.find('\n');
    while (end != rest.npos && rest.substr(end + 1).starts_with("     ")) end = rest.find('\n', end + 1);
    std::string_view line = rest.substr(0, end);
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.empty()) add_rows(made, line);
  }
  return made;
}

inline family_reader::family_reader(const family& of, json_value from, bool nested, std::optional<json_value> outer)
    : name_(of.name), rows_(rows_of(of)), from_(std::move(from)), nested_(nested), outer_(std::move(outer)) {
  (void)from_.object();
}

inline const family_row* family_reader::find(std::string_view name, family_row::kinds kind) const {
  for (const family_row& row : rows_) {
    if (row.name == name && row.kind == kind) return &row;
  }
  return nullptr;
}

/// The figure or helper of that name, unless it is being evaluated.
inline const family_row* family_reader::find_inactive(std::string_view name) const {
  const family_row* found = find(name, family_row::kinds::figure);
  if (found == nullptr) found = find(name, family_row::kinds::helper);
  return std::find(active_.begin(), active_.end(), found) == active_.end() ? found : nullptr;
}

inline bool family_reader::has_part(std::string_view part) {
  const std::string_view name = part.substr(0, part.size() - 1);
  if (const family_row* const row = find(name, family_row::kinds::figure)) return truth_of(evaluate(*row));
  return std::any_of(rows_.begin(), rows_.end(), [&](const family_row& row) {
    return row.kind == family_row::kinds::figure && row.name.starts_with(part);
  });
}

inline figure_value family_reader::evaluate(const family_row& row) {
  active_.push_back(&row);
  const auto value = [this](std::string_view name) { return look_up(name); };
  const auto said = [this](std::string_view name) { return states(name); };
  figure_value made = evaluate_formula(row.formula, {value, said});
  active_.pop_back();
  return made;
}

inline figure_value family_reader::look_up(std::string_view name) {
  for (std::size_t i = known_.size(); i-- > 0;) {
    if (known_[i].first == name) return known_[i].second;
  }
  if (const family_row* const row = find_inactive(name)) return evaluate(*row);
  if (name == "config") return {from_};
  if (name == "outer") return outer_ ? figure_value{*outer_} : figure_value{};
  if (name.starts_with("outer.")) return outer_ ? member(*outer_, name.substr(6)) : figure_value{};
  const bool own = name.starts_with("config.");
  if (own) name.remove_prefix(7);
  figure_value made = member(from_, name);
  if (made.nothing() && !own && !states(name)) made = otherwise(name);
  return made.nothing() ? figure_value{lacking{name}} : made;
}

/// A member, or one of a member: `vision_config.depth`; nothing if it is missing or `null`.
inline figure_value family_reader::member(const json_value& of, std::string_view name) {
  const std::size_t end = name.find('.');
  note_asked(name.substr(0, end));
  const auto found = of.object().find(name.substr(0, end));
  if (!found) return {};
  return end == name.npos ? figure_value{*found} : member(*found, name.substr(end + 1));
}

inline figure_value family_reader::otherwise(std::string_view name) {
  if (const family_row* const row = find(name, family_row::kinds::otherwise)) return evaluate(*row);
  const family_row* const row = nested_ ? find(name, family_row::kinds::nested) : nullptr;
  return row != nullptr ? evaluate(*row) : figure_value{};
}

inline bool family_reader::states(std::string_view name) {
  note_asked(name.substr(0, name.find('.')));
  return (*from_).contains(name);
}

inline bool family_reader::asked(std::string_view name) const {
  return std::find(asked_.begin(), asked_.end(), name) != asked_.end();
}

inline void family_reader::note_asked(std::string_view name) {
  if (!asked(name)) asked_.push_back(name);
}

inline figure_value family_reader::figure(std::string_view name) {
  const family_row* const row = find(name, family_row::kinds::figure);
  if (row == nullptr) return {};
  figure_value made = evaluate(*row);
  if (!made.nothing()) return made;
  const std::string needed(made.lacks().empty() ? name : made.lacks());
  if (std::find(missing_.begin(), missing_.end(), needed) == missing_.end()) missing_.push_back(needed);
  return made;
}

inline void family_reader::check() {
  for (const family_row& row : rows_) {
    if (row.kind == family_row::kinds::check) (void)evaluate(row);
  }
}

inline void family_reader::refuse(std::string_view key, const figure_value& value, std::string_view problem) const {
  from_.fail(key, ": ", shown_figure(value), " ", problem);
}

inline std::size_t family_reader::count(std::string_view key, const figure_value& of, std::size_t least) {
  const std::size_t most = key == "layers" ? most_layers : key == "sequence" ? std::size_t{1} << 53U : most_of_a_figure;
  const std::string range = joined({"is not from ", least, " to ", most});
  if (const json_value* const member = of.member()) {
    const std::size_t made = member->count(least);
    if (made > most) member->fail(made, " ", range);
    return made;
  }
  const double number = number_of(of);
  if (!(number >= 0 && number <= static_cast<double>(most))) refuse(key, of, range);
  const auto made = static_cast<std::size_t>(number);
  if (static_cast<double>(made) != number) refuse(key, of, "is no whole number");
  return made;
}

inline void family_reader::setter::operator()(std::string_view key, std::size_t& into, std::size_t least) const {
  for (const std::string_view each : required) {
    if (each == key) least = 1;
  }
  const figure_value found = value(key);
  if (!found.nothing()) into = rows->count(key, found, least);
}

inline void family_reader::setter::operator()(std::string_view key, std::string& into) const {
  const figure_value found = value(key);
  if (!found.nothing()) into = shown_figure(found);
}

inline void family_reader::setter::operator()(std::string_view key, std::vector<std::size_t>& into,
                                              std::size_t least) const {
  for (const figure_value& each : elements_of(value(key))) into.push_back(rows->count(key, each, least));
}

inline bool family_reader::has_forms() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const family_row& row) { return row.name.starts_with("layer."); });
}

inline transformer::layer_form family_reader::form(std::size_t layer) {
  transformer::layer_form made;
  know("i", {static_cast<double>(layer)});
  read([&](const auto& at) { each_form_figure(made, at); }, "layer.");
  known_.pop_back();
  return made;
}

inline void family_reader::refuse_unasked(std::initializer_list<std::string_view> others,
                                          std::string_view problem) const {
  from_.each_member([&](std::string_view name, const json_value& member) {
    const bool nothing = (*member).is_null() || *member == json(false) || *member == json(0);
    const bool remark = name.starts_with('_') || name.starts_with('$');
    if (nothing || remark || asked(name) || std::find(others.begin(), others.end(), name) != others.end()) return;
    member.fail(problem);
  });
}

inline void family_reader::refuse_missing() const {
  if (missing_.empty()) return;
  std::string names;
  for (const std::string& each : missing_) names.append(names.empty() ? "" : ", ").append(in_quotes(each));
  from_.fail(names, missing_.size() == 1 ? " is missing, which " : " are missing, which ",
             std::string_view(name_) == "plain" ? "a file of plain names" : name_, " needs");
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

inline transformer::architecture read_text_figures(family_reader& at) {
  transformer::architecture a;
  at.check();
  at.read([&](const auto& set) { each_figure(a, set); }, "", required_figures);
  each_part_figures(a, [&](const char* name, auto& part, const auto& figures, const auto& required) {
    const std::string prefix = joined({name, "."});
    if (at.has_part(prefix)) at.read([&](const auto& set) { figures(part.emplace(), set); }, prefix, required);
  });
  at.refuse_missing();
  for (std::size_t i = 0; at.has_forms() && i < a.layers; ++i) a.forms.push_back(at.form(i));
  settle(a);
  return a;
}

inline transformer::vision_tower read_tower_figures(family_reader& at) {
  transformer::vision_tower v;
  at.check();
  at.read([&](const auto& set) { each_vision_figure(v, set); }, "", required_vision);
  at.refuse_missing();
  return v;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
