// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// Profiles and plans of all kinds, for what reads and writes them.
class random_plans {
 public:
  explicit random_plans(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] std::size_t up_to(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random_);
  }

  /// Any finite number that is not negative, small enough that two of them have a sum.
  [[nodiscard]] double number() {
    switch (up_to(7)) {
      case 0: return 0;
      case 1: return static_cast<double>(up_to(1000));
      case 2: return static_cast<double>(up_to(1000)) / 1000;
      case 3: return 5e-324 * static_cast<double>(1 + up_to(100));
      case 4: return 9007199254740990.0 + static_cast<double>(up_to(4));
      case 5: return static_cast<double>(up_to(~std::size_t{0}));
      default:
        return std::bit_cast<double>(std::uniform_int_distribution<std::uint64_t>(0, 0x7fdfffffffffffff)(random_));
    }
  }

  [[nodiscard]] std::optional<double> maybe() { return up_to(1) == 0 ? std::nullopt : std::optional(number()); }

  /// Any text: quotes, control characters, characters of one to four bytes.
  [[nodiscard]] std::string text() {
    static const std::vector<std::string> pieces = {"a",
                                                    "B7",
                                                    "\"",
                                                    "\\",
                                                    "\n",
                                                    "\r",
                                                    "\t",
                                                    "/",
                                                    "~",
                                                    "\x01",
                                                    "\x7f",
                                                    "\u00e9",
                                                    "\u20ac",
                                                    "\U0001F600",
                                                    "\uffff",
                                                    "\U0010FFFF",
                                                    std::string(1, '\0'),
                                                    ",",
                                                    " ",
                                                    "{"};
    std::string result;
    for (std::size_t i = up_to(6); i-- > 0;) result += pieces[up_to(pieces.size() - 1)];
    return result;
  }

  [[nodiscard]] std::string unknown() {
    static const std::vector<std::string> fields = {"", R"({"x":1})", R"({"a b":[1,2.5,{"c":null}],"\u0001\"":-1})",
                                                    R"({"forwards":true,"nested":{"forward":"~/"}})"};
    return fields[up_to(fields.size() - 1)];
  }

  [[nodiscard]] stagecut::profile profile() {
    stagecut::profile model;
    model.name = text();
    model.weights_only = up_to(1) == 0;
    model.inference = up_to(3) == 0;
    model.unknown_fields = unknown();
    if (up_to(1) == 0) model.machine = {up_to(9), up_to(2), maybe(), {}, up_to(1) == 0};
    if (up_to(1) == 0) model.machine.link = {number(), number()};
    std::vector<stagecut::tied_parameters> ties;
    for (std::size_t t = up_to(2); t-- > 0;) {
      using enum stagecut::tied_parameters::placement;
      ties.push_back({std::to_string(t) + text(), number(), maybe(), up_to(1) == 0 ? replicated : colocated});
    }
    std::size_t group = 0;
    for (std::size_t i = 1 + up_to(7); i-- > 0;) {
      stagecut::layer& each = model.layers.emplace_back();
      figures(each);
      each.name = text();
      each.kind = text();
      each.recomputation = text();
      places(each);
      group += up_to(1);
      if (group % 2 == 1) each.group = "group " + std::to_string(group);
      for (const auto& tie : ties) {
        if (up_to(1) == 0) each.tied.push_back(tie);
      }
      for (std::size_t m = up_to(2); m-- > 0;) each.modules.push_back(text());
      for (auto* const variants : {&each.recomputations, &each.shardings}) {
        for (std::size_t v = up_to(2); v-- > 0;) {
          figures(variants->emplace_back());
          variants->back().name = text();
          variants->back().tensor_parallel = 1 + up_to(4);
        }
      }
    }
    return model;
  }

  /// A graph, a module tree, or both.
  [[nodiscard]] stagecut::profile graph() {
    stagecut::profile model = profile();
    const std::size_t n = model.layers.size();
    for (auto& layer : model.layers) layer.group = up_to(1) == 0 ? "" : "group " + std::to_string(up_to(2));
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random_);
    const std::size_t parts = n == 1 ? 0 : 1 + up_to(2);
    for (std::size_t v = 1; v < n; ++v) {
      if (parts != 2) model.layers[order[up_to(v - 1)]].children.push_back(order[v]);
      for (std::size_t u = 0; parts != 1 && u < v; ++u) {
        if (u == 0 || up_to(2) == 0) model.edges.push_back({order[u], order[v]});
      }
    }
    return model;
  }

  /// A plan of a chain of intervals, or of any other stages.
  [[nodiscard]] stagecut::plan plan() {
    stagecut::plan made;
    made.profile = profile();
    made.unknown_fields = unknown();
    cut(made);
    stages(made);
    choices(made);
    order(made);
    const double value = number();
    const double bound = number();
    const std::size_t objective = up_to(std::size(stagecut::objective_names));
    made.objective = {objective == 0 ? "" : stagecut::objective_names[objective - 1].name, text(), std::max(value, bound),
                      std::min(value, bound), static_cast<stagecut::state>(up_to(3))};
    for (std::size_t d = 0; d < made.devices && made.stages.size() % 3 == 0; ++d) {
      made.speeds.push_back(number() + 5e-324);
    }
    if (!made.memory.memory_limit && made.stages.size() % 2 == 0) {
      std::vector<double> bytes;
      for (std::size_t d = 0; d < made.devices; ++d) bytes.push_back(number());
      made.memory.memory_limit = bytes;
    }
    if (up_to(1) == 0) {
      static const std::vector<std::string> kinds = {"link", "latency", "stream", "blocking"};
      made.messages.kind = kinds[up_to(3)];
      const std::size_t each = made.edges.empty() ? made.stages.size() - 1 : made.edges.size();
      const std::size_t links = up_to(1) == 0 || each == 0 ? 1 : each;
      for (std::size_t b = 0; b < links; ++b) made.messages.links.push_back({number(), number()});
    }
    const bool runs = !made.schedule.name.empty() || !made.schedule.orders.empty();
    if (runs && made.schedule.microbatches != 0) made.makespan = maybe();
    for (std::size_t i = up_to(5); i-- > 0;) {
      const double a = number();
      const double b = number();
      const std::size_t microbatches = made.schedule.microbatches == 0 ? 9 : made.schedule.microbatches;
      made.timeline.push_back({up_to(made.stages.size() - 1), up_to(microbatches - 1),
                               static_cast<stagecut::op_kind>(up_to(3)), std::min(a, b), std::max(a, b)});
    }
    return made;
  }

 private:
  /// The stage of every layer, and edges where these are no chain, or some more.
  void cut(stagecut::plan& made) {
    const std::size_t layers = made.profile.layers.size();
    std::vector<std::size_t> stage_of(layers);
    for (std::size_t i = 1; i < layers; ++i) stage_of[i] = stage_of[i - 1] + up_to(1);
    const std::size_t stages = stage_of.back() + 1;
    made.stages.resize(stages);
    const std::size_t shape = stages == 1 ? 0 : up_to(2);
    if (shape == 1) {  // branches: every layer feeds any of later stages
      for (std::size_t s = 1; s < stages; ++s) {
        std::size_t from = up_to(layers - 1);
        while (stage_of[from] >= s) from = up_to(from - 1);
        std::size_t to = 0;
        while (stage_of[to] != s) ++to;
        made.profile.edges.push_back({from, to});
      }
    }
    if (shape == 2) {  // the same stages in another order of layers
      std::shuffle(made.profile.layers.begin(), made.profile.layers.end(), random_);
      for (auto& layer : made.profile.layers) layer.group = "";
      std::vector<std::size_t> place(layers);
      for (std::size_t i = 0; i < layers; ++i) place[i] = i;
      std::shuffle(place.begin(), place.end(), random_);
      std::vector<std::size_t> moved(layers);
      for (std::size_t i = 0; i < layers; ++i) moved[place[i]] = stage_of[i];
      for (std::size_t i = 1; i < layers; ++i) made.profile.edges.push_back({place[i - 1], place[i]});
      stage_of = moved;
    }
    stagecut::assign_stages(made, stage_of);
    for (std::size_t from = 0; shape != 0 && from < stages; ++from) {
      for (std::size_t to = from + 1; to < stages; ++to) {
        bool needed = false;
        for (const auto& edge : made.profile.edges) {
          needed = needed || (stage_of[edge.from] == from && stage_of[edge.to] == to);
        }
        if (needed || up_to(3) == 0) made.edges.push_back({from, to, number()});
      }
    }
  }

  void stages(stagecut::plan& made) {
    const std::size_t stages = made.stages.size();
    made.stages_per_rank = stages % 2 == 0 ? 1 + up_to(1) : 1;
    made.devices = stages / made.stages_per_rank;
    if (up_to(1) == 0) {
      const char* const checkpoints[] = {"", "never", "always"};
      const double fraction = static_cast<double>(up_to(63)) / 64;
      made.memory = {text(), number(), checkpoints[up_to(2)], number(), maybe(), fraction};
    }
    const bool kept = up_to(2) == 0;
    if (kept) made.memory.checkpoint = up_to(1) == 0 ? "except_last" : "";
    const std::size_t replicas = 1 + up_to(1);
    const std::size_t shards = 1 + up_to(1);
    for (std::size_t s = 0; s < stages; ++s) {
      stagecut::planned_stage& stage = made.stages[s];
      stage = {s % made.devices, number(), number(), number(), up_to(9), {}};
      if (up_to(1) == 0) stage.memory = {number(), number(), number(), number(), number(), number()};
      const bool swapped = up_to(1) == 0;
      stage.replicas = swapped ? shards : replicas;
      stage.tensor_parallel = swapped ? replicas : shards;
      if (kept) stage.backward_kept = number();
      stage.backward_weight = maybe();
      if (stage.backward_weight) stage.backward_input = maybe();
      if (up_to(2) == 0) stage.all_reduce = number();
    }
  }

  void choices(stagecut::plan& made) {
    if (up_to(1) == 0) return;
    const auto stage_of = stage_of_layers(made);
    for (std::size_t i = 0; i < stage_of.size(); ++i) {
      stagecut::layer_choice& choice = made.choices.emplace_back();
      for (const bool sharded : {false, true}) {
        auto& variants = sharded ? made.profile.layers[i].shardings : made.profile.layers[i].recomputations;
        if (variants.empty() || up_to(1) == 0) continue;
        auto& chosen = variants[0];
        chosen.tensor_parallel = up_to(1) == 0 ? 1 : made.stages[stage_of[i]].tensor_parallel;
        (sharded ? choice.sharding : choice.recomputation) = chosen.name;
      }
    }
  }

  /// A schedule with a name; or all passes, stage by stage and back, perhaps with I and W, or two that overlap.
  void order(stagecut::plan& made) {
    using enum stagecut::op_kind;
    if (up_to(1) == 0) return;
    if (up_to(1) == 0) {
      made.schedule = {text(), up_to(100), {}, up_to(1) * up_to(9)};
      return;
    }
    const std::size_t m = 1 + up_to(2);
    made.schedule.microbatches = m;
    made.schedule.orders.resize(made.devices);
    const auto put = [&](stagecut::op_kind kind, std::size_t s, std::size_t k) {
      made.schedule.orders[made.stages[s].device].push_back({kind, s, k});
    };
    for (std::size_t s = 0; s < made.stages.size(); ++s) {
      for (std::size_t k = 0; k < m; ++k) put(forward, s, k);
    }
    for (std::size_t s = made.stages.size(); s-- > 0;) {
      const bool split = up_to(1) == 0;
      for (std::size_t k = 0; k < m; ++k) put(split ? backward_input : backward, s, k);
      for (std::size_t k = 0; split && k < m; ++k) put(backward_weight, s, k);
    }
    for (auto& rank : made.schedule.orders) {
      for (std::size_t i = 0; i + 1 < rank.size(); ++i) {
        if (rank[i].kind == forward && rank[i + 1].kind == backward && rank[i].microbatch != rank[i + 1].microbatch) {
          rank[i].with_next = up_to(1) == 0;
        }
      }
    }
  }

  /// Where a layer may stand, and in which pass.
  void places(stagecut::layer& each) {
    each.cpu = maybe();
    if (up_to(3) == 0) each.stage = up_to(9);
    each.accelerator = up_to(3) != 0;
    each.is_backward = up_to(3) == 0;
    if (each.is_backward) each.forward = 0;
  }

  template <class Each>
  void figures(Each& each) {
    each.forward = number();
    each.backward = number();
    if (up_to(1) == 0) {
      each.backward_input = number();
      each.backward_weight = number();
      if (up_to(1) == 0) each.backward = *each.backward_input + *each.backward_weight;
      if (each.backward > 8e307) each.backward = 0;
    }
    each.parameters = number();
    each.resident = maybe();
    each.activations = number();
    each.output = number();
    each.workspace = number();
    each.recomputed = number();
    each.update = number();
    each.unknown_fields = unknown();
  }

  std::mt19937 random_;
};

