// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reading.hpp"

// Frameworks that cut a list of layers, whatever these are: torchgpipe, FairScale, DeepSpeed, Alpa, SageMaker.
namespace framework_rules {

/// Builds the given number of layers on every stage, in order.
inline void build_counts(const std::vector<long long>& counts, verdict& out) {
  std::size_t i = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    for (long long k = 0; k < counts[s] && i < out.stage.size(); ++k) out.stage[i++] = s;
  }
}

inline void demand_balance(const std::vector<long long>& balance, std::size_t layers, std::size_t devices,
                           verdict& out) {
  long long sum = 0;
  bool positive = true;
  for (const long long each : balance) sum += each, positive = positive && each > 0;
  out.demand(sum == static_cast<long long>(layers),
             "balance of " + std::to_string(sum) + " children, and there are " + said(layers));
  out.demand(positive, "a number of the balance is not positive");
  out.demand(balance.size() == devices, said(balance.size()) + " partitions on " + said(devices) + " devices");
}

/// torchgpipe's `GPipe` and FairScale's `Pipe`: `type` is the class, `any_tie` whether it refuses children that share
/// parameters wherever they stand.
inline verdict balanced(const stagecut::plan& made, std::string_view text, std::string_view type, bool any_tie) {
  const stagecut::profile& model = made.profile;
  verdict out(model.layers.size());
  scanner in(text);
  const auto balance = in.take("balance=") ? in.take_numbers() : std::nullopt;
  if (!out.demand(balance.has_value(), "no balance")) return out;
  demand_balance(*balance, model.layers.size(), made.devices, out);
  if (!in.at_end()) {
    const bool call = in.take("model") && in.take("=") && in.take(type) && in.take("(model,") && in.take("balance,") &&
                      in.take("chunks=");
    const auto chunks = call ? in.take_number() : std::nullopt;
    const auto checkpoint = in.take(",") && in.take("checkpoint=") ? in.take_string() : std::nullopt;
    if (!out.demand(chunks && checkpoint && in.take(")") && in.at_end(), "not a call of " + std::string(type)))
      return out;
    out.demand(*chunks > 0, "chunks must be positive");
    out.demand(made.schedule.microbatches == 0 || *chunks == static_cast<long long>(made.schedule.microbatches),
               "chunks are not the microbatches");
    out.demand(*checkpoint == "always" || *checkpoint == "except_last" || *checkpoint == "never",
               "checkpoint '" + *checkpoint + "'");
  }
  demand_schedule(made, {"gpipe", "gpipe-lifo"}, out);  // both first forward, then back
  build_counts(*balance, out);
  if (any_tie) out.demand(ties_of(model).empty(), "children share parameters");
  demand_no_ties_between_stages(model, out);
  return out;
}

/// DeepSpeed's `PipelineModule`, its method for cutting overridden.
inline verdict deepspeed(const stagecut::plan& made, std::string_view text) {
  const std::size_t layers = made.profile.layers.size();
  verdict out(layers);
  const auto lines = lines_of(text);
  const auto starts = [&](std::size_t i, std::string_view with) {
    return i < lines.size() && lines[i].starts_with(with);
  };
  // Of 0.19.8, two stages a rank, down the ranks and back up, for at least two microbatches a rank.
  const bool twice = starts(0, "class ") && lines[0].ends_with("(DualPipeVModule):");
  const std::size_t at = twice ? 3 : 2;  // the line of the parts
  const bool begins = starts(0, "class ") && (twice || lines[0].ends_with("(PipelineModule):")) &&
                      starts(1, "    def _partition_layers(self, method=") && lines[1].ends_with("):") &&
                      starts(at, "        self.parts = ") &&
                      starts(at + 1, "        s = self._topo.get_coord(self.global_rank).pipe");
  const bool ends =
      twice ? starts(2, "        self.num_stages *= 2") &&
                  starts(5, "        self.phase_bounds = [(self.parts[k], self.parts[k+1]) for k in (s, self.num_stages-1-s)]") &&
                  starts(6, "        self._set_bounds(*self.phase_bounds[0])")
            : starts(4, "        self._set_bounds(start=self.parts[s], stop=self.parts[s+1])");
  if (!out.demand(begins && ends, "no subclass that sets the bounds of its stage")) return out;
  const std::size_t stages = (twice ? 2 : 1) * made.devices;
  if (twice) out.ranks = shape::v;
  scanner in(lines[at].substr(lines[at].find('=') + 1));
  const auto parts = in.take_numbers();
  if (!out.demand(parts && in.at_end() && !parts->empty(), "parts are no list")) return out;
  out.demand(parts->size() == stages + 1, said(parts->size()) + " bounds of " + said(stages) + " stages");
  out.demand(parts->front() == 0, "the first stage starts at 0");
  out.demand(parts->back() == static_cast<long long>(layers), "the last stage ends at " + said(layers));
  std::vector<long long> counts;
  for (std::size_t s = 0; s + 1 < parts->size(); ++s) counts.push_back((*parts)[s + 1] - (*parts)[s]);
  out.demand(std::all_of(counts.begin(), counts.end(), [](long long n) { return n > 0; }),
             "a stage without layers has nothing to optimise");
  demand_schedule(made, {twice ? "dualpipev" : "1f1b"}, out);
  const std::size_t m = made.schedule.microbatches;
  out.demand(!twice || m == 0 || m >= stages, said(m) + " microbatches, fewer than two a rank");
  build_counts(counts, out);  // layers may share parameters across stages: TiedLayerSpec
  return out;
}

