// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>
#include <stagecut/makespan/detail/point_rows.hpp>
#include <stagecut/makespan/detail/point_times.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The minimum of a row over the cuts of a domain, and over those with a given position of a point: from one sweep from
/// the first point on and one from the last, each choosing the best previous or next position. Eight rows at once;
/// O(positions of all points) per eight.
class row_bounds {
 public:
  static constexpr std::size_t lanes = point_rows::lanes;

  explicit row_bounds(const point_times& times) : times_(times), first_(times.stages() + 1) {}

  /// Starts with domains that contain some cut.
  void begin(const point_domains& domains) {
    domains_ = domains;
    std::size_t places = 0;
    for (std::size_t j = 1; j < times_.stages(); ++j) {
      first_[j] = places;
      places += domains.high[j] - domains.low[j] + 1;
    }
    first_[times_.stages()] = places;
    if (ahead_.size() < places * lanes) {
      for (auto* each : {&ahead_, &behind_, &weights_}) each->resize(places * lanes);
    }
    if (most_.size() < places) most_.resize(places), below_.resize(places), above_.resize(places);
    for (std::size_t i = 0; i < places; ++i) most_[i] = below_[i] = above_[i] = -engine::no_ticks;
  }

  /// The minimum of each row of a group: `least[lane]`.
  void sweep(const point_rows& rows, std::size_t g, double* least) {
    weigh(rows, g);
    sweep_ahead(rows.group(g, 0));
    const std::size_t last = times_.stages() - 1;
    for (std::size_t l = 0; l < lanes; ++l) least[l] = engine::no_ticks;
    for (std::size_t i = first_[last]; i < first_[last + 1]; ++i) lower(least, ahead_.data() + i * lanes);
  }

  /// After `sweep` of the same group: records the cost of positions.
  ///
  /// @param limit  if given, rows only decide whether they exceed it: more than any cut takes, or nothing
  void mark(double limit = engine::no_ticks) {
    const auto told = [limit](double value) {
      return limit == engine::no_ticks ? value : value > limit ? engine::no_ticks : -engine::no_ticks;
    };
    sweep_behind();
    for (std::size_t j = 1; j < times_.stages(); ++j) {
      double run[lanes];
      for (double& each : run) each = engine::no_ticks;
      for (std::size_t i = first_[j]; i < first_[j + 1]; ++i) {
        double* const whole = ahead_.data() + i * lanes;
        const double* const rest = behind_.data() + i * lanes;
        double most = -engine::no_ticks;
        double below = -engine::no_ticks;
        for (std::size_t l = 0; l < lanes; ++l) {
          whole[l] += rest[l];
          most = std::max(most, whole[l]);
          run[l] = run[l] < whole[l] ? run[l] : whole[l];
          below = std::max(below, run[l]);
        }
        most = told(most);
        below = told(below);
        most_[i] = std::max(most_[i], most);
        below_[i] = std::max(below_[i], below);
      }
      for (double& each : run) each = engine::no_ticks;
      for (std::size_t i = first_[j + 1]; i-- > first_[j];) {
        const double* const whole = ahead_.data() + i * lanes;
        double above = -engine::no_ticks;
        for (std::size_t l = 0; l < lanes; ++l) {
          run[l] = run[l] < whole[l] ? run[l] : whole[l];
          above = std::max(above, run[l]);
        }
        above = told(above);
        above_[i] = std::max(above_[i], above);
      }
    }
  }

  /// A lower bound on any cut with point j at `place`; or there or before; or there or after: by the marked rows.
  /// @{
  [[nodiscard]] double at(std::size_t j, std::size_t place) const { return most_[index(j, place)]; }
  [[nodiscard]] double up_to(std::size_t j, std::size_t place) const { return below_[index(j, place)]; }
  [[nodiscard]] double from(std::size_t j, std::size_t place) const { return above_[index(j, place)]; }
  /// @}

