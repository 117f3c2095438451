// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/baselines/dapple_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/baselines/detail/check_placed.hpp>
#include <stagecut/joint/baselines/detail/machine_states.hpp>
#include <stagecut/joint/baselines/equal_machines.hpp>
#include <stagecut/joint/baselines/placed_layers.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Devices of a stage on all machines.
[[nodiscard]] inline std::size_t devices_in(const std::vector<std::size_t>& of_machine) {
  std::size_t all = 0;
  for (const std::size_t each : of_machine) all += each;
  return all;
}

/// A stage of DAPPLE's planner.
struct dapple_stage {
  std::size_t first = 0, last = 0;     // points
  std::vector<std::size_t> devices{};  // on every machine
};

struct dapple_candidate {
  std::vector<dapple_stage> stages{};
  std::size_t pipelines = 1;
  double speedup = 0;
};

/// The search of DAPPLE's planner: see `dapple_plan`.
class dapple_search {
 public:
  dapple_search(const placed_layers& batch, const equal_machines& machines, std::size_t batch_size,
                std::size_t microbatch_size)
      : batch_(batch),
        machines_(machines),
        all_(machines.count * machines.devices),
        size_(batch.times.size() - 1),
        batch_size_(batch_size),
        microbatch_size_(microbatch_size) {}

  [[nodiscard]] dapple_candidate best() {
    dapple_candidate best;
    const auto take = [&best](std::optional<dapple_candidate> found) {
      if (found && !(found->speedup < best.speedup)) best = std::move(*found);
    };
    for (std::size_t parts = 2; parts <= all_; ++parts) take(plan_for(parts, false));
    if (all_ > 2 && all_ % 2 == 0) take(plan_for(2, true));
    if (all_ > 1) take(plan_for(all_, true));
    bipartition(take);
    return best;
  }

 private:
  using counts = std::vector<std::size_t>;
  struct cell {
    double largest = 0;
    std::size_t split = 0;  // the point where its last stage begins; 0: there is only one stage
    std::size_t split_parts = 0;
    counts taken{};    // including its last stage
    counts before{};   // by the earlier stages
    counts devices{};  // of its last stage
  };
  struct cells {
    std::vector<cell> of_taken{};  // in the order of `taken`, compared machine by machine
    std::optional<cell> best{};
  };
  struct placed {
    counts taken{}, devices{};
  };

  /// The distinct placements of `devices` devices of each pipeline, given those taken.
  [[nodiscard]] std::vector<placed> placements(const counts& taken, std::size_t devices, std::size_t pipelines) const {
    std::vector<placed> found{{taken, counts(machines_.count)}};
    for (std::size_t pipeline = 0; pipeline < pipelines; ++pipeline) {
      std::vector<placed> next;
      for (const placed& each : found) {
        for (const placement how : {placement::fresh, placement::append, placement::scatter}) {
          const auto more = placed_on(each.taken, how, devices);
          if (!more) continue;
          placed with = each;
          for (std::size_t i = 0; i < machines_.count; ++i) with.taken[i] += (*more)[i], with.devices[i] += (*more)[i];
          bool is_new = true;
          for (const placed& other : next) is_new = is_new && other.devices != with.devices;
          if (is_new) next.push_back(std::move(with));
        }
      }
      found = std::move(next);
    }
    return found;
  }

  /// Machines are taken in their order, and placement on partly used ones does not continue on unused ones.
  [[nodiscard]] std::optional<counts> placed_on(const counts& taken, placement how, std::size_t devices) const {
    if (how != placement::append) return placed_devices(machines_, {taken, {}}, how, devices);
    counts more(machines_.count);
    for (std::size_t i = 0; i < machines_.count && devices > 0; ++i) {
      const std::size_t free = taken[i] > 0 ? machines_.devices - taken[i] : 0;
      more[i] = free < devices ? free : devices;
      devices -= more[i];
    }
    if (devices > 0) return std::nullopt;
    return more;
  }

  template <class Visit>
  void each_begin(std::size_t last, const Visit& visit) const {
    if (batch_.begins.empty()) {
      for (std::size_t first = 1; first < last; ++first) visit(first);
    } else {
      for (const std::size_t first : batch_.begins[last]) {
        if (first > 0) visit(first);
      }
    }
  }

  [[nodiscard]] double work(std::size_t first, std::size_t last) const {
    return batch_.times[last] - batch_.times[first];
  }

  /// A plan with `parts` parts, each with one device per pipeline, that minimises the largest stage; `straight`: every
  /// stage has one part.
  [[nodiscard]] std::optional<dapple_candidate> plan_for(std::size_t parts, bool straight) const {
    const std::size_t pipelines = all_ / parts;
    std::vector<std::vector<cells>> table(size_ + 1, std::vector<cells>(parts + 1));
    for (std::size_t last = 1; last <= size_; ++last) {
      for (std::size_t used = 1; used <= (straight ? 1 : parts); ++used) {
        cell one;
        one.devices = *placed_on(counts(machines_.count), placement::fresh, used * pipelines);
        one.taken = one.devices;
        one.largest = work(0, last) / static_cast<double>(used) / static_cast<double>(pipelines);
        table[last][used].of_taken.push_back(one);
        table[last][used].best = std::move(one);
      }
    }
    const bool has_several = parts * pipelines == all_;
    for (std::size_t used = 2; has_several && used <= parts; ++used) {
      for (std::size_t last = 2; last <= size_; ++last) {
        each_begin(last, [&](std::size_t first) {
          for (std::size_t taken = 1; taken <= (straight ? 1 : used - 1); ++taken) {
            for (const cell& before : table[first][used - taken].of_taken) {
              for (const placed& each : placements(before.taken, taken, pipelines)) {
                improve(table[last][used], before, {first, last, each.devices}, each.taken, used - taken);
              }
            }
          }
        });
      }
    }
    if (!table[size_][parts].best) return std::nullopt;
    return scored(table, parts, pipelines);
  }

