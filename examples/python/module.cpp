// SPDX-License-Identifier: BSL-1.0
// The functions of the Python module: profiles and plans are passed as JSON, values of passes as arrays.

#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/joint/plan_model.hpp>
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan_combinations.hpp>
#include <stagecut/plan/score_cut.hpp>
#include <stagecut/plan/sweep_rows.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/flatten_modules.hpp>
#include <stagecut/search/worker_threads.hpp>
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
#include <tuple>
#include <utility>
#include <vector>

#include "callbacks.hpp"
#include "commands/scenario.hpp"
#include "keywords.hpp"
#include "options/run_size.hpp"
#include "output/explain_document.hpp"
#include "output/predicted_rates.hpp"
#include "plan_flags.hpp"
#include "run_flags.hpp"
#include "sweep_flags.hpp"

namespace {

/// The reason why there is no plan, and whether that is proved.
struct no_plan {
  std::string why;
  bool infeasible;
};

/// The plan of the starting cut as JSON, and the rules that it violates.
std::pair<std::string, std::string> scored(const stagecut::profile& model, const stagecut::plan_request& request) {
  const auto refuse = [](const char* why) { throw stagecut::argument_error("plan", "search", "False", why); };
  if (request.start.stages() == 0) refuse("needs a cut to tell the plan of: start");
  stagecut::check_combinations(model, request);
  if (request.any_schedule) refuse("needs one schedule: auto chooses it by a search");
  auto own = stagecut::score_cut(model, request, request.start);
  if (!own) throw no_plan{own.why().text(), own.state() == stagecut::state::infeasible};
  std::string broken;
  for (const std::string& rule : own->broken) broken += (broken.empty() ? "the cut breaks a rule: " : "; ") + rule;
  own->made.timeline.clear();  // `simulate` returns it
  return {stagecut::io::as_json(own->made), broken};
}

/// The best plan as JSON, and why its makespan was not minimised; nothing where a callback failed.
std::pair<std::string, std::string> searched(const stagecut::profile& model, const stagecut::plan_request& request,
                                             const callbacks& calls) {
  auto made = stagecut::plan_model(model, request);
  if (!made) {
    if (!calls.failed()) throw no_plan{made.why().text(), made.state() == stagecut::state::infeasible};
    return {};
  }
  std::string warning;
  if (request.microbatches != 0 && !made->makespan) warning = stagecut::prediction_obstacle(request);
  if (!warning.empty()) warning = "the makespan was not minimised: " + warning;
  made->timeline.clear();  // `simulate` returns it
  return {stagecut::io::as_json(*made), warning};
}

/// @return  the plan as JSON, and its warnings
nb::tuple plan(const std::string& model_text, const std::string& request_text, nb::object progress, nb::object stop) {
  callbacks calls(std::move(progress), std::move(stop));
  std::string text, warning;
  {
    const nb::gil_scoped_release released;
    const plan_flags words(request_text);
    const auto tell = [&](const stagecut::search_progress& now) { calls.tell(now); };
    const auto asked = [&] { return calls.asked(); };
    stagecut::profile model = stagecut::io::parse_profile(model_text, "profile");
    try {
      stagecut::plan_request request = words.request_of(model);
      request.search.progress = tell;
      request.search.stop = asked;
      std::tie(text, warning) = words.searches() ? searched(model, request, calls) : scored(model, request);
    } catch (const stagecut::argument_error& error) {
      throw in_keywords(error, "plan", &words);
    }
  }
  calls.raise();
  return nb::make_tuple(text, warning);
}

/// @return  the rows of a sweep as JSON
std::string sweep(const std::string& model_text, const std::string& request_text, nb::object progress,
                  nb::object stop) {
  callbacks calls(std::move(progress), std::move(stop));
  auto rows = nlohmann::ordered_json::array();
  {
    const nb::gil_scoped_release released;
    const sweep_flags words(request_text);
    const auto tell = [&](const stagecut::sweep_progress& now) { calls.tell(now); };
    const auto asked = [&] { return calls.asked(); };
    stagecut::profile model = stagecut::io::parse_profile(model_text, "profile");
    try {
      stagecut::plan_request request = words.request_of(model);
      words.limit_search(request.search);
      request.search.stop = asked;
      request.search.threads = stagecut::search::worker_threads(words.threads());
      stagecut::sweep_options options = words.options();
      options.progress = tell;
      for (const auto& row : stagecut::sweep_rows(model, request, words.axes_of(model), options)) {
        rows.push_back(json_of(row));
      }
    } catch (const stagecut::argument_error& error) {
      throw in_keywords(error, "sweep", &words);
    }
  }
  calls.raise();
  return rows.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// @param profile_text  of the profile that was planned; none: the plan's own
/// @return              the checks of a plan as JSON
std::string verify(const std::string& plan_text, const std::optional<std::string>& profile_text) {
  const nb::gil_scoped_release released;
  using json = nlohmann::ordered_json;
  const stagecut::plan made = stagecut::io::parse_json_plan(plan_text, "plan");
  const stagecut::profile model =
      profile_text ? stagecut::flatten_modules(stagecut::io::parse_profile(*profile_text, "profile")) : made.profile;
  std::vector<stagecut::plan_check> checks = stagecut::verify_plan(model, made).checks;
  if (auto rates = rates_check(model, made)) checks.push_back(std::move(*rates));
  json result = json::array();
  for (const stagecut::plan_check& check : checks) {
    json one = {{"check", check.name}, {"result", stagecut::to_string(check.result)}};
    if (!check.place.empty()) one["place"] = check.place;
    if (!check.why.empty()) one["why"] = check.why;
    if (check.claimed) one["plan"] = *check.claimed;
    if (check.recomputed) one["profile"] = *check.recomputed;
    result.push_back(std::move(one));
  }
  return result.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// @return  what goes together in a request, as JSON
std::string combinations() {
  using json = nlohmann::ordered_json;
  json result = json::array();
  for (const stagecut::plan_combination& row : stagecut::plan_combinations()) {
    result.push_back(json{{"problem", stagecut::name_of(stagecut::plan_problem_names, row.problem)},
                          {"part", stagecut::request_parts()[static_cast<std::size_t>(row.part)].name},
                          {"proof", stagecut::name_of(stagecut::plan_proof_names, row.proof)},
                          {"why", row.why}});
  }
  return result.dump();
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
      for (const auto& op : run.ops[r]) {
        const auto kind = std::find(letters.begin(), letters.end(), to_string(op.what.kind));
        kinds.push_back(kind - letters.begin());
        if (kind == letters.end()) letters.emplace_back(to_string(op.what.kind));
        ranks.push_back(static_cast<std::int64_t>(r));
        stages.push_back(static_cast<std::int64_t>(op.what.stage));
        microbatches.push_back(static_cast<std::int64_t>(op.what.microbatch));
        start.push_back(op.start);
        end.push_back(op.end);
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
    for (const auto& rank : run.ranks) values.push_back(rank.*part);
    result[name] = array(std::move(values));
  }
  if (made.picture.bytes) {
    std::vector<double> peaks;
    for (const auto& rank : made.picture.memory) peaks.push_back(rank.peak());
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
    } catch (const keyword_error& each) {
      raise("ArgumentError", each.text, "argument", each.keyword);
    } catch (const stagecut::argument_error& each) {
      const keyword_error named = in_keywords(each);
      raise("ArgumentError", named.text, "argument", named.keyword);
    } catch (const stagecut::not_representable& each) {
      raise("NotRepresentable", each.what());
    } catch (const nlohmann::json::exception& each) {
      raise("InvalidInput", each.what(), "place", "");
    }
  });
  using nb::literals::operator""_a;
  module.def("plan", &plan, "profile"_a, "request"_a, "progress"_a.none(), "stop"_a.none());
  module.def("sweep", &sweep, "profile"_a, "request"_a, "progress"_a.none(), "stop"_a.none());
  module.def("verify", &verify, "plan"_a, "profile"_a.none());
  module.def("combinations", &combinations);
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
