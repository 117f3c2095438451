// SPDX-License-Identifier: BSL-1.0
// Layers that share parameters, or stand on one stage, and may be recomputed: compared with all plans.
#include <stagecut/joint/plan_recomputation.hpp>

#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "../cases.hpp"

using stagecut::layer;
using stagecut::layer_variant;
using stagecut::op;
using stagecut::op_kind;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::state;
using stagecut::tied_parameters;

namespace {

using points = std::vector<std::size_t>;

struct drawn {
  std::mt19937& dice;
  profile model{};
  plan_request request{};
  schedule order{};

  [[nodiscard]] std::size_t from(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(dice);
  }
  [[nodiscard]] double some(std::size_t most) { return static_cast<double>(from(0, most)); }

  explicit drawn(std::mt19937& random) : dice(random) {
    constexpr schedule_kind kinds[] = {schedule_kind::one_forward_one_backward, schedule_kind::gpipe,
                                       schedule_kind::zb_h1, schedule_kind::interleaved};
    request.devices = 2;
    request.schedule = kinds[from(0, 3)];
    request.stages_per_rank = request.schedule == schedule_kind::interleaved ? 2 : 1;
    request.microbatches = request.schedule == schedule_kind::zb_h1 ? 4 : 2 * from(1, 2);
    request.memory_accounting.boundary_buffers = 0;
    request.memory_accounting.parameter_multiplier = 1;
    order = make_schedule(request.schedule, {.ranks = 2, .stages_per_rank = request.stages_per_rank, .microbatches = request.microbatches});
    const std::size_t stages = 2 * request.stages_per_rank;
    const std::size_t n = from(stages, stages + 2);
    const bool alike = from(0, 2) == 0;  // as ALBERT has them
    for (std::size_t i = 0; i < n; ++i) {
      model.layers.push_back(alike && i != 0 ? model.layers[0] : any_layer());
      model.layers[i].name = "l" + std::to_string(i);
    }
    if (alike && from(0, 1) == 0) {
      for (auto& layer : model.layers) {
        layer.tied = std::vector<tied_parameters>{{"shared", 9, {}, tied_parameters::placement::replicated}};
      }
    } else {
      share("w", some(20));
      if (from(0, 1) == 0) share("v", some(9));
    }
    if (from(0, 2) == 0) {
      const std::size_t first = from(0, n - 2);
      for (std::size_t i = first; i < std::min(n, first + from(2, 3)); ++i) model.layers[i].group = "g";
    }
  }

  layer any_layer() {
    layer each;
    each.forward = 1 + some(3);
    each.backward_weight = some(3);
    each.backward_input = some(4);
    each.backward = *each.backward_input + *each.backward_weight;
    each.parameters = some(6);
    each.activations = some(8);
    each.workspace = some(3);
    if (from(0, 3) == 0) return each;
    layer_variant way;
    way.name = "full";
    way.forward = each.forward;
    way.backward_weight = each.backward_weight;
    way.backward_input = *each.backward_input + some(4);
    way.backward = *way.backward_input + *way.backward_weight;
    way.parameters = each.parameters;
    way.activations = some(2);
    way.workspace = each.workspace;
    way.recomputed = some(6);
    each.recomputations = std::vector<layer_variant>{way};
    return each;
  }

  void share(const char* name, double bytes) {
    const auto where = from(0, 3) == 0 ? tied_parameters::placement::colocated : tied_parameters::placement::replicated;
    for (std::size_t k = 0; k < 2; ++k) {
      layer& each = model.layers[from(0, model.layers.size() - 1)];
      std::vector<tied_parameters> here = each.tied.get();
      const bool there = std::any_of(here.begin(), here.end(), [&](const auto& tied) { return tied.name == name; });
      if (!there) here.push_back({name, bytes, {}, where});
      each.tied = here;
    }
  }

  /// Whether a cut before layer c parts layers that stand on one stage.
  [[nodiscard]] bool parts(std::size_t c) const {
    const auto& layers = model.layers;
    if (!layers[c].group.empty() && layers[c].group == layers[c - 1].group) return true;
    for (std::size_t i = 0; i < c; ++i) {
      for (std::size_t j = c; j < layers.size(); ++j) {
        for (const tied_parameters& a : layers[i].tied) {
          for (const tied_parameters& b : layers[j].tied) {
            if (a.name == b.name && a.where == tied_parameters::placement::colocated) return true;
          }
        }
      }
    }
    return false;
  }

  void each_cut(points& now, const std::function<void(const points&)>& visit) const {
    const std::size_t stages = order.stages();
    const std::size_t n = model.layers.size();
    if (now.size() == stages) {
      now.push_back(n);
      if (now[stages - 1] < n) visit(now);
      now.pop_back();
      return;
    }
    for (std::size_t c = now.back() + 1; c < n; ++c) {
      if (parts(c)) continue;
      now.push_back(c);
      each_cut(now, visit);
      now.pop_back();
    }
  }

