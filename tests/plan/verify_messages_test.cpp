// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>

#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "plan_checks.hpp"
#include "random_requests.hpp"

using plan_checks::breaks;
using plan_checks::broken;
using plan_checks::more;
using stagecut::check_result;
using stagecut::plan;
using stagecut::profile;
using stagecut::verify_plan;
using dice_t = random_requests::dice;

namespace {

/// A graph of operators in a random order, some of them backward, and a hand-written plan of it.
class graph_plan {
 public:
  explicit graph_plan(dice_t& dice) : dice_(dice) {
    add_layers();
    place();
    add_edges();
    describe();
    run();
  }

  profile model;
  plan made;

 private:
  void add_layers() {
    forwards_ = 3 + dice_.up_to(5);
    const std::size_t n = dice_.up_to(1) == 0 ? forwards_ : 2 * forwards_;
    for (std::size_t i = 0; i < n; ++i) {
      stagecut::layer each;
      each.name = "v" + std::to_string(i);
      each.is_backward = i >= forwards_;
      each.forward = each.is_backward ? 0 : 1 + dice_.whole(9);
      each.backward = n == forwards_ || each.is_backward ? 2 + dice_.whole(9) : 0;
      each.parameters = dice_.whole(20);
      each.activations = dice_.whole(9);
      each.workspace = dice_.whole(5);
      each.output = 1 + dice_.whole(12);
      each.cpu = 30;
      model.layers.push_back(each);
    }
    for (std::size_t to = 1; to < forwards_; ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        if (from + 1 != to && dice_.up_to(2) != 0) continue;
        if (from + 1 == to && dice_.up_to(3) == 0 && to > 1) continue;
        model.edges.push_back({from, to});
        if (n > forwards_) model.edges.push_back({forwards_ + to, forwards_ + from});
      }
    }
    for (std::size_t i = 0; i < forwards_ && n > forwards_; ++i) model.edges.push_back({i, forwards_ + i});
  }

  /// Each layer on the stage of what it needs, or a later one; the backward pass with the forward pass.
  void place() {
    std::vector<std::size_t> stage(model.layers.size());
    std::size_t stages = 1;
    for (std::size_t i = 0; i < forwards_; ++i) {
      for (const auto& edge : model.edges) {
        if (edge.to == i && stage[edge.from] > stage[i]) stage[i] = stage[edge.from];
      }
      const std::size_t up = dice_.up_to(1);
      stage[i] = stage[i] + up < stages + 1 && stage[i] + up < 4 ? stage[i] + up : stage[i];
      if (stage[i] == stages) ++stages;
    }
    std::vector<bool> used(stages);
    for (std::size_t i = 0; i < forwards_; ++i) used[stage[i]] = true;
    for (std::size_t s = stages; s-- > 0;) {
      for (std::size_t i = 0; i < forwards_ && !used[s]; ++i) stage[i] -= stage[i] > s ? 1 : 0;
    }
    for (std::size_t i = forwards_; i < stage.size(); ++i) stage[i] = stage[i - forwards_];
    for (const std::size_t each : stage) stages_ = each < stages_ ? stages_ : each + 1;
    stage_ = stage;
    made.profile = model;
    made.assignment = stage;
    made.stages.resize(stages_);
    made.devices = stages_;
  }

  /// Each producer's bytes once for each stage that needs them.
  void add_edges() {
    for (std::size_t a = 0; a < stages_; ++a) {
      for (std::size_t b = a + 1; b < stages_; ++b) {
        double bytes = 0;
        for (std::size_t u = 0; u < forwards_; ++u) {
          bool needed = false;
          for (const auto& edge : model.edges)
            needed = needed || (edge.from == u && stage_[u] == a && stage_[edge.to] == b);
          if (needed) bytes += model.layers[u].output;
        }
        if (bytes > 0) made.edges.push_back({a, b, bytes});
      }
    }
  }

