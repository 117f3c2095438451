// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A job of one machine: it starts no earlier than its head, and its tail follows its end.
struct job_with_tail {
  std::int64_t head, time, tail;
};

/// The end of all jobs, including tails, on one machine with preemption: the longest tail first.
[[nodiscard]] inline std::int64_t preemptive_end(std::vector<job_with_tail> jobs);

/// Waiting jobs, the longest tail on top: a heap.
class waiting_jobs {
 public:
  [[nodiscard]] bool empty() const noexcept { return jobs_.empty(); }
  [[nodiscard]] const job_with_tail& top() const noexcept { return jobs_[0]; }
  /// The remaining time of the top.
  [[nodiscard]] std::int64_t& left() noexcept { return jobs_[0].time; }

  void push(const job_with_tail& added) {
    std::size_t at = jobs_.size();
    jobs_.push_back(added);
    for (; at > 0 && jobs_[(at - 1) / 2].tail < added.tail; at = (at - 1) / 2) jobs_[at] = jobs_[(at - 1) / 2];
    jobs_[at] = added;
  }

  void pop() {
    const job_with_tail last = jobs_.back();
    jobs_.pop_back();
    std::size_t at = 0;
    for (std::size_t next = 1; next < jobs_.size(); next = 2 * at + 1) {
      if (next + 1 < jobs_.size() && jobs_[next].tail < jobs_[next + 1].tail) ++next;
      if (jobs_[next].tail <= last.tail) break;
      jobs_[at] = jobs_[next];
      at = next;
    }
    if (!jobs_.empty()) jobs_[at] = last;
  }

 private:
  std::vector<job_with_tail> jobs_{};
};

inline std::int64_t preemptive_end(std::vector<job_with_tail> jobs) {
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const job_with_tail& a, const job_with_tail& b) { return a.head < b.head; });
  waiting_jobs open;
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < jobs.size() || !open.empty();) {
    if (open.empty()) now = std::max(now, jobs[i].head);
    for (; i < jobs.size() && jobs[i].head <= now; ++i) open.push(jobs[i]);
    const std::int64_t run = i < jobs.size() ? std::min(open.left(), jobs[i].head - now) : open.left();
    now += run;
    open.left() -= run;
    if (open.left() > 0) continue;
    most = std::max(most, now + open.top().tail);
    open.pop();
  }
  return most;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
