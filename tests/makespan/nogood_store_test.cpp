// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/nogood_store.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "random_chains.hpp"

using chains::chain;
using stagecut::detail::nogood_store;
using stagecut::engine::path_pool;
using stagecut::engine::tick_kinds;

namespace {

/// Calls `use(pool)` with a pool of three paths.
template <class Use>
void with_pool(const Use& use) {
  const std::vector<double> ones(6, 1);
  chain of{chains::layers(ones, ones, {}, {}), {}, {}, {}};
  of.request.schedule = stagecut::make_schedule(stagecut::schedule_kind::gpipe, {.ranks = 2, .microbatches = 2});
  chains::with_workbench(of, [&](auto& bench) {
    path_pool pool(bench.ticks, bench.layout, 8);
    for (std::size_t i = 0; i < 3; ++i) pool.put(i, std::vector<double>(2 * tick_kinds, static_cast<double>(i + 1)));
    use(pool);
  });
}

constexpr double none = nogood_store::no_condition;

}  // namespace

TEST_CASE("whoever comes with as much fails, too") {
  with_pool([](path_pool& pool) {
    nogood_store store;
    store.reset(2);
    CHECK(store.nodes() == 2);
    const double lengths[8] = {5, none, 7, none, none, none, none, none};
    store.add(1, 100, lengths, pool);
    const double as_much[8] = {5, 0, 7};
    const double more[8] = {9, 9, 9};
    const double less[8] = {4, 9, 9};
    REQUIRE(store.find(1, 100, as_much, pool) != nullptr);
    CHECK(store.find(1, 100, as_much, pool)->size() == 2);
    CHECK((*store.find(1, 100, as_much, pool))[1].path == 2);
    CHECK((*store.find(1, 100, as_much, pool))[1].length == 7);
    CHECK(store.find(1, 50, more, pool) != nullptr);   // nothing up to 100, so nothing up to 50
    CHECK(store.find(1, 101, more, pool) == nullptr);  // who knows
    CHECK(store.find(1, 100, less, pool) == nullptr);
    CHECK(store.find(0, 100, more, pool) == nullptr);
    store.reset(2);
    CHECK(store.find(1, 100, more, pool) == nullptr);
  });
}

TEST_CASE("what was learned of a path goes with it") {
  with_pool([](path_pool& pool) {
    nogood_store store;
    store.reset(1);
    const double first[8] = {5, none, none, none, none, none, none, none};
    const double second[8] = {none, 6, none, none, none, none, none, none};
    store.add(0, 100, first, pool);
    store.add(0, 100, second, pool);
    const double lengths[8] = {5, 6, 0};
    REQUIRE(store.find(0, 100, lengths, pool) != nullptr);
    pool.put(0, std::vector<double>(2 * tick_kinds, 9));
    REQUIRE(store.find(0, 100, lengths, pool) != nullptr);
    CHECK((*store.find(0, 100, lengths, pool))[0].path == 1);
    pool.put(1, std::vector<double>(2 * tick_kinds, 8));
    CHECK(store.find(0, 100, lengths, pool) == nullptr);
  });
}

TEST_CASE("without a condition all fail; and not everything is kept") {
  with_pool([](path_pool& pool) {
    nogood_store store;
    store.reset(1);
    const double nothing[8] = {0, 0, 0};
    for (std::size_t i = 0; i < 100; ++i) {
      const double lengths[8] = {1, static_cast<double>(i + 1), none, none, none, none, none, none};
      store.add(0, 100, lengths, pool);
    }
    CHECK(store.find(0, 100, nothing, pool) == nullptr);
    const double all_of_it[8] = {1, 200, 0};
    CHECK(store.find(0, 100, all_of_it, pool) != nullptr);
    const double no_conditions[8] = {none, none, none, none, none, none, none, none};
    store.add(0, 100, no_conditions, pool);
    REQUIRE(store.find(0, 100, nothing, pool) != nullptr);
    CHECK(store.find(0, 100, nothing, pool)->empty());
  });
}
