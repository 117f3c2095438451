// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/stages_of_ranks.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The memory of ranks as rows: the sum over a rank's stages at one of its `cut_rules::moments` is at most the limit.
/// Rows are created on demand, and only for existing rows is the model queried for the memory of stages.
///
/// The stages are those that are allowed alone and lie on some cut of such stages, numbered for each s by first and
/// last item.
class memory_rows {
 public:
  /// The memory of stage `stage` with these microbatches.
  struct table {
    std::size_t stage;
    held_microbatches held;
    std::vector<double> bytes;  ///< per choice
  };
  /// The tables of a rank's stages.
  struct row {
    std::size_t rank;
    std::size_t moment;
    std::vector<std::size_t> tables;
  };

  memory_rows(const schedule& order, const engine::cut_rules& rules, std::size_t items)
      : order_(order),
        rules_(rules),
        items_(items),
        begin_(order.stages() * (items + 1) + 1),
        low_(order.stages() * (items + 1)),
        tables_of_(order.stages()),
        rows_of_(order.stages()),
        stages_of_(engine::stages_of_ranks(order)) {}

  static constexpr std::size_t none = ~std::size_t{0};
  /// The most choices supported.
  static constexpr std::size_t most_choices = std::size_t{1} << 22U;

  /// Queries which stages are allowed. False: there are too many, or time ran out.
  [[nodiscard]] bool build(engine::search_clock& clock) {
    const std::size_t stages = order_.stages();
    std::vector<char> reached(items_ + 1);
    reached[0] = 1;
    for (std::size_t s = 0; s < stages; ++s) {
      const std::size_t highest = items_ - (stages - 1 - s);
      std::vector<char> next(items_ + 1);
      for (std::size_t first = 0; first <= items_; ++first) {
        const std::size_t lowest = s + 1 == stages ? items_ : first + 1;
        begin_[s * (items_ + 1) + first] = allowed_.size();
        low_[s * (items_ + 1) + first] = lowest;
        if (reached[first] == 0) continue;
        if (clock.look() || allowed_.size() > most_choices) return false;
        for (std::size_t last = lowest; last <= highest && first < last; ++last) {
          const bool may_be = rules_.allows(s, first, last);
          if (!may_be && rules_.hopeless(s, first, last)) break;
          allowed_.push_back(may_be ? 1 : 0);
          if (may_be) next[last] = 1;
        }
        clock.work(allowed_.size() - begin_[s * (items_ + 1) + first]);
      }
      reached = next;
    }
    begin_.back() = allowed_.size();
    leave_dead_ends();
    return true;
  }

  /// The existing rows, and their tables.
  /// @{
  [[nodiscard]] const std::vector<row>& rows() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<table>& tables() const noexcept { return tables_; }
  [[nodiscard]] const std::vector<std::size_t>& tables_of(std::size_t s) const { return tables_of_[s]; }
  [[nodiscard]] const std::vector<std::size_t>& rows_of(std::size_t s) const { return rows_of_[s]; }
  /// @}
  /// The stages of a rank, with or without rows.
  [[nodiscard]] const std::vector<std::size_t>& stages_of(std::size_t rank) const { return stages_of_[rank]; }
  [[nodiscard]] std::size_t ranks() const noexcept { return stages_of_.size(); }

  /// The number of `[first, last)` as stage s; `none` if it is not allowed.
  [[nodiscard]] std::size_t choice(std::size_t s, std::size_t first, std::size_t last) const {
    const std::size_t at = s * (items_ + 1) + first;
    if (last < low_[at]) return none;
    const std::size_t here = begin_[at] + (last - low_[at]);
    return here < begin_[at + 1] && allowed_[here] != 0 ? here : none;
  }
  /// Calls `visit(last, number)` for the choices of stage s that begin with `first`.
  template <class Visit>
  void each_choice(std::size_t s, std::size_t first, const Visit& visit) const {
    const std::size_t at = s * (items_ + 1) + first;
    for (std::size_t here = begin_[at]; here < begin_[at + 1]; ++here) {
      if (allowed_[here] != 0) visit(low_[at] + (here - begin_[at]), here);
    }
  }
  /// The number of choices, including gaps.
  [[nodiscard]] std::size_t choices() const noexcept { return allowed_.size(); }
  /// The bytes of a choice of the table's stage.
  [[nodiscard]] double bytes(std::size_t of_table, std::size_t choice) const {
    const table& t = tables_[of_table];
    return t.bytes[choice - begin_[t.stage * (items_ + 1)]];
  }

