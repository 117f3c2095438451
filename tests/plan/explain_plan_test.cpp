// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/objective.hpp>
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "random_made.hpp"

using stagecut::change_kind;
using stagecut::checkpointing;
using stagecut::explain_plan;
using stagecut::plan;
using stagecut::plan_change;
using stagecut::plan_request;
using stagecut::schedule_kind;

namespace {

/// A plan in figures of the test's own: sums over layers, run by `simulate`, and nothing of what explains it.
struct plain_plan {
  stagecut::profile model;
  std::vector<std::size_t> cut;
  std::vector<double> speeds;
  checkpointing again = checkpointing::never;
  std::vector<stagecut::link_speed> links;
  stagecut::transfer_kind kind = stagecut::transfer_kind::link;
  std::string schedule;
  stagecut::schedule_shape shape;
  std::vector<double> share_of_messages;  // of every boundary; empty: all of them
  double share_of_update = 1;

  [[nodiscard]] stagecut::schedule order() const {
    const bool lifo = again == checkpointing::except_last && schedule == "gpipe";
    stagecut::schedule_shape asked = shape;
    if (schedule != "in-flight") asked.in_flight.clear();
    return make_schedule(lifo ? schedule_kind::gpipe_lifo : stagecut::find_schedule(schedule)->kind, asked);
  }

  [[nodiscard]] double makespan() const {
    const auto run_by = order();
    stagecut::pass_times<double> times;
    bool update = false;
    for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
      const double speed = speeds.empty() ? 1 : speeds[run_by.rank_of[s]];
      double f = 0;
      double b = 0;
      double in = 0;
      double w = 0;
      double u = 0;
      for (std::size_t i = cut[s]; i < cut[s + 1]; ++i) {
        const auto& each = model.layers[i];
        f += each.forward;
        b += each.backward;
        w += each.backward_weight.value_or(0);
        in += each.backward_input.value_or(0);
        u += each.update;
      }
      const bool all = again == checkpointing::except_last;
      times.forward.push_back(f / speed);
      times.all_reduce.push_back(u / speed * share_of_update);
      update = update || u != 0;
      for (std::size_t k = 0; k < (all ? shape.microbatches : 1); ++k) {
        const bool twice = again == checkpointing::always || (all && k + 1 < shape.microbatches);
        times.backward.push_back((twice ? b + f : b) / speed);
        times.backward_input.push_back((twice ? in + f : in) / speed);
        times.backward_weight.push_back(w / speed);
      }
    }
    if (!update) times.all_reduce.clear();
    stagecut::transfer_times<double> messages;
    messages.kind = kind;
    for (std::size_t s = 1; s + 1 < cut.size() && !links.empty(); ++s) {
      const auto& link = links[links.size() == 1 ? 0 : s - 1];
      const double bytes = model.layers[cut[s] - 1].output;
      const double share = share_of_messages.empty() ? 1 : share_of_messages[s - 1];
      messages.forward.push_back(share * (link.latency + (link.bandwidth > 0 ? bytes / link.bandwidth : 0)));
    }
    messages.backward = messages.forward;
    return stagecut::simulate(run_by, times, messages).makespan;
  }

  /// Whether each device has room for what it holds, by an own walk along its order.
  [[nodiscard]] bool fits(const plan_request& request) const {
    if (!request.memory_limit.for_all()) return true;
    const auto run_by = order();
    const stagecut::training_memory memory(model, request.memory_accounting);
    for (std::size_t r = 0; r < run_by.ranks(); ++r) {
      double stays = 0;
      for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
        const auto one = memory(cut[s], cut[s + 1], 1);
        if (run_by.rank_of[s] == r) stays += one.resident + one.workspace + one.buffers;
      }
      double now = 0;
      double most = 0;
      for (const auto& op : run_by.orders[r]) {
        const std::size_t s = op.stage;
        const double all = memory.of_microbatch(cut[s], cut[s + 1]);
        const double input = s == 0 ? 0 : model.layers[cut[s] - 1].output;
        const bool kept = again == checkpointing::never ||
                          (again == checkpointing::except_last && op.microbatch + 1 == shape.microbatches);
        using enum stagecut::op_kind;
        if (op.kind == forward) now += kept ? all : input;
        if ((op.kind == backward || op.kind == backward_input) && !kept) now += all;
        most = std::max(most, now);
        if (op.kind == backward || op.kind == backward_weight) now -= kept ? all : all + input;
      }
      if (stays + most > *request.memory_limit.for_all() * (1 - request.buffer_fraction) * (1 + 1e-9)) return false;
    }
    return true;
  }
};