/// Alpa's `ManualStageOption`; behind it, `pipeline_schedule` and `num_micro_batches` of what it is given to.
inline verdict alpa(const stagecut::plan& made, std::string_view text) {
  const std::size_t layers = made.profile.layers.size();
  verdict out(layers);
  scanner in(text);
  std::vector<std::vector<long long>> stages;
  const auto stage = [&] {
    const auto numbers = in.take_numbers();
    if (numbers) stages.push_back(*numbers);
    return numbers.has_value();
  };
  if (!out.demand(in.take("ManualStageOption(") && in.take_list(stage), "no stages")) return out;
  const auto times = [&](std::string_view each) {  // `[each]*n`
    const auto count =
        in.take(",") && in.take("[") && in.take(each) && in.take("]") && in.take("*") ? in.take_number() : std::nullopt;
    return count.value_or(-1);
  };
  const auto count = static_cast<long long>(stages.size());
  out.demand(times("(1,1)") == count, "physical shapes of other stages");
  out.demand(times("(1,1)") == count, "logical shapes of other stages");
  out.demand(times("{}") == count, "options of other stages");
  out.demand(in.take(")") && in.at_end(), "more behind the option");
  out.demand(stages.size() == made.devices,
             said(stages.size()) + " meshes of one device, and there are " + said(made.devices));
  std::size_t next = 0;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    out.demand(!stages[s].empty(), "a stage without layers");
    for (const long long id : stages[s]) {
      out.demand(id == static_cast<long long>(next),
                 "layer " + std::to_string(id) + " where " + said(next) + " is due");
      if (next < layers) out.stage[next] = s;
      ++next;
    }
  }
  out.demand(next == layers, said(next) + " layers, and there are " + said(layers));
  demand_schedule(made, {"gpipe", "1f1b", "eager-1f1b"}, out);  // the last is 1f1b_overlap_friendly
  return out;
}

/// PipeDream's runtime: a module of each stage, in order, and the loss on the last one; every rank is of one stage. Which
/// layers are in a module its converter was told apart.
inline verdict pipedream(const stagecut::plan& made, std::string_view text) {
  verdict out(made.profile.layers.size());
  out.stage = stage_of_layers(made);
  scanner in(text);
  const auto modules =
      in.take("{") && in.take("\"module_to_stage_map\"") && in.take(":") ? in.take_numbers() : std::nullopt;
  if (!out.demand(modules.has_value(), "no stages of modules")) return out;
  const std::size_t stages = made.stages.size();
  if (out.demand(modules->size() == stages + 1, said(modules->size()) + " modules of " + said(stages) + " stages")) {
    for (std::size_t m = 0; m <= stages; ++m) {
      const auto due = static_cast<long long>(m < stages ? m : stages - 1);
      out.demand((*modules)[m] == due, "module " + said(m) + " stands on another stage");
    }
  }
  long long next = 0;
  std::size_t stage = 0;
  const auto ranks = [&] {
    const auto name = in.take_string();
    const auto numbers = in.take(":") ? in.take_numbers() : std::nullopt;
    if (!name || !numbers) return false;
    out.demand(*name == said(stage), "stage " + *name + " where " + said(stage) + " is due");
    out.demand(!numbers->empty(), "a stage without ranks");
    for (const long long number : *numbers)
      out.demand(number == next++, "rank " + std::to_string(number) + " is not due");
    const bool known = stage < stages && numbers->size() == made.stages[stage].replicas;
    out.demand(known, "as many ranks as stage " + said(stage) + " has not");
    ++stage;
    return true;
  };
  const bool read =
      in.take(",") && in.take("\"stage_to_rank_map\"") && in.take(":") && in.take_list(ranks, "{", "}") && in.take("}");
  out.demand(read && in.at_end(), "no ranks of stages");
  out.demand(stage == stages, "ranks of " + said(stage) + " stages");
  demand_schedule(made, {"1f1b"}, out);
  return out;
}

