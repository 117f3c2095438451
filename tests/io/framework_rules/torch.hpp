// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reading.hpp"

// PyTorch's pipelining, split_module and torchtitan.
namespace framework_rules {

/// A class of `torch.distributed.pipelining.schedules`, and what its constructor asks for.
struct torch_class {
  std::string_view schedule;  ///< the plan's word
  std::string_view name;      ///< as `get_schedule_class` takes it
  bool single;                ///< one stage a rank
  bool v;                     ///< two stages a rank, down and back up
};

inline constexpr torch_class torch_classes[] = {{"gpipe", "GPipe", true, false},
                                                {"1f1b", "1F1B", true, false},
                                                {"interleaved", "Interleaved1F1B", false, false},
                                                {"looped-bfs", "LoopedBFS", false, false},
                                                {"interleaved-zb", "InterleavedZeroBubble", false, false},
                                                {"zbv", "ZBVZeroBubble", false, true},
                                                {"dualpipev", "DualPipeV", false, true}};

/// How the text says which schedule runs: by a class, or by a file of actions.
struct said_schedule {
  const torch_class* by_class = nullptr;  ///< null: by no class
  bool by_file = false;
};

/// The class that `get_schedule_class` has for a name, as it is written; null: none.
inline const torch_class* torch_class_called(std::string_view name) {
  for (const auto& each : torch_classes) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

/// Checks the class's constructor rules for `stages` stages, and reports where it runs another order than the plan's.
inline void demand_torch_class(const stagecut::plan& made, const torch_class& found, std::size_t stages, verdict& out) {
  const std::size_t p = made.devices, m = made.schedule.microbatches;
  out.demand(!found.single || stages == p, "this schedule has one stage a rank, and not " + said(stages / p));
  out.demand(found.single || stages > p, "this schedule has several stages a rank");
  out.demand(!found.v || stages == 2 * p, "this schedule has two stages a rank, and not " + said(stages / p));
  if (m == 0) return;
  const std::size_t rounds = m < p ? 1 : m / p;
  if (found.name == "1F1B" || found.name == "DualPipeV")
    out.demand(m >= stages, said(m) + " microbatches, fewer than the stages");
  if (found.name != "Interleaved1F1B" && found.name != "InterleavedZeroBubble") return;
  if (!out.demand(m % rounds == 0, said(m) + " microbatches in " + said(rounds) + " rounds")) return;
  if (found.name != "Interleaved1F1B") return;
  const std::size_t group = made.schedule.group == 0 ? p : made.schedule.group;
  out.demand(m / rounds == group, "rounds of " + said(m / rounds) + " microbatches, and the plan has " + said(group));
}

/// Checks PyTorch's rules for a plan's schedule with `stages` stages, and whether the text gives that schedule.
inline void demand_torch_schedule(const stagecut::plan& made, std::size_t stages, const said_schedule& how,
                                  verdict& out) {
  const std::size_t p = made.devices;
  if (!out.demand(p != 0 && stages % p == 0, said(stages) + " stages on " + said(p) + " ranks")) return;
  const std::string& name = made.schedule.name;
  out.demand(name != "seq-1f1b", "actions of slices have no name");
  if (how.by_class == nullptr) return;
  out.demand(made.schedule.orders.empty(), "a class for an order of the devices' own");
  out.demand(how.by_class->schedule == name, "another schedule than the plan's");
  demand_torch_class(made, *how.by_class, stages, out);
}

/// How stages go to ranks: as the class has it; by the rows of a file where there is no class.
inline shape torch_shape(const stagecut::plan& made, const said_schedule& how) {
  if (how.by_class != nullptr) return how.by_class->v ? shape::v : shape::loop;
  return how.by_file || !made.schedule.orders.empty() ? shape::any : shape::loop;
}

/// Layers by the names of their modules; those that PyTorch makes itself are left out.
inline std::map<std::string, std::size_t> layers_by_module(const stagecut::profile& model, verdict& out) {
  std::map<std::string, std::size_t> found;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].is_backward) continue;
    for (const std::string& name : modules_of(model.layers[i]))
      out.demand(found.emplace(name, i).second, "module \"" + name + "\" twice");
  }
  return found;
}