/// A profile without default values.
[[nodiscard]] inline stagecut::profile full_profile() {
  using enum stagecut::tied_parameters::placement;
  stagecut::layer_variant variant{"full", 2, 1, 3, 1.25, 1.5, 8, 16, 4, 2, 6, 7, R"({"of variant":0})"};
  variant.recomputation = "none";
  variant.recomputed = 3;
  stagecut::layer each{"first",    "decoder",
                       1,          2.5,
                       8,          4,
                       6,          2,
                       3,          0.75,
                       1.5,        24,
                       "g",        {{"word", 64, 128, colocated}},
                       {"a", "b"}, "selective",
                       {variant},  {variant},
                       {},         5.5,
                       1,          false,
                       false,      true, R"({"of layer":[1,{"x":2}]})", 7};
  stagecut::profile model{
      {each, each}, true, "full", {{0, 1}}, {8, 1, 4096, stagecut::link_speed{0.25, 64}, false}, R"({"of profile":null})"};
  model.inference = true;
  model.layers[0].children = {1};
  model.layers[1].name = "second";
  model.layers[1].is_backward = true;
  model.layers[1].forward = 0;
  return model;
}

/// The same as a chain.
[[nodiscard]] inline stagecut::profile full_chain() {
  stagecut::profile model = full_profile();
  model.edges.clear();
  model.layers[0].children.clear();
  return model;
}