  /// What a plan takes: its iteration, and the bytes of the fullest rank.
  [[nodiscard]] std::pair<double, double> taken(const profile& as_run, const points& cut) const {
    const std::size_t stages = order.stages();
    const bool splits = stagecut::has_kind(order, op_kind::backward_input);
    stagecut::pass_times<double> times;
    std::vector<double> stays(stages), kept(stages), whole(stages), apart(stages);
    for (std::size_t s = 0; s < stages; ++s) {
      std::map<std::string, double> shared;
      double forward = 0, backward = 0, input = 0, weight = 0, room = 0, peak = 0;
      for (std::size_t i = cut[s]; i < cut[s + 1]; ++i) {
        const layer& each = as_run.layers[i];
        for (const tied_parameters& tied : each.tied) shared[tied.name] = tied.bytes;
        forward += each.forward;
        backward += each.backward;
        input += *each.backward_input;
        weight += *each.backward_weight;
        stays[s] += each.parameters;
        kept[s] += each.activations;
        apart[s] += each.recomputed;
        room = std::max(room, each.workspace);
        peak = std::max(peak, each.workspace + each.recomputed);
      }
      for (const auto& [name, bytes] : shared) stays[s] += bytes;
      stays[s] += room;
      whole[s] = peak - room;
      times.forward.push_back(forward);
      if (splits) times.backward_input.push_back(input), times.backward_weight.push_back(weight);
      if (!splits) times.backward.push_back(backward);
    }
    double fullest = 0;
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      double now = 0;
      for (std::size_t s = 0; s < stages; ++s) now += order.rank_of[s] == r ? stays[s] : 0;
      for (const auto& op : order.orders[r]) {
        const std::size_t s = op.stage;
        if (op.kind == op_kind::forward) now += kept[s];
        if (op.kind == op_kind::backward_input) now += apart[s];
        fullest = std::max(fullest, now + (op.kind == op_kind::backward ? whole[s] : 0));
        if (op.kind == op_kind::backward) now -= kept[s];
        if (op.kind == op_kind::backward_weight) now -= kept[s] + apart[s];
      }
    }
    return {stagecut::simulate(order, times).makespan, fullest};
  }

  struct enumerated {
    std::optional<double> best{};
    double least = std::numeric_limits<double>::infinity();  // bytes
    std::size_t cuts = 0;
  };

  [[nodiscard]] enumerated all(double limit) const {
    enumerated result;
    const std::size_t n = model.layers.size();
    points now{0};
    each_cut(now, [&](const points& cut) {
      ++result.cuts;
      for (std::size_t ways = 0; ways < std::size_t{1} << n; ++ways) {
        profile as_run = model;
        bool there = true;
        for (std::size_t i = 0; i < n; ++i) {
          if ((ways >> i & 1U) == 0) continue;
          there = there && !model.layers[i].recomputations.empty();
          if (!there) break;
          const layer_variant& way = model.layers[i].recomputations.get()[0];
          as_run.layers[i].backward = way.backward;
          as_run.layers[i].backward_input = way.backward_input;
          as_run.layers[i].activations = way.activations;
          as_run.layers[i].recomputed = way.recomputed;
        }
        if (!there) continue;
        const auto [time, bytes] = taken(as_run, cut);
        result.least = std::min(result.least, bytes);
        if (bytes <= limit && (!result.best || time < *result.best)) result.best = time;
      }
    });
    return result;
  }
};

}  // namespace

TEST_CASE("shared parameters count once a stage, layers are kept together, and none is bound to an end: as enumerated") {
  std::mt19937 dice(52);
  int planned = 0;
  int infeasible = 0;
  int cannot = 0;
  for (std::size_t round = 0; round < cases(1000); ++round) {
    CAPTURE(round);
    drawn here(dice);
    const drawn::enumerated free = here.all(0);
    const double least = free.cuts == 0 ? 10 : free.least;
    here.request.memory_limit = std::max(1.0, std::floor(least * (0.9 + here.some(6) / 10)));
    const drawn::enumerated found = here.all(*here.request.memory_limit.for_all());
    here.request.search.time_limit.reset();
    const auto made = stagecut::plan_recomputation(here.model, here.request);
    REQUIRE(made.has_value() == found.best.has_value());
    if (!made) {
      CHECK(made.state() == state::infeasible);
      const bool by_cuts = made.why().what == stagecut::reason::cause::more_stages_than_layers;
      CHECK(by_cuts == (free.cuts == 0));
      if (!by_cuts) CHECK(static_cast<double>(made.why().needed) <= std::ceil(least));
      ++(by_cuts ? cannot : infeasible);
      continue;
    }
    CHECK(made.state() == state::optimal);
    CHECK(made->objective.value == *found.best);
    CHECK(made->objective.bound <= *found.best);
    CHECK(stagecut::fullest_device(*made) <= *here.request.memory_limit.for_all());
    CHECK(stagecut::verify_plan(here.model, *made).holds());
    ++planned;
  }
  MESSAGE(planned, " planned, ", infeasible, " do not fit, ", cannot, " cannot be cut");
  CHECK(planned > 400);
  CHECK(infeasible > 50);
  CHECK(cannot > 20);
}