/// How the schedule is made: `get_schedule_class("1F1B")(stage, n_microbatches=8)`, or the runtime and its file.
inline said_schedule take_torch_schedule(scanner& in, const stagecut::plan& made, verdict& out) {
  said_schedule how;
  if (in.at_end()) return how;
  if (!out.demand(in.take("schedule") && in.take("="), "no schedule")) return how;
  how.by_file = in.take("_PipelineScheduleRuntime");
  if (!how.by_file) {
    const auto name = in.take("get_schedule_class(") ? in.take_string() : std::nullopt;
    how.by_class = name ? torch_class_called(*name) : nullptr;
    if (!out.demand(how.by_class != nullptr && in.take(")"), "no class of that name")) return how;
  }
  const bool several = in.take("(stages,");
  out.demand(several || in.take("(stage,"), "no stages");
  const bool single = how.by_class != nullptr && how.by_class->single;
  out.demand(several != single, single ? "a list of stages for a class of one" : "one stage for a class of several");
  const auto m = in.take("n_microbatches=") ? in.take_number() : std::nullopt;
  out.demand(m == static_cast<long long>(made.schedule.microbatches), "other microbatches than the plan's");
  out.demand(in.take(")"), "the call does not end");
  if (how.by_file) out.demand(in.take("schedule._load_csv(") && in.take_string() && in.take(")"), "no file");
  if (in.take("#")) (void)in.take_until('\n');
  out.demand(in.at_end(), "more behind the schedule");
  return how;
}

/// `split_spec` of `pipeline`: a stage starts where a module starts that it names, and ends where one named so ends.
inline verdict split_spec(const stagecut::plan& made, std::string_view text) {
  const stagecut::profile& model = made.profile;
  verdict out(model.layers.size());
  const auto modules = layers_by_module(model, out);
  scanner in(text);
  std::map<std::string, bool> points;  // whether a stage starts there
  const auto point = [&] {
    const auto name = in.take_string();
    if (!name || !in.take(":") || !in.take("SplitPoint.")) return false;
    const bool begins = in.take("BEGINNING");
    out.demand(points.emplace(*name, begins).second, "\"" + *name + "\" twice");
    out.demand(modules.contains(*name), "no module \"" + *name + "\"");
    return begins || in.take("END");
  };
  if (!out.demand(in.take("split_spec") && in.take("=") && in.take_list(point, "{", "}"), "no split_spec")) return out;
  const said_schedule how = take_torch_schedule(in, made, out);
  std::size_t stage = 0;
  bool first = true;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].is_backward) continue;
    for (const std::string& name : modules_of(model.layers[i])) {
      const auto at = points.find(name);
      if (at != points.end() && at->second) {
        out.demand(!first, "nothing stands before \"" + name + "\"");
        ++stage;
      }
      out.demand(out.stage[i] == nowhere || out.stage[i] == stage,
                 "layer \"" + model.layers[i].name + "\" is cut inside");
      out.stage[i] = stage;
      if (at != points.end() && !at->second) ++stage;
      first = false;
    }
  }
  demand_torch_schedule(made, stage + 1, how, out);
  demand_no_ties_between_stages(model, out);
  out.ranks = torch_shape(made, how);
  return out;
}

/// A dictionary from modules to stages, for the callback of `split_module`.
inline verdict split_module(const stagecut::plan& made, std::string_view text) {
  const stagecut::profile& model = made.profile;
  verdict out(model.layers.size());
  const auto modules = layers_by_module(model, out);
  std::set<std::string> seen;
  scanner in(text);
  bool reads = in.take("stage_of") && in.take("=") && in.take("{");
  while (reads && !in.take("}")) {
    const auto name = in.take_string();
    const auto stage = in.take(":") ? in.take_number() : std::nullopt;
    reads = name && stage && in.take(",");
    if (!reads) break;
    out.demand(seen.insert(*name).second, "\"" + *name + "\" twice");
    const auto found = modules.find(*name);
    if (!out.demand(found != modules.end(), "no module \"" + *name + "\"")) continue;
    std::size_t& of = out.stage[found->second];
    out.demand(of == nowhere || of == static_cast<std::size_t>(*stage), "layer \"" + *name + "\" is cut inside");
    of = static_cast<std::size_t>(*stage);
  }
  out.demand(reads && in.at_end(), "no dictionary of stages");
  for (const auto& [name, i] : modules) out.demand(seen.contains(name), "no stage of \"" + name + "\"");
  demand_no_ties_between_stages(model, out);
  out.ranks = shape::any;
  return out;
}

