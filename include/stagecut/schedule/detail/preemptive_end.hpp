// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include <stagecut/core/detail/language.hpp>

namespace stagecut::inline v0::detail {

/// What one machine has to run: not before its head, and its tail passes behind its end.
struct job_with_tail {
  std::int64_t head, time, tail;
};

/// When all jobs are over, tails counted, on one machine where one may break off for another: the longest tail first.
[[nodiscard]] inline std::int64_t preemptive_end(std::vector<job_with_tail> jobs) {
  std::sort(jobs.begin(), jobs.end(), [](const job_with_tail& a, const job_with_tail& b) { return a.head < b.head; });
  std::priority_queue<std::pair<std::int64_t, std::int64_t>> open;  // tails, and times that are left
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < jobs.size() || !open.empty();) {
    if (open.empty()) now = std::max(now, jobs[i].head);
    for (; i < jobs.size() && jobs[i].head <= now; ++i) open.emplace(jobs[i].tail, jobs[i].time);
    const auto [tail, time] = open.top();
    open.pop();
    const std::int64_t run = i < jobs.size() ? std::min(time, jobs[i].head - now) : time;
    now += run;
    if (run < time)
      open.emplace(tail, time - run);
    else
      most = std::max(most, now + tail);
  }
  return most;
}

}  // namespace stagecut::inline v0::detail
