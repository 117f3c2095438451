// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/makespan/search_backends.hpp>
#include <stagecut/search/bounded.hpp>
#include <stagecut/search/enumerated.hpp>
#include <stagecut/search/tempered.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// All helpers of a search for the smallest makespan, on the system of a policy: `tempered`, `enumerated` and `bounded`.
///
///     search::backends_on backends(thrust::device);
///     request.backends = backends.refs();
template <class Policy>
class backends_on {
  static_assert(detail::thrust_policy<Policy>,
                "backends_on takes an execution policy of Thrust, as thrust::seq, then the seconds of the enumerator");

 public:
  /// @param policy   of Thrust
  /// @param seconds  time limit of one evaluation of all remaining cuts
  /// @throws         argument_error for seconds that are NaN or negative
  explicit backends_on(const Policy& policy, double seconds = 10)
      : heuristic_(search::tempered(policy)),
        enumerator_(search::enumerated(policy, seconds)),
        bound_provider_(search::bounded(policy)) {}
  backends_on(const backends_on&) = delete;
  backends_on& operator=(const backends_on&) = delete;

  /// The helpers for a request; they refer to this object, which must outlive the search. One search at a time.
  [[nodiscard]] search_backends refs() {
    search_backends result;
    result.heuristic = cut_heuristic_ref(heuristic_);
    result.enumerator = function_ref<enumeration_answer(const enumeration_call&, view<std::size_t>)>(enumerator_);
    result.bound_provider = function_ref<double(const bound_call&)>(bound_provider_);
    result.enumerator.trusted = result.bound_provider.trusted = true;
    return result;
  }

 private:
  tempered_heuristic<Policy> heuristic_;
  enumerator<Policy> enumerator_;
  bound_provider<Policy> bound_provider_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
