// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/chain_ticks.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/engine/tick_rows.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL void chain_ticks::scale(double most) {
  constexpr double highest = std::numeric_limits<double>::max();
  most_ = everything();
  most_ = most_ < most ? most_ : most < highest ? most : highest;
  int exponent = 1 - 50 + (most_ < 0x1p-900 ? exponent_of(most_ * 0x1p200) - 200 : exponent_of(most_));
  exponent = std::max(exponent, least_exponent);
  do {
    tick = std::bit_cast<double>(exponent < -1022 ? std::uint64_t{1} << static_cast<unsigned>(exponent + 1074)
                                                  : static_cast<std::uint64_t>(exponent + 1023) << 52U);
    ++exponent;
  } while (!fill());
}

STAGECUT_DECL double chain_ticks::item(std::size_t kind, std::size_t s, std::size_t i) const noexcept {
  const double* const sums = row(kind, s);
  return sums[i + 1] - sums[i];
}

STAGECUT_DECL double chain_ticks::rounded(double time, double limit, double& off) const noexcept {
  const double ticks = time / tick;
  if (!(ticks < limit)) return limit;
  const auto whole = static_cast<double>(static_cast<std::int64_t>(ticks + 0.5));
  const double by = whole * tick - time;
  off += by < 0 ? -by : by;
  return whole;
}

STAGECUT_DECL bool chain_ticks::fill() {
  const double beyond = static_cast<double>(static_cast<std::int64_t>(2 * (most_ / tick))) + 1;
  const double most_of_pass = static_cast<double>(static_cast<std::int64_t>(beyond / passes_)) + 1;
  std::vector<double> off(items);  // of an item, wherever it is
  sums_.assign(3 * rows_per_kind_ * (items + 1), 0);
  own_.resize(3 * stages);
  double all_off = 0;
  double own_sum = 0;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    for (std::size_t s = 0; s < stages; ++s) {
      own_sum += own_[kind * stages + s] = rounded(own_times_[kind][s], most_of_pass, all_off);
    }
  }
  for (std::size_t s = 0; s < rows_per_kind_; ++s) {
    double sum = own_sum;
    for (std::size_t i = 0; i < items; ++i) {
      double here = 0;
      for (std::size_t kind = 0; kind < 3; ++kind) {
        double* const row = sums_.data() + (kind * rows_per_kind_ + s) * (items + 1);
        row[i + 1] = row[i] + rounded(times_[kind][s * items + i], most_of_pass, here);
      }
      off[i] = std::max(off[i], here);
    }
    for (std::size_t kind = 0; kind < 3; ++kind) sum += row(kind, s)[items];
    if (sum >= 0x1p52) return false;
  }
  for (const double each : off) all_off += each;
  messages_.resize(times_[tick_message].size());
  double most_off = 0;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    double here = 0;
    messages_[i] = rounded(times_[tick_message][i], beyond, here);
    most_off = std::max(most_off, here);
  }
  step_ = common_step();
  error_ = (all_off + 2 * static_cast<double>(boundary_.size()) * most_off) * passes_;
  if (error_ > 0) error_ += most_ * unsure_;
  return true;
}

STAGECUT_DECL double chain_ticks::common_step() const {
  std::uint64_t bits = std::uint64_t{1} << 49U;
  const auto add = [&](const std::vector<double>& times) {
    for (const double each : times) bits |= static_cast<std::uint64_t>(each);
  };
  add(own_);
  add(sums_);
  add(messages_);
  return static_cast<double>(bits & (~bits + 1));
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