  void describe() {
    const std::size_t m = 1 + dice_.up_to(5);
    made.schedule = {"1f1b", m};
    made.memory = {"adam", 4, "never", 2, {}, 0};
    if (dice_.up_to(2) == 0) made.speeds = dice_.speeds(stages_);
    const bool cpu = dice_.up_to(2) == 0;
    for (std::size_t s = 0; s < stages_; ++s) {
      auto& stage = made.stages[s];
      stage.device = s;
      stage.in_flight = stages_ - s < m ? stages_ - s : m;
      stage.on_cpu = cpu && s + 1 == stages_;
      const double speed = made.speeds.empty() ? 1 : made.speeds[s];
      double count = 0;
      for (std::size_t i = 0; i < stage_.size(); ++i) {
        if (stage_[i] != s) continue;
        const auto& each = model.layers[i];
        count += 1;
        stage.forward += each.forward / speed;
        stage.backward += each.backward / speed;
        stage.memory.resident += 4 * each.parameters;
        stage.memory.activations += each.activations;
        stage.memory.workspace = std::max(stage.memory.workspace, each.workspace);
      }
      if (stage.on_cpu) stage.forward = 10 * count / speed, stage.backward = 20 * count / speed;
      for (const auto& edge : made.edges) {
        if (edge.from == s || edge.to == s) stage.memory.buffers += 2 * edge.bytes;
      }
      stage.cost = stage.forward + stage.backward;
    }
    constexpr const char* kinds[] = {"link", "latency", "stream", "blocking"};
    if (dice_.up_to(1) == 0 || made.edges.empty()) return;
    made.messages.kind = kinds[dice_.up_to(3)];
    made.messages.links.resize(dice_.up_to(1) == 0 ? 1 : made.edges.size());
    for (auto& link : made.messages.links) link = dice_.link();
  }

  void run() {
    const auto order = stagecut::schedule_of(made);
    const auto found = stagecut::simulate(order, stagecut::times_of(made, false), stagecut::transfers_of(made));
    made.makespan = found.makespan;
    for (const auto& rank : found.ops) {
      for (const auto& op : rank) {
        made.timeline.push_back({op.what.stage, op.what.microbatch, op.what.kind, op.start, op.end});
      }
    }
    made.objective = {"makespan", "time", found.makespan, 0, stagecut::state::feasible};
  }

  dice_t& dice_;
  std::size_t forwards_ = 0;
  std::size_t stages_ = 1;
  std::vector<std::size_t> stage_;
};

}  // namespace

TEST_CASE("plans of graphs hold, and what is spoilt in them is found") {
  dice_t dice(3);
  std::size_t several = 0;
  std::size_t moved = 0;
  std::size_t bytes = 0;
  for (int round = 0; round < 3000; ++round) {
    const graph_plan random(dice);
    const auto& [model, made] = std::pair(random.model, random.made);
    if (made.edges.empty()) continue;
    const auto all = verify_plan(model, made);
    INFO(round, " ", made.messages.kind, "\n", broken(all));
    REQUIRE(all.holds());
    REQUIRE(all.find("messages")->result == check_result::holds);
    REQUIRE(all.find("makespan")->recomputed);
    several += made.edges.size() > 2 ? 1 : 0;

    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      plan other = made;
      other.assignment[i] = (other.assignment[i] + 1 + dice.up_to(made.stages.size() - 2)) % made.stages.size();
      REQUIRE(!verify_plan(model, other).holds());
      bool back = false;
      for (const auto& [from, to] : model.edges) {
        const bool of_back = model.layers[from].is_backward;
        if (model.layers[from].is_backward != model.layers[to].is_backward) continue;
        back = back || (of_back ? other.assignment[from] < other.assignment[to]
                                : other.assignment[from] > other.assignment[to]);
      }
      REQUIRE(breaks(model, other, "acyclic") == back);
      moved += back ? 1 : 0;
    }
    for (std::size_t e = 0; e < made.edges.size(); ++e) {
      plan other = made;
      more(other.edges[e].bytes);
      REQUIRE(breaks(model, other, "messages"));
      other = made;
      other.edges.erase(other.edges.begin() + static_cast<std::ptrdiff_t>(e));
      other.messages = {};
      REQUIRE(breaks(model, other, "messages"));
      ++bytes;
    }
    for (std::size_t s = 0; s < made.stages.size(); ++s) {
      plan other = made;
      more(other.stages[s].backward);
      REQUIRE(breaks(model, other, "loads"));
      other = made;
      more(other.stages[s].memory.buffers);
      REQUIRE(breaks(model, other, "memory"));
    }
    plan other = made;
    more(*other.makespan);
    REQUIRE(breaks(model, other, "makespan"));
    other = made;
    other.edges.clear();
    other.messages = {};
    REQUIRE(breaks(model, other, "messages"));
  }
  CHECK(several > 300);
  CHECK(moved > 1000);
  CHECK(bytes > 1000);
}
