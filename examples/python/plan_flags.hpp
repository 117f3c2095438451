// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/plan/graph_method.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/optimizer.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "options/device_memory.hpp"
#include "options/effort_flags.hpp"
#include "options/measure_flags.hpp"
#include "options/quantity.hpp"

/// What `stagecut.plan` was told, as JSON.
class plan_flags {
 public:
  explicit plan_flags(const std::string& text) : members_(nlohmann::json::parse(text)) {}

  /// Whether the schedule is to be chosen as well.
  [[nodiscard]] bool any_schedule() const { return has_text("schedule", "auto"); }
  /// Whether to search for a plan, or only to score the starting cut.
  [[nodiscard]] bool searches() const { return find("search") == nullptr || members_["search"].get<bool>(); }
  /// Stages per device; 0 if not given.
  [[nodiscard]] std::size_t stages_per_rank() const {
    return find("stages_per_rank") == nullptr ? 0 : members_["stages_per_rank"].get<std::size_t>();
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
    if (reserve != nullptr && said.empty()) refuse_reserve("is of a device whose memory is known: memory says the limit itself");
  }

  /// Sets a node limit, as the program does, unless a limit was given.
  void count_nodes(const stagecut::profile& model, stagecut::plan_request& request) const {
    using kind = stagecut::schedule_kind;
    const bool beside = request.schedule == kind::one_forward_one_backward || request.schedule == kind::gpipe;
    const bool in_a_row = any_schedule() || !beside || request.target == stagecut::framework::pytorch;
    ask_effort(search_of(model, request, any_schedule(), in_a_row), model, request);
  }

  /// The same for a graph whose stages may be parallel.
  void count_nodes_of_graph(const stagecut::profile& graph, stagecut::plan_request& request) const {
    ask_effort(search_of(graph, request, false, false), graph, request);
  }

  /// @throws argument_error for unknown words
  [[nodiscard]] stagecut::plan_request read() const {
    stagecut::plan_request result;
    number("devices", result.devices);
    number("microbatches", result.microbatches);
    number("group", result.group);
    schedule(result);
    method(result);
    objective(result);
    named("checkpoint", stagecut::checkpointing_names, result.memory_accounting.checkpoint);
    named("transfers", stagecut::transfer_kind_names, result.transfers);
    word("target", stagecut::list_names(stagecut::targets), [&](const std::string& name) {
      const auto* const known = stagecut::find_target(name);
      if (known != nullptr) result.target = known->kind;
      return known != nullptr;
    });
    memory(result);
    links(result);
    list("speeds", result.speeds);
    list("forbid_cut", result.forbidden_cuts);
    if (const json* const given = find("start")) {
      const auto points = given->get<std::vector<std::size_t>>();
      try {
        result.start = stagecut::cuts(points);
      } catch (const stagecut::argument_error& error) {
        throw stagecut::argument_error("plan", "start", given->dump(), "must be increasing cuts, from 0 to the number of layers");
      }
    }
    if (const json* const given = find("in_flight")) {
      result.best_in_flight = has_text("in_flight", "auto");
      if (given->is_string() && !result.best_in_flight) {
        throw stagecut::argument_error("plan", "in_flight", given->dump(), "must be a list, or auto");
      }
      if (given->is_array()) result.in_flight = given->get<std::vector<std::size_t>>();
    }
    if (const json* const given = find("time_limit")) result.search.time_limit = given->get<double>();
    if (const json* const given = find("node_limit")) {
      result.search.node_limit = given->get<std::size_t>();
      if (!members_.contains("time_limit")) result.search.time_limit.reset();
    }
    return result;
  }

 private:
  using json = nlohmann::json;

  void ask_effort(counted_search what, const stagecut::profile& model, stagecut::plan_request& request) const {
    if (find("time_limit") != nullptr || find("node_limit") != nullptr) return;
    effort_flags().ask(what, model.layers.size(), request);
  }

  [[nodiscard]] const json* find(const char* name) const {
    const auto found = members_.find(name);
    return found == members_.end() || found->is_null() ? nullptr : &*found;
  }

  [[nodiscard]] bool has_text(const char* name, const char* text) const {
    const json* const given = find(name);
    return given != nullptr && given->is_string() && given->get_ref<const std::string&>() == text;
  }

  void number(const char* name, std::size_t& into) const {
    if (const json* const given = find(name)) into = given->get<std::size_t>();
  }

  template <class Value>
  void list(const char* name, std::vector<Value>& into) const {
    if (const json* const given = find(name)) into = given->get<std::vector<Value>>();
  }

