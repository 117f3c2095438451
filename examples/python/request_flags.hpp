// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/interval.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/topology.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/optimizer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "keywords.hpp"
#include "options/device_memory.hpp"

/// The keywords that `stagecut.plan` and `stagecut.sweep` share: devices, their memory and links, and layers.
class request_flags : public keywords {
 public:
  using keywords::keywords;

  /// Reads the devices: memory, optimizer, links and speeds.
  void ask_devices(stagecut::plan_request& result) const {
    ask_memory(result);
    ask_optimizer(result);
    named("transfers", stagecut::transfer_kind_names, result.transfers);
    ask_topology(result);
    ask_links(result);
    read("speeds", result.speeds);
  }

  /// Reads the keywords that name layers, by number or by name.
  /// @param model  as it is planned: its layers have these numbers
  void ask_layers(const stagecut::profile& model, stagecut::plan_request& result) const {
    if (const json* const given = find("forbid_cut")) {
      for (std::size_t i = 0; i < given->size(); ++i) {
        result.forbidden_cuts.push_back(layer_of(model, (*given)[i], "forbid_cut", i) + 1);
      }
    }
    const json* const given = find("keep_together");
    if (given == nullptr) return;
    for (std::size_t i = 0; i < given->size(); ++i) {
      const std::size_t first = layer_of(model, (*given)[i][0], "keep_together", i);
      const std::size_t last = layer_of(model, (*given)[i][1], "keep_together", i);
      if (last < first) refuse("keep_together", i, "ends before it begins");
      result.kept_together.push_back({first, last + 1});
    }
  }

  /// Limits the request to the memory of the profile's device, as the program does, unless a memory was given; `none`
  /// removes the profile's limit.
  void limit(stagecut::profile& model, stagecut::plan_request& request) const {
    if (has_text("memory", "none")) {
      if (find("memory_reserve") != nullptr) refuse_reserve("does not go with memory = \"none\"");
      return model.machine.memory.reset();
    }
    const json* const reserve = find("memory_reserve");
    const double kept = reserve == nullptr ? usual_reserve : bytes("memory_reserve", *reserve);
    std::string said;
    try {
      said = limit_to_device(model, kept, request);
    } catch (const std::invalid_argument& error) {
      refuse_reserve(error.what());
    }
    if (reserve != nullptr && said.empty()) {
      refuse_reserve("is for a device whose memory is known: memory sets the limit itself");
    }
    if (find("memory_buffer") != nullptr && !request.memory_limit && !model.machine.memory) {
      refuse("memory_buffer", "needs memory");
    }
  }

 private:
  /// The layer of a number or a name.
  [[nodiscard]] std::size_t layer_of(const stagecut::profile& model, const json& given, const char* name,
                                     std::size_t i) const {
    if (!given.is_string()) {
      if (given.get<std::size_t>() >= model.layers.size()) refuse(name, i, "is no layer");
      return given.get<std::size_t>();
    }
    std::vector<std::size_t> called;
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
      if (model.layers[l].name == given.get_ref<const std::string&>()) called.push_back(l);
    }
    if (called.size() != 1) refuse(name, i, called.empty() ? "names no layer" : "names several layers");
    return called[0];
  }

  [[noreturn]] void refuse_reserve(const std::string& why) const {
    const json* const said = find("memory_reserve");
    throw stagecut::argument_error("plan", "memory_reserve", said == nullptr ? "4GiB" : said->dump(), why);
  }

  void ask_memory(stagecut::plan_request& result) const {
    read("memory_buffer", result.buffer_fraction);
    read("boundary_buffers", result.memory_accounting.boundary_buffers);
    const json* const given = find("memory");
    if (given == nullptr || has_text("memory", "none")) return;
    if (given->is_array()) {
      result.memory_limit = sizes("memory");
    } else {
      result.memory_limit = bytes("memory", *given);
    }
  }

  void ask_optimizer(stagecut::plan_request& result) const {
    const json* const given = find("optimizer");
    if (given == nullptr) return;
    result.memory_accounting.use_resident = false;
    if (given->is_number()) {
      result.memory_accounting.parameter_multiplier = given->get<double>();
      result.optimizer = given->dump();
      return;
    }
    word("optimizer", stagecut::list_names(stagecut::optimizers), [&](const std::string& name) {
      const auto* const known = stagecut::find_optimizer(name);
      if (known == nullptr) return false;
      result.memory_accounting.parameter_multiplier = known->multiplier;
      result.optimizer = name;
      return true;
    });
  }

  /// Devices in groups: the size of each level, and the bandwidth and latency within it.
  void ask_topology(stagecut::plan_request& result) const {
    const json* const given = find("topology");
    if (given == nullptr) return;
    for (const char* const name : {"bandwidth", "latency"}) {
      if (find(name) != nullptr) refuse(name, "is set by topology, too");
    }
    std::vector<std::size_t> sizes;
    std::vector<stagecut::link_speed> links;
    for (const json& level : *given) {
      sizes.push_back(level[0].get<std::size_t>());
      links.push_back({level[2].get<double>(), bytes("topology", level[1])});
    }
    try {
      result.topology = stagecut::topology(sizes, std::move(links));
    } catch (const stagecut::argument_error& error) {
      refuse("topology", error.what());
    }
  }

  /// Bandwidth and latency, for all boundaries or for each.
  void ask_links(stagecut::plan_request& result) const {
    const bool fast = find("bandwidth") != nullptr, late = find("latency") != nullptr;
    if (result.topology || (!fast && !late && find("transfers") == nullptr)) return;
    const std::vector<double> none = {0};
    const std::vector<double> speeds = fast ? sizes("bandwidth") : none;
    const std::vector<double> delays = late ? sizes("latency") : none;
    const std::size_t count = std::max(speeds.size(), delays.size());
    if ((speeds.size() != 1 && speeds.size() != count) || (delays.size() != 1 && delays.size() != count)) {
      refuse("latency", "must be one, or as many as bandwidth has");
    }
    for (std::size_t b = 0; b < count; ++b) {
      result.links.push_back({delays[delays.size() == 1 ? 0 : b], speeds[speeds.size() == 1 ? 0 : b]});
    }
  }
};
