// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/label_program.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A way to run everything after a point, and its first stage.
struct replica_label : stage_label {
  std::uint32_t last = 0;      // where its first stage ends
  std::uint32_t from = 0;      // the label there
  std::uint32_t replicas = 0;  // of its first stage
  std::uint32_t ways = 0;      // of its first stage
};

/// Compares labels with the same possibilities: with rising load, devices fall.
struct replica_order {
  static constexpr bool two_figures = true;
  static constexpr std::size_t slack = 64;
  std::uint32_t period = 1;    // of the positions of devices
  bool all_devices = false;    // whether all must be used
  bool counts_stages = false;  // whether their number is prescribed

  [[nodiscard]] std::uint32_t position(const replica_label& each) const noexcept { return each.devices % period; }

  [[nodiscard]] bool before(const replica_label& a, const replica_label& b) const noexcept {
    if (position(a) != position(b)) return position(a) < position(b);
    if (all_devices && a.devices != b.devices) return a.devices < b.devices;
    if (counts_stages && a.stages != b.stages) return a.stages < b.stages;
    return a.load != b.load ? a.load < b.load : a.devices < b.devices;
  }
  [[nodiscard]] bool alike(const replica_label& a, const replica_label& b) const noexcept {
    return (all_devices ? a.devices == b.devices : position(a) == position(b)) &&
           (!counts_stages || a.stages == b.stages);
  }
  [[nodiscard]] static bool dominates(const replica_label& a, const replica_label& b) noexcept {
    return a.devices <= b.devices;
  }
};

/// Decides whether there is a plan in which no stage takes longer than a threshold: computes, from the end of the
/// pipeline, the pairs of load and devices that each point can have after it.
class stage_time_search {
 public:
  enum class found : std::uint8_t { plan, none, stopped };

  stage_time_search(const any_stage_options& model, const hybrid_request& request)
      : model_(model),
        request_(request),
        rules_(request, model.period()),
        clock_(request.search),
        points_(model.size()),
        order_{static_cast<std::uint32_t>(model.period()), !request.at_most, request.stages.has_value()},
        labels_(points_ + 1) {
    work_.resize(points_ + 1);
    for (std::size_t p = 0; p <= points_; ++p) work_[p] = detail::least_work_of(model, p);
    needs_.resize(points_ + 1);
  }

  /// @param most    limit of the seconds of a stage
  /// @param memory  bytes of a device, in place of the request's
  [[nodiscard]] found run(double most, const std::optional<double>& memory) {
    most_ = most;
    rules_.set_memory(memory);
    stopped_ = clock_.look();
    if (stopped_) return found::stopped;
    ++searches_;
    for (std::size_t p = 0; p <= points_; ++p) needs_[p] = devices_for(p);
    if (!labels_.run(order_, {}, [this](std::size_t last) { return extend(last); })) return found::stopped;
    for (const replica_label& label : labels_[0]) {
      if (!rules_.may_begin(0, label)) continue;
      read(label);
      return found::plan;
    }
    return found::none;
  }

  /// The last plan found, and its bottleneck.
  /// @{
  [[nodiscard]] const std::vector<hybrid_stage>& stages() const noexcept { return stages_; }
  [[nodiscard]] double cost() const noexcept { return cost_; }
  /// @}
  /// Microbatches that a stage of that plan holds.
  [[nodiscard]] const std::vector<std::size_t>& held() const noexcept { return held_; }
  /// A lower bound of all work, in device seconds.
  [[nodiscard]] double least_work() const noexcept { return work_[points_]; }
  [[nodiscard]] std::size_t searches() const noexcept { return searches_; }
  [[nodiscard]] engine::search_clock& clock() noexcept { return clock_; }
  /// Whether points are cut points of a chain.
  [[nodiscard]] bool of_chain() const { return model_.of_chain(); }

 private:
  static constexpr double less = 1 - 0x1p-40;  // work is rounded

  /// A lower bound of the devices that the layers before a point need.
  [[nodiscard]] std::size_t devices_for(std::size_t point) const noexcept {
    if (point == 0) return 0;
    if (!(work_[point] > 0)) return 1;
    const double exactly = work_[point] / most_ * less;
    if (!(exactly <= static_cast<double>(request_.devices))) return request_.devices + 1;
    const auto whole = static_cast<std::size_t>(exactly);
    return static_cast<double>(whole) < exactly || whole == 0 ? whole + 1 : whole;
  }

  /// Puts every stage that ends at a point before all labels there; false: a limit was reached.
  bool extend(std::size_t last) {
    const auto& behind = labels_[last];
    for (std::size_t begin = 0; begin < behind.size() && !stopped_;) {
      std::size_t end = begin + 1;
      while (end < behind.size() && order_.position(behind[end]) == order_.position(behind[begin])) ++end;
      extend(last, begin, end);
      begin = end;
    }
    return !stopped_;
  }

