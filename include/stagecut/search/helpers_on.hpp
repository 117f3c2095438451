// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/makespan_helpers.hpp>
#include <stagecut/search/bounded.hpp>
#include <stagecut/search/exhausted.hpp>
#include <stagecut/search/tempered.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// All helpers of a search for the smallest makespan, on the system of a policy: `tempered`, `exhausted` and `bounded`.
///
///     search::helpers_on helpers(thrust::device);
///     request.helpers = helpers.refs();
template <class Policy>
class helpers_on {
 public:
  /// @param policy   of Thrust
  /// @param seconds  time limit of one evaluation of all remaining cuts
  /// @throws         argument_error for seconds that are NaN or negative
  explicit helpers_on(const Policy& policy, double seconds = 10)
      : improver_(search::tempered(policy)),
        exhauster_(search::exhausted(policy, seconds)),
        bounder_(search::bounded(policy)) {}
  helpers_on(const helpers_on&) = delete;
  helpers_on& operator=(const helpers_on&) = delete;

  /// The helpers for a request; they refer to this object, which must outlive the search. One search at a time.
  [[nodiscard]] makespan_helpers refs() noexcept { return {improver_, exhauster_, bounder_}; }

 private:
  tempered_improver<Policy> improver_;
  exhauster<Policy> exhauster_;
  bounder<Policy> bounder_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