plain_plan plain(const plan& made, const plan_request& request) {
  plain_plan result;
  result.model = made.profile;
  result.cut.assign(made.cuts.points().begin(), made.cuts.points().end());
  result.speeds = made.speeds;
  result.again = request.memory_accounting.checkpoint;
  result.links = made.messages.links;
  result.kind = request.transfers;
  result.schedule = made.schedule.name;
  result.shape.ranks = made.devices;
  result.shape.stages_per_rank = made.stages_per_rank;
  result.shape.microbatches = made.schedule.microbatches;
  result.shape.group = made.schedule.group;
  for (const auto& stage : made.stages) result.shape.in_flight.push_back(stage.in_flight);
  return result;
}

stagecut::layer per_cent_less(stagecut::layer each) {
  each.forward *= 0.99;
  each.backward *= 0.99;
  if (each.backward_input) *each.backward_input *= 0.99;
  if (each.backward_weight) *each.backward_weight *= 0.99;
  return each;
}

/// Plans of all kinds, and their requests.
class all_kinds {
 public:
  struct one {
    plan made;
    plan_request request;
  };

  [[nodiscard]] one next() {
    for (;;) {
      stagecut::profile model = random_made::random_profile(dice_, 3 + dice_.up_to(7));
      if (dice_.up_to(3) == 0) {
        for (auto& layer : model.layers) layer.update = dice_.whole(5);
      }
      plan_request request = random_made::random_request(dice_, model);
      if (request.microbatches == 0) continue;
      request.search = {.node_limit = 500};
      try {
        auto found = stagecut::make_plan(model, request);
        if (!found) continue;
        return {*std::move(found), request};
      } catch (const std::invalid_argument&) {
      }
    }
  }

 private:
  random_requests::dice dice_{7};
};

struct tolerance {
  double of;
  [[nodiscard]] bool same(double a, double b) const { return std::abs(a - b) <= 1e-12 * of; }
};

void check_parts(const plan& made, const stagecut::plan_explanation& told) {
  const double all = told.makespan;
  const tolerance about{64 * all};
  CHECK(about.same(told.path.total(), all));
  CHECK(about.same(told.parts.total(), all));
  REQUIRE(told.devices.size() == made.devices);
  stagecut::makespan_parts sum;
  for (const auto& device : told.devices) {
    CHECK(about.same(device.total(), all));
    sum.work += device.work;
    sum.imbalance += device.imbalance;
    CHECK(device.schedule == told.parts.schedule);
    CHECK(device.transfers == told.parts.transfers);
  }
  CHECK(about.same(sum.work, told.parts.work * static_cast<double>(made.devices)));
  CHECK(about.same(sum.imbalance, told.parts.imbalance * static_cast<double>(made.devices)));
}

void check_prices(const plain_plan& as_is, const stagecut::plan_explanation& told) {
  const double all = as_is.makespan();
  const tolerance about{all};
  REQUIRE(about.same(told.makespan, all));
  REQUIRE(told.less.layers.size() == as_is.model.layers.size());
  for (std::size_t i = 0; i < as_is.model.layers.size(); ++i) {
    plain_plan less = as_is;
    less.model.layers[i] = per_cent_less(less.model.layers[i]);
    CHECK(about.same(told.less.layers[i], all - less.makespan()));
    CHECK(told.less.layers[i] >= -1e-12 * all);
  }
  REQUIRE(told.less.devices.size() == as_is.shape.ranks);
  const auto rank_of = as_is.order().rank_of;
  for (std::size_t d = 0; d < as_is.shape.ranks; ++d) {
    plain_plan less = as_is;
    for (std::size_t s = 0; s < rank_of.size(); ++s) {
      for (std::size_t i = less.cut[s]; i < less.cut[s + 1] && rank_of[s] == d; ++i)
        less.model.layers[i] = per_cent_less(less.model.layers[i]);
    }
    CHECK(about.same(told.less.devices[d], all - less.makespan()));
  }
  const std::size_t boundaries = as_is.links.empty() ? 0 : as_is.cut.size() - 2;
  REQUIRE(told.less.links.size() == boundaries);
  for (std::size_t b = 0; b < boundaries; ++b) {
    plain_plan less = as_is;
    less.share_of_messages.assign(boundaries, 1);
    less.share_of_messages[b] = 0.99;
    CHECK(about.same(told.less.links[b], all - less.makespan()));
  }
  plain_plan less = as_is;
  less.share_of_messages.assign(boundaries, 0.99);
  CHECK(about.same(told.less.all_links, all - less.makespan()));
  less = as_is;
  less.share_of_update = 0.99;
  CHECK(about.same(told.less.update, all - less.makespan()));
}

