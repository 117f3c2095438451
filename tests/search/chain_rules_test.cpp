// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/detail/chain_rules.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/makespan/detail/tempering.hpp>

#include "../makespan/random_chains.hpp"

using chains::chain;
using chains::points;
using oracle::dice;
using stagecut::search::detail::chain_rules;

namespace {

/// Every stage may be everything, but nothing is known of what ranks may hold.
class loose_rules : public stagecut::engine::cut_rules {
 public:
  [[nodiscard]] bool allows(std::size_t, std::size_t, std::size_t) const override { return true; }
  [[nodiscard]] bool hopeless(std::size_t, std::size_t, std::size_t) const override { return false; }
  [[nodiscard]] bool allows_rank(std::size_t, stagecut::view<const stagecut::interval>) const override { return true; }
  [[nodiscard]] bool has_rank_rules() const override { return true; }
};

}  // namespace

TEST_CASE("tables say what rules say of every stage and interval, and ranks hold too much where they do") {
  dice random(1);
  std::size_t priced = 0;
  std::size_t refused = 0;
  std::size_t above = 0;
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {9, 4, 8});
    const chain of = chains::random_chain(random, order, 9, {});
    chains::with_workbench(of, [&](auto& bench) {
      const std::size_t n = of.model.size();
      const chain_rules rules(order, bench.checked, n, 1);
      REQUIRE(rules.fits());
      const auto tables = rules.seen();
      const bool has_prices = !tables.ranks.empty();
      CHECK(has_prices == stagecut::detail::memory_excess(order, bench.checked).applies());
      priced += has_prices ? 1 : 0;
      bool same = true;
      for (std::size_t s = 0; s < order.stages(); ++s) {
        for (std::size_t first = 0; first < n; ++first) {
          for (std::size_t last = first + 1; last <= n; ++last) {
            const bool may_be =
                has_prices ? bench.checked.may_be(s, first, last) : bench.checked.allows(s, first, last);
            same = same && tables.may_be(s, first, last) == may_be;
            refused += may_be ? 0 : 1;
          }
        }
      }
      CHECK(same);
      stagecut::detail::memory_excess oracle(order, bench.checked);
      std::vector<double> of_ranks;
      chains::each_cut(n, order.stages(), [&](const points& cut) {
        for (std::size_t s = 0; s < order.stages(); ++s) {
          if (!tables.may_be(s, cut[s], cut[s + 1])) return;
        }
        if (!has_prices) return;
        oracle.measure(cut, of_ranks);
        double sum = 0;
        for (const double each : of_ranks) sum += each;
        same = same && tables.excess(cut) == sum;
        same = same && (sum == 0) == stagecut::engine::allowed_cut(order, bench.checked, cut);
        above += sum > 0 ? 1 : 0;
      });
      CHECK(same);
    });
  }
  CHECK(priced > 300);
  CHECK(refused > 10000);
  CHECK(above > 1000);
}

TEST_CASE("a long chain has a table of what is not too wide, if that is enough") {
  const auto order =
      stagecut::make_schedule(stagecut::schedule_kind::one_forward_one_backward, {.ranks = 16, .microbatches = 16});
  const loose_rules all;
  const chain_rules narrow(order, all, 8000, 100);
  REQUIRE(narrow.fits());
  const auto tables = narrow.seen();
  CHECK(tables.ranks.empty());
  CHECK(tables.places.widest == (std::size_t{1} << 24U) / (16 * 8000));
  CHECK(tables.may_be(15, 7999, 8000));
  CHECK(tables.may_be(3, 10, 10 + tables.places.widest));
  CHECK_FALSE(tables.may_be(3, 10, 11 + tables.places.widest));
  CHECK_FALSE(chain_rules(order, all, 8000, tables.places.widest).fits());
}
