// SPDX-License-Identifier: BSL-1.0
// What the Python module calls: profiles and plans come and go as JSON, numbers of passes as arrays.

#include <stagecut/graph/plan_graph.hpp>
#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/optimizer.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/version.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/explain_document.hpp"

namespace nb = nanobind;

namespace {

using nlohmann::json;

/// No plan: why, and whether it is proved that there is none.
struct no_plan {
  std::string why;
  bool infeasible;
};

/// Reads the members of a request, and refuses those that it does not know.
class request_reader {
 public:
  explicit request_reader(const std::string& text) : members_(json::parse(text)) {}

  [[nodiscard]] stagecut::plan_request read() {
    stagecut::plan_request result;
    number("devices", result.devices);
    number("chunks", result.chunks);
    number("microbatches", result.microbatches);
    number("group", result.group);
    word("schedule", [&](const std::string& name) {
      const auto* const known = stagecut::find_schedule(name);
      if (known != nullptr) result.schedule = known->kind;
      return known != nullptr;
    });
    named("objective", stagecut::objective_words, result.objective);
    named("checkpoint", stagecut::checkpointing_words, result.memory.checkpoint);
    named("transfers", stagecut::transfer_kind_words, result.transfers);
    word("target", [&](const std::string& name) {
      const auto* const known = stagecut::find_target(name);
      if (known != nullptr) result.target = known->kind;
      return known != nullptr;
    });
    memory(result);
    links(result);
    list("speeds", result.speeds);
    list("forbidden_cuts", result.forbidden_cuts);
    if (const json* const given = find("in_flight")) {
      result.best_in_flight = given->is_string();
      if (given->is_array()) result.in_flight = given->get<std::vector<std::size_t>>();
    }
    if (const json* const given = find("time_limit")) result.limits.time_limit = given->get<double>();
    if (const json* const given = find("node_limit")) {
      result.limits.node_limit = given->get<std::size_t>();
      if (!members_.contains("time_limit")) result.limits.time_limit.reset();
    }
    return result;
  }

 private:
  [[nodiscard]] const json* find(const char* name) const {
    const auto found = members_.find(name);
    return found == members_.end() || found->is_null() ? nullptr : &*found;
  }

  void number(const char* name, std::size_t& into) const {
    if (const json* const given = find(name)) into = given->get<std::size_t>();
  }

  template <class Value>
  void list(const char* name, std::vector<Value>& into) const {
    if (const json* const given = find(name)) into = given->get<std::vector<Value>>();
  }

  template <class Take>
  void word(const char* name, const Take& take) const {
    const json* const given = find(name);
    if (given == nullptr || take(given->get<std::string>())) return;
    throw stagecut::argument_error("plan", name, given->dump(), "is none that there is");
  }

  template <class Value, std::size_t n>
  void named(const char* name, const stagecut::word<Value> (&words)[n], Value& into) const {
    word(name, [&](const std::string& text) {
      const auto* const known = stagecut::find_name(words, text);
      if (known != nullptr) into = known->value;
      return known != nullptr;
    });
  }

  void memory(stagecut::plan_request& result) const {
    if (const json* const given = find("memory")) {
      if (given->is_array()) result.memory_of_devices = given->get<std::vector<double>>();
      else result.memory_per_device = given->get<double>();
    }
    if (const json* const given = find("optimizer")) {
      result.memory.use_resident = false;
      if (given->is_number()) {
        result.memory.parameter_multiplier = given->get<double>();
        result.optimizer = given->dump();
        return;
      }
      word("optimizer", [&](const std::string& name) {
        const auto* const known = stagecut::find_optimizer(name);
        if (known == nullptr) return false;
        result.memory.parameter_multiplier = known->multiplier;
        result.optimizer = name;
        return true;
      });
    }
  }