/// The best of some changes of one kind, by what it saves of an iteration.
class best_change {
 public:
  best_change(const plain_plan& as_is, const plan_request& request) : as_is_(as_is), request_(request) {}

  void consider(const plain_plan& changed) {
    const auto m = static_cast<double>(as_is_.shape.microbatches);
    const double saved = all_ - changed.makespan() / static_cast<double>(changed.shape.microbatches) * m;
    if (saved > best_ && changed.fits(request_)) best_ = saved;
  }

  void check(const std::map<change_kind, plan_change>& told, change_kind kind) const {
    const auto found = told.find(kind);
    CAPTURE(to_string(kind));
    CAPTURE(best_);
    if (found == told.end()) {
      CHECK(best_ <= 2e-12 * all_);
    } else {
      CHECK(tolerance{all_}.same(found->second.saved, best_));
    }
  }

 private:
  const plain_plan& as_is_;
  const plan_request& request_;
  double all_ = as_is_.makespan();
  double best_ = 0;
};

plain_plan with(plain_plan as_is, const plan_change& change) {
  as_is.cut.assign(change.cuts.points().begin(), change.cuts.points().end());
  as_is.schedule = change.schedule;
  as_is.shape.microbatches = change.microbatches;
  if (change.kind == change_kind::schedule) as_is.shape.group = 0;
  if (change.kind == change_kind::group) as_is.shape.group = change.index;
  for (auto& link : as_is.links) link.bandwidth *= change.kind == change_kind::bandwidth ? 2 : 1;
  if (change.kind == change_kind::device) {
    if (as_is.speeds.empty()) as_is.speeds.assign(as_is.shape.ranks, 1);
    as_is.speeds[change.index] *= 1.1;
  }
  return as_is;
}

/// Every boundary one step to either side, past all layers of a group.
std::vector<plain_plan> moved(const plain_plan& as_is) {
  std::vector<plain_plan> result;
  const auto& layers = as_is.model.layers;
  for (std::size_t b = 1; b + 1 < as_is.cut.size(); ++b) {
    for (const bool right : {false, true}) {
      plain_plan each = as_is;
      std::size_t& at = each.cut[b];
      do at += right ? std::size_t{1} : ~std::size_t{0};
      while (at != 0 && at < layers.size() && !layers[at].group.empty() &&
             layers[at].group.get() == layers[at - 1].group.get());
      if (each.cut[b - 1] < at && at < each.cut[b + 1]) result.push_back(std::move(each));
    }
  }
  return result;
}

