// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// A fingerprint of a problem: a hash of the tick, all times, the ops of all ranks, and some 4096 answers of the rules,
/// for all stages and intervals if there are no more. Rules that differ only in other answers count as equal.
class problem_print {
 public:
  explicit problem_print(const stagecut::engine::cut_problem& problem) {
    const stagecut::engine::chain_ticks& chain = problem.chain;
    add(chain.items), add(chain.stages), add(std::bit_cast<std::uint64_t>(chain.tick));
    add(static_cast<std::uint64_t>(problem.transfers)), add(chain.has_messages ? 1 : 0);
    const stagecut::engine::tick_rows rows = chain.rows();
    for (const auto& times : {rows.sums, rows.own, rows.messages}) {
      for (const double time : times) add(std::bit_cast<std::uint64_t>(time));
    }
    for (const std::size_t each : rows.boundary) add(each);
    add(problem.order);
    add(problem.rules, chain.items, chain.stages);
  }

  friend bool operator==(const problem_print&, const problem_print&) = default;

 private:
  void add(std::uint64_t value) { state_ = stagecut::detail::random_bits(state_, value, 0)(); }

  void add(const schedule& order) {
    for (const std::size_t rank : order.rank_of) add(rank);
    for (const auto& ops : order.orders) {
      add(ops.size());
      for (const auto& op : ops) {
        add(std::uint64_t{static_cast<std::uint8_t>(op.kind)} << 1U | (op.with_next ? 1U : 0U));
        add(op.stage), add(op.microbatch), add(op.slice), add(op.peer);
      }
    }
  }

  void add(const stagecut::engine::cut_rules& rules, std::size_t items, std::size_t stages) {
    add(rules.has_rank_rules() ? 1 : 0);
    add(std::bit_cast<std::uint64_t>(rules.memory_limit()));
    const std::size_t all = stages * items * items;
    const std::size_t step = all / 8192 + 1;  // half of the pairs are not intervals
    for (std::size_t i = 0; i < all; i += step) {
      const std::size_t first = i / items % items;
      const std::size_t last = i % items + 1;
      if (first < last) add(rules.allows(i / items / items, first, last) ? i : ~i);
    }
  }

  std::uint64_t state_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
