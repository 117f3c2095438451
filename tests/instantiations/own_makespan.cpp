// SPDX-License-Identifier: BSL-1.0
// A search for the least makespan of a model of one's own.
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <cstddef>
#include <cstdio>

namespace {

struct three_to_one {
  [[nodiscard]] std::size_t size() const { return 6; }
  [[nodiscard]] double forward(std::size_t, std::size_t) const { return 1; }
  [[nodiscard]] double backward(std::size_t, std::size_t) const { return 2; }
};

}  // namespace

int main() {
  stagecut::makespan_request request;
  request.schedule = stagecut::one_forward_one_backward(3, 6);
  const auto best = stagecut::minimize_makespan(three_to_one(), request);
  if (!best) return std::puts(best.why().text().c_str()), 1;
  std::printf("%g\n", best->value);
}