void check_changes(const plain_plan& as_is, const plan_request& request, const stagecut::plan_explanation& told) {
  std::map<change_kind, plan_change> changes;
  const double all = as_is.makespan();
  double before = told.changes.empty() ? 0 : told.changes[0].saved;
  for (const auto& change : told.changes) {
    CHECK(change.saved > 0);
    CHECK(change.saved <= before);
    before = change.saved;
    CHECK(changes.emplace(change.kind, change).second);
    const plain_plan changed = with(as_is, change);
    CAPTURE(to_string(change.kind));
    CHECK(tolerance{all}.same(change.makespan, changed.makespan()));
    CHECK(changed.fits(request));
    const double ratio = static_cast<double>(as_is.shape.microbatches) / static_cast<double>(change.microbatches);
    CHECK(tolerance{all}.same(change.saved, all - change.makespan * ratio));
  }
  best_change boundary(as_is, request);
  for (const auto& each : moved(as_is)) boundary.consider(each);
  boundary.check(changes, change_kind::boundary);

  best_change schedule(as_is, request);
  const auto rank_of = as_is.order().rank_of;
  for (const auto kind : stagecut::usual_schedules(as_is.model)) {
    plain_plan each = as_is;
    each.schedule = to_string(kind);
    const auto& [ranks, chunks, m, group, slices, in_flight] = as_is.shape;
    if (!has_shape(kind, ranks, chunks, m) || each.schedule == as_is.schedule) continue;
    each.shape.group = 0;
    if (as_is.again == checkpointing::except_last) continue;
    if (as_is.again == checkpointing::always && stagecut::entry_of(kind).splits_backward) continue;
    if (as_is.links.size() > 1 && each.order().rank_of != rank_of) continue;
    schedule.consider(each);
  }
  schedule.check(changes, change_kind::schedule);

  best_change more(as_is, request);
  for (const std::size_t m : {as_is.shape.microbatches + as_is.shape.ranks, 2 * as_is.shape.microbatches}) {
    plain_plan each = as_is;
    each.shape.microbatches = m;
    const auto kind = stagecut::find_schedule(as_is.schedule)->kind;
    if (kind != schedule_kind::in_flight &&
        !has_shape(kind, as_is.shape.ranks, as_is.shape.stages_per_rank, m, as_is.shape.group))
      continue;
    more.consider(each);
  }
  more.check(changes, change_kind::microbatches);

  best_change group(as_is, request);
  for (std::size_t g = 1; g <= as_is.shape.microbatches && as_is.schedule == "interleaved"; ++g) {
    plain_plan each = as_is;
    each.shape.group = g;
    if (has_shape(schedule_kind::interleaved, as_is.shape.ranks, as_is.shape.stages_per_rank, as_is.shape.microbatches, g))
      group.consider(each);
  }
  group.check(changes, change_kind::group);
}

stagecut::profile alike(std::size_t layers) {
  stagecut::profile model;
  for (std::size_t i = 0; i < layers; ++i) {
    stagecut::layer each;
    each.name = "l" + std::to_string(i);
    each.forward = 1;
    each.backward = 2;
    each.backward_input = each.backward_weight = 1;
    each.parameters = 10;
    each.activations = 4;
    each.output = 2;
    model.layers.push_back(each);
  }
  return model;
}

}  // namespace

TEST_CASE("prices are simulated differences, and changes the best of their kind, on 1,000 random plans") {
  all_kinds plans;
  std::set<std::string> schedules;
  std::map<change_kind, std::size_t> kinds;
  std::size_t proved = 0;
  std::size_t linked = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto [made, request] = plans.next();
    CAPTURE(i);
    CAPTURE(made.schedule.name);
    const auto told = explain_plan(made, {{.node_limit = 500}, 100});
    const plain_plan as_is = plain(made, request);
    CHECK(told.makespan == *made.makespan);
    check_parts(made, told);
    check_prices(as_is, told);
    check_changes(as_is, request, told);
    schedules.insert(made.schedule.name);
    for (const auto& change : told.changes) ++kinds[change.kind];
    linked += made.messages.links.empty() ? 0 : 1;
    if (!told.memory.unknown.empty()) continue;
    proved += told.memory.proved ? 1 : 0;
    CHECK(told.memory.more <= told.memory.as_is);
    CHECK(told.memory.as_is <= told.makespan);
    CHECK(told.memory.less.value_or(told.memory.as_is) >= told.memory.as_is * (1 - 1e-12));
  }
  for (const char* const name :
       {"gpipe", "1f1b", "eager-1f1b", "in-flight", "interleaved", "looped-bfs", "zb-h1", "zbv", "dualpipev"}) {
    CAPTURE(name);
    CHECK(schedules.contains(name));
  }
  CHECK(kinds.size() == std::size(stagecut::change_names));
  CHECK(linked > 200);
  CHECK(proved > 30);
}

