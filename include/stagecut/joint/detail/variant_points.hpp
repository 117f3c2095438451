// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/detail/sort.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/graph/detail/down_sets.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/joint/detail/variant_tables.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The down-sets of layers as points, by rising work: which layers each holds, and what they sum to.
class variant_points {
 public:
  /// @throws invalid_input for a cycle, and for more down-sets than `most`
  variant_points(const variant_tables& tables, const precedence& before, std::size_t most)
      : ways_(tables.ways.size()), words_((before.size() + 63) / 64) {
    std::optional<down_set_family> found = down_set_search(before).run(most, {});
    if (!found)
      fail(invalid_input("edges", joined({"there are more than ", most, " sets of layers that stages could end at"})));
    const down_set_family& sets = *found;
    std::vector<std::int64_t> work(sets.size(), 0);
    for (std::size_t s = 0; s < sets.size(); ++s) {
      for (const auto& step : sets.steps_of(s)) work[step.to] = work[s] + tables.work[step.element];
    }
    std::vector<std::size_t> order(sets.size());
    for (std::size_t s = 0; s < sets.size(); ++s) order[s] = s;
    detail::sort(order, [&](std::size_t a, std::size_t b) { return work[a] < work[b]; });
    std::vector<std::size_t> number(sets.size());
    for (std::size_t p = 0; p < order.size(); ++p) number[order[p]] = p;
    work_.resize(sets.size());
    bits_.assign(sets.size() * words_, 0);
    sums_.assign(sets.size() * ways_, {});
    for (std::size_t s = 0; s < sets.size(); ++s) {
      work_[number[s]] = tables.times.figure(work[s]);
      for (const auto& step : sets.steps_of(s)) add(tables, step.element, number[s], number[step.to]);
    }
  }

  /// Sums over the layers of a point, each divided among a number of devices.
  struct sums {
    std::int64_t time = 0;  // at least
    std::int64_t cut = 0;   // beyond that, if all edges of the layers are cut
    std::int64_t parameters = 0;
    variant_figures fastest{};    // of layers that all run in the fastest way; no time
    std::int64_t least_one = 0;   // bytes with one microbatch in flight, at least
    std::int64_t least_more = 0;  // bytes of each further one, at least
    std::uint32_t missing = 0;    // layers that cannot be divided so

    void add(const sums& other, std::int64_t sign) noexcept {
      time += sign * other.time;
      cut += sign * other.cut;
      parameters += sign * other.parameters;
      fastest.activations += sign * other.fastest.activations;
      fastest.resident += sign * other.fastest.resident;
      least_one += sign * other.least_one;
      least_more += sign * other.least_more;
    }
  };

  [[nodiscard]] std::size_t size() const noexcept { return work_.size() - 1; }
  [[nodiscard]] double work(std::size_t point) const noexcept { return work_[point]; }
  [[nodiscard]] bool holds(std::size_t point, std::size_t layer) const noexcept {
    return (bits_[point * words_ + layer / 64] >> (layer % 64) & 1) != 0;
  }
  [[nodiscard]] bool within(std::size_t inner, std::size_t outer) const noexcept {
    for (std::size_t w = 0; w < words_; ++w) {
      if ((bits_[inner * words_ + w] & ~bits_[outer * words_ + w]) != 0) return false;
    }
    return true;
  }

  /// Over the layers of a stage.
  [[nodiscard]] sums between(std::size_t first, std::size_t last, std::size_t t) const noexcept {
    sums result = sums_[last * ways_ + t];
    result.add(sums_[first * ways_ + t], -1);
    result.missing -= sums_[first * ways_ + t].missing;
    return result;
  }

  /// Calls `visit(layer)` for the layers of a stage, ascending.
  template <class Visit>
  void each_layer(std::size_t first, std::size_t last, const Visit& visit) const {
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t left = bits_[last * words_ + w] & ~bits_[first * words_ + w]; left != 0; left &= left - 1) {
        visit(w * 64 + static_cast<std::size_t>(__builtin_ctzll(left)));
      }
    }
  }

  /// The first point with work above `most`, at least `from`.
  [[nodiscard]] std::size_t end_of(double most) const noexcept {
    std::size_t low = 0;
    std::size_t high = work_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      (work_[middle] <= most ? low : high) = work_[middle] <= most ? middle + 1 : middle;
    }
    return low;
  }

 private:
  [[nodiscard]] static sums of_layer(const variant_tables::divided& each) {
    sums made;
    made.time = each.time;
    for (const std::int64_t one : each.cut) made.cut += one;
    made.parameters = each.parameters;
    bool any = false;
    for (const variant_figures& one : each.variants) {
      const std::int64_t bytes = one.activations + one.resident;
      if (one.time == 0 && (!any || bytes < made.fastest.activations + made.fastest.resident)) {
        made.fastest = one;
        any = true;
      }
      const bool first = &one == each.variants.data();
      made.least_one = first || bytes < made.least_one ? bytes : made.least_one;
      made.least_more = first || one.activations < made.least_more ? one.activations : made.least_more;
    }
    return made;
  }

  void add(const variant_tables& tables, std::size_t layer, std::size_t from, std::size_t to) {
    for (std::size_t w = 0; w < words_; ++w) bits_[to * words_ + w] = bits_[from * words_ + w];
    bits_[to * words_ + layer / 64] |= std::uint64_t{1} << (layer % 64);
    for (std::size_t t = 0; t < ways_; ++t) {
      sums made = sums_[from * ways_ + t];
      made.add(of_layer(tables.layers[layer][t]), 1);
      made.missing += tables.layers[layer][t].exists() ? 0U : 1U;
      sums_[to * ways_ + t] = made;
    }
  }

  std::size_t ways_;
  std::size_t words_;
  std::vector<double> work_{};
  std::vector<std::uint64_t> bits_{};
  std::vector<sums> sums_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
