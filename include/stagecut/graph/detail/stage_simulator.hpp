// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Simulates the microbatches of a pipeline of stages, one a device, each with its own number of forward passes ahead.
///
/// Round i runs F(s, i) of all stages, from the first to the last, then B(s, i - w[s]), from the last to the first. On
/// each stage that is its order: F(0) .. F(w - 1), then F(w + i) and B(i) in turn, then the rest. F(s, i) waits for
/// F(p, i) of the same round and, on its device, for B(s, i - w[s] - 1) of the round before. B(s, j) of round j + w[s]
/// waits for B(q, j) of round j + w[q], which is no later round if w[q] <= w[s]. So no pass has to be sorted.
/// Conversely, if w[s] < w[q] <= m - 1 for an edge from s to q, then F(s, w[q]) is after B(s, 0), which waits for B(q,
/// 0), which is after F(q, w[q]), which waits for F(s, w[q]): a deadlock.
class stage_simulator {
 public:
  stage_simulator() = default;
  stage_simulator(std::size_t microbatches, bool one_at_a_time) : m_(microbatches), link_(one_at_a_time) {}

  /// A message between two stages.
  struct message {
    std::uint32_t other;  ///< the sending stage
    double time;
  };

  /// Removes all stages. Allocates nothing if it held as many stages and edges before.
  void clear(std::size_t stages);

  /// Ends loading.
  void end_of_load();

  /// The end of the last pass. Allocates nothing.
  /// @param warm_up  of each stage; those above m - 1 count as m - 1
  /// @pre            along no edge it is less at the lower stage
  [[nodiscard]] double run(const std::size_t* warm_up);

  [[nodiscard]] std::size_t microbatches() const noexcept { return m_; }

  // Input: seconds by stage; messages grouped by receiving stage, those of stage s up to `arriving_end[s]`.
  std::vector<double> forward{};
  std::vector<double> backward{};
  std::vector<message> arriving{};          ///< forward, from lower stages
  std::vector<message> returning{};         ///< back, from higher stages
  std::vector<std::size_t> arriving_end{};  ///< filled from the first stage on
  std::vector<std::size_t> returning_end{};

 private:
  /// When a message made at a given time arrives.
  template <bool Link>
  static double arrival(double made, double time, double& free) noexcept {
    if constexpr (Link) return free = (made < free ? free : made) + time;
    return made + time;
  }

  template <bool Link>
  void run_forward() {
    const std::size_t k = forward.size();
    std::size_t e = 0;
    for (std::size_t s = 0; s < k; ++s) {
      double now = clock_[s];
      for (; e < arriving_end[s]; ++e) {
        const double there =
            arrival<Link>(forward_end_[arriving[e].other], arriving[e].time, Link ? free_down_[e] : clock_[s]);
        now = std::max(now, there);
      }
      forward_end_[s] = clock_[s] = now + forward[s];
    }
  }

  template <bool Link>
  void run_backward(std::size_t round) {
    for (std::size_t s = forward.size(); s-- > 0;) {
      const std::size_t j = round - ahead_[s];
      if (j >= m_) continue;  // also below 0
      double now = clock_[s];
      for (std::size_t e = s == 0 ? 0 : returning_end[s - 1]; e < returning_end[s]; ++e) {
        const double there = arrival<Link>(backward_end_[returning[e].other * m_ + j], returning[e].time,
                                           Link ? free_up_[e] : clock_[s]);
        now = std::max(now, there);
      }
      backward_end_[s * m_ + j] = clock_[s] = now + backward[s];
    }
  }

  template <bool Link>
  [[nodiscard]] double run(std::size_t rounds) {
    for (std::size_t i = 0; i < rounds; ++i) {
      if (i < m_) run_forward<Link>();
      run_backward<Link>(i);
    }
    double last = 0;
    for (const double each : clock_) last = std::max(last, each);
    return last;
  }

  std::size_t m_ = 1;
  bool link_ = false;
  std::vector<double> clock_{};         // when each device is free
  std::vector<std::size_t> ahead_{};    // w
  std::vector<double> forward_end_{};   // of this round
  std::vector<double> backward_end_{};  // by stage and microbatch
  std::vector<double> free_down_{};     // when each link is free
  std::vector<double> free_up_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/stage_simulator.ipp>
#endif