TEST_CASE("what is worked out by hand: two equal stages") {
  const plan made = *stagecut::make_plan(alike(4), {.devices = 2, .microbatches = 4});
  const auto told = explain_plan(made);
  CHECK(told.makespan == 30);
  // Of the last stage the first and the last microbatch count, of the first stage one F and one B: between them both wait
  // for each other in turn.
  for (const std::size_t i : {0U, 1U}) CHECK(told.less.layers[i] == doctest::Approx(0.03).epsilon(1e-9));
  for (const std::size_t i : {2U, 3U}) CHECK(told.less.layers[i] == doctest::Approx(0.06).epsilon(1e-9));
  CHECK(told.less.devices[1] == doctest::Approx(0.12).epsilon(1e-9));
  CHECK(told.less.links.empty());
  CHECK(told.less.update == 0);
  CHECK(told.path.stages[0] == stagecut::path_share{2, 4, 0, 0, 0});
  CHECK(told.path.stages[1] == stagecut::path_share{8, 16, 0, 0, 0});
  CHECK(told.cut_proved);
  CHECK(told.memory.unknown == "the plan has no limit of memory");
  REQUIRE(told.changes.size() == 3);
  CHECK(told.changes[0].kind == change_kind::schedule);
  CHECK(told.changes[0].schedule == "zb-h1");
  CHECK(explain_plan(made, {.most_changes = 1}).changes.size() == 1);
}

TEST_CASE("asked to stop, it tells what it has, and what it has not") {
  const plan made = *stagecut::make_plan(alike(40), {.devices = 8, .microbatches = 16});
  std::size_t asked = 0;
  std::size_t most = 0;
  const auto stop = [&] { return ++asked > most; };
  stagecut::explain_options options;
  options.search.stop = stop;
  most = 1000000;
  const auto all = explain_plan(made, options);
  CHECK(all.less.unknown.empty());
  CHECK(all.all_changes);
  const std::size_t enough = asked;
  for (const std::size_t each : {std::size_t{0}, std::size_t{3}, enough / 4, enough / 2}) {
    CAPTURE(each);
    asked = 0;
    most = each;
    const auto told = explain_plan(made, options);
    CHECK(asked <= each + 12);  // no loop goes on for long
    CHECK(told.makespan == all.makespan);
    CHECK(told.path == all.path);
    CHECK_FALSE(told.all_changes);
    CHECK(told.less.layers.size() == (told.less.unknown.empty() ? 40 : 0));
    if (each <= 3) CHECK(told.less.unknown == "there was no time to simulate all of them");
    if (told.less.unknown.empty()) CHECK(told.less == all.less);
  }
  options.search.stop = {};
  options.search.time_limit = 0;
  CHECK_FALSE(explain_plan(made, options).less.unknown.empty());
}

TEST_CASE("what is cut by the heaviest stage is cut anew by the makespan") {
  stagecut::profile model = alike(12);
  for (std::size_t i = 0; i < 12; ++i) {
    auto& each = model.layers[i];
    each.forward = static_cast<double>(1 + i * i % 5);
    each.backward = 2 * each.forward;
    each.backward_input = each.backward - 1;
  }
  const plan_request request{.devices = 4, .microbatches = 5};
  const plan made = *stagecut::plan_chain(model, request);
  const plan best = *stagecut::make_plan(model, request);
  REQUIRE(*best.makespan < *made.makespan);
  const auto told = explain_plan(made, {.most_changes = 100});
  CHECK(!told.cut_proved);
  bool found = false;
  for (const auto& change : told.changes) {
    if (change.kind != change_kind::cuts && !(change.kind == change_kind::boundary && change.cuts == best.cuts))
      continue;
    found = true;
    CHECK(change.cuts == best.cuts);
    CHECK(change.makespan == *best.makespan);
  }
  CHECK(found);
  for (const auto& change : explain_plan(made, {{}, 100}).changes) {
    CHECK(change.kind != change_kind::cuts);
  }
}