  /// The sum of a row.
  [[nodiscard]] double sum(std::size_t of_row, view<const std::size_t> points) const {
    const row& each = rows_[of_row];
    double all = 0;
    for (const std::size_t t : each.tables) {
      const std::size_t s = tables_[t].stage;
      all += bytes(t, choice(s, points[s], points[s + 1]));
    }
    return all;
  }

  /// Adds the initial rows: per rank the moment with most microbatches. False: as `add`.
  [[nodiscard]] bool add_first() {
    for (std::size_t r = 0; r < order_.ranks(); ++r) {
      const auto* const moments = stages_of_[r].empty() ? nullptr : rules_.moments(r);
      if (moments == nullptr || moments->empty()) continue;
      std::size_t best = 0;
      std::size_t most = 0;
      for (std::size_t i = 0; i < moments->size(); ++i) {
        std::size_t sum = 0;
        for (const held_microbatches& each : (*moments)[i]) sum += each.in_flight;
        if (sum > most) best = i, most = sum;
      }
      if (!add(r, best)) return false;
    }
    return true;
  }

  /// For a cut of allowed stages that satisfies all rows and is not allowed: adds, per rank, the row that it exceeds
  /// most. False: there is none, or the model returned an invalid memory.
  [[nodiscard]] bool add_broken(view<const std::size_t> points) {
    const std::size_t before = rows_.size();
    for (std::size_t r = 0; r < order_.ranks(); ++r) {
      const auto* const moments = stages_of_[r].empty() ? nullptr : rules_.moments(r);
      if (moments == nullptr) continue;
      double most = rules_.memory_limit();
      std::size_t worst = none;
      for (std::size_t i = 0; i < moments->size(); ++i) {
        const double sum = engine::memory_at(rules_, stages_of_[r], (*moments)[i], points);
        if (sum > most) most = sum, worst = i;
      }
      if (worst != none && !has(r, worst) && !add(r, worst)) return false;
    }
    return rows_.size() > before;
  }

 private:
  /// Forbids choices that are on no cut.
  void leave_dead_ends() {
    std::vector<char> ends(items_ + 1);
    ends[items_] = 1;
    for (std::size_t s = order_.stages(); s-- > 0;) {
      std::vector<char> before(items_ + 1);
      for (std::size_t first = 0; first <= items_; ++first) {
        each_choice(s, first, [&](std::size_t last, std::size_t here) {
          if (ends[last] == 0) {
            allowed_[here] = 0;
          } else {
            before[first] = 1;
          }
        });
      }
      ends = before;
    }
  }

  [[nodiscard]] bool has(std::size_t rank, std::size_t moment) const {
    for (const row& each : rows_) {
      if (each.rank == rank && each.moment == moment) return true;
    }
    return false;
  }

  /// False: the model returned an invalid memory.
  [[nodiscard]] bool add(std::size_t rank, std::size_t moment) {
    row made{rank, moment, {}};
    for (std::size_t j = 0; j < stages_of_[rank].size(); ++j) {
      const std::size_t of = table_for(stages_of_[rank][j], (*rules_.moments(rank))[moment][j]);
      if (of == none) return false;
      made.tables.push_back(of);
    }
    for (const std::size_t s : stages_of_[rank]) rows_of_[s].push_back(rows_.size());
    rows_.push_back(std::move(made));
    return true;
  }

  [[nodiscard]] std::size_t table_for(std::size_t s, held_microbatches held) {
    for (const std::size_t each : tables_of_[s]) {
      if (tables_[each].held == held) return each;
    }
    table made{s, held, {}};
    made.bytes.resize(begin_[(s + 1) * (items_ + 1)] - begin_[s * (items_ + 1)]);
    bool sound = true;
    for (std::size_t first = 0; first <= items_; ++first) {
      each_choice(s, first, [&](std::size_t last, std::size_t here) {
        const double bytes = rules_.stage_memory(s, first, last, held);
        sound = sound && is_finite(bytes) && !is_negative(bytes);
        made.bytes[here - begin_[s * (items_ + 1)]] = bytes;
      });
    }
    if (!sound) return none;
    tables_of_[s].push_back(tables_.size());
    tables_.push_back(std::move(made));
    return tables_.size() - 1;
  }

