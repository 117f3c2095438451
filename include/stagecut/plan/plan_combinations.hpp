// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/plan/plan_combination.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

// Which parts of a request go together, who plans them, and what the answer proves.
namespace stagecut::inline STAGECUT_ABI {

/// A row of `request_parts`.
struct request_part_entry {
  request_part part{};     ///< the part
  const char* name = "";   ///< for tables
  const char* field = "";  ///< the member of `plan_request` that an error names
  /// Whether a request has it, for a model.
  bool (*is_in)(const profile& model, const plan_request& request) = nullptr;
};

/// All parts, in the order of `request_part`.
[[nodiscard]] STAGECUT_DECL view<const request_part_entry> request_parts() noexcept;

/// All combinations of a problem and a part, by problem, then by part. A part that makes another problem of a request
/// stands with that problem alone.
[[nodiscard]] STAGECUT_DECL view<const plan_combination> plan_combinations() noexcept;

/// The problem that a request poses for a model.
[[nodiscard]] STAGECUT_DECL plan_problem problem_of(const profile& model, const plan_request& request);

/// The combinations that a request consists of: one for each part in it.
[[nodiscard]] STAGECUT_DECL std::vector<plan_combination> combinations_of(const profile& model,
                                                                          const plan_request& request);

/// Rejects a request with a part that its problem does not take.
/// @throws argument_error that names the field, and why
STAGECUT_DECL void check_combinations(const profile& model, const plan_request& request);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan_combinations.ipp>
#endif