TEST_CASE("the price of memory is that of plans made with more and with less of it") {
  stagecut::profile model = alike(16);
  for (std::size_t i = 0; i < 16; ++i) model.layers[i].forward = static_cast<double>(1 + i % 3);
  std::size_t priced = 0;
  std::size_t infeasible = 0;
  for (std::size_t bytes = 180; bytes < 320; bytes += 2) {
    for (const bool apart : {false, true}) {
      plan_request request{.devices = 4, .microbatches = 8};
      if (apart) {
        request.memory_limit = {1.0 * static_cast<double>(bytes), 300, 310, 320};
      } else {
        request.memory_limit = static_cast<double>(bytes);
      }
      const auto found = stagecut::make_plan(model, request);
      if (!found) continue;
      const auto told = explain_plan(*found, {{}, 3});
      CHECK(told.memory.unknown == "nothing was to be cut anew");
      const auto memory = explain_plan(*found, {{.time_limit = 10}, 3}).memory;
      CHECK(memory.unknown.empty());
      CHECK(memory.proved);
      CHECK(memory.as_is == *found->makespan);
      const auto with = [&](double share) {
        plan_request asked = request;
        asked.memory_limit = asked.memory_limit.scaled(share);
        return stagecut::make_plan(model, asked);
      };
      CHECK(memory.more == *with(1.01)->makespan);
      const auto less = with(0.99);
      CHECK(memory.less == (less ? less->makespan : std::nullopt));
      priced += memory.more < memory.as_is ? 1 : 0;
      infeasible += less ? 0 : 1;
    }
  }
  CHECK(priced > 0);
  CHECK(infeasible > 0);
}

TEST_CASE("the price of memory is not told where it is not known") {
  const plan_request capped{.devices = 4, .microbatches = 8, .memory_limit = 300};
  plan made = *stagecut::make_plan(alike(16), capped);
  CHECK(explain_plan(made).memory.unknown.empty());
  plan other = made;
  other.objective.name = "bottleneck";
  CHECK(explain_plan(other).memory.unknown == "it is cut by the bottleneck, not by the makespan");
  other = made;
  other.schedule.orders = stagecut::schedule_of(made).orders;
  other.schedule.name.clear();
  CHECK(explain_plan(other).memory.unknown == "its schedule is an order of its own");
  other = made;
  other.stages[1].memory.resident += 1;
  const auto told = explain_plan(other, {.most_changes = 100});
  CHECK(told.memory.unknown == "the memory of its stages is not the memory of its layers");
  for (const auto& change : told.changes) {  // what fits cannot be said
    CHECK(change.kind != change_kind::boundary);
    CHECK(change.kind != change_kind::schedule);
  }
  // A cut that is the best of those that keep the first three layers together.
  plan_request together{.devices = 4, .microbatches = 8, .memory_limit = 10000};
  together.kept_together = {{0, 6}};
  CHECK(explain_plan(*stagecut::make_plan(alike(16), together)).memory.unknown ==
        "it keeps to rules that it does not list, and is not the best without");
}

namespace {

/// What frameworks run, and whether they place layers; none: they serve.
struct framework {
  const char* name;
  std::set<std::string> runs;
  bool places;
};

/// A vision layer and an embedding, which frameworks have on the first stage, decoders, and a norm and a head for the last.
stagecut::profile of_kinds(random_requests::dice& dice) {
  stagecut::profile model = random_made::random_profile(dice, 7 + dice.up_to(7));
  const std::size_t n = model.layers.size();
  for (std::size_t i = 0; i < n; ++i) {
    auto& each = model.layers[i];
    each.kind = i == 0 ? "vision" : i == 1 ? "embedding" : i + 2 == n ? "norm" : i + 1 == n ? "head" : "decoder";
    each.tied.clear();
  }
  return model;
}

bool can_be_told(const framework& to, const plan_change& change, const plain_plan& as_is) {
  if (!to.runs.empty() && !to.runs.contains(change.schedule)) return false;
  const std::size_t n = as_is.model.layers.size();
  const std::size_t m = change.microbatches;
  const std::size_t p = as_is.shape.ranks;
  const std::size_t group = change.kind == change_kind::group ? change.index : p;
  if (change.schedule == "interleaved" && (group < p || (m % group != 0 && m % group < p))) return false;
  if (!to.places) return true;
  // Decoders are the layers [2, n - 2); every stage has at least one, but where a layout says all layers.
  const std::size_t least = std::string(to.name) == "megatron" ? 0 : 1;
  // Of several stages a device the embedding may be accounted for on the first, and the loss on the last.
  const std::size_t ends_less = std::string(to.name) == "megatron-flags" && as_is.shape.stages_per_rank > 1 ? 1 : 0;
  const auto points = change.cuts.points();
  for (std::size_t s = 1; s + 1 < points.size(); ++s) {
    if (points[s] < 2 + least - (s == 1 ? ends_less * least : 0)) return false;
    if (points[s] + least - (s + 2 == points.size() ? ends_less * least : 0) > n - 2) return false;
  }
  if (std::string(to.name) != "megatron-flags") return true;
  std::vector<std::size_t> decoders;
  for (std::size_t s = 0; s + 1 < points.size(); ++s) {
    decoders.push_back(std::min(points[s + 1], n - 2) - std::max<std::size_t>(points[s], 2));
  }
  const std::size_t ends = 1;
  for (const std::size_t end : {decoders.front(), decoders.back()}) {
    if (as_is.shape.stages_per_rank > 1 && end != decoders[1] && end + 1 != decoders[1]) return false;
  }
  return std::set<std::size_t>(decoders.begin() + static_cast<std::ptrdiff_t>(ends),
                               decoders.end() - static_cast<std::ptrdiff_t>(ends))
             .size() <= 1;
}

}  // namespace

