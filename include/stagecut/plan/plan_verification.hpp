// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>

// The output of `verify_plan`.
namespace stagecut::inline STAGECUT_ABI {

/// The result of a check.
enum class check_result : std::uint8_t {
  holds,       ///< the plan's claim is true
  broken,      ///< it is false
  not_checked  ///< the plan claims too little, or something that cannot be computed from the profile
};

/// The words for results in files and tables.
inline constexpr named<check_result> check_result_names[] = {{"holds", check_result::holds},
                                                             {"does not hold", check_result::broken},
                                                             {"not checked", check_result::not_checked}};

/// The word for a result.
[[nodiscard]] constexpr const char* to_string(check_result result) noexcept {
  return stagecut::name_of(check_result_names, result);
}

/// One claim of a plan, checked against its profile.
struct plan_check {
  std::string name{};                         ///< one of `plan_check_names`
  check_result result = check_result::holds;  ///< whether the claim is true
  std::string place{};                        ///< the first wrong layer, stage, edge or device; may be empty
  std::string why{};                          ///< what is wrong there, or why it was not checked; may be empty
  std::optional<double> claimed{};            ///< the plan's figure; unset: there is none
  std::optional<double> recomputed{};         ///< the figure computed from the profile; unset: there is none

  /// Member-wise equality.
  friend bool operator==(const plan_check&, const plan_check&) = default;
};

/// The checks of `verify_plan`, in order, with the subject of each.
inline constexpr named<const char*> plan_check_names[] = {
    {"profile", "the plan is of this profile, or of the chain that its edges make"},
    {"assignment", "every layer stands on one stage, and no stage is empty"},
    {"acyclic", "no edge leads to an earlier stage, none of the backward pass to a later one"},
    {"groups", "layers of a group stand on one stage"},
    {"tied", "layers whose tied parameters are colocated do, too"},
    {"fixed", "layers that have to stand on a stage stand there"},
    {"devices", "there is a device for every stage, which its layers run on"},
    {"loads", "seconds of every stage, and its cost"},
    {"memory", "bytes of every stage, microbatches in flight, and the limit of every device"},
    {"messages", "edges between stages, their bytes and links"},
    {"schedule", "every pass has its place, and none waits for itself"},
    {"makespan", "the end of an iteration, and of every pass in the timeline"},
    {"objective", "the value of what was minimised"},
    {"bound", "not above the value, which is not below what no plan can be below"}};

/// All checks of a plan.
struct plan_verification {
  std::vector<plan_check> checks{};  ///< one for each of `plan_check_names`, in their order

  /// Whether no check is broken.
  [[nodiscard]] bool holds() const noexcept;

  /// The check of that name; null if there is none.
  [[nodiscard]] const plan_check* find(std::string_view name) const noexcept;

  /// Member-wise equality.
  friend bool operator==(const plan_verification&, const plan_verification&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan_verification.ipp>
#endif
