// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/joint/plan_hybrid.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/computed_text.hpp"
#include "words/device_counts.hpp"

/// How many replicas stages have, and how many devices share each, as it is said to `plan`.
struct hybrid_words {
  std::string replicas;
  std::string ways;  // of --tensor-parallel

  void add(CLI::App& command) {
    command.add_option("--replicate", replicas, "Replicas of a stage: auto, 2, 1,2,4; devices are all")
        ->type_name("N")
        ->group(rare_options)
        ->check(counts_or_auto());
  }

  /// Whether stages are planned on several devices each.
  /// @param lists  whether several numbers of devices may share a layer
  [[nodiscard]] bool is_asked(const stagecut::plan_request& request, bool lists) const {
    return !replicas.empty() || lists || of_several_devices(request.objective);
  }

  /// Whether an objective is of such plans alone.
  [[nodiscard]] static bool of_several_devices(stagecut::plan_objective objective) {
    using of = stagecut::plan_objective;
    return objective == of::iteration || objective == of::stage_time || objective == of::pipeline_length;
  }

  /// What is asked for.
  /// @param node  devices of a node; 0: there are no nodes
  [[nodiscard]] stagecut::hybrid_plan_request request_of(const stagecut::profile& model,
                                                         const stagecut::plan_request& request,
                                                         const std::vector<std::string>& recomputations,
                                                         std::size_t node) const {
    using namespace stagecut;
    if (!request.memory_of_devices.empty())
      throw CLI::ValidationError("--memory", "is one size for all with --replicate");
    hybrid_plan_request asked;
    asked.pipeline.devices = request.devices;
    asked.pipeline.at_most = request.at_most;
    asked.pipeline.microbatches = request.microbatches;
    if (request.memory_per_device)
      asked.pipeline.memory_per_device = *request.memory_per_device * (1 - request.buffer_fraction);
    asked.pipeline.limits = request.limits;
    asked.choices.machine = machine_of(request);
    asked.target = request.target;
    asked.choices.replicas = numbers("--replicate", replicas, request.devices);
    const bool alike = request.target != framework::none && entry_of(request.target).devices == stage_devices::alike;
    if (!alike) share_samples(model, asked.choices.replicas);
    asked.choices.ways = known_ways(model, node == 0 ? request.devices : node);
    asked.choices.recomputations = recomputations;
    asked.choices.memory = request.memory;
    asked.objective = of_several_devices(request.objective) ? request.objective : plan_objective::automatic;
    return asked;
  }

 private:
  /// Leaves numbers of replicas that can share the samples of a microbatch, where it is known how many it has.
  void share_samples(const stagecut::profile& model, std::vector<std::size_t>& list) const {
    const auto samples = computed_figure<std::size_t>(computed_figures(model), "microbatch", 0);
    if (samples == 0) return;
    std::vector<std::size_t> kept;
    for (const std::size_t each : list) {
      if (samples % each == 0) {
        kept.push_back(each);
      } else if (replicas != "auto") {
        throw CLI::ValidationError("--replicate",
                                   fmt::format("{} replicas cannot share the {} sample{} of a microbatch: "
                                               "say --microbatch {}, and fewer --microbatches",
                                               each, samples, samples == 1 ? "" : "s", each));
      }
    }
    list = kept;
  }

  /// The numbers that were said, of which none may be above `most`.
  [[nodiscard]] static std::vector<std::size_t> numbers(const char* option, const std::string& said, std::size_t most) {
    const std::vector<std::size_t> result = counts_of(said, most);
    for (const std::size_t each : result) {
      if (each <= most) continue;
      const bool all = std::string_view(option) == "--replicate";
      throw CLI::ValidationError(option,
                                 fmt::format("{} is more than the devices{}, {}", each, all ? "" : " of a node", most));
    }
    return result;
  }

  /// The numbers of devices for which layers have shardings, of those that were asked for.
  [[nodiscard]] std::vector<std::size_t> known_ways(const stagecut::profile& model, std::size_t most) const {
    std::vector<std::size_t> result;
    bool any = !computed_figures(model).empty();
    for (const stagecut::layer& layer : model.layers) any = any || !layer.shardings.empty();
    if (ways == "auto" && !any) {
      throw CLI::ValidationError("--tensor-parallel",
                                 "no layer says how several devices would share it: \"shardings\"");
    }
    for (const std::size_t each : numbers("--tensor-parallel", ways, most)) {
      bool known = each == 1;
      for (const stagecut::layer& layer : model.layers) {
        for (const stagecut::layer_variant& variant : layer.shardings.get()) known = known || variant.ways == each;
      }
      if (known) {
        result.push_back(each);
      } else if (ways != "auto") {
        throw CLI::ValidationError("--tensor-parallel",
                                   fmt::format("no layer says how {} devices would share it: \"shardings\"", each));
      }
    }
    return result;
  }

  /// The devices and their links; without any, messages take no time.
  [[nodiscard]] static stagecut::topology machine_of(const stagecut::plan_request& request) {
    if (request.topology) return *request.topology;
    if (request.devices == 1) return stagecut::topology({}, {});
    return stagecut::topology({request.devices}, {request.links.empty() ? stagecut::link_speed{} : request.links[0]});
  }
};