TEST_CASE("for a framework the changes are told that it can be told, on random plans") {
  const framework frameworks[] = {{"megatron", {"1f1b", "interleaved"}, true},
                                  {"megatron-flags", {"1f1b", "interleaved"}, true},
                                  {"deepspeed", {"1f1b"}, false},
                                  {"fairscale", {"gpipe", "gpipe-lifo"}, false},
                                  {"sagemaker", {"1f1b", "gpipe"}, false},
                                  {"vllm", {}, true}};
  random_requests::dice dice{11};
  std::map<change_kind, std::size_t> kinds;
  std::map<std::string, std::size_t> refused;
  for (std::size_t i = 0; i < 600; ++i) {
    const framework& to = frameworks[i % std::size(frameworks)];
    CAPTURE(i);
    CAPTURE(to.name);
    plan_request request{.devices = 2 + dice.up_to(1)};
    const bool chunks = std::string(to.name).starts_with("megatron") && dice.up_to(1) == 0;
    request.stages_per_rank = chunks ? 2 : 1;
    request.microbatches = request.devices * (1 + dice.up_to(3));
    if (dice.up_to(1) == 0) request.objective = stagecut::plan_objective::bottleneck;
    if (dice.up_to(1) == 0) request.links = {{1, 5}};
    if (dice.up_to(2) == 0) request.memory_limit = 600 + dice.whole(1200);
    request.search = {.node_limit = 500};
    const stagecut::framework target = stagecut::find_target(to.name)->kind;
    // Half of them are made for anybody.
    if (dice.up_to(1) == 0) request.target = target;
    const auto found = stagecut::make_plan(of_kinds(dice), request);
    if (!found) continue;
    const plain_plan as_is = plain(*found, request);
    const stagecut::search_options limits{.node_limit = 500};
    const auto told = explain_plan(*found, {limits, 100, target});
    for (const auto& each : told.changes) {
      CAPTURE(to_string(each.kind));
      CHECK(can_be_told(to, each, as_is));
      ++kinds[each.kind];
    }
    for (const auto& each : explain_plan(*found, {limits, 100}).changes) {
      refused[to.name] += can_be_told(to, each, as_is) ? 0 : 1;
    }
    best_change boundary(as_is, request);
    for (const auto& each : moved(as_is)) {
      plan_change change;
      change.schedule = as_is.schedule;
      change.microbatches = as_is.shape.microbatches;
      change.cuts = stagecut::cuts(each.cut);
      if (can_be_told(to, change, as_is)) boundary.consider(each);
    }
    std::map<change_kind, plan_change> changes;
    for (const auto& each : told.changes) changes.emplace(each.kind, each);
    boundary.check(changes, change_kind::boundary);
  }
  CHECK(kinds.size() == std::size(stagecut::change_names));
  CHECK(refused.size() == std::size(frameworks));
  for (const auto& [name, count] : refused) {
    CAPTURE(name);
    CHECK(count > 0);
  }
}

