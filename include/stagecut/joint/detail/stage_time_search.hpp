// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/detail/known_options.hpp>
#include <stagecut/joint/detail/replica_labels.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether an option fits with so many microbatches in flight.
[[nodiscard]] inline bool fits_with(const stage_option& option, std::size_t held,
                                    const std::optional<double>& memory) noexcept {
  return !memory || option.activations * static_cast<double>(held) + option.resident <= *memory;
}

/// Decides whether there is a plan of which no stage takes longer than a threshold: from the end of the pipeline, which
/// pairs of load and devices each point can have behind it.
class stage_time_search {
 public:
  enum class found : std::uint8_t { plan, none, stopped };

  stage_time_search(const any_stage_options& model, const hybrid_request& request)
      : model_(model), request_(request), clock_(request.limits), points_(model.size()), labels_(points_ + 1) {
    rule_.period = static_cast<std::uint32_t>(detail::period_of(model));
    rule_.all_devices = !request.at_most;
    rule_.counts_stages = request.stages.has_value();
    work_.resize(points_ + 1);
    for (std::size_t p = 0; p <= points_; ++p) work_[p] = detail::least_work_of(model, p);
    needs_.resize(points_ + 1);
  }

  /// @param most    seconds of a stage, at most
  /// @param memory  bytes of a device, in place of those of the request
  [[nodiscard]] found run(double most, const std::optional<double>& memory) {
    most_ = most;
    memory_ = memory;
    stopped_ = clock_.look();
    if (stopped_) return found::stopped;
    ++searches_;
    for (std::size_t p = 0; p <= points_; ++p) {
      labels_[p].clear();
      needs_[p] = devices_for(p);
    }
    labels_[points_].add({}, rule_);
    for (std::size_t last = points_; last > 0 && !stopped_; --last) extend(last);
    if (stopped_) return found::stopped;
    labels_[0].settle(rule_);
    for (std::size_t i = 0; i < labels_[0].size(); ++i) {
      if (!is_whole(labels_[0][i])) continue;
      read(labels_[0][i]);
      return found::plan;
    }
    return found::none;
  }

  /// The plan found last, and the time of its slowest stage.
  /// @{
  [[nodiscard]] const std::vector<hybrid_stage>& stages() const noexcept { return stages_; }
  [[nodiscard]] double cost() const noexcept { return cost_; }
  /// @}
  /// Microbatches that a stage of that plan holds.
  [[nodiscard]] const std::vector<std::size_t>& held() const noexcept { return held_; }
  /// What all takes at least, in seconds of a device.
  [[nodiscard]] double least_work() const noexcept { return work_[points_]; }
  [[nodiscard]] std::size_t searches() const noexcept { return searches_; }
  [[nodiscard]] engine::search_clock& clock() noexcept { return clock_; }
  /// Whether points are cut points of a chain.
  [[nodiscard]] bool of_chain() const { return model_.of_chain(); }

 private:
  static constexpr double less = 1 - 0x1p-40;  // work is rounded

  /// How many devices the layers before a point need at least.
  [[nodiscard]] std::size_t devices_for(std::size_t point) const noexcept {
    if (point == 0) return 0;
    if (!(work_[point] > 0)) return 1;
    const double exactly = work_[point] / most_ * less;
    if (!(exactly <= static_cast<double>(request_.devices))) return request_.devices + 1;
    const auto whole = static_cast<std::size_t>(exactly);
    return static_cast<double>(whole) < exactly || whole == 0 ? whole + 1 : whole;
  }

  [[nodiscard]] std::size_t held_by(const replica_label& behind, std::size_t replicas) const noexcept {
    if (request_.in_flight == in_flight_rule::replicas) return 1 + (behind.load + replicas - 1) / replicas;
    return behind.load + std::size_t{1} < request_.microbatches ? behind.load + std::size_t{1} : request_.microbatches;
  }
  [[nodiscard]] bool is_whole(const replica_label& each) const noexcept {
    return (request_.at_most || each.devices == request_.devices) &&
           (!request_.stages || each.stages == *request_.stages);
  }

  /// Puts every stage that ends at a point before all that there is behind it.
  void extend(std::size_t last) {
    replica_labels& behind = labels_[last];
    behind.settle(rule_);
    for (std::size_t begin = 0; begin < behind.size() && !stopped_;) {
      std::size_t end = begin + 1;
      while (end < behind.size() && rule_.position(behind[end]) == rule_.position(behind[begin])) ++end;
      extend(last, begin, end);
      begin = end;
    }
  }

