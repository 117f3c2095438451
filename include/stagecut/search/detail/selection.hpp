// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <thrust/copy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <stagecut/search/detail/chunks.hpp>
#include <stagecut/search/detail/system.hpp>
#include <stagecut/search/scored.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// Accepts any cost.
template <class Cost>
struct any_cost {
  [[nodiscard]] STAGECUT_HOST_DEVICE bool operator()(const scored<Cost>&) const { return true; }
};
/// Accepts costs below a value, or NaN.
template <class Cost>
struct lower_cost {
  Cost than;
  [[nodiscard]] STAGECUT_HOST_DEVICE bool operator()(const scored<Cost>& each) const {
    return each.value < than || detail::is_no_cost(each.value);
  }
};
/// Accepts costs up to a value, or NaN.
template <class Cost>
struct cost_up_to {
  Cost most;
  [[nodiscard]] STAGECUT_HOST_DEVICE bool operator()(const scored<Cost>& each) const { return !(most < each.value); }
};

/// Extracts the selected scores from chunks, by index.
template <class Policy, class Cost>
class selection {
 public:
  explicit selection(const Policy& policy) : policy_(policy) {}

  [[nodiscard]] std::vector<scored<Cost>> all(const chunk_costs<Cost>& chunk) {
    return select(chunk, any_cost<Cost>{});
  }
  [[nodiscard]] std::vector<scored<Cost>> lower(const chunk_costs<Cost>& chunk, Cost than) {
    return select(chunk, lower_cost<Cost>{than});
  }
  [[nodiscard]] std::vector<scored<Cost>> up_to(const chunk_costs<Cost>& chunk, Cost most) {
    return select(chunk, cost_up_to<Cost>{most});
  }

 private:
  using system = system_t<Policy>;

  template <class Wanted>
  [[nodiscard]] std::vector<scored<Cost>> select(const chunk_costs<Cost>& chunk, const Wanted& wanted) {
    if (kept_.size() < chunk.count) kept_ = typename system::template array<scored<Cost>>(chunk.count);
    const auto begin = thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), chunk);
    scored<Cost>* const to = kept_.data();
    scored<Cost>* const end =
        thrust::copy_if(policy_, begin, begin + static_cast<std::ptrdiff_t>(chunk.count), to, wanted);
    return system::read(kept_, static_cast<std::size_t>(end - to));
  }

  const Policy& policy_;
  typename system::template array<scored<Cost>> kept_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
