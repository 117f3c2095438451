// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/text.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Files are written so that they can be read within this limit of depth.
inline constexpr std::size_t most_depth_written = 1000;

/// Refuses to write what could not be read back.
[[noreturn]] STAGECUT_DECL void refuse_to_write(std::string_view place, std::string_view value,
                                                std::string_view requirement);

/// An object to be written. Refuses what could not be read back, with its place.
class json_object {
 public:
  /// @param place  what errors call the object: `model#/layers/3`
  explicit json_object(std::string place) : place_(std::move(place)) {}

  /// A member that needs no check.
  void set(std::string_view key, json value) { members_[std::string(key)] = std::move(value); }

  /// A text.
  void text(std::string_view key, const std::string& value);
  /// A text, left out if it is empty.
  void text_if_any(std::string_view key, const std::string& value) {
    if (!value.empty()) text(key, value);
  }

  /// A number.
  void amount(std::string_view key, double value);
  /// A number, left out if it is unset.
  void amount(std::string_view key, const std::optional<double>& value) {
    if (value) amount(key, *value);
  }

  /// The members of `fields`, a JSON object without `known` keys or an empty text.
  void unknown(const std::string& fields, view<const std::string_view> known);

  /// What errors call a member.
  [[nodiscard]] std::string at(std::string_view key) const;

  /// The object.
  [[nodiscard]] const json& members() const noexcept { return members_; }

 private:
  std::string place_;
  json members_ = json::object();
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/json_object.ipp>
#endif
