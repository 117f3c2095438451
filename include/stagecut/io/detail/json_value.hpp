// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The nesting depth of a JSON text; an arbitrary number for other texts.
[[nodiscard]] STAGECUT_DECL std::size_t json_nesting(std::string_view text);

/// The nesting depth allowed for unknown fields, so that they can be written back into any file that is read within these
/// limits.
[[nodiscard]] inline std::size_t unknown_depth(const read_limits& limits = {}) noexcept {
  return most_depth(limits) / 2;
}

class json_elements;

/// A value in a JSON text, with its position for errors: `SOURCE#POINTER`. Refers to the text's `json` and source.
class json_value {
 public:
  json_value(const json& value, std::string_view source, const read_limits& limits = {})
      : json_value(value, source, "", unknown_depth(limits)) {}

  /// The value itself.
  [[nodiscard]] const json& operator*() const noexcept { return *value_; }

  /// Rejects the value: `PLACE: PROBLEM`.
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... problem) const {
    fail_at("", problem...);
  }

  /// Rejects the part at `pointer` within the value. The place of the whole document is its source alone.
  template <class... Parts>
  [[noreturn]] void fail_at(std::string_view pointer, const Parts&... problem) const {
    const bool whole = pointer_.empty() && pointer.empty();
    detail::fail(invalid_input(joined({source_, whole ? "" : "#", pointer_, pointer}), joined({problem...})));
  }

  /// The value as shown in an error.
  [[nodiscard]] std::string shown() const;

  /// Rejects anything but an object.
  const json_value& object() const;

  /// A member, if the object has it and it is not `null`.
  [[nodiscard]] std::optional<json_value> find(std::string_view key) const;

  /// A member that was renamed, if the object has it: by its present name, in files of earlier schemas by its former one.
  /// Rejects the other name.
  /// @param is_former  whether the file is of an earlier schema
  [[nodiscard]] std::optional<json_value> find_renamed(std::string_view now, std::string_view former,
                                                       bool is_former) const;

  /// A required member.
  [[nodiscard]] json_value at(std::string_view key) const;

  /// The elements of an array.
  [[nodiscard]] json_elements elements() const;

  /// A string.
  [[nodiscard]] const std::string& text() const;

  /// What a word stands for in a table, as `state_names`.
  template <class Value, std::size_t n>
  [[nodiscard]] Value one_of(const named<Value> (&words)[n]) const {
    const auto* const known = stagecut::find_name(words, text());
    if (known == nullptr) fail(shown(), " is none of ", stagecut::list_names(words));
    return known->value;
  }

  /// True or false.
  [[nodiscard]] bool flag() const;

  /// A finite number that is not negative.
  [[nodiscard]] double amount() const;

  /// An integer of at least `least`.
  [[nodiscard]] std::size_t count(std::size_t least = 0) const;

  /// The members that are not `known`, as a JSON object; empty if there are none.
  /// @{
  [[nodiscard]] std::string unknown(std::initializer_list<std::string_view> known) const {
    return unknown(view(known));
  }
  [[nodiscard]] std::string unknown(view<const std::string_view> known) const;
  /// @}

  /// Calls `visit(NAME, MEMBER)` for each member of an object.
  template <class Visit>
  void each_member(const Visit& visit) const {
    for (const auto& [key, value] : object().value_->items()) {
      visit(std::string_view(key), json_value(value, source_, pointer_ + json_step(key), unknown_depth_));
    }
  }

  /// Rejects members that are not `known`.
  /// @{
  void only(std::initializer_list<std::string_view> known) const { only(view(known)); }
  void only(view<const std::string_view> known) const;
  /// @}

 private:
  friend class json_elements;
  json_value(const json& value, std::string_view source, std::string pointer, std::size_t depth)
      : value_(&value), source_(source), pointer_(std::move(pointer)), unknown_depth_(depth) {}

  const json* value_;
  std::string_view source_;
  std::string pointer_;
  std::size_t unknown_depth_;  // of unknown members
};

/// The elements of an array, each created on access.
class json_elements {
 public:
  /// A forward iterator for loops.
  struct iterator {
    const json_elements* of;  ///< the array
    std::size_t at;           ///< the index
    [[nodiscard]] json_value operator*() const { return (*of)[at]; }
    iterator& operator++() { return ++at, *this; }
    [[nodiscard]] bool operator!=(const iterator& other) const noexcept { return at != other.at; }
  };

  /// @param of  an array
  explicit json_elements(json_value of) : of_(std::move(of)) {}
  [[nodiscard]] std::size_t size() const noexcept { return of_.value_->size(); }
  [[nodiscard]] json_value operator[](std::size_t i) const {
    return json_value((*of_.value_)[i], of_.source_, joined({of_.pointer_, "/", i}), of_.unknown_depth_);
  }
  [[nodiscard]] iterator begin() const noexcept { return {this, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {this, size()}; }

 private:
  json_value of_;
};

inline json_elements json_value::elements() const {
  if (!value_->is_array()) fail(shown(), " is no array");
  return json_elements(*this);
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/json_value.ipp>
#endif
