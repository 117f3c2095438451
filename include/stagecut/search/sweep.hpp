// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/sweep_options.hpp>
#include <stagecut/plan/sweep_row.hpp>
#include <stagecut/plan/sweep_rows.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/search/detail/expects_policy.hpp>
#include <stagecut/search/detail/system.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// One of several calls, whose exception is kept.
struct kept_call {
  const function_ref<void(std::size_t)>* each;
  block_errors* errors;

  void operator()(std::size_t i) const {
    try {
      (*each)(i);
    } catch (...) {
      errors->keep(i);
    }
  }
};

/// Calls `each(i)` for every i below `count`, under a host's execution policy.
template <class Policy>
void each_index(const Policy& policy, std::size_t count, const function_ref<void(std::size_t)>& each) {
  block_errors errors;
  const thrust::counting_iterator<std::size_t> begin(0);
  thrust::for_each(policy, begin, begin + static_cast<std::ptrdiff_t>(count), kept_call{&each, &errors});
  errors.rethrow();
}

/// Whether these may follow the policy.
template <class... Arguments>
concept asked_sweep =
    std::is_invocable_v<void (*)(const profile&, const plan_request&, const sweep_axes&), Arguments...> ||
    std::is_invocable_v<void (*)(const profile&, const plan_request&, const sweep_axes&, const sweep_options&),
                        Arguments...>;

// A name for compiler errors about calls with other arguments.
struct after_the_policy_come_a_profile_a_plan_request_and_sweep_axes;

}  // namespace detail

/// See `sweep`.
struct sweep_fn : detail::expects_policy {
  using detail::expects_policy::operator();

  /// See `sweep`.
  template <detail::thrust_policy Policy>
  [[nodiscard]] std::vector<sweep_row> operator()(const Policy& policy, const profile& model,
                                                  const plan_request& request, const sweep_axes& axes,
                                                  const sweep_options& options = {}) const {
    const auto for_each = [&](std::size_t count, const function_ref<void(std::size_t)>& each) {
      if constexpr (std::is_same_v<detail::system_t<Policy>, detail::host_system>) {
        detail::each_index(policy, count, each);
      } else {
        detail::each_index(thrust::host, count, each);
      }
    };
    plan_request asked = request;
    asked.search.threads = for_each;
    return sweep_rows(model, asked, axes, options);
  }
  template <class... Options>
  detail::the_first_argument_is_an_execution_policy_of_thrust                                            //
  operator()(const profile&, const plan_request&, const sweep_axes&, const Options&...) const = delete;  // thrust::seq
  template <detail::thrust_policy Policy, class... Other>
  requires(
      !detail::asked_sweep<const Other&...>) detail::after_the_policy_come_a_profile_a_plan_request_and_sweep_axes  //
  operator()(const Policy&, const Other&...) const = delete;  // (policy, profile, request, axes)
};

/// Plans every configuration of some axes (devices, microbatches, schedules, chunks, recomputation) by its makespan,
/// with the parallelism of the policy. Arguments, answer and errors are those of `sweep_rows`.
///
/// @param policy   of Thrust. A host policy plans the configurations on its threads: one at a time with `thrust::seq`,
///                 many with `thrust::omp::par` and `thrust::tbb::par`. A CUDA policy also plans them on the host, with
///                 `thrust::host`, which is one thread unless THRUST_HOST_SYSTEM selects another system; only the
///                 `request.backends`, if any, run on the device. Those of `backends_on` serve one search at a time, and
///                 so cannot be used with a policy of several threads
/// @param model    as in `sweep_rows`
/// @param request  as in `sweep_rows`
/// @param axes     as in `sweep_rows`
/// @param options  as in `sweep_rows`
/// @return         one row per configuration, in the order of the axes; `mark_pareto_front` marks the front. Bitwise the same on
///                 every system and for any number of threads, unless there is a time limit
/// @throws         as `sweep_rows`; of several exceptions in a round, the one for the configuration with the smallest bound
inline constexpr sweep_fn sweep{};

}  // namespace stagecut::inline STAGECUT_ABI::search