  /// The same behind labels of one position.
  void extend(std::size_t last, std::size_t begin, std::size_t end) {
    const replica_labels& behind = labels_[last];
    std::size_t devices = behind[begin].devices;
    replica_label least = behind[begin];
    replica_label greatest = behind[begin];
    for (std::size_t i = begin; i < end; ++i) {
      devices = behind[i].devices < devices ? behind[i].devices : devices;
      least.load = behind[i].load < least.load ? behind[i].load : least.load;
      greatest.load = behind[i].load > greatest.load ? behind[i].load : greatest.load;
    }
    if (devices >= request_.devices) return;
    const std::size_t left = request_.devices - devices;
    stage_query query;
    query.last = last;
    query.device = (left - 1) % rule_.period + 1;
    query.most_time = most_;
    query.memory = memory_;
    query.roomiest = true;
    query.least_held = held_by(least, 1);
    query.most_held = held_by(greatest, 1);
    query.take_turns = request_.in_flight == in_flight_rule::replicas;
    const double taken = at_most(most_ * static_cast<double>(left));
    const double least_before = work_[last] * less > taken ? work_[last] * less - taken : 0;
    const double most_before = at_most(most_ * static_cast<double>(left - 1) / less);
    const auto visit = [&](std::size_t first, const auto& options) {
      ++clock_.state.nodes;
      stopped_ = stopped_ || clock_.over();
      if (stopped_) return false;
      if (needs_[first] >= left) return true;
      query.first = first;
      // With all of them, what a narrow stage cannot do no wider one can.
      query.most_devices = needs_[first] <= 1 ? left : left - needs_[first];
      bool any = false;
      options.each_option(query, [&](const stage_option& option) {
        any = true;
        if (option.time <= most_) put(query, behind, begin, end, option);
      });
      return any || query.most_devices < left;
    };
    detail::each_stage_between(model_, last, least_before, most_before, visit);
  }

  [[nodiscard]] static double at_most(double x) noexcept {
    constexpr double greatest = std::numeric_limits<double>::max();
    return x < greatest ? x : greatest;
  }

  /// Puts a stage before all that it fits before.
  void put(const stage_query& query, const replica_labels& behind, std::size_t begin, std::size_t end,
           const stage_option& option) {
    const std::size_t taken = option.devices();
    const std::size_t needed = needs_[query.first];
    if (taken == 0 || taken > request_.devices || option.replicas > request_.devices) return;
    const bool by_replicas = request_.in_flight == in_flight_rule::replicas;
    clock_.work(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const replica_label& tail = behind[i];
      if (tail.devices + taken + needed > request_.devices) continue;
      if (by_replicas && tail.load + option.replicas > request_.microbatches) continue;
      if (request_.stages && tail.stages + (query.first > 0 ? 2U : 1U) > *request_.stages) continue;
      if (!detail::fits_with(option, held_by(tail, option.replicas), memory_)) continue;
      replica_label made;
      made.load = tail.load + static_cast<std::uint32_t>(by_replicas ? option.replicas : 1);
      made.devices = tail.devices + static_cast<std::uint32_t>(taken);
      made.stages = tail.stages + 1;
      made.last = static_cast<std::uint32_t>(query.last);
      made.from = static_cast<std::uint32_t>(i);
      made.replicas = static_cast<std::uint32_t>(option.replicas);
      made.ways = static_cast<std::uint32_t>(option.ways);
      labels_[query.first].add(made, rule_);
    }
  }

  /// Takes down the plan that begins with a label of point 0.
  void read(const replica_label& whole) {
    stages_.clear();
    held_.clear();
    cost_ = 0;
    std::size_t first = 0;
    for (const replica_label* at = &whole; first < points_; at = &labels_[at->last][at->from]) {
      hybrid_stage stage;
      stage.first = first;
      stage.last = at->last;
      stage.first_device = request_.devices - at->devices;
      held_.push_back(held_by(labels_[at->last][at->from], at->replicas));
      stage.option = fastest(stage, *at, held_.back());
      cost_ = stage.option.time > cost_ ? stage.option.time : cost_;
      stages_.push_back(stage);
      first = at->last;
    }
  }

  /// The fastest way to run a stage on its devices with so many microbatches in flight; of equals the first.
  [[nodiscard]] stage_option fastest(const hybrid_stage& stage, const replica_label& of, std::size_t held) const {
    stage_query query;
    query.first = stage.first;
    query.last = stage.last;
    query.device = (request_.devices - labels_[stage.last][of.from].devices - 1) % rule_.period + 1;
    query.most_time = most_;
    query.memory = memory_;
    query.most_devices = std::size_t{of.replicas} * of.ways;
    query.least_held = query.most_held = held;
    std::optional<stage_option> best;
    model_.each_option(query, [&](const stage_option& option) {
      if (option.replicas != of.replicas || option.ways != of.ways) return;
      if (!detail::fits_with(option, held, memory_) || (best && option.time >= best->time)) return;
      best = option;
    });
    return best.value_or(stage_option{.replicas = of.replicas, .ways = of.ways, .time = most_});
  }

  const any_stage_options& model_;
  const hybrid_request& request_;
  engine::search_clock clock_;
  std::size_t points_;
  label_rule rule_{};
  std::vector<replica_labels> labels_;
  std::vector<double> work_{};
  std::vector<std::size_t> needs_{};
  double most_ = 0;
  std::optional<double> memory_{};
  bool stopped_ = false;
  std::size_t searches_ = 0;
  std::vector<hybrid_stage> stages_{};
  std::vector<std::size_t> held_{};
  double cost_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