  void improve(cells& at, const cell& before, const dapple_stage& stage, const counts& taken, std::size_t parts) const {
    const double time = work(stage.first, stage.last) / static_cast<double>(devices_in(stage.devices));
    const double message = 2 * batch_.messages[stage.first] * message_rate(machines_, before.devices, stage.devices);
    cell made{before.largest, stage.first, parts, taken, before.taken, stage.devices};
    for (const double each : {time, message}) made.largest = std::max(made.largest, each);
    if (!at.best || made.largest < at.best->largest) at.best = made;
    std::size_t place = 0;
    while (place < at.of_taken.size() && at.of_taken[place].taken < taken) ++place;
    if (place == at.of_taken.size() || at.of_taken[place].taken != taken) {
      at.of_taken.insert(at.of_taken.begin() + static_cast<std::ptrdiff_t>(place), std::move(made));
    } else if (made.largest < at.of_taken[place].largest) {
      at.of_taken[place] = std::move(made);
    }
  }

  [[nodiscard]] dapple_candidate scored(const std::vector<std::vector<cells>>& table, std::size_t parts,
                                        std::size_t pipelines) const {
    dapple_candidate found;
    found.pipelines = pipelines;
    std::size_t last = size_;
    const cell* at = __builtin_addressof(*table[size_][parts].best);
    const double largest = at->largest;
    for (;;) {
      found.stages.insert(found.stages.begin(), {at->split, last, at->devices});
      if (at->split == 0) break;
      last = at->split;
      const cells& before = table[last][at->split_parts];
      std::size_t place = 0;
      while (before.of_taken[place].taken != at->before) ++place;
      at = __builtin_addressof(before.of_taken[place]);
    }
    found.speedup = speedup_of(found.stages, pipelines, largest);
    return found;
  }

  /// The score of a plan whose largest stage or message of a whole batch takes `largest`.
  [[nodiscard]] double speedup_of(const std::vector<dapple_stage>& stages, std::size_t pipelines,
                                  double largest) const {
    const std::size_t microbatches = batch_size_ / pipelines / microbatch_size_;
    if (microbatches == 0) return 0;
    const double share = static_cast<double>(pipelines) * static_cast<double>(microbatches);
    const double block = largest / static_cast<double>(microbatches);
    const double whole = work(0, size_);
    double length = block * static_cast<double>(microbatches - 1) + whole / share;
    for (std::size_t s = 0; s + 1 < stages.size(); ++s) {
      const double rate = message_rate(machines_, stages[s].devices, stages[s + 1].devices);
      length += batch_.messages[stages[s].last] / share * rate;
    }
    double exposed = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      const std::size_t last = stages[s].last < size_ ? stages[s].last + 1 : size_;
      const double bytes = batch_.parameters[last] - batch_.parameters[stages[s].first];
      const double left = bytes * all_reduce_rate(machines_, stages[s].devices) - static_cast<double>(s) * block;
      exposed = std::max(exposed, left);
    }
    return whole / (length + exposed);
  }

  /// Passes all plans of two stages, each on some of the devices, to `take`.
  template <class Take>
  void bipartition(const Take& take) const {
    for (std::size_t cut = 1; cut < size_; ++cut) {
      for (std::size_t devices = 1; devices < all_; ++devices) {
        for (const placed& ahead : placements(counts(machines_.count), devices, 1)) {
          for (const placed& behind : placements(ahead.taken, all_ - devices, 1)) {
            const double in_front = work(0, cut) / static_cast<double>(devices);
            const double at_back = work(cut, size_) / static_cast<double>(all_ - devices);
            double largest = in_front < at_back ? at_back : in_front;
            const double message = batch_.messages[cut] * message_rate(machines_, ahead.devices, behind.devices);
            largest = std::max(largest, message);
            dapple_candidate found{{{0, cut, ahead.devices}, {cut, size_, behind.devices}}, 1, 0};
            found.speedup = speedup_of(found.stages, 1, largest);
            take(std::move(found));
          }
        }
      }
    }
  }

  const placed_layers& batch_;
  equal_machines machines_;
  std::size_t all_;
  std::size_t size_;
  std::size_t batch_size_;
  std::size_t microbatch_size_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL dapple_answer dapple_plan_fn::operator()(const placed_layers& batch, const equal_machines& machines,
                                                       std::size_t batch_size, std::size_t microbatch_size) const {
  detail::check_placed("dapple_plan", batch, machines);
  const auto at_least_one = [](const char* argument, std::size_t value) {
    if (value == 0) detail::fail(argument_error("dapple_plan", argument, "0", "must be at least 1"));
  };
  at_least_one("batch_size", batch_size);
  at_least_one("microbatch_size", microbatch_size);
  detail::dapple_search search(batch, machines, batch_size, microbatch_size);
  const auto best = search.best();
  dapple_answer answer;
  answer.pipelines = best.pipelines;
  answer.speedup = best.speedup;
  for (const detail::dapple_stage& each : best.stages) {
    placed_stage stage;
    stage.first = each.first;
    stage.last = each.last;
    stage.of_machine = each.devices;
    stage.option.replicas = detail::devices_in(each.devices);
    answer.stages.push_back(std::move(stage));
  }
  return answer;
}

}  // namespace stagecut::inline STAGECUT_ABI
