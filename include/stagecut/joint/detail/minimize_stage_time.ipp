// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/minimize_stage_time.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/shared_effort.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/detail/stage_time_search.hpp>
#include <stagecut/joint/hybrid_request.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// The stage that needs the most bytes.
struct fullest_stage {
  std::size_t number = 0;
  double bytes = 0;

  explicit fullest_stage(const stage_time_search& search) {
    for (std::size_t s = 0; s < search.stages().size(); ++s) {
      const stage_option& option = search.stages()[s].option;
      const double here = hybrid_rules::held_bytes(option, search.held()[s]);
      if (s > 0 && here <= bytes) continue;
      number = s;
      bytes = here;
    }
  }

  [[nodiscard]] std::string place(const stage_time_search& search) const {
    const bool chain = search.of_chain();
    const hybrid_stage& stage = search.stages()[number];
    const std::size_t held = search.held()[number];
    return joined({"stage ",
                   number,
                   " of ",
                   search.stages().size(),
                   " of the plan that needs least, ",
                   chain ? "layers " : "from point ",
                   stage.first,
                   chain ? "-" : " to ",
                   chain ? stage.last - 1 : stage.last,
                   " on ",
                   stage.option.replicas,
                   " x ",
                   stage.option.tensor_parallel,
                   " devices, with ",
                   bytes_text(engine::whole_bytes(stage.option.resident)),
                   " that stay and ",
                   held,
                   held == 1 ? " microbatch" : " microbatches",
                   " in flight of ",
                   bytes_text(engine::whole_bytes(stage.option.activations)),
                   ","});
  }
};

/// Explains why there is no plan for any stage times: the fewest bytes per device for which there is one, and the
/// fullest stage of that plan; or that memory is not the obstacle. If a limit is reached first, bytes that would
/// suffice.
[[nodiscard]] inline reason explain_infeasible_stage_time(stage_time_search& search, const hybrid_request& request) {
  using found = stage_time_search::found;
  constexpr double any_time = std::numeric_limits<double>::max();
  reason why{reason::cause::constraint};
  why.place = joined({request.stages ? joined({*request.stages, " "}) : std::string(), "stages ",
                      request.at_most ? "on at most " : "on all ", request.devices, " devices are not possible"});
  if (!request.memory_limit.for_all()) return why;
  if (search.run(any_time, std::nullopt) != found::plan) return why;
  fullest_stage fullest(search);
  std::string place = fullest.place(search);
  std::size_t enough = engine::whole_bytes(fullest.bytes);
  std::size_t too_few = engine::floor_bytes(*request.memory_limit.for_all());
  bool least = true;
  bool halve = true;
  while (enough > too_few + 1 && least) {
    const std::size_t tried = halve ? too_few + (enough - too_few) / 2 : enough - 1;
    const found what = search.run(any_time, static_cast<double>(tried));
    least = what != found::stopped;
    if (what == found::none) too_few = tried;
    halve = what == found::none && !halve ? true : !halve;
    if (what != found::plan) continue;
    fullest = fullest_stage(search);
    place = fullest.place(search);
    enough = engine::whole_bytes(fullest.bytes) < tried ? engine::whole_bytes(fullest.bytes) : tried;
  }
  why.what = reason::cause::memory;
  why.available = engine::floor_bytes(*request.memory_limit.for_all());
  why.needed = least ? enough : too_few + 1;  // proved lower bound
  why.place = least ? std::move(place) : "the fullest stage";
  why.remedy = joined({enough, " bytes a device would do"});
  return why;
}

/// Lowers the threshold of `stage_time_search` from a found plan to the smallest one that has a plan.
struct least_stage_time {
  [[nodiscard]] outcome<hybrid_cut> operator()(const any_stage_options& model, const hybrid_request& request) const {
    using answer = outcome<hybrid_cut>;
    check_hybrid_request("minimize_stage_time", model.size(), model.period(), request);
    const std::size_t least_stages = request.stages.value_or(1);
    if (least_stages > model.size()) {
      return answer::infeasible({reason::cause::more_stages_than_layers, least_stages, model.size()});
    }
    const engine::shared_effort effort(request.search);
    hybrid_request counted = request;
    counted.search = effort.share(1);
    return search_for(model, counted, effort);
  }

 private:
  enum class found : std::uint8_t { plan, none, stopped, unknown };

  static outcome<hybrid_cut> search_for(const any_stage_options& model, const hybrid_request& request,
                                        const engine::shared_effort& effort) {
    using answer = outcome<hybrid_cut>;
    stage_time_search search(model, request);
    thresholds range;
    range.open = search.least_work() / static_cast<double>(request.devices) * (1 - 0x1p-40);
    hybrid_cut best;
    auto first = start(search, request, range, best);
    if (first == found::unknown) first = with_fewer_devices(model, request, effort, search.clock(), best);
    while (first == found::unknown) {
      range.effort *= 8;
      first = decide(search, request, std::numeric_limits<double>::max(), range, best);
    }
    if (first == found::none) return answer::infeasible(explain_infeasible_stage_time(search, request));
    if (first == found::stopped) return answer::unknown({reason::cause::limit_reached});
    const bool proved = lower(search, request, range, best);
    best.bound = proved ? best.value : range.open;
    best.statistics.searches = search.searches();
    return proved ? answer::optimal(std::move(best)) : answer::feasible(std::move(best));
  }