/// A plan without default values, except for what makes its profile a graph or a tree, and for redundant fields: the
/// stage of every layer, by cuts, and its schedule, by name.
[[nodiscard]] inline stagecut::plan full_plan() {
  stagecut::plan made;
  made.profile = full_chain();
  made.cuts = {0, 1, 2};
  made.devices = 1;
  made.stages_per_rank = 2;
  made.stages = {{0, 3.5, 1, 2.5, 2, {24, 4, 2, 12, 3, 5}}, {0, 3.5, 1, 2.5, 1, {24, 4, 2, 6, 3, 5}}};
  for (auto& stage : made.stages) {
    stage.replicas = 3;
    stage.tensor_parallel = 2;
    stage.backward_kept = 1.5;
    stage.backward_weight = 0.5;
    stage.backward_input = 2.25;
    stage.all_reduce = 0.25;
  }
  made.stages[1].on_cpu = true;
  made.edges = {{0, 1, 6}};
  made.choices = {{"full", "full"}, {"full", ""}};
  made.schedule = {"interleaved", 4, {}};
  made.objective = {"bottleneck", "time", 3.5, 3.25, stagecut::state::feasible};
  made.memory = {"adam", 4, "except_last", 2, 1024, 0.1};
  made.speeds = {0.5};
  made.messages = {"blocking", {{0.25, 8}}};
  made.makespan = 17.5;
  made.timeline = {{0, 0, stagecut::op_kind::forward, 0, 1}, {1, 0, stagecut::op_kind::backward, 1, 3.5}};
  made.unknown_fields = R"({"of plan":"x"})";
  return made;
}

/// A plan that says by an assignment what stages are no intervals, and by an order what has no name.
[[nodiscard]] inline stagecut::plan full_graph_plan() {
  using enum stagecut::op_kind;
  stagecut::plan made = full_plan();
  made.profile.layers.push_back(made.profile.layers[1]);
  for (auto& layer : made.profile.layers) layer.group = "";
  made.profile.layers[2].name = "third";
  made.profile.edges = {{0, 2}, {1, 0}};
  made.cuts = {};
  made.assignment = {1, 0, 1};
  made.choices.emplace_back();
  made.own_microbatches = true;
  made.devices = 2;
  made.stages_per_rank = 1;
  made.stages[1].device = 1;
  made.speeds = {0.5, 2};
  made.memory.memory_limit = {1024, 2048};
  made.schedule = {"", 2, {}};
  made.schedule.orders = {{{forward, 0, 0}, {forward, 0, 1, 0, true}, {backward, 0, 0}, {backward, 0, 1}},
                          {{forward, 1, 0}, {backward_input, 1, 0}, {backward_weight, 1, 0}, {forward, 1, 1}, {backward, 1, 1}}};
  return made;
}
