// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The stages of the rank of a stage. Trivially copyable; refers to `rank_stages`, or to a copy of its arrays on a
/// device.
struct rank_stages_view {
  view<const std::uint32_t> all{};      ///< rank by rank
  view<const std::uint32_t> first{};    ///< for every rank, its first one; then the number of stages
  view<const std::uint32_t> rank_of{};  ///< of every stage

  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr view<const std::uint32_t> operator()(std::size_t s) const noexcept {
    return all.slice(first[rank_of[s]], first[rank_of[s] + 1]);
  }
};

/// `stages_of_ranks` in arrays.
class rank_stages {
 public:
  explicit rank_stages(const schedule& order) {
    for (const std::size_t rank : order.rank_of) rank_of_.push_back(static_cast<std::uint32_t>(rank));
    for (const auto& stages : stages_of_ranks(order)) {
      for (const std::size_t stage : stages) all_.push_back(static_cast<std::uint32_t>(stage));
      first_.push_back(static_cast<std::uint32_t>(all_.size()));
    }
  }

  /// A view; refers to this object.
  [[nodiscard]] rank_stages_view seen() const noexcept { return {all_, first_, rank_of_}; }
  /// The same with its arrays where `memory` puts them.
  template <class Memory>
  [[nodiscard]] rank_stages_view placed(Memory& memory) const {
    const rank_stages_view here = seen();
    return {memory(here.all), memory(here.first), memory(here.rank_of)};
  }

 private:
  std::vector<std::uint32_t> all_{};
  std::vector<std::uint32_t> first_{0};
  std::vector<std::uint32_t> rank_of_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
