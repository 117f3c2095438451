// SPDX-License-Identifier: BSL-1.0
#include <stagecut/orders/detail/pass_precedence.hpp>

#include <stagecut/orders/detail/rank_states.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "small_orders.hpp"

using stagecut::detail::pass_precedence;
using stagecut::detail::schedule_problem;

namespace {

/// A rank alone, with all stages of a chain.
schedule_problem one_rank(std::size_t stages, std::size_t microbatches, bool split, small_orders& random) {
  const auto up_to = [&](std::size_t most) { return static_cast<std::int64_t>(random.up_to(most)); };
  schedule_problem of;
  of.ranks = 1;
  of.microbatches = microbatches;
  of.split = split;
  of.rank_of.assign(stages, 0);
  of.time.assign(of.letters(), 1);
  of.stages_of.resize(1);
  const bool recomputes = up_to(2) == 0;
  std::int64_t all = 0;
  std::int64_t again = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    of.stages_of[0].push_back(s);
    of.kept.push_back(up_to(5));
    of.late.push_back(up_to(static_cast<std::size_t>(of.kept[s])));
    of.again.push_back(recomputes ? up_to(3) : 0);
    all += of.kept[s];
    again = again < of.again[s] ? of.again[s] : again;
  }
  of.memory = {all + again + up_to(static_cast<std::size_t>(2 * all))};
  return of;
}

/// Of all words, by the numbers of passes that have run: how few of a letter come before a pass of another one.
class fewest_before {
 public:
  explicit fewest_before(const schedule_problem& of) : of_(of) { static_cast<void>(can_end(counts(of.letters()), 0)); }

  /// Of letter y before pass k of letter x.
  [[nodiscard]] std::size_t operator()(std::size_t x, std::size_t k, std::size_t y) const {
    const auto at = fewest_.find({x, k, y});
    return at == fewest_.end() ? none : at->second;
  }
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

 private:
  using counts = std::vector<std::size_t>;

  [[nodiscard]] bool is_ready(const counts& done, std::size_t letter) const {
    const std::size_t k = done[letter];
    if (k == of_.microbatches || !of_.runs(letter)) return false;
    if (letter % 3 == 0) return letter == 0 || done[letter - 3] > k;
    if (done[letter - 1] <= k) return false;
    return letter % 3 == 2 || letter + 2 == of_.letters() || done[letter + 3] > k;
  }

  bool can_end(const counts& done, std::int64_t held) {
    const auto known = ends_.find(done);
    if (known != ends_.end()) return known->second;
    bool over = true;
    bool result = false;
    for (std::size_t letter = 0; letter < of_.letters(); ++letter) {
      over = over && (!of_.runs(letter) || done[letter] == of_.microbatches);
      if (!is_ready(done, letter)) continue;
      const std::int64_t then = held + of_.taken(letter);
      if (then > of_.memory[0]) continue;
      counts next = done;
      ++next[letter];
      if (!can_end(next, then - of_.freed(letter))) continue;
      result = true;
      for (std::size_t y = 0; y < of_.letters(); ++y) {
        const auto at = fewest_.try_emplace({letter, done[letter], y}, done[y]).first;
        at->second = at->second < done[y] ? at->second : done[y];
      }
    }
    return ends_[done] = over || result;
  }

  const schedule_problem& of_;
  std::map<counts, bool> ends_{};
  std::map<std::vector<std::size_t>, std::size_t> fewest_{};
};

}  // namespace

TEST_CASE("What comes before a pass does so in every word, and in some word no more does") {
  small_orders random(3);
  struct shape {
    std::size_t stages, microbatches;
    bool split;
  };
  constexpr shape shapes[] = {{1, 6, true}, {1, 6, false}, {2, 5, false}, {2, 3, true}, {3, 3, false}};
  std::size_t passes = 0, alone = 0;
  for (std::size_t i = 0; i < 500; ++i) {
    const shape& each = shapes[i % 5];
    const schedule_problem of = one_rank(each.stages, each.microbatches, each.split, random);
    const fewest_before fewest(of);
    const pass_precedence rules(of, 0, 100000);
    const pass_precedence by_stage(of, 0, 0);
    CAPTURE(i);
    REQUIRE(stagecut::detail::rank_states(of, 0, 100000).known());
    const std::vector<std::size_t>& letters = rules.letters();
    for (std::size_t x = 0; x < letters.size(); ++x) {
      for (std::size_t k = 0; k < of.microbatches; ++k) {
        for (std::size_t y = 0; y < letters.size(); ++y) {
          const std::size_t least = fewest(letters[x], k, letters[y]);
          REQUIRE(least != fewest_before::none);  // one microbatch after the other has room
          CAPTURE(letters[x]);
          CAPTURE(k);
          CAPTURE(letters[y]);
          CHECK(rules.before(x, k)[y] == least);
          CHECK(by_stage.before(x, k)[y] <= least);
          ++passes;
          alone += by_stage.before(x, k)[y] == least ? 1U : 0U;
        }
      }
    }
  }
  CHECK(alone < passes);
  CHECK(alone * 100 > passes * 95);
}