  template <class Take>
  void word(const char* name, const std::string& known, const Take& take) const {
    const json* const given = find(name);
    if (given == nullptr || take(given->get<std::string>())) return;
    throw stagecut::argument_error("plan", name, given->dump(), "is none of " + known);
  }

  template <class Value, std::size_t n>
  void named(const char* name, const stagecut::named<Value> (&words)[n], Value& into) const {
    word(name, stagecut::list_names(words), [&](const std::string& text) {
      const auto* const known = stagecut::find_name(words, text);
      if (known != nullptr) into = known->value;
      return known != nullptr;
    });
  }

  /// The schedule, and its stages per device.
  void schedule(stagecut::plan_request& result) const {
    number("stages_per_rank", result.stages_per_rank);
    if (any_schedule()) return;
    word("schedule", "auto, " + stagecut::list_names(stagecut::schedules), [&](const std::string& name) {
      const auto* const known = stagecut::find_schedule(name);
      if (known == nullptr) return false;
      result.schedule = known->kind;
      if (find("stages_per_rank") == nullptr && known->stages_per_rank != 0)
        result.stages_per_rank = known->stages_per_rank;
      return true;
    });
  }

  /// The objective; throughput corresponds to the smallest bottleneck.
  void objective(stagecut::plan_request& result) const {
    if (has_text("objective", "throughput"))
      result.objective = stagecut::plan_objective::bottleneck;
    else
      named("objective", stagecut::objective_names, result.objective);
  }

  /// The measure of stages; for a graph, the method of cutting.
  void method(stagecut::plan_request& result) const {
    const std::string words =
        stagecut::list_names(measure_flags) + ", " + stagecut::list_names(stagecut::graph_method_names);
    word("method", words, [&](const std::string& name) {
      const auto* const of_graph = stagecut::find_name(stagecut::graph_method_names, name);
      const auto* const known = stagecut::find_name(measure_flags, name);
      if (of_graph != nullptr) result.method = of_graph->value;
      if (known != nullptr) result.by = known->value;
      return of_graph != nullptr || known != nullptr;
    });
  }

  [[noreturn]] void refuse_reserve(const std::string& why) const {
    const json* const said = find("memory_reserve");
    throw stagecut::argument_error("plan", "memory_reserve", said == nullptr ? "4GiB" : said->dump(), why);
  }

  /// Bytes: a number, or a text such as 80GiB.
  [[nodiscard]] static double bytes(const char* name, const json& given) {
    if (!given.is_string()) return given.get<double>();
    const auto result = parse_bytes(given.get<std::string>());
    if (!result)
      throw stagecut::argument_error("plan", name, given.dump(), "is no size: 80GiB, 25GB, or a number of bytes");
    return *result;
  }

  /// Such values, one for all or one each.
  [[nodiscard]] static std::vector<double> sizes(const char* name, const json& given) {
    std::vector<double> result;
    if (!given.is_array()) return {bytes(name, given)};
    for (const json& each : given) result.push_back(bytes(name, each));
    return result;
  }

  void memory(stagecut::plan_request& result) const {
    if (const json* const given = find("memory"); given != nullptr && !has_text("memory", "none")) {
      if (given->is_array())
        result.memory_limit = sizes("memory", *given);
      else
        result.memory_limit = bytes("memory", *given);
    }
    if (const json* const given = find("optimizer")) {
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
  }

  /// Bandwidth and latency, for all boundaries or for each.
  void links(stagecut::plan_request& result) const {
    const json* const bandwidth = find("bandwidth");
    const json* const latency = find("latency");
    if (bandwidth == nullptr && latency == nullptr && find("transfers") == nullptr) return;
    const std::vector<double> none = {0};
    const std::vector<double> speeds = bandwidth == nullptr ? none : sizes("bandwidth", *bandwidth);
    const std::vector<double> delays = latency == nullptr ? none : sizes("latency", *latency);
    const std::size_t count = std::max(speeds.size(), delays.size());
    if ((speeds.size() != 1 && speeds.size() != count) || (delays.size() != 1 && delays.size() != count)) {
      throw stagecut::argument_error("plan", "latency", std::to_string(delays.size()) + " values",
                                     "must be one, or as many as bandwidth has");
    }
    for (std::size_t b = 0; b < count; ++b) {
      result.links.push_back({delays[delays.size() == 1 ? 0 : b], speeds[speeds.size() == 1 ? 0 : b]});
    }
  }

  json members_;
};
