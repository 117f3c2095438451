// SPDX-License-Identifier: BSL-1.0
// Whatever a pipeline model, a constraint and a heuristic say, the search for the least makespan gives a cut that is one,
// a reason, or a refusal; and where they keep what they promise, the best cut.
#include <stagecut/core/error.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "../fuzz_bytes.hpp"

namespace engine = stagecut::engine;

namespace {

/// What a model is asked for, and says.
struct said {
  std::size_t items;
  std::size_t stages;
  bool honest = true;
  bool moody = false;  ///< says something else each time
  std::vector<double> numbers{};
  mutable std::size_t asked = 0;

  /// The answer to one of 9 kinds of questions about that stage and item.
  [[nodiscard]] double operator()(std::size_t kind, std::size_t s, std::size_t item) const {
    require(s < stages && item <= items);
    if (moody) return numbers[(kind + 31 * asked++) % numbers.size()];
    return numbers[(kind * stages + s) * (items + 1) + item];
  }
  [[nodiscard]] double sum(std::size_t kind, std::size_t s, std::size_t first, std::size_t last) const {
    require(first < last && last <= items);
    double result = 0;
    for (std::size_t i = first; i < last; ++i) result += (*this)(kind, s, i);
    return result;
  }
};

said some_numbers(fuzz_bytes& bytes, std::size_t n, std::size_t stages) {
  said result{n, stages};
  for (std::size_t i = 0; i < 9 * stages * (n + 1); ++i) result.numbers.push_back(static_cast<double>(bytes.below(8)));
  const std::size_t how = bytes.below(4);
  result.honest = how == 0;
  result.moody = how == 3;
  double few[4];
  for (double& each : few) each = bytes.number<double>();
  for (std::size_t lies = how == 1 ? 1 + bytes.below(3) : how == 0 ? 0 : result.numbers.size() / 2; lies-- > 0;) {
    result.numbers[(bytes.byte() * 13U + lies * 7U) % result.numbers.size()] = few[lies % 4];
  }
  return result;
}

/// No more than is asked of every model.
struct plain {
  const said& of;
  [[nodiscard]] std::size_t size() const { return of.items; }
  [[nodiscard]] double forward(std::size_t s, std::size_t item) const { return of(0, s, asked_for(item)); }
  [[nodiscard]] double backward(std::size_t s, std::size_t item) const {
    return of(1, s, asked_for(item)) + (of.honest ? of(2, s, item) : 0);
  }
  [[nodiscard]] std::size_t asked_for(std::size_t item) const { return require(item < of.items), item; }
};
/// All that may be known.
struct knowing : plain {
  [[nodiscard]] double backward_weight(std::size_t s, std::size_t item) const { return of(2, s, asked_for(item)); }
  [[nodiscard]] double stage_forward(std::size_t s) const { return of(8, s, 0); }
  [[nodiscard]] double stage_backward(std::size_t s) const {
    return of(8, s, of.items) + (of.honest ? of(7, s, 0) : 0);
  }
  [[nodiscard]] double stage_backward_weight(std::size_t s) const { return of(7, s, 0); }
  [[nodiscard]] double sent(std::size_t cut) const {
    require(cut != 0 && cut < of.items);
    return of(3, 0, cut);
  }
  [[nodiscard]] double memory(std::size_t s, std::size_t first, std::size_t last, std::size_t held) const {
    return of.sum(4, s, first, last) + static_cast<double>(held) * of.sum(5, s, first, last);
  }
  [[nodiscard]] double least_memory(std::size_t s, std::size_t first, std::size_t last, std::size_t held) const {
    return of.honest ? memory(s, first, last, held) : of(6, s, first) - static_cast<double>(last);
  }
};
/// The same for all stages.
struct same : knowing {
  using axioms = stagecut::axioms<stagecut::stage_invariant>;
};

/// A constraint.
struct rule {
  const said& of;
  [[nodiscard]] bool operator()(std::size_t s, std::size_t first, std::size_t last) const {
    require(first < last && last <= of.items);
    return of(7, s, first) != 1 || of(7, s, last) != 2;
  }
  [[nodiscard]] bool hopeless(std::size_t s, std::size_t first, std::size_t last) const {
    return !of.honest && of(6, s, first) < static_cast<double>(last);
  }
};

stagecut::schedule some_schedule(fuzz_bytes& bytes) {
  constexpr std::size_t kinds = stagecut::schedules_made_by_shape;
  const auto& entry = stagecut::schedules[bytes.below(kinds)];
  stagecut::schedule_shape shape;
  shape.ranks = 1 + bytes.below(3);
  shape.stages_per_rank = entry.stages_per_rank == 0 ? 1 + bytes.below(3) : entry.stages_per_rank;
  shape.microbatches = 1 + bytes.below(6);
  if (entry.kind == stagecut::schedule_kind::sliced) shape.slices = 1 + bytes.below(3);
  if (entry.kind == stagecut::schedule_kind::in_flight) {
    for (std::size_t r = 0; r < shape.ranks; ++r) shape.in_flight.push_back(shape.ranks - r);
  }
  try {
    return stagecut::make_schedule(entry.kind, shape);
  } catch (const stagecut::argument_error&) {
    return stagecut::one_forward_one_backward(shape.ranks, shape.microbatches);
  }
}

/// What the search says of a model that keeps its promises is the least of all cuts, by the simulator.
template <class Model>
void compare(const Model& model, const stagecut::makespan_request& request, const rule* allowed,
             const stagecut::outcome<stagecut::makespan_cut>& answer) {
  const stagecut::engine::chain_ticks chain(model, request.schedule, request.links);
  const auto keep = [&](const auto& constraint) {
    const stagecut::engine::model_rules rules(model, request.schedule, request.memory_limit.for_all(), constraint);
    stagecut::engine::cut_simulator simulate(chain, request.schedule, request.transfers);
    std::optional<double> best;
    std::vector<std::size_t> points{0};
    const auto extend = [&](const auto& self) -> void {
      if (points.size() == chain.stages) {
        points.push_back(chain.items);
        if (points[chain.stages - 1] < chain.items && engine::allowed_cut(request.schedule, rules, points)) {
          const double here = simulate(points) * chain.tick;
          if (!best || here < *best) best = here;
        }
        points.pop_back();
        return;
      }
      for (std::size_t last = points.back() + 1; last < chain.items; ++last) {
        points.push_back(last);
        self(self);
        points.pop_back();
      }
    };
    extend(extend);
    if (answer.state() == stagecut::state::unknown) return;
    require(answer.has_value() == best.has_value());
    if (!best) return;
    require(answer->bound <= *best && *best <= answer->value);
    if (answer.state() == stagecut::state::optimal) require(answer->value == *best);
  };
  if (allowed != nullptr) {
    keep(*allowed);
  } else {
    keep(stagecut::detail::no_constraint{});
  }
}

template <class Model>
void search(fuzz_bytes& bytes) {
  stagecut::makespan_request request;
  request.schedule = some_schedule(bytes);
  const std::size_t stages = request.schedule.stages();
  const std::size_t n = bytes.below(stages + 6);
  const said all = some_numbers(bytes, n, stages);
  const Model model{{all}};
  if (bytes.one_in(2)) {
    const std::size_t links = bytes.one_in(2) || stages == 1 ? 1 : stages - 1;
    for (std::size_t b = 0; b < links; ++b) {
      request.links.push_back({static_cast<double>(bytes.below(4)), static_cast<double>(bytes.below(3))});
    }
  }
  request.transfers = static_cast<stagecut::transfer_kind>(bytes.below(4));
  if (stagecut::memory_pipeline_model<Model> && bytes.one_in(2)) request.memory_limit = 4.0 * bytes.byte();
  if (bytes.one_in(4)) request.within = static_cast<double>(bytes.below(4)) / 4;
  request.most_within = bytes.below(8);
  request.search.time_limit.reset();
  request.search.node_limit = 16 * bytes.byte();
  if (bytes.one_in(8)) request.start = stagecut::uniform_cuts(n == 0 ? 1 : n, n < stages ? 1 : stages)->cuts;
  const bool improved = bytes.one_in(4);
  const auto improve = [&](const stagecut::heuristic_call& task, stagecut::view<std::size_t> points) {
    require(task.points.size() == stages + 1 && points.size() == stages + 1);
    for (std::size_t& point : points) point = static_cast<std::size_t>(&point - points.data()) * n / stages;
    return true;
  };
  const rule allowed{all};
  const bool ruled = bytes.one_in(2);
  try {
    const auto answer = improved ? stagecut::minimize_makespan(model, request, allowed, improve)
                        : ruled  ? stagecut::minimize_makespan(model, request, allowed)
                                 : stagecut::minimize_makespan(model, request);
    if (!answer) {
      require(answer.state() == stagecut::state::infeasible || answer.state() == stagecut::state::unknown);
      require(!answer.why().text().empty());
    } else {
      require(answer->cuts.stages() == stages && answer->cuts.items() == n);
      require(stagecut::is_finite(answer->value) && answer->bound <= answer->value);
      require((answer.state() == stagecut::state::optimal) == (answer->bound == answer->value));
      for (const auto& solution : answer->within)
        require(solution.cuts.stages() == stages && solution.value >= answer->bound);
    }
    if (all.honest && n >= stages) compare(model, request, ruled || improved ? &allowed : nullptr, answer);
  } catch (const stagecut::invalid_input&) {
    // Times that are no times, or a schedule that needs what the model does not tell.
  } catch (const stagecut::argument_error& error) {
    require(error.argument() == "start");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz_bytes bytes(data, size);
  switch (bytes.below(3)) {
    case 0: search<plain>(bytes); break;
    case 1: search<knowing>(bytes); break;
    default: search<same>(bytes); break;
  }
  return 0;
}