  /// The same for labels at one position.
  void extend(std::size_t last, std::size_t begin, std::size_t end) {
    const auto& behind = labels_[last];
    std::uint32_t devices = behind[begin].devices;
    std::uint32_t least = behind[begin].load;
    std::uint32_t greatest = behind[begin].load;
    for (std::size_t i = begin; i < end; ++i) {
      devices = behind[i].devices < devices ? behind[i].devices : devices;
      least = behind[i].load < least ? behind[i].load : least;
      greatest = behind[i].load > greatest ? behind[i].load : greatest;
    }
    if (devices >= request_.devices) return;
    const std::size_t left = request_.devices - devices;
    stage_query query;
    query.last = last;
    query.device = rules_.device_before(devices);
    query.most_time = most_;
    query.memory = rules_.memory();
    query.smallest_memory = true;
    query.least_held = rules_.in_flight(1, least);
    query.most_held = rules_.in_flight(1, greatest);
    query.take_turns = request_.in_flight_rule == in_flight_rule::replicas;
    const double taken = at_most(most_ * static_cast<double>(left));
    const double least_before = work_[last] * less > taken ? work_[last] * less - taken : 0;
    const double most_before = at_most(most_ * static_cast<double>(left - 1) / less);
    const auto visit = [&](std::size_t first, const auto& options) {
      ++clock_.state.nodes;
      stopped_ = stopped_ || clock_.over();
      if (stopped_) return false;
      if (needs_[first] >= left) return true;
      query.first = first;
      // Even on all of them, a wider stage cannot do what a narrow one cannot.
      query.most_devices = needs_[first] <= 1 ? left : left - needs_[first];
      bool any = false;
      options.each_option(query, [&](const stage_option& option) {
        any = true;
        if (option.time <= most_) put(query, begin, end, option);
      });
      return any || query.most_devices < left;
    };
    detail::each_stage_between(model_, last, least_before, most_before, visit);
  }

  [[nodiscard]] static double at_most(double x) noexcept {
    constexpr double greatest = std::numeric_limits<double>::max();
    return x < greatest ? x : greatest;
  }

  /// Puts a stage before all labels that it fits.
  void put(const stage_query& query, std::size_t begin, std::size_t end, const stage_option& option) {
    const std::size_t taken = option.devices();
    const std::size_t needed = needs_[query.first];
    if (taken == 0 || taken > request_.devices || option.replicas > request_.devices) return;
    const bool by_replicas = request_.in_flight_rule == in_flight_rule::replicas;
    clock_.work(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const replica_label& tail = labels_[query.last][i];
      if (tail.devices + taken + needed > request_.devices) continue;
      if (by_replicas && tail.load + option.replicas > request_.microbatches) continue;
      if (request_.stages && tail.stages + (query.first > 0 ? 2U : 1U) > *request_.stages) continue;
      if (!rules_.fits(option, tail.load)) continue;
      replica_label made;
      made.load = tail.load + static_cast<std::uint32_t>(by_replicas ? option.replicas : 1);
      made.devices = tail.devices + static_cast<std::uint32_t>(taken);
      made.stages = tail.stages + 1;
      made.last = static_cast<std::uint32_t>(query.last);
      made.from = static_cast<std::uint32_t>(i);
      made.replicas = static_cast<std::uint32_t>(option.replicas);
      made.ways = static_cast<std::uint32_t>(option.tensor_parallel);
      labels_.add(query.first, made);
    }
  }

  /// Records the plan that begins with a label of point 0.
  void read(const replica_label& whole) {
    stages_.clear();
    held_.clear();
    cost_ = 0;
    labels_.each_stage(whole, [this](std::size_t first, const replica_label& label, const replica_label& behind) {
      hybrid_stage stage;
      stage.first = first;
      stage.last = label.last;
      stage.first_device = request_.devices - label.devices;
      held_.push_back(rules_.in_flight(label.replicas, behind.load));
      stage.option = fastest(stage, label, rules_.device_before(behind.devices));
      cost_ = stage.option.time > cost_ ? stage.option.time : cost_;
      stages_.push_back(stage);
    });
  }

  /// The fastest option of a stage on its devices, with the number of microbatches in flight recorded last; ties: the
  /// first.
  [[nodiscard]] stage_option fastest(const hybrid_stage& stage, const replica_label& of, std::size_t device) const {
    stage_query query;
    query.first = stage.first;
    query.last = stage.last;
    query.device = device;
    query.most_time = most_;
    query.memory = rules_.memory();
    query.most_devices = std::size_t{of.replicas} * of.ways;
    query.least_held = query.most_held = held_.back();
    std::optional<stage_option> best;
    model_.each_option(query, [&](const stage_option& option) {
      if (option.replicas != of.replicas || option.tensor_parallel != of.ways) return;
      if (!hybrid_rules::fits_with(option, held_.back(), query.memory) || (best && option.time >= best->time)) return;
      best = option;
    });
    return best.value_or(stage_option{.replicas = of.replicas, .tensor_parallel = of.ways, .time = most_});
  }

  const any_stage_options& model_;
  const hybrid_request& request_;
  hybrid_rules rules_;
  engine::search_clock clock_;
  std::size_t points_;
  replica_order order_;
  engine::label_program<replica_label, replica_order> labels_;
  std::vector<double> work_{};
  std::vector<std::size_t> needs_{};
  double most_ = 0;
  bool stopped_ = false;
  std::size_t searches_ = 0;
  std::vector<hybrid_stage> stages_{};
  std::vector<std::size_t> held_{};
  double cost_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