/// The names in a comment, one after another: those that the model has next.
inline void take_names(std::string_view comment, const stagecut::profile& model, std::size_t stage, std::size_t& next,
                       verdict& out) {
  std::string left = scanner::unescaped(comment);
  while (!left.empty() && next < model.layers.size()) {
    for (const std::string& name : modules_of(model.layers[next])) {
      if (!out.demand(left.starts_with(name), "\"" + name + "\" is due in \"" + left + "\"")) return;
      left.erase(0, name.size());
      if (left.starts_with(", ")) left.erase(0, 2);
    }
    out.stage[next++] = stage;
  }
  out.demand(left.empty(), "no module of the model: " + left);
}

/// The parameters and partition contexts of SageMaker's model parallel library.
inline verdict sagemaker(const stagecut::plan& made, std::string_view text) {
  verdict out(made.profile.layers.size());
  const auto lines = lines_of(text);
  scanner in(lines[0]);
  std::string pipeline = "interleaved";
  long long degree = 0, microbatches = 1, partition = -1;
  bool automatic = true;
  const auto parameter = [&] {
    const std::string name = in.take_string().value_or("");
    if (!in.take(":")) return false;
    if (name == "pipeline")
      pipeline = in.take_string().value_or("");
    else if (name == "auto_partition")
      automatic = in.take("True") || !in.take("False");
    else if (name == "pipeline_parallel_degree" || name == "partitions")
      degree = in.take_number().value_or(0);
    else if (name == "microbatches")
      microbatches = in.take_number().value_or(0);
    else if (name == "default_partition")
      partition = in.take_number().value_or(-1);
    else
      return false;
    return true;
  };
  if (!out.demand(in.take_list(parameter, "{", "}") && in.at_end(), "parameters that are not known")) return out;
  out.demand(degree == static_cast<long long>(made.devices), "degree " + std::to_string(degree));
  out.demand(!automatic, "auto_partition ignores the contexts");
  out.demand(partition >= 0 && partition < degree, "default_partition is none of the partitions");
  out.demand(microbatches > 0, "microbatches must be positive");
  const std::size_t m = made.schedule.microbatches;
  out.demand(m == 0 || microbatches == static_cast<long long>(m), "other microbatches than the plan's");
  out.demand(pipeline == "simple" || pipeline == "interleaved", "pipeline \"" + pipeline + "\"");
  demand_schedule(made, {pipeline == "simple" ? "gpipe" : "1f1b"}, out);
  std::size_t next = 0, stage = 0;
  for (std::size_t i = 1; i + 1 < lines.size(); i += 2, ++stage) {
    out.demand(lines[i] == "with smp.partition(" + said(stage) + "):", "no context of partition " + said(stage));
    const bool body = lines[i + 1].starts_with("    ...  # ");
    if (!out.demand(body, "partition " + said(stage) + " without modules")) continue;
    take_names(lines[i + 1].substr(11), made.profile, stage, next, out);
  }
  out.demand(stage == made.devices, said(stage) + " contexts of " + said(made.devices) + " partitions");
  out.demand(next == out.stage.size(), said(next) + " layers, and there are " + said(out.stage.size()));
  demand_no_ties_between_stages(made.profile, out);
  return out;
}

}  // namespace framework_rules
