// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
[[nodiscard]] STAGECUT_DECL std::vector<family_row> rows_of(const family& of);

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

  /// Whether there is such a figure.
  [[nodiscard]] bool has(std::string_view figure) const { return find(figure, family_row::kinds::figure) != nullptr; }
  /// Whether there are figures of a part: of `latent.`, unless a row `latent` says that it is not there.
  [[nodiscard]] bool has_part(std::string_view part);
  /// The value of a name in formulas.
  [[nodiscard]] figure_value value(std::string_view name) { return look_up(name); }
  /// The value of a figure; notes that it is missing if it has none.
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
  /// The object.
  [[nodiscard]] const json_value& object() const noexcept { return from_; }

 private:
  /// Sets fields from rows: a visitor of lists of figures.
  struct setter {
    family_reader* rows;
    std::string_view prefix;
    std::initializer_list<const char*> required;

    [[nodiscard]] figure_value value(std::string_view key) const { return rows->figure(joined({prefix, key})); }
    [[nodiscard]] bool has(std::string_view key) const { return rows->has(joined({prefix, key})); }

    void operator()(std::string_view key, std::size_t& into, std::size_t least = 0) const;
    void operator()(std::string_view key, bool& into) const;
    void operator()(std::string_view key, std::optional<bool>& into) const;
    void operator()(std::string_view key, std::string& into) const;
    void operator()(std::string_view key, std::vector<std::size_t>& into, std::size_t least) const;
    template <class Field, class Choice, std::size_t n>
    void operator()(std::string_view key, Field& into, const named<Choice> (&words)[n]) const {
      if (!has(key)) return;
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
[[nodiscard]] STAGECUT_DECL transformer::architecture read_text_figures(family_reader& at);

/// A vision tower, from the rows of its family and of the model that it is part of.
[[nodiscard]] STAGECUT_DECL transformer::vision_tower read_tower_figures(family_reader& at);

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/family_reader.ipp>
#endif
