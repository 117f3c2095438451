// SPDX-License-Identifier: BSL-1.0
// The functions of the Python module: profiles and plans are passed as JSON, values of passes as arrays.

#include <stagecut/graph/plan_graph.hpp>
#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/score_cut.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/version.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "callbacks.hpp"
#include "commands/scenario.hpp"
#include "plan_flags.hpp"
#include "run_flags.hpp"
#include "output/explain_document.hpp"
#include "options/run_size.hpp"

namespace {

/// The reason why there is no plan, and whether that is proved.
struct no_plan {
  std::string why;
  bool infeasible;
};

/// The plan of the starting cut as JSON, and the rules that it violates.
std::pair<std::string, std::string> scored(const stagecut::profile& model, const stagecut::plan_request& request) {
  if (request.start.stages() == 0) {
    throw stagecut::argument_error("plan", "search", "False", "needs a cut to tell the plan of: start");
  }
  auto own = stagecut::score_cut(model, request, request.start);
  if (!own) throw no_plan{own.why().text(), own.state() == stagecut::state::infeasible};
  std::string broken;
  for (const std::string& each : own->broken) broken += (broken.empty() ? "the cut breaks a rule: " : "; ") + each;
  own->made.timeline.clear();  // `simulate` returns it
  return {stagecut::io::as_json(own->made), broken};
}

/// The best plan as JSON; nothing where a callback failed.
std::string searched(const stagecut::profile& model, const stagecut::plan_request& request, const plan_flags& words,
                     const callbacks& calls) {
  const auto free = [&](const stagecut::profile& graph, stagecut::plan_request one) {
    words.count_nodes_of_graph(graph, one);
    return stagecut::plan_graph(graph, one);
  };
  auto made =
      words.any_schedule()
          ? stagecut::compare_plans(model, request, stagecut::usual_choices(model, words.stages_per_rank()), free).best
          : stagecut::make_plan(model, request, stagecut::plan_graph);
  if (!made) {
    if (!calls.failed()) throw no_plan{made.why().text(), made.state() == stagecut::state::infeasible};
    return "";
  }
  made->timeline.clear();  // `simulate` returns it
  return stagecut::io::as_json(*made);
}

/// @return  the plan as JSON, and its warnings
nb::tuple plan(const std::string& model_text, const std::string& request_text, nb::object progress, nb::object stop) {
  callbacks calls(std::move(progress), std::move(stop));
  std::string text, warning;
  {
    const nb::gil_scoped_release released;
    const plan_flags words(request_text);
    stagecut::plan_request request = words.read();
    const auto tell = [&](const stagecut::search_progress& now) { calls.tell(now); };
    const auto asked = [&] { return calls.asked(); };
    request.search.progress = tell;
    request.search.stop = asked;
    if (request.microbatches != 0) warning = stagecut::prediction_obstacle(request);
    stagecut::profile model = stagecut::io::parse_profile(model_text, "profile");
    words.limit(model, request);
    if (stagecut::is_chain(model)) model = stagecut::as_chain(std::move(model));
    words.count_nodes(model, request);
    if (words.searches()) {
      text = searched(model, request, words, calls);
      if (!warning.empty()) warning = "the makespan was not minimised: " + warning;
    } else {
      std::tie(text, warning) = scored(model, request);
    }
  }
  calls.raise();
  return nb::make_tuple(text, warning);
}

/// Converts vectors to NumPy arrays, which own them.
template <class Value>
nb::object array(std::vector<Value> values) {
  auto* const kept = new std::vector<Value>(std::move(values));
  const nb::capsule owner(kept, [](void* each) noexcept { delete static_cast<std::vector<Value>*>(each); });
  return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

/// All passes of a run, one value each: by rank, and per rank in order.
struct pass_columns {
  std::vector<std::int64_t> ranks, stages, microbatches, kinds;  // kinds by their index in `letters`
  std::vector<double> start, end;
  std::vector<std::string> letters;

  explicit pass_columns(const stagecut::simulation<double>& run) {
    for (std::size_t r = 0; r < run.ops.size(); ++r) {
      for (const auto& each : run.ops[r]) {
        const auto kind = std::find(letters.begin(), letters.end(), to_string(each.what.kind));
        kinds.push_back(kind - letters.begin());
        if (kind == letters.end()) letters.emplace_back(to_string(each.what.kind));
        ranks.push_back(static_cast<std::int64_t>(r));
        stages.push_back(static_cast<std::int64_t>(each.what.stage));
        microbatches.push_back(static_cast<std::int64_t>(each.what.microbatch));
        start.push_back(each.start);
        end.push_back(each.end);
      }
    }
  }

  /// Converts to arrays, moving the values.
  [[nodiscard]] nb::dict taken() && {
    nb::dict result;
    result["rank"] = array(std::move(ranks));
    result["stage"] = array(std::move(stages));
    result["microbatch"] = array(std::move(microbatches));
    result["kind"] = array(std::move(kinds));
    result["letters"] = nb::cast(letters);
    result["start"] = array(std::move(start));
    result["end"] = array(std::move(end));
    return result;
  }
};

/// The simulated iteration of a plan.
nb::dict simulation_of(const std::string& plan_text, const std::optional<std::string>& schedule,
                       std::size_t microbatches, const std::optional<std::string>& given_order, bool merge_backward) {
  auto [made, passes] = [&] {
    const nb::gil_scoped_release released;
    simulated simulation = simulate(run_flags{schedule, given_order, microbatches, merge_backward}.of(plan_text));
    pass_columns columns(simulation.picture.run);
    return std::pair(std::move(simulation), std::move(columns));
  }();
  const auto& run = made.picture.run;
  nb::dict result;
  result["schedule"] = made.picture.order.name;
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
  if (made.picture.bytes) {
    std::vector<double> peaks;
    for (const auto& each : made.picture.memory) peaks.push_back(each.peak());
    result["peak_memory"] = array(std::move(peaks));
  }
  result["passes"] = std::move(passes).taken();
  return result;
}

std::string explain(const std::string& plan_text, const std::optional<std::string>& target, nb::object stop) {
  callbacks calls(nb::none(), std::move(stop));
  std::string text;
  {
    const nb::gil_scoped_release released;
    const stagecut::plan made = stagecut::io::parse_json_plan(plan_text, "plan");
    const std::string much = too_large_run(made);
    if (!much.empty()) throw stagecut::invalid_input("plan", much);
    stagecut::explain_options options;
    const auto asked = [&] { return calls.asked(); };
    options.search.stop = asked;
    if (target) {
      const auto* const known = stagecut::find_target(*target);
      if (known == nullptr) {
        throw stagecut::argument_error("explain", "target", *target,
                                       "is none of " + stagecut::list_names(stagecut::targets));
      }
      options.target = known->kind;
    }
    text = explain_document(made, stagecut::explain_plan(made, options)).text();
  }
  calls.raise();
  return text;
}

/// What a framework is told.
std::string format(const std::string& plan_text, const std::string& name, const run_flags& words) {
  using namespace stagecut::io;
  const bool comms = name == "torch-comms", old = name == "torch-comms-2.9";
  if (comms || old || name == "torch-csv") {
    run_flags of_torch = words;
    of_torch.of_torch = true;
    return as_torch_schedule(of_torch.of(plan_text).order,
                             comms || old ? torch_format::compute_comms : torch_format::compute_only,
                             torch_backward::as_given, old ? torch_version::v2_9 : torch_version::v2_15);
  }
  const auto refuse = [&](const char* why) { throw stagecut::argument_error("format", "name", name, why); };
  const auto* const known = find_format(name);
  if (known == nullptr) {
    const std::string why = "is none of torch-csv, torch-comms, torch-comms-2.9, " + stagecut::list_names(formats);
    refuse(why.c_str());
  }
  if (words.schedule || words.order || words.merge_backward || words.microbatches != 0) {
    refuse("is told the plan as it is: torch-csv and torch-comms are orders");
  }
  return known->write(parse_json_plan(plan_text, "plan"));
}

std::string read_profile(const std::string& text, const std::string& source) {
  const nb::gil_scoped_release released;
  return stagecut::io::as_json(stagecut::io::parse_profile(text, source));
}

/// Raises one of stagecut's errors, with an extra member.
void raise(const char* name, const std::string& text, const char* member = nullptr, const std::string& value = {}) {
  const nb::object type = nb::module_::import_("stagecut._errors").attr(name);
  const nb::object made = type(text);
  if (member != nullptr) nb::setattr(made, member, nb::str(value.c_str()));
  PyErr_SetObject(type.ptr(), made.ptr());
}

/// Translates an argument of the library to its name in the module, and keeps the rest of the error.
void raise(const stagecut::argument_error& error) {
  static constexpr std::pair<std::string_view, const char*> names[] = {{"memory_limit", "memory"},
                                                                       {"memory_accounting.checkpoint", "checkpoint"},
                                                                       {"stages_per_rank", "stages_per_rank"},
                                                                       {"search.time_limit", "time_limit"},
                                                                       {"search.node_limit", "node_limit"},
                                                                       {"forbidden_cuts", "forbid_cut"},
                                                                       {"links", "bandwidth"},
                                                                       {"parameter_multiplier", "optimizer"},
                                                                       {"speeds", "speeds"},
                                                                       {"made", "plan"}};
  const std::string& there = error.argument();
  std::string name = there, text = error.what();
  for (const auto& [begins, here] : names) {
    if (there.rfind(begins, 0) == 0) name = there.find("latency") != std::string::npos ? "latency" : here;
  }
  if (const auto at = text.find(there); at != std::string::npos) text.replace(at, there.size(), name);
  raise("ArgumentError", text, "argument", name);
}

}  // namespace

NB_MODULE(_core, module) {
  module.attr("version") = std::to_string(STAGECUT_VERSION_MAJOR) + "." + std::to_string(STAGECUT_VERSION_MINOR) + "." +
                           std::to_string(STAGECUT_VERSION_PATCH);
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const no_plan& each) {
      raise(each.infeasible ? "Infeasible" : "NoAnswer", each.why);
    } catch (const stagecut::invalid_input& each) {
      raise("InvalidInput", each.what(), "place", each.place());
    } catch (const stagecut::argument_error& each) {
      raise(each);
    } catch (const stagecut::not_representable& each) {
      raise("NotRepresentable", each.what());
    } catch (const nlohmann::json::exception& each) {
      raise("InvalidInput", each.what(), "place", "");
    }
  });
  using nb::literals::operator""_a;
  module.def("plan", &plan, "profile"_a, "request"_a, "progress"_a.none(), "stop"_a.none());
  module.def("simulate", &simulation_of, "plan"_a, "schedule"_a.none(), "microbatches"_a, "schedule_text"_a.none(),
             "merge_backward"_a);
  module.def("explain", &explain, "plan"_a, "target"_a.none(), "stop"_a.none());
  module.def(
      "format",
      [](const std::string& plan_text, const std::string& name, std::optional<std::string> schedule,
         std::size_t microbatches, std::optional<std::string> order, bool merge_backward) {
        const nb::gil_scoped_release released;
        return format(plan_text, name, {std::move(schedule), std::move(order), microbatches, merge_backward});
      },
      "plan"_a, "name"_a, "schedule"_a.none(), "microbatches"_a, "schedule_text"_a.none(), "merge_backward"_a);
  module.def("read_profile", &read_profile, "text"_a, "source"_a);
}
