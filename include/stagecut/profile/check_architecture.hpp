// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

using stagecut::detail::joined;

/// An invalid field.
struct fault {
  bool training;  ///< of the training; false: of the architecture
  std::string field;
  std::string problem;
};

/// A field and its valid values.
struct field_range {
  std::string_view field;
  std::size_t value, least, most;
  bool training = false;
};

// Larger counts are mistakes; products of such counts are far from infinity as a double.
inline constexpr std::size_t most_of_a_count = std::size_t{1} << 31U;

/// The first field out of its range.
template <std::size_t n>
std::optional<fault> first_out_of_range(const field_range (&ranges)[n], std::string_view part = {}) {
  for (const auto& [field, value, least, limit, training] : ranges) {
    if (value >= least && value <= limit) continue;
    return fault{training, joined({part, field}), joined({value, " is not from ", least, " to ", limit})};
  }
  return std::nullopt;
}

/// `heads = 3 does not divide hidden = 8`.
inline std::string at_odds_text(std::string_view x, std::size_t value, std::string_view is, std::string_view y,
                                std::size_t other) {
  return joined({x, " = ", value, " ", is, " ", y, " = ", other});
}

STAGECUT_DECL std::optional<fault> vision_fault(const vision_tower& v);

STAGECUT_DECL std::optional<fault> latent_fault(const latent_attention& l);

STAGECUT_DECL std::optional<fault> recurrence_fault(const recurrent_mixer& m);

/// The first layer whose form has no figures or no parts.
STAGECUT_DECL std::optional<fault> forms_fault(const architecture& a);

/// The first field of a model out of its range.
STAGECUT_DECL std::optional<fault> out_of_range(const architecture& a);

/// The first two fields of a model that contradict each other, if each is within its range.
STAGECUT_DECL std::optional<fault> at_odds(const architecture& a);

}  // namespace detail

/// Rejects an architecture whose figures are out of range or contradict each other.
/// @throws stagecut::invalid_input at `architecture.FIELD`
STAGECUT_DECL void check(const architecture& a);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/check_architecture.ipp>
#endif