  /// Bandwidth and latency, of all boundaries or of each.
  void links(stagecut::plan_request& result) const {
    const json* const bandwidth = find("bandwidth");
    const json* const latency = find("latency");
    if (bandwidth == nullptr && latency == nullptr) return;
    const auto values = [](const json* given) {
      if (given == nullptr) return std::vector<double>{0};
      return given->is_array() ? given->get<std::vector<double>>() : std::vector<double>{given->get<double>()};
    };
    const std::vector<double> speeds = values(bandwidth), delays = values(latency);
    const std::size_t count = speeds.size() > delays.size() ? speeds.size() : delays.size();
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

/// Calls back to Python, which is asked ten times a second at most: what it raises ends the search, and is raised then.
class callbacks {
 public:
  callbacks(nb::object progress, nb::object stop) : progress_(std::move(progress)), stop_(std::move(stop)) {}

  void tell(const stagecut::makespan_progress& now) {
    if (progress_.is_none() || failed_) return;
    const nb::gil_scoped_acquire held;
    try {
      nb::dict told;
      told["seconds"] = now.seconds;
      told["makespan"] = now.makespan;
      told["bound"] = now.bound;
      told["nodes"] = now.nodes;
      progress_(told);
    } catch (nb::python_error& error) {
      failed_.emplace(std::move(error));
    }
  }

  /// Whether to stop: as Python says, or because of Ctrl-C.
  bool asked() {
    if (failed_ || stopped_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - latest_ < std::chrono::milliseconds(100)) return false;
    latest_ = now;
    const nb::gil_scoped_acquire held;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      stopped_ = !stop_.is_none() && nb::cast<bool>(nb::bool_(stop_()));
    } catch (nb::python_error& error) {
      failed_.emplace(std::move(error));
    }
    return failed_ || stopped_;
  }

  [[nodiscard]] bool failed() const { return failed_.has_value(); }
  /// Raises what was raised meanwhile.
  void raise() {
    if (failed_) throw std::move(*failed_);
  }

 private:
  nb::object progress_, stop_;
  std::optional<nb::python_error> failed_;
  std::chrono::steady_clock::time_point latest_ = std::chrono::steady_clock::now();
  bool stopped_ = false;
};

std::string plan(const std::string& model_text, const std::string& request_text, nb::object progress, nb::object stop) {
  callbacks calls(std::move(progress), std::move(stop));
  std::string text;
  {
    const nb::gil_scoped_release released;
    stagecut::plan_request request = request_reader(request_text).read();
    const auto tell = [&](const stagecut::makespan_progress& now) { calls.tell(now); };
    const auto asked = [&] { return calls.asked(); };
    request.limits.progress = tell;
    request.limits.stop = asked;
    stagecut::profile model = stagecut::io::parse_profile(model_text, "profile");
    if (stagecut::is_chain(model)) model = stagecut::as_chain(std::move(model));
    auto made = stagecut::make_plan(model, request, stagecut::plan_graph);
    if (made) {
      made->timeline.clear();  // `simulate` tells it
      text = stagecut::io::as_json(*made);
    } else if (!calls.failed()) {
      throw no_plan{made.why().text(), made.state() == stagecut::state::infeasible};
    }
  }
  calls.raise();
  return text;
}

/// Vectors that become arrays of NumPy, which own them.
template <class Value>
nb::object array(std::vector<Value> values) {
  auto* const kept = new std::vector<Value>(std::move(values));
  const nb::capsule owner(kept, [](void* each) noexcept { delete static_cast<std::vector<Value>*>(each); });
  return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

/// An iteration of a plan as it will run, by its own schedule or by another one.
nb::dict simulate(const std::string& plan_text, const std::optional<std::string>& schedule, std::size_t microbatches) {
  stagecut::simulation<double> run;
  stagecut::schedule order;
  std::vector<double> peaks;
  {
    const nb::gil_scoped_release released;
    stagecut::plan made = stagecut::io::parse_json_plan(plan_text, "plan");
    if (microbatches != 0) made.schedule.microbatches = microbatches;
    if (schedule) {
      made.schedule.name = *schedule;
      made.schedule.orders.clear();
      made.schedule.group = 0;
    }
    order = stagecut::schedule_of(made);
    const bool split = stagecut::runs(order, stagecut::op_kind::backward_input);
    run = stagecut::simulate(order, stagecut::times_of(made, split), stagecut::transfers_of(made));
    const auto bytes = stagecut::bytes_of(made);
    if (!bytes.activations.empty()) {
      for (const auto& each : stagecut::memory_curve(order, run, bytes)) peaks.push_back(each.peak());
    }
  }
  std::vector<std::int64_t> ranks, stages, microbatch_of;
  std::vector<double> start, end;
  nb::list kinds;
  for (std::size_t r = 0; r < run.ops.size(); ++r) {
    for (const auto& each : run.ops[r]) {
      ranks.push_back(static_cast<std::int64_t>(r));
      stages.push_back(static_cast<std::int64_t>(each.what.stage));
      microbatch_of.push_back(static_cast<std::int64_t>(each.what.microbatch));
      start.push_back(each.start);
      end.push_back(each.end);
      kinds.append(to_string(each.what.kind));
    }
  }
  nb::dict passes;
  passes["rank"] = array(std::move(ranks));
  passes["stage"] = array(std::move(stages));
  passes["microbatch"] = array(std::move(microbatch_of));
  passes["kind"] = kinds;
  passes["start"] = array(std::move(start));
  passes["end"] = array(std::move(end));
  nb::dict result;
  result["schedule"] = order.name;
  result["makespan"] = run.makespan;
  result["span"] = run.span;
  const std::pair<const char*, double stagecut::rank_use<double>::*> parts[] = {
      {"busy", &stagecut::rank_use<double>::busy},
      {"blocked", &stagecut::rank_use<double>::blocked},
      {"idle", &stagecut::rank_use<double>::idle}};
  for (const auto& [name, part] : parts) {
    std::vector<double> values;
    for (const auto& each : run.ranks) values.push_back(each.*part);
    result[name] = array(std::move(values));
  }
  if (!peaks.empty()) result["peak_memory"] = array(std::move(peaks));
  result["passes"] = passes;
  return result;
}

std::string explain(const std::string& plan_text, const std::optional<std::string>& target) {
  const nb::gil_scoped_release released;
  const stagecut::plan made = stagecut::io::parse_json_plan(plan_text, "plan");
  stagecut::explain_options options;
  if (target) {
    const auto* const known = stagecut::find_target(*target);
    if (known == nullptr) throw stagecut::argument_error("explain", "target", *target, "is none that there is");
    options.target = known->kind;
  }
  return explain_document(made, stagecut::explain_plan(made, options)).text();
}

/// What a framework is told.
std::string format(const std::string& plan_text, const std::string& name) {
  const nb::gil_scoped_release released;
  const auto* const known = stagecut::io::find_format(name);
  if (known == nullptr) throw stagecut::argument_error("format", "name", name, "is none that there is");
  return known->write(stagecut::io::parse_json_plan(plan_text, "plan"));
}

std::string read_profile(const std::string& text, const std::string& source) {
  const nb::gil_scoped_release released;
  return stagecut::io::as_json(stagecut::io::parse_profile(text, source));
}

}  // namespace

NB_MODULE(_core, module) {
  module.attr("version") = std::to_string(STAGECUT_VERSION_MAJOR) + "." + std::to_string(STAGECUT_VERSION_MINOR) + "." +
                           std::to_string(STAGECUT_VERSION_PATCH);
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    const auto raise = [](const char* name, const std::string& text, const char* member, const std::string& value) {
      const nb::object type = nb::module_::import_("stagecut._errors").attr(name);
      const nb::object made = type(text);
      if (member != nullptr) nb::setattr(made, member, nb::str(value.c_str()));
      PyErr_SetObject(type.ptr(), made.ptr());
    };
    try {
      std::rethrow_exception(error);
    } catch (const no_plan& each) {
      raise(each.infeasible ? "Infeasible" : "NoAnswer", each.why, nullptr, "");
    } catch (const stagecut::invalid_input& each) {
      raise("InvalidInput", each.what(), "place", each.place());
    } catch (const stagecut::argument_error& each) {
      raise("ArgumentError", each.what(), "argument", each.argument());
    } catch (const nlohmann::json::exception& each) {
      raise("InvalidInput", each.what(), "place", "");
    }
  });
  using nb::literals::operator""_a;
  module.def("plan", &plan, "profile"_a, "request"_a, "progress"_a.none(), "stop"_a.none());
  module.def("simulate", &simulate, "plan"_a, "schedule"_a.none(), "microbatches"_a);
  module.def("explain", &explain, "plan"_a, "target"_a.none());
  module.def("format", &format, "plan"_a, "name"_a);
  module.def("read_profile", &read_profile, "text"_a, "source"_a);
}