  const schedule& order_;
  const engine::cut_rules& rules_;
  std::size_t items_;
  std::vector<std::size_t> begin_;  // per stage and first item, its choices
  std::vector<std::size_t> low_;    // per stage and first item, the end of the first choice
  std::vector<char> allowed_{};     // per choice
  std::vector<table> tables_{};
  std::vector<row> rows_{};
  std::vector<std::vector<std::size_t>> tables_of_;  // per stage
  std::vector<std::vector<std::size_t>> rows_of_;    // per stage
  std::vector<std::vector<std::size_t>> stages_of_;  // per rank
};

/// Lower bounds on the memory of stages at the moment when their rank holds most microbatches, as sums over items:
/// never above the model's value for an allowed stage. See docs/makespan.md, Bounds, Domains.
class held_memory {
 public:
  /// Gives no bounds if the rules are not sums of memory, there are too many possible stages, or time runs out.
  ///
  /// @param limit  the value that represents the memory limit
  held_memory(const schedule& order, const engine::cut_rules& rules, std::size_t items, double limit,
              engine::search_clock& clock)
      : limit_(limit),
        known_(order.ranks()),
        own_(order.stages()),
        sums_(order.stages(), std::vector<double>(items + 1)) {
    memory_rows rows(order, rules, items);
    if (!(rules.memory_limit() > 0x1p-900) || !rows.build(clock) || !rows.add_first()) return;
    for (const memory_rows::table& table : rows.tables()) fit(rules, table, items, limit / rules.memory_limit());
    for (const memory_rows::row& row : rows.rows()) {
      bool finite = true;
      for (const std::size_t t : row.tables) finite = fit_own(rows, t, items, limit / rules.memory_limit()) && finite;
      known_[row.rank] = finite ? 1 : 0;
      any_ = any_ || finite;
    }
  }

  /// Whether there are bounds, at all and for a rank.
  /// @{
  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool any(std::size_t rank) const { return known_[rank] != 0; }
  /// @}
  [[nodiscard]] std::size_t ranks() const noexcept { return known_.size(); }
  /// The limit of a rank, with a margin for rounding.
  [[nodiscard]] double limit() const noexcept { return limit_ * (1 + 1e-9); }
  /// A lower bound on stage s as `[first, last)` is `sums(s)[last] - sums(s)[first] + own(s)`.
  /// @{
  [[nodiscard]] const std::vector<double>& sums(std::size_t s) const { return sums_[s]; }
  [[nodiscard]] double own(std::size_t s) const { return own_[s]; }
  /// @}

 private:
  /// Takes what an item adds to its next or previous neighbour as its share.
  void fit(const engine::cut_rules& rules, const memory_rows::table& of, std::size_t items, double scale) {
    for (std::size_t i = 0; i < items && items > 1; ++i) {
      const std::size_t first = i + 1 < items ? i : i - 1;
      const std::size_t other = i + 1 < items ? i + 1 : i - 1;
      const double both = rules.stage_memory(of.stage, first, first + 2, of.held);
      const double here = both - rules.stage_memory(of.stage, other, other + 1, of.held);
      sums_[of.stage][i + 1] = sums_[of.stage][i] + (here > 0 ? here * scale : 0);
    }
  }

  /// Subtracts the excess over any stage from the part that does not depend on items. False: not finite.
  [[nodiscard]] bool fit_own(const memory_rows& rows, std::size_t of, std::size_t items, double scale) {
    const std::size_t s = rows.tables()[of].stage;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t first = 0; first <= items; ++first) {
      rows.each_choice(s, first, [&](std::size_t last, std::size_t number) {
        const double here = rows.bytes(of, number) * scale - (sums_[s][last] - sums_[s][first]);
        least = std::min(least, here);
      });
    }
    own_[s] = least;
    return is_finite(least) && is_finite(sums_[s][items]);
  }

  double limit_;
  std::vector<char> known_;  // per rank
  std::vector<double> own_;
  std::vector<std::vector<double>> sums_;
  bool any_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
