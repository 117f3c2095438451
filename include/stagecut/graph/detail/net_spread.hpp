// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/graph/operator_costs.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// On which stages the pins of every net stand, and how many: a row a net with no more entries than pins, so that
/// memory depends on the pins alone, however many stages there are.
class net_spread {
 public:
  /// Pins of a net on a stage.
  struct entry {
    std::uint32_t stage;
    std::uint32_t pins;
  };

  /// @param stage_of  of every element
  net_spread(const operator_costs& costs, const std::vector<std::uint32_t>& stage_of)
      : begin_(costs.nets() + 1), used_(costs.nets()) {
    for (std::size_t i = 0; i < costs.nets(); ++i) begin_[i + 1] = begin_[i] + costs.pins(i).size();
    all_.resize(begin_.back());
    for (std::size_t i = 0; i < costs.nets(); ++i) {
      for (const precedence::element e : costs.pins(i)) add(i, stage_of[e]);
    }
  }

  /// The stages that hold pins of a net, in no order.
  [[nodiscard]] view<const entry> of(std::size_t net) const noexcept { return {all_.data() + begin_[net], used_[net]}; }

  /// Pins of a net on a stage. O(stages that hold pins of it).
  [[nodiscard]] std::uint32_t count(std::size_t net, std::size_t stage) const noexcept {
    for (const entry& each : of(net)) {
      if (each.stage == stage) return each.pins;
    }
    return 0;
  }

  /// One pin goes to another stage.
  /// @pre there is one on `from`
  void move(std::size_t net, std::size_t from, std::size_t to) noexcept {
    entry* const row = all_.data() + begin_[net];
    std::size_t i = 0;
    while (row[i].stage != from) ++i;
    if (--row[i].pins == 0) row[i] = row[--used_[net]];
    add(net, to);
  }

 private:
  void add(std::size_t net, std::size_t stage) noexcept {
    entry* const row = all_.data() + begin_[net];
    for (std::size_t i = 0; i < used_[net]; ++i) {
      if (row[i].stage == stage) return void(++row[i].pins);
    }
    row[used_[net]++] = {static_cast<std::uint32_t>(stage), 1};
  }

  std::vector<std::size_t> begin_;  // of the row of every net
  std::vector<std::uint32_t> used_;
  std::vector<entry> all_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
