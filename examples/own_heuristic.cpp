// SPDX-License-Identifier: BSL-1.0
// A custom heuristic, enumerator and lower bound in the search for the smallest makespan. The search checks and simulates
// every cut that they return. It believes a bound, or that no other cut is better, only from functions that are trusted.
//
// prints
//   alone: optimal, 593 s, and no cut ends before 593 s
//   local moves, which returned a better cut 1 time(s): optimal, 593 s, and no cut ends before 593 s
//   enumeration: optimal, 593 s, and no cut ends before 593 s
//   bound: none is below 672 s, after 504 s; optimal, 711 s, and no cut ends before 711 s
//   a wrong bound, which is not trusted: optimal, 711 s, and no cut ends before 711 s
#include <stagecut/stagecut.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

/// Moves one cut point at a time, and keeps what is no worse.
class local_moves {
 public:
  bool operator()(const stagecut::heuristic_call& call, stagecut::view<std::size_t> points) {
    if (points.size() < 3) return false;
    double best = call.value;
    for (std::size_t i = 0; i < call.simulations && best > call.goal && !call.stop(); ++i) {
      std::size_t& point = points[1 + random_() % (points.size() - 2)];
      const std::size_t before = point;
      point = random_() % 2 == 0 ? point + 1 : point - 1;
      const double here = call.problem.allows(points) ? call.problem.makespan(points) : best + 1;
      if (here > best) point = before;
      best = std::min(best, here);
    }
    if (best < call.value) ++better;
    return best < call.value;
  }

  int better = 0;  // cuts that it returned

 private:
  std::mt19937 random_;  // the same numbers every time
};

/// Simulates all remaining cuts, if they are few.
class small_cases {
 public:
  stagecut::enumeration_answer operator()(const stagecut::enumeration_call& call, stagecut::view<std::size_t> points) {
    using enum stagecut::enumeration_answer;
    if (call.cuts.count() > 20'000) return too_many;
    double best = call.most;
    bool any = false;
    const bool all = call.cuts.for_each([&](stagecut::view<const std::size_t> cut) {
      if (call.stop()) return false;
      const double here = call.problem.allows(cut) ? call.problem.makespan(cut) : best + 1;
      if (here < best || (here == best && !any)) {
        best = here;
        any = true;
        std::copy(cut.begin(), cut.end(), points.begin());
      }
      return true;
    });
    return !all ? too_many : any ? found : none;
  }
};

/// The greatest stage and the rest: a stage takes its passes of all microbatches, and the earlier stages those of one
/// microbatch before the first and after the last of them. Holds if an item takes the same time on every stage, and if the
/// backward pass is one pass.
class greatest_stage_and_rest {
 public:
  double operator()(const stagecut::bound_call& call) const {
    if (call.problem.backward_weight(0, 0, call.problem.items()) > 0) return call.bound;
    double low = call.bound;  // no cut is below it
    double high = call.value;
    while (high - low > 1e-9 * high && !call.stop()) {
      const double middle = low + (high - low) / 2;
      (fits(call.problem, middle) ? high : low) = middle;
    }
    return low;
  }

 private:
  /// Whether there may be a cut of that makespan: each stage takes all items that it can.
  static bool fits(const stagecut::makespan_problem& problem, double makespan) {
    const auto microbatches = static_cast<double>(problem.schedule().microbatches);
    double rest = 0;  // the passes of one microbatch on the earlier stages
    std::size_t first = 0;
    for (std::size_t s = 0; s < problem.stages(); ++s) {
      double stage = 0;
      std::size_t last = first;
      while (last < problem.items()) {
        const double longer = problem.forward(s, first, last + 1) + problem.backward(s, first, last + 1);
        if (rest + microbatches * longer > makespan) break;
        stage = longer;
        ++last;
      }
      rest += stage;
      first = last;
    }
    return first == problem.items();
  }
};

namespace {

void print(const stagecut::outcome<stagecut::makespan_cut>& best) {
  std::printf("%s, %.0f s, and no cut ends before %.0f s\n", to_string(best.state()), best->value, best->bound);
}

}  // namespace

int main() {
  const std::vector<double> forward{4, 7, 3, 9, 2, 8, 5, 6, 1, 9, 3, 7, 4, 8, 2, 6};
  std::vector<double> backward;
  for (const double each : forward) backward.push_back(2 * each);
  const stagecut::item_times model(forward, backward);

  stagecut::makespan_request request;
  request.schedule = stagecut::interleaved_one_forward_one_backward(4, 2, 8);
  request.search.time_limit.reset();  // until the optimum is proved
  std::printf("alone: ");
  print(stagecut::minimize_makespan(model, request));

  local_moves moves;
  request.backends.heuristic = std::ref(moves);
  const auto moved = stagecut::minimize_makespan(model, request);
  std::printf("local moves, which returned a better cut %d time(s): ", moves.better);
  print(moved);

  request.backends = {};
  request.backends.enumerator = small_cases();
  request.backends.enumerator.trusted = true;  // it has visited every cut, or says that it has not
  std::printf("enumeration: ");
  print(stagecut::minimize_makespan(model, request));

  request.backends = {};
  request.schedule = stagecut::one_forward_one_backward(4, 8);
  const greatest_stage_and_rest bound;
  request.backends.bound_provider = [&](const stagecut::bound_call& call) {
    const double found = bound(call);
    std::printf("bound: none is below %.0f s, after %.0f s; ", found, call.bound);
    return found;
  };
  request.backends.bound_provider.trusted = true;  // the comment at the class proves it
  print(stagecut::minimize_makespan(model, request));

  request.backends.bound_provider = [](const stagecut::bound_call&) { return 3600.0; };
  std::printf("a wrong bound, which is not trusted: ");
  print(stagecut::minimize_makespan(model, request));
}