TEST_CASE("a model that a framework does not know is not explained for it") {
  const plan made = *stagecut::make_plan(alike(8), {.devices = 2, .microbatches = 4});
  CHECK_THROWS_AS((void)explain_plan(made, {.target = stagecut::framework::megatron}), stagecut::not_representable);
  CHECK(!explain_plan(made, {.target = stagecut::framework::deepspeed}).changes.empty());
}

TEST_CASE("an order of its own, and layers that are run in another way") {
  plan made = *stagecut::make_plan(alike(8), {.devices = 2, .microbatches = 4});
  const auto named = explain_plan(made, {.most_changes = 100});
  made.schedule.orders = stagecut::schedule_of(made).orders;
  made.schedule.name.clear();
  const auto own = explain_plan(made, {.most_changes = 100});
  CHECK(own.makespan == named.makespan);
  CHECK(own.less == named.less);
  CHECK(own.path == named.path);
  for (const auto& change : own.changes) CHECK(change.kind != change_kind::microbatches);

  stagecut::profile model = alike(8);
  for (auto& layer : model.layers) {
    stagecut::layer_variant full{"full"};
    full.forward = 1;
    full.backward = 3;
    full.backward_input = 2;
    full.backward_weight = 1;
    full.output = 2;
    layer.recomputations.push_back(full);
    layer.backward = 3;
    layer.backward_input = 2;
  }
  plan chosen = *stagecut::make_plan(model, {.devices = 2, .microbatches = 4});
  const auto as_profiled = explain_plan(chosen);
  for (auto& layer : chosen.profile.layers) layer.backward = 2, layer.backward_input = 1;
  chosen.choices.assign(8, {"full", ""});
  CHECK(explain_plan(chosen).less == as_profiled.less);
  chosen.choices[3].recomputation = "no such";
  CHECK_THROWS_WITH_AS((void)explain_plan(chosen), "layer 3 (\"l3\"): it has no variant of the name that was chosen",
                       stagecut::invalid_input);
}

TEST_CASE("what cannot be explained is refused with the reason") {
  const plan made = *stagecut::make_plan(alike(8), {.devices = 2, .microbatches = 4});
  CHECK(stagecut::explanation_obstacle(made).empty());
  const auto obstacle = [&](const auto& spoil) {
    plan other = made;
    spoil(other);
    const std::string why = stagecut::explanation_obstacle(other);
    CHECK_THROWS_WITH_AS((void)explain_plan(other), doctest::Contains(why.c_str()), stagecut::argument_error);
    return why;
  };
  CHECK(obstacle([](plan& it) { it.schedule.microbatches = 0; }) ==
        "the number of its microbatches is not known, so its iteration is not");
  CHECK(obstacle([](plan& it) {
          it.edges = {{0, 1, 2}};
        }) == "it is of a graph, and only chains of layers are explained");
  CHECK(obstacle([](plan& it) { it.profile.edges = {{0, 1}}; }).starts_with("it is of a graph"));
  CHECK(obstacle([](plan& it) { it.profile.inference = true; }) == "it is of inference, which has no iteration");
  CHECK(obstacle([](plan& it) { it.stages[1].on_cpu = true; }).starts_with("it has a stage on a CPU"));
  CHECK(obstacle([](plan& it) { it.stages[1].device = 2; }) == "it has a stage on a device that is none of its own");
  CHECK(obstacle([](plan& it) { it.stages.pop_back(); }) == "its cuts are not those of its layers and stages");
  CHECK(obstacle([](plan& it) { it.speeds = {1}; }) == "its speeds are not those of its devices");
  CHECK(obstacle([](plan& it) { it.speeds = {1, 0}; }) == "a speed of its devices is not above 0 and finite");
  CHECK(obstacle([](plan& it) { it.profile.layers[0].children = {1}; }).starts_with("its profile is a tree"));
  plan edited = made;
  edited.stages[1].forward *= 1.5;
  CHECK_THROWS_WITH_AS((void)explain_plan(edited),
                       "stage 1: its times are not the sums over its layers, which prices are computed from",
                       stagecut::invalid_input);
  edited = made;
  edited.schedule.name.clear();
  CHECK_THROWS_WITH_AS((void)explain_plan(edited), "plan: names no schedule", stagecut::invalid_input);
}