  /// Stages that a search visits before it gives up and another threshold is tried; eight times as many whenever all
  /// have been given up.
  static constexpr std::size_t first_effort = 4'000'000;

  /// The state of the thresholds.
  struct thresholds {
    double open = 0;  // the smallest one that may have a plan
    std::size_t effort = first_effort;
  };

  /// Whether there is a plan in which no stage takes longer than `most`; the best one is kept. Unknown: too much
  /// effort.
  static found decide(stage_time_search& search, const hybrid_request& request, double most, thresholds& range,
                      hybrid_cut& best) {
    search.clock().pause_after(range.effort);
    const auto what = search.run(most, request.memory_limit.for_all());
    search.clock().resume();
    if (what == stage_time_search::found::stopped) return search.clock().look() ? found::stopped : found::unknown;
    if (what == stage_time_search::found::none) {
      if (most < std::numeric_limits<double>::max()) range.open = next(most);
      return found::none;
    }
    best.stages = search.stages();
    best.value = search.cost();
    search.clock().state.value = best.value;
    search.clock().state.bound = range.open < best.value ? range.open : best.value;
    search.clock().tell();
    return found::plan;
  }

  /// Finds a plan with thresholds that rise from the time of the work alone; none if no plan exists for any threshold.
  /// Unknown: too much effort.
  static found start(stage_time_search& search, const hybrid_request& request, thresholds& range, hybrid_cut& best) {
    const double work = range.open;
    std::size_t unknown = 0;
    // Up to where one device has time for all; more stages keep to a larger threshold.
    for (double excess = 0x1p-6; work > 0 && excess < 2 * static_cast<double>(request.devices); excess *= 2) {
      const double most = work * (1 + excess);
      if (!is_finite(most)) break;
      const found what = decide(search, request, most, range, best);
      if (what == found::plan || what == found::stopped) return what;
      if (what == found::unknown && ++unknown > 1 && (request.search.time_limit || request.search.node_limit))
        return what;
    }
    return decide(search, request, std::numeric_limits<double>::max(), range, best);
  }

  /// If fewer devices may be used: the best plan on a few devices, on twice as many, and so on, with half of the
  /// remaining limits, as these are found sooner.
  /// @return  unknown if there is none
  static found with_fewer_devices(const any_stage_options& model, hybrid_request request,
                                  const engine::shared_effort& effort, engine::search_clock& clock, hybrid_cut& best) {
    if (!request.at_most || !effort.is_limited() || model.period() != 1) return found::unknown;
    const std::size_t all = request.devices;
    const engine::shared_effort half(effort.share(0.5));
    found result = found::unknown;
    for (request.devices = 2; request.devices < all && half.left() > 0 && !clock.look(); request.devices *= 2) {
      request.search = half.share(0.5);
      request.search.progress = {};
      auto few = least_stage_time()(model, request);
      if (few && (result != found::plan || few->value < best.value)) {
        for (hybrid_stage& stage : few->stages) stage.first_device += all - request.devices;
        best.stages = std::move(few->stages);
        best.value = few->value;
        result = found::plan;
      }
      if (few.state() == state::unknown || few.state() == state::feasible) break;
    }
    return clock.look() && result != found::plan ? found::stopped : result;
  }

  /// Lowers the threshold until there is no plan below the best one. Thresholds that take too much effort are skipped
  /// at first, as if they had no plan, so that better plans are found elsewhere.
  /// @return  whether that is proved
  static bool lower(stage_time_search& search, const hybrid_request& request, thresholds& range, hybrid_cut& best) {
    bool halve = true;
    double low = range.open;  // not searched below this with the same effort
    while (range.open < best.value) {
      low = low < range.open ? range.open : low;
      if (!(low < best.value * (1 - 0x1p-10)) && range.open < low) {
        range.effort *= 8;
        low = range.open;
      }
      const double most = halve ? between(low, best.value) : previous(best.value);
      const double before = best.value;
      const found what = decide(search, request, most, range, best);
      if (what == found::stopped) return false;
      if (what == found::unknown) low = next(most);
      if (!(best.value <= most) && what == found::plan)
        best.value = most < before ? most : before;  // an inconsistent model
      halve = !halve;
    }
    return true;
  }

  // For nonnegative numbers, including -0.0.
  [[nodiscard]] static double next(double x) noexcept { return from_ordered_bits<double>(ordered_bits(x + 0.0) + 1); }
  [[nodiscard]] static double previous(double x) noexcept {
    return from_ordered_bits<double>(ordered_bits(x + 0.0) - 1);
  }
  /// A number from `low` to below `high`: the middle, or, if they are far apart, half of the digits.
  [[nodiscard]] static double between(double low, double high) noexcept {
    if (low > 0 && high / low < 4) {
      const double middle = low + (high - low) / 2;
      if (middle < high) return middle;
    }
    const auto from = ordered_bits(low + 0.0);
    return from_ordered_bits<double>(from + (ordered_bits(high + 0.0) - from) / 2);
  }
};

}  // namespace detail

STAGECUT_DECL outcome<hybrid_cut> minimize_stage_time_fn::search(const detail::any_stage_options& model,
                                                                 const hybrid_request& request) {
  return detail::recorded(request,
                          [&](const hybrid_request& asked) { return detail::least_stage_time()(model, asked); });
}

}  // namespace stagecut::inline STAGECUT_ABI
