// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/engine/label_program.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/detail/known_options.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The terms of the length of a pipeline: see `latency_options`.
struct length_terms {
  bool messages = false;
  bool all_reduce = false;

  /// The contribution of an option to the sum.
  [[nodiscard]] double summed(const stage_option& option) const noexcept {
    return messages ? option.time + 2 * option.message : option.time;
  }
  /// The contribution of an option to the maximum.
  [[nodiscard]] double largest(const stage_option& option) const noexcept {
    return messages && option.time < 2 * option.message ? 2 * option.message : option.time;
  }
  /// The exposed gradient exchange of a stage and those after it, given the part of the latter; unless the stage is the
  /// first one, each stage before hides `hidden` of it.
  [[nodiscard]] static double exposed(const stage_option& option, double behind, bool is_first,
                                      double hidden) noexcept {
    const double here = behind < option.all_reduce ? option.all_reduce : behind;
    if (is_first) return here;
    return here > hidden ? here - hidden : 0;
  }
};

/// The length of a pipeline after a point.
struct latency_label : stage_label {
  double sum = 0;         ///< of the stage times
  double exposed = 0;     ///< gradient exchange, less what one stage before hides; in full at the input
  bool is_below = false;  ///< whether all of them take less than the threshold, where that matters
};

/// The dominance order of such labels: one dominates if it is nowhere greater, with the same number of devices modulo a
/// period.
///
/// This holds whatever stages come before: they fit before the better label too, and their computed sum is no greater,
/// since `a <= b` implies `t + a <= t + b` in doubles too. So the remaining labels contain a smallest sum.
struct length_order {
  static constexpr bool two_figures = false;
  static constexpr std::size_t slack = 512;
  std::uint32_t period = 0;  // 0: only labels with the same number of devices are compared

  [[nodiscard]] bool before(const latency_label& a, const latency_label& b) const noexcept {
    if (key(a) != key(b)) return key(a) < key(b);
    if (a.stages != b.stages) return a.stages < b.stages;
    if (a.sum != b.sum) return a.sum < b.sum;
    if (a.devices != b.devices) return a.devices < b.devices;
    if (a.load != b.load) return a.load < b.load;
    if (a.exposed != b.exposed) return a.exposed < b.exposed;
    return a.is_below < b.is_below;
  }
  [[nodiscard]] bool alike(const latency_label& a, const latency_label& b) const noexcept {
    return key(a) == key(b) && a.stages == b.stages;
  }
  [[nodiscard]] static bool dominates(const latency_label& a, const latency_label& b) noexcept {
    return a.load <= b.load && a.devices <= b.devices && a.exposed <= b.exposed && a.is_below <= b.is_below;
  }

 private:
  [[nodiscard]] std::uint32_t key(const latency_label& x) const noexcept {
    return period == 0 ? x.devices : x.devices % period;
  }
};

/// The smallest sum of cuts in which no stage takes longer than a threshold, and the cuts that attain it: a dynamic
/// program over (point, devices, memory load), from the output to the input.
class latency_program {
 public:
  using label_type = latency_label;

  /// @param most_options  options that are kept, so that the model is queried once
  latency_program(const any_stage_options& model, const hybrid_rules& rules, length_terms terms,
                  engine::search_clock& clock, std::size_t most_options = known_options::few)
      : model_(model),
        rules_(rules),
        terms_(terms),
        clock_(clock),
        options_(model, rules.memory(), most_options),
        labels_(model.size() + 1) {}

  /// Finds the labels of the whole model for a threshold.
  /// @param less_than      drops labels that cost at least this, whatever comes before
  /// @param least_largest  lower bound of what the largest stage adds to the cost
  /// @return               false: a limit was reached
  bool run(double threshold, std::optional<double> less_than, double least_largest) {
    threshold_ = threshold;
    greatest_ = 0;
    least_refused_ = std::numeric_limits<double>::max();
    latency_label none;
    none.is_below = terms_.all_reduce;
    return labels_.run(length_order{rules_.label_period()}, none, [&](std::size_t last) {
      options_.each(
          last, devices_before(last), threshold, [this](const stage_option& option) { return is_possible(option); },
          [&](std::size_t first, std::size_t device, const stage_option& option) {
            return extend(first, last, device, option, less_than, least_largest);
          });
      return !clock_.look();
    });
  }

  /// Labels of the whole model.
  [[nodiscard]] const auto& found() const noexcept { return labels_[0]; }

  /// No visited stage within the threshold takes longer.
  [[nodiscard]] double greatest() const noexcept { return greatest_; }

  /// If memory prevents a cut: a lower bound of the memory that a cut needs.
  [[nodiscard]] double least_refused() const noexcept { return least_refused_; }

  /// The largest option within a threshold; the threshold if unknown.
  [[nodiscard]] double largest_within(double threshold) const {
    return options_.largest(threshold, [this](const stage_option& option) { return terms_.largest(option); });
  }

  /// Of the cuts of a label of the whole model returns the one that, compared stage by stage from the input, has the
  /// stage that ends first, then fewer replicas, then the smaller tensor-parallel degree, then the smaller `choice`.
  [[nodiscard]] std::vector<hybrid_stage> cut_of(const latency_label& whole) {
    std::vector<hybrid_stage> stages;
    std::uint32_t devices = whole.devices;
    std::uint32_t count = whole.stages;
    for (std::size_t point = 0; point < model_.size();) {
      std::optional<hybrid_stage> next;
      for (std::size_t last = point + 1; last <= model_.size() && !next; ++last) {
        if (labels_[last].empty()) continue;
        options_.of_stage(point, last, devices_before(last), threshold_,
                          [&](std::size_t device, const stage_option& option) {
                            consider({point, last, 0, option}, device, devices, count, whole, stages, next);
                          });
      }
      if (!next) break;  // cannot happen
      const auto taken = static_cast<std::uint32_t>(next->option.devices());
      next->first_device = rules_.devices() - devices;
      devices -= taken;
      if (count > 0) --count;
      stages.push_back(*next);
      point = next->last;
    }
    return stages;
  }