/// The name of a layer's module in torchtitan's models: the head is `lm_head`, a vision tower with its projector is one
/// module.
inline std::string torchtitan_name(const stagecut::layer& each, const std::string& module) {
  if (sees(each)) return "vision_encoder";
  return each.kind == "head" && module == "output" ? "lm_head" : module;
}

/// Checks the options outside the modules: those of `parallelism`.
inline void demand_torchtitan_option(scanner& in, const stagecut::plan& made, said_schedule& how, verdict& out) {
  if (in.take("pipeline_parallel_degree=")) {
    out.demand(in.take_number() == static_cast<long long>(made.devices), "another degree than the ranks");
  } else if (in.take("pipeline_parallel_schedule=")) {
    const auto name = in.take_string();
    how.by_class = name ? torch_class_called(*name) : nullptr;
    out.demand(how.by_class != nullptr, "no class of that name");
  } else if (in.take("num_pp_microbatches=")) {
    out.demand(in.take_number() == static_cast<long long>(made.schedule.microbatches),
               "other microbatches than the plan's");
  } else if (in.take("pipeline_parallel_microbatch_size=")) {
    out.demand(in.take_number().value_or(0) > 0, "no samples in a microbatch");
  } else if (in.take("pipeline_parallel_schedule_csv=")) {
    how.by_file = in.take_string().has_value();
    out.demand(how.by_file, "no file");
  } else if (in.take("local_batch_size=") || in.take("seq_len=")) {
    out.demand(in.take_number().value_or(0) > 0, "no number above 0");
  } else {
    out.demand(false, "no such option: " + std::string(in.take_until('\n')));
  }
  if (in.take("#")) (void)in.take_until('\n');  // a comment
}

/// A module of a stage: a child of the model, or one of a list or dictionary that is a child.
inline void demand_torchtitan_module(const std::string& name, verdict& out) {
  std::size_t dots = 0;
  for (const char character : name) dots += character == '.' ? 1 : 0;
  out.demand(dots <= 1, "\"" + name + "\" is nested, and it finds children and members of their lists");
}

inline verdict torchtitan(const stagecut::plan& made, std::string_view text) {
  const stagecut::profile& model = made.profile;
  verdict out(model.layers.size());
  std::vector<std::vector<std::string>> parts;
  const auto part = [&](scanner& in) {
    auto& names = parts.emplace_back();
    return in.take_list([&] {
      const auto name = in.take_string();
      if (name) names.push_back(*name);
      return name.has_value();
    });
  };
  scanner in(text);
  said_schedule how;
  while (!in.at_end()) {
    if (in.take("module_fqns_per_model_part=") || in.take("pipeline_parallel_module_fqns_per_model_part=")) {
      if (!out.demand(in.take_list([&] { return part(in); }), "no list of lists of names")) return out;
    } else {
      demand_torchtitan_option(in, made, how, out);
    }
  }
  std::map<std::string, std::size_t> stages;
  for (std::size_t s = 0; s < parts.size(); ++s) {
    out.demand(!parts[s].empty(), "stage " + said(s) + " has nothing to optimise");
    for (const std::string& name : parts[s]) {
      demand_torchtitan_module(name, out);
      out.demand(stages.emplace(name, s).second, "module \"" + name + "\" twice");
    }
  }
  std::set<std::string> known;
  std::size_t before = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const std::string& module : modules_of(model.layers[i])) {
      const std::string name = torchtitan_name(model.layers[i], module);
      known.insert(name);
      const auto found = stages.find(name);
      if (!out.demand(found != stages.end(), "module \"" + name + "\" on no stage: it is dropped without an error"))
        continue;
      out.demand(out.stage[i] == nowhere || out.stage[i] == found->second,
                 "layer \"" + model.layers[i].name + "\" is cut inside");
      out.stage[i] = found->second;
      out.demand(found->second >= before, "module \"" + name + "\" runs before what feeds it");
      before = found->second;
    }
  }
  for (const auto& [name, s] : stages) out.demand(known.contains(name), "no module \"" + name + "\"");
  demand_torch_schedule(made, parts.size(), how, out);
  out.demand(how.by_file || how.by_class != nullptr || made.schedule.microbatches == 0, "no schedule");
  out.demand(!how.by_file || how.by_class == nullptr, "a file and a class");
  out.demand(made.devices == 1 || ties_of(model).empty(), "tied weights and a pipeline exclude each other");
  out.ranks = how.by_class != nullptr && how.by_class->v ? shape::v : shape::loop;  // with a file, too
  return out;
}

}  // namespace framework_rules
