// SPDX-License-Identifier: BSL-1.0
#include <stagecut/orders/detail/order_run.hpp>

#include <stagecut/core/error.hpp>
#include <stagecut/orders/detail/order_ticks.hpp>
#include <stagecut/orders/detail/word_rules.hpp>
#include <stagecut/orders/detail/words_of_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "small_orders.hpp"

using stagecut::detail::order_run;
using stagecut::detail::order_names;
using stagecut::detail::schedule_problem;

namespace {

/// Words of passes that follow each other as they can run, some of them then moved.
order_names random_words(const schedule_problem& of, small_orders& random) {
  using namespace stagecut::detail;
  order_names words(of.ranks);
  std::vector<std::size_t> done(of.letters());
  for (std::vector<std::size_t> ready{0}; !ready.empty();) {
    ready.clear();
    for (std::size_t letter = 0; letter < of.letters(); ++letter) {
      const std::size_t k = done[letter];
      if (k == of.microbatches || !of.runs(letter)) continue;
      if (!is_forward(letter) && done[letter - 1] <= k) continue;
      if (is_forward(letter) && letter > 0 && done[letter - kinds_of_pass] <= k) continue;
      if (is_backward(letter) && letter + 2 < of.letters() && done[letter + kinds_of_pass] <= k) continue;
      ready.push_back(letter);
    }
    if (ready.empty()) break;
    const std::size_t letter = ready[random.up_to(ready.size() - 1)];
    words[of.rank_of[stage_of(letter)]].push_back(static_cast<std::uint16_t>(letter));
    ++done[letter];
  }
  word_rules allowed(of);
  for (std::size_t moves = random.up_to(3); moves > 0; --moves) {
    const std::size_t rank = random.up_to(of.ranks - 1);
    if (words[rank].empty()) continue;
    std::vector<std::uint16_t> word = words[rank];
    std::swap(word[random.up_to(word.size() - 1)], word[random.up_to(word.size() - 1)]);
    if (allowed(rank, word)) words[rank] = word;
  }
  return words;
}

}  // namespace

TEST_CASE("Words run as their schedule is simulated, and are stuck where that waits for itself") {
  small_orders of(11);
  std::size_t stuck = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    of.next(1 + i % 4, 1 + i / 4 % 3, 1 + i / 12 % 4, i % 2 == 0);
    of.request.memory_limit = {};
    of.request.whole.clear();
    if (i % 3 == 0) std::shuffle(of.request.rank_of.begin(), of.request.rank_of.end(), of.random);
    of.transfers.kind = i % 5 < 2 ? stagecut::transfer_kind::latency : stagecut::transfer_kind::link;
    CAPTURE(i);
    schedule_problem problem = stagecut::detail::placed_problem(of.times.forward.size(), of.request);
    const stagecut::detail::order_ticks<std::int64_t> ticks(of.times, of.transfers, problem);
    problem.again = problem.late = problem.kept = std::vector<std::int64_t>(problem.stages());
    const order_names words = random_words(problem, of);
    const stagecut::schedule order = stagecut::detail::schedule_of(problem, words);
    REQUIRE(stagecut::detail::words_of(problem, order) == words);
    order_run run(problem);
    run(words);  // one that was run before leaves nothing behind
    const std::int64_t makespan = run(words);
    std::optional<stagecut::simulation<std::int64_t>> expected;
    try {
      expected = stagecut::simulate(order, of.times, of.transfers);
    } catch (const stagecut::invalid_input&) {
      ++stuck;
    }
    REQUIRE((makespan == order_run::stuck) == !expected.has_value());
    if (!expected) continue;
    CHECK(makespan == expected->makespan);
    bool same = true;
    for (std::size_t r = 0; r < problem.ranks; ++r) {
      for (std::size_t j = 0; j < words[r].size(); ++j) {
        const std::uint32_t pass = run.passes(r)[j];
        same = same && run.end(pass) == expected->ops[r][j].end && run.place(pass) == j;
      }
    }
    CHECK(same);
  }
  CHECK(stuck > 200);
  CHECK(stuck < 2000);
}