  /// The minimum of one row given by its factors, and the cut that attains it.
  double least(const std::vector<double>& factors, const point_domains& domains, std::vector<std::size_t>& points) {
    const std::size_t stages = times_.stages();
    const std::size_t width = times_.width();
    points.resize(stages + 1);
    points[0] = 0;
    points[stages] = times_.items();
    if (stages == 1) return factors[0];
    const std::size_t row = times_.items() + 1;
    if (choice_.size() < stages * row) choice_.resize(stages * row);
    now_.resize(row);
    then_.resize(row);
    for (std::size_t j = 1; j < stages; ++j) {
      const double* const here = factors.data() + 1 + (j - 1) * width;
      double best = j == 1 ? factors[0] : engine::no_ticks;
      std::uint32_t place = 0;
      std::size_t next = j == 1 ? 0 : domains.low[j - 1];
      for (std::size_t c = domains.low[j]; c <= domains.high[j]; ++c) {
        for (; j > 1 && next < c && next <= domains.high[j - 1]; ++next) {
          if (then_[next] < best) best = then_[next], place = static_cast<std::uint32_t>(next);
        }
        double sum = 0;
        for (std::size_t f = 0; f < width; ++f) sum += here[f] * times_.at(j, f)[c];
        now_[c] = best + sum;
        choice_[j * row + c] = place;
      }
      now_.swap(then_);
    }
    const std::size_t last = stages - 1;
    std::size_t place = domains.low[last];
    for (std::size_t c = place; c <= domains.high[last]; ++c) place = then_[c] < then_[place] ? c : place;
    const double result = then_[place];
    for (std::size_t j = last; j > 0; --j) {
      points[j] = place;
      place = choice_[j * row + place];
    }
    return result;
  }

 private:
  [[nodiscard]] std::size_t index(std::size_t j, std::size_t place) const {
    return first_[j] + place - domains_.low[j];
  }

  static void lower(double* best, const double* other) {
    for (std::size_t l = 0; l < lanes; ++l) best[l] = best[l] < other[l] ? best[l] : other[l];
  }

  /// Computes the contribution of every position to the rows of a group.
  void weigh(const point_rows& rows, std::size_t g) {
    const std::size_t width = times_.width();
    for (std::size_t j = 1; j < times_.stages(); ++j) {
      double* to = weights_.data() + first_[j] * lanes;
      const double* const first = rows.group(g, 1 + (j - 1) * width);
      for (std::size_t c = domains_.low[j]; c <= domains_.high[j]; ++c, to += lanes) {
        const double time = times_.at(j, 0)[c];
        for (std::size_t l = 0; l < lanes; ++l) to[l] = first[l] * time;
        for (std::size_t f = 1; f < width; ++f) {
          const double more = times_.at(j, f)[c];
          const double* const factors = first + f * lanes;
          for (std::size_t l = 0; l < lanes; ++l) to[l] += factors[l] * more;
        }
      }
    }
  }

  /// The minimum up to every position, including its own contribution.
  void sweep_ahead(const double* constants) {
    for (std::size_t j = 1; j < times_.stages(); ++j) {
      double best[lanes];
      for (std::size_t l = 0; l < lanes; ++l) best[l] = j == 1 ? constants[l] : engine::no_ticks;
      std::size_t next = j == 1 ? 0 : domains_.low[j - 1];
      std::size_t i = first_[j];
      for (std::size_t c = domains_.low[j]; c <= domains_.high[j]; ++c, ++i) {
        for (; j > 1 && next < c && next <= domains_.high[j - 1]; ++next) {
          lower(best, ahead_.data() + index(j - 1, next) * lanes);
        }
        double* const to = ahead_.data() + i * lanes;
        const double* const weight = weights_.data() + i * lanes;
        for (std::size_t l = 0; l < lanes; ++l) to[l] = best[l] + weight[l];
      }
    }
  }

  /// The minimum after every position, without its own contribution.
  void sweep_behind() {
    const std::size_t last = times_.stages() - 1;
    for (std::size_t i = first_[last] * lanes; i < first_[last + 1] * lanes; ++i) behind_[i] = 0;
    for (std::size_t j = last; j-- > 1;) {
      double best[lanes];
      for (double& each : best) each = engine::no_ticks;
      std::size_t next = domains_.high[j + 1] + std::size_t{1};
      std::size_t i = first_[j + 1];
      for (std::size_t c = domains_.high[j]; c + 1 > domains_.low[j]; --c) {
        for (; next > c + 1 && next > domains_.low[j + 1]; --next) {
          const std::size_t from = index(j + 1, next - 1) * lanes;
          double sum[lanes];
          for (std::size_t l = 0; l < lanes; ++l) sum[l] = behind_[from + l] + weights_[from + l];
          lower(best, sum);
        }
        double* const to = behind_.data() + --i * lanes;
        for (std::size_t l = 0; l < lanes; ++l) to[l] = best[l];
      }
    }
  }

  const point_times& times_;
  point_domains domains_{0, 0};     // as at `begin`: the caller's shrink while positions are queried
  std::vector<std::size_t> first_;  // index of the first position of every point
  std::vector<double> weights_{};   // [position * lanes + lane], as the next two
  std::vector<double> ahead_{};
  std::vector<double> behind_{};
  std::vector<double> most_{};  // per position
  std::vector<double> below_{};
  std::vector<double> above_{};
  std::vector<std::uint32_t> choice_{};
  std::vector<double> now_{};
  std::vector<double> then_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