 private:
  static constexpr double rounded = 1 - 0x1p-30;  // more than the rounding of a sum of a million stages
  static constexpr std::size_t asked = 8;         // choices that take as long as querying the model for an option

  [[nodiscard]] std::vector<std::size_t> devices_before(std::size_t last) const {
    std::vector<std::size_t> found;
    for (const latency_label& label : labels_[last]) {
      if (label.devices >= rules_.devices()) continue;
      const std::size_t device = rules_.device_before(label.devices);
      bool is_new = true;
      for (const std::size_t each : found) is_new = is_new && each != device;
      if (is_new) found.push_back(device);
    }
    return found;
  }

  /// Whether an option is useful with some stages after it.
  [[nodiscard]] bool is_possible(const stage_option& option) {
    clock_.work(asked);
    return hybrid_rules::takes_at_most(option, rules_.devices()) && rules_.fits(option, 0);
  }

  /// Puts a stage before every label at its end; false: neither it nor a wider one is useful.
  bool extend(std::size_t first, std::size_t last, std::size_t device, const stage_option& option,
              std::optional<double> less_than, double least_largest) {
    if (clock_.over() || option.time > threshold_) return false;
    if (!hybrid_rules::takes_at_most(option, rules_.devices())) return false;
    const auto taken = static_cast<std::uint32_t>(option.devices());
    const double largest = terms_.largest(option);
    const double work = detail::least_work_of(model_, first);
    bool is_useful = false;
    clock_.work(labels_[last].size());
    for (const latency_label& label : labels_[last]) {
      if (label.devices > rules_.devices() - taken || rules_.device_before(label.devices) != device) continue;
      if (!rules_.fits(option, label.load)) {
        const double bytes = rules_.bytes(option, label.load);
        least_refused_ = std::min(least_refused_, bytes);
        continue;
      }
      is_useful = true;
      if (largest > threshold_) break;
      greatest_ = std::max(greatest_, largest);
      const latency_label next = before(label, first, option);
      if (!rules_.may_begin(first, next)) continue;
      // A lower bound of the part before, on the devices that are left.
      const double rest = first == 0 ? 0 : work / static_cast<double>(rules_.devices() - next.devices);
      if (rest * rounded > threshold_) continue;
      if (less_than && (next.sum + rest + least_largest) * rounded >= *less_than) continue;
      labels_.add(first, next);
    }
    return is_useful;
  }

  /// The label with one more stage, which begins at `first`.
  [[nodiscard]] latency_label before(const latency_label& label, std::size_t first, const stage_option& option) const {
    latency_label next{rules_.before(label, option)};
    next.sum = terms_.summed(option) + label.sum;
    if (!(next.sum <= std::numeric_limits<double>::max())) {
      fail(invalid_input("stages", "their times sum to more than a double holds"));
    }
    if (!terms_.all_reduce) return next;
    next.exposed = length_terms::exposed(option, label.exposed, first == 0, threshold_);
    next.is_below = label.is_below && terms_.largest(option) < threshold_;
    return next;
  }

  /// Checks whether a stage can be the next one of the cut of a label, given those before it; keeps the first by the
  /// tie rule.
  void consider(const hybrid_stage& stage, std::size_t device, std::uint32_t devices, std::uint32_t count,
                const latency_label& whole, const std::vector<hybrid_stage>& ahead, std::optional<hybrid_stage>& next) {
    const stage_option& option = stage.option;
    if (terms_.largest(option) > threshold_ || !hybrid_rules::takes_at_most(option, devices)) return;
    if (next && !is_before(option, next->option)) return;
    const auto behind = devices - static_cast<std::uint32_t>(option.devices());
    for (const latency_label& label : labels_[stage.last]) {
      if (label.devices != behind || label.stages + (count > 0 ? 1 : 0) != count) continue;
      if (rules_.device_before(label.devices) != device || !rules_.fits(option, label.load)) continue;
      if (!completes(label, stage, ahead, whole)) continue;
      next = stage;
      return;
    }
  }

  /// Whether stages before those of a label fit, and give a cut no worse than a label of the whole model.
  [[nodiscard]] bool completes(latency_label label, const hybrid_stage& stage, const std::vector<hybrid_stage>& ahead,
                               const latency_label& whole) const {
    for (std::size_t i = ahead.size() + 1; i-- > 0;) {
      const hybrid_stage& each = i == ahead.size() ? stage : ahead[i];
      if (!rules_.fits(each.option, label.load)) return false;
      label = before(label, each.first, each.option);
    }
    return label.sum <= whole.sum && label.exposed <= whole.exposed && label.is_below <= whole.is_below;
  }

  [[nodiscard]] static bool is_before(const stage_option& a, const stage_option& b) noexcept {
    if (a.replicas != b.replicas) return a.replicas < b.replicas;
    if (a.tensor_parallel != b.tensor_parallel) return a.tensor_parallel < b.tensor_parallel;
    return a.choice < b.choice;
  }

  const any_stage_options& model_;
  const hybrid_rules& rules_;
  length_terms terms_;
  engine::search_clock& clock_;
  known_options options_;
  engine::label_program<latency_label, length_order> labels_;
  double threshold_ = 0;
  double greatest_ = 0;
  double least_refused_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
