// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/detail/shared_bytes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/profile/layer.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL double shared_bytes::operator()(std::size_t first, std::size_t last) const {
  if (begin_.empty()) return 0;
  std::size_t from = begin_[first];
  std::size_t to = begin_[last];
  const std::size_t behind = first + 1;  // predecessors below this are before the stage
  std::uint64_t sum = 0;
  if (behind >> levels_.size() != 0) {
    sum = sums_[to] - sums_[from];
  } else {
    for (std::size_t l = levels_.size(); l-- > 0;) {
      const level& here = levels_[l];
      const split& low = here.before[from];
      const split& high = here.before[to];
      if ((behind >> l & 1U) != 0) {
        sum += high.sum - low.sum;
        from += here.zeros - low.zeros;
        to += here.zeros - high.zeros;
      } else {
        from = low.zeros;
        to = high.zeros;
      }
    }
  }
  return static_cast<double>(sum) * unit_;
}

STAGECUT_DECL std::size_t shared_bytes::numbers() const noexcept {
  std::size_t count = begin_.size() + sums_.size();
  for (const level& each : levels_) count += 2 * each.before.size();
  return count;
}

STAGECUT_DECL void shared_bytes::set_unit(double total) {
  const std::uint64_t digits = std::bit_cast<std::uint64_t>(total) >> 52U;
  const std::uint64_t exponent = digits > 62 ? digits - 61 : 1;
  unit_ = std::bit_cast<double>(exponent << 52U);
  per_unit_ = std::bit_cast<double>((2046 - exponent) << 52U);
}

STAGECUT_DECL void shared_bytes::gather(const std::vector<tie>& ties, std::size_t layers) {
  std::vector<point> points;
  std::vector<std::size_t> place(layers);  // position of a predecessor's point
  std::size_t most = 0;
  for (const tie& each : ties) {
    while (begin_.size() <= each.layer) begin_.push_back(points.size());
    const auto units = static_cast<std::uint64_t>(each.bytes * per_unit_);
    std::size_t& at = place[each.previous];
    if (at < begin_.back() || at >= points.size() || points[at].previous != each.previous) {
      at = points.size();
      points.push_back({each.previous, 0});
    }
    points[at].units += units;
    most = each.previous > most ? each.previous : most;
  }
  begin_.resize(layers + 1, points.size());
  sums_.push_back(0);
  for (const point& each : points) sums_.push_back(sums_.back() + each.units);
  levels_.resize(static_cast<std::size_t>(std::bit_width(most)));
  for (std::size_t l = levels_.size(); l-- > 0;) divide(points, l);
}

STAGECUT_DECL void shared_bytes::divide(std::vector<point>& points, std::size_t l) {
  std::vector<point> ones;
  level& made = levels_[l];
  made.before.reserve(points.size() + 1);
  made.before.push_back({0, 0});
  for (const point each : points) {
    split now = made.before.back();
    if ((each.previous >> l & 1U) != 0) {
      ones.push_back(each);
    } else {
      points[now.zeros++] = each;
      now.sum += each.units;
    }
    made.before.push_back(now);
  }
  made.zeros = made.before.back().zeros;
  for (std::size_t i = 0; i < ones.size(); ++i) points[made.zeros + i] = ones[i];
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
