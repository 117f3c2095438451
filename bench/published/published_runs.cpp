// SPDX-License-Identifier: BSL-1.0
// Predictions for published runs, as Markdown: published_runs [--fit | --check | --write | --rows FILE]. --fit fits constants
// again: three to all runs of dense models in 16 bit, and to all but one group, for each, and predicts that group; seven
// to four of five parts of the recipes of 2026. --check prints only errors above those in docs/benchmarks.md, with status 1.
// --write writes the table that the program prints errors from. --rows predicts the rows of another file like rows.csv.
#include "errors.hpp"
#include "predict_run.hpp"
#include "print_rows.hpp"
#include "validated_runs.hpp"

#include <stagecut/fit/fit_efficiencies.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/profile/transformer_inference.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using published::error_head;
using published::errors;
using published::json;
using published::print_errors;
using published::run;
using stagecut::transformer::efficiencies;

/// Fits efficiencies to runs, with equal weight per group.
stagecut::efficiency_fit fitted(const std::vector<run>& all, const std::string& without, const efficiencies& start) {
  std::map<std::string, double> sizes;
  std::vector<const run*> used;
  for (const run& each : all) {
    if (each.kind != "dense" || each.group == without) continue;
    used.push_back(&each);
    sizes[each.group] += 1;
  }
  std::vector<stagecut::measured_time> times;
  for (const run* each : used) times.push_back({each->seconds, 1 / sizes[each->group]});
  const auto predict = [&](const efficiencies& reached) {
    std::vector<double> seconds;
    for (const run* each : used) seconds.push_back(published::predicted_seconds(*each, reached));
    return seconds;
  };
  return stagecut::fit_efficiencies(times, predict, start);
}

/// Fits to all, and to all but each group.
void print_fits(const std::vector<run>& all) {
  const efficiencies whole = fitted(all, "", {}).reached;
  std::printf("Fitted to all: product %.3f, power %.3f, network %.3f.\n\n", whole.gemm, whole.power, whole.network);
  std::printf(
      "| without | product | power | network | median error of its runs | worst |\n|---|---|---|---|---|---|\n");
  errors left_out;
  std::string last;
  for (const run& each : all) {
    if (each.kind != "dense" || each.group == last) continue;
    last = each.group;
    const efficiencies reached = fitted(all, last, whole).reached;
    errors of;
    for (const run& other : all) {
      if (other.group == last) of.values.push_back(published::predicted_seconds(other, reached) / other.seconds - 1);
    }
    left_out.values.insert(left_out.values.end(), of.values.begin(), of.values.end());
    std::printf("| %s | %.3f | %.3f | %.3f | %.1f %% | %.1f %% |\n", last.c_str(), reached.gemm, reached.power,
                reached.network, 100 * of.median(), 100 * of.worst());
  }
  std::printf("| all of them | | | | %.1f %% | %.1f %% |\n\n", 100 * left_out.median(), 100 * left_out.worst());
}

/// The pass time of our cut as a share of the published one's; nothing for a run with a single stage, or with a
/// schedule that we do not plan.
std::optional<double> by_our_cut(const run& of) {
  const auto* const entry = stagecut::find_schedule(of.schedule);
  if (of.devices * of.chunks == 1 || entry == nullptr) return std::nullopt;
  const stagecut::profile profile = stagecut::transformer::profile(of.model, of.training, of.on);
  stagecut::plan_request request;
  request.devices = of.devices;
  request.microbatches = of.microbatches();
  request.schedule = entry->kind;
  request.stages_per_rank = of.chunks;
  request.search.time_limit = 1;
  const auto made = stagecut::make_plan(profile, request);
  if (!made) return std::nullopt;
  const auto order = stagecut::make_schedule(
      entry->kind, {.ranks = of.devices, .stages_per_rank = of.chunks, .microbatches = of.microbatches()});
  auto times = published::stage_times(of, profile, 0);
  times.all_reduce.clear();
  return made->objective.value / stagecut::simulate(order, times, {}).makespan;
}

void print_runs(const std::vector<run>& all) {
  std::printf("| run | published | predicted | error | our cut |\n|---|---|---|---|---|\n");
  std::string last;
  for (const run& each : all) {
    if (each.group != last) std::printf("| **%s** | | | | |\n", each.group.c_str());
    last = each.group;
    const double seconds = published::predicted_seconds(each, {});
    const auto ours = by_our_cut(each);
    std::printf("| %s | %.4g s | %.4g s | %+.1f %% | ", each.name.c_str(), each.seconds, seconds,
                100 * (seconds / each.seconds - 1));
    if (ours) std::printf("%+.1f %%", 100 * (*ours - 1));
    std::printf(" |\n");
  }
  std::printf("\n");
}

/// A layer of the 22B, and the memory of all four (Korthikanti et al., table 4 and figure 1).
void print_layers(const json& file) {
  const json model = file["memory"][0]["model"];
  std::printf(
      "| a layer | forward | predicted | error | backward | predicted | error |\n|---|---|---|---|---|---|---|\n");
  for (const json& each : file["layers"]) {
    const auto config = published::config_of(model, each["training"], each["name"]);
    const stagecut::layer layer = stagecut::transformer::profile(config.architecture, config.training).layers[1];
    const double forward = each["forward"], backward = each["backward"];
    std::printf("| %s | %.1f ms | %.2f ms | %+.1f %% | %.1f ms | %.2f ms | %+.1f %% |\n",
                each["name"].get<std::string>().c_str(), 1e3 * forward, 1e3 * layer.forward,
                100 * (layer.forward / forward - 1), 1e3 * backward, 1e3 * layer.backward,
                100 * (layer.backward / backward - 1));
  }
  std::printf("\n");
}

/// Bytes of the first stage of a model: resident bytes of its layers, gradients in 4 bytes, and the activations of all
/// microbatches in flight.
std::pair<double, double> stage_bytes_of(const json& each, bool lean) {
  const json training = {{"microbatch", each["microbatch"]},
                         {"tensor_parallel", 8},
                         {"flash", false},
                         {"precision", "fp16"},
                         {"gradient_bytes", 4},
                         {"sequence_parallel", lean},
                         {"recomputation", lean ? "selective" : "none"}};
  const auto config = published::config_of(each["model"], training, each["name"]);
  const stagecut::profile profile = stagecut::transformer::profile(config.architecture, config.training);
  const std::size_t p = each["devices"], v = each["chunks"], layers = config.architecture.layers / p;
  // 1F1B keeps p microbatches of the first stage, interleaved (v p + p - 1) chunks of it (Korthikanti et al., section 4.2.3).
  const auto kept = static_cast<double>(v == 1 ? p : p * v + p - 1) / static_cast<double>(v);
  const stagecut::layer& first = profile.layers[0];
  const stagecut::layer& layer = profile.layers[1];
  return {static_cast<double>(layers) * *layer.resident,
          kept * (first.activations + static_cast<double>(layers) * layer.activations)};
}

void print_memory(const json& file, const std::vector<run>& all) {
  std::printf("| first stage | published | predicted | error |\n|---|---|---|---|\n");
  const auto line = [](const std::string& name, double published, double predicted) {
    constexpr double gib = 1024. * 1024 * 1024;
    std::printf("| %s | %.2f GiB | %.2f GiB | %+.1f %% |\n", name.c_str(), published, predicted / gib,
                100 * (predicted / gib / published - 1));
  };
  for (const json& each : file["memory"]) {
    const std::string name = each["name"];
    const auto [resident, activations] = stage_bytes_of(each, false);
    line(name + ": parameters and state of its layers", each["resident"], resident);
    line(name + ": activations", each["activations"], activations);
    line(name + ": activations, sequence parallel and selective", each["lean"], stage_bytes_of(each, true).second);
  }
  std::printf("\n| the fullest device | published | predicted | error |\n|---|---|---|---|\n");
  for (const run& each : all) {
    if (each.gigabytes == 0) continue;
    const double bytes = published::peak_bytes(each);
    std::printf("| %s: %s | %.0f GB | %.1f GB | %+.1f %% |\n", each.group.c_str(), each.name.c_str(), each.gigabytes,
                bytes * 1e-9, 100 * (bytes * 1e-9 / each.gigabytes - 1));
  }
  std::printf("\n");
}

/// Seconds of a prompt, or of a prompt and its answers, token by token.
double served_seconds(const json& each) {
  using namespace stagecut::transformer;
  const auto config = published::config_of(each["model"], json::object(), each["name"]);
  const auto phase_seconds = [&](serving_phase phase, std::size_t sequence) {
    const serving how{sequence, each["concurrent"], each["precision"] == "fp8" ? number::fp8 : number::fp16,
                      each["tensor_parallel"], 1};
    double seconds = 0;
    for (const auto& layer :
         inference_profile(config.architecture, how, phase, published::device_of(each["device"])).layers)
      seconds += layer.forward;
    return seconds;
  };
  const std::size_t prompt = each["prompt"], answer = each["answer"];
  double seconds = phase_seconds(serving_phase::prefill, prompt);
  for (std::size_t i = 1; i < answer; ++i) seconds += phase_seconds(serving_phase::decode, prompt + i);
  return seconds;
}

void print_inference(const json& file) {
  std::printf("| inference | published | predicted | error |\n|---|---|---|---|\n");
  for (const json& each : file["inference"]) {
    const double said = each["seconds"], seconds = served_seconds(each);
    std::printf("| %s | %.4g s | %.4g s | %+.0f %% |\n", each["name"].get<std::string>().c_str(), said, seconds,
                100 * (seconds / said - 1));
  }
  std::printf("\n");
}

/// Whether all errors are within those on the page; names the others.
bool check(const json& file, const std::vector<run>& all) {
  bool good = true;
  const auto within = [&](const std::string& what, double error, double most) {
    if (std::abs(error) <= most) return;
    std::printf("FAILED: %s: %.1f %%, which is above %.0f %%\n", what.c_str(), 100 * error, 100 * most);
    good = false;
  };
  errors dense, narrow;
  for (const run& each : all) {
    const double error = published::predicted_seconds(each, {}) / each.seconds - 1;
    if (each.kind == "dense") dense.values.push_back(error);
    if (each.kind == "fp8") narrow.values.push_back(error);
    if (each.gigabytes != 0) {
      within(each.name + ", the fullest device", published::peak_bytes(each) * 1e-9 / each.gigabytes - 1, 0.05);
    }
  }
  within("median of dense runs", dense.median(), 0.05);
  within("nine of ten dense runs", dense.nine_of_ten(), 0.12);
  within("worst of dense runs", dense.worst(), 0.18);
  within("median of runs with 8-bit products", narrow.median(), 0.12);
  for (const json& each : file["layers"]) {
    const auto config = published::config_of(file["memory"][0]["model"], each["training"], each["name"]);
    const stagecut::layer layer = stagecut::transformer::profile(config.architecture, config.training).layers[1];
    within(each["name"].get<std::string>() + ", forward", layer.forward / each["forward"].get<double>() - 1, 0.06);
    within(each["name"].get<std::string>() + ", backward", layer.backward / each["backward"].get<double>() - 1, 0.06);
  }
  for (const json& each : file["memory"]) {
    constexpr double gib = 1024. * 1024 * 1024;
    const auto [resident, bytes] = stage_bytes_of(each, false);
    const std::string name = each["name"];
    within(name + ", parameters and state", resident / gib / each["resident"].get<double>() - 1, 0.05);
    within(name + ", activations", bytes / gib / each["activations"].get<double>() - 1, 0.05);
    within(name + ", activations, lean", stage_bytes_of(each, true).second / gib / each["lean"].get<double>() - 1,
           0.05);
  }
  return good;
}

/// Whether the errors of the recipes are within those on the page.
bool check_rows(const std::vector<published::row>& rows) {
  errors every, newest, dense;
  for (const auto& each : rows) {
    const double error = published::error_of(each);
    every.values.push_back(error);
    if (!each.older) newest.values.push_back(error);
    if (each.dense()) dense.values.push_back(error);
  }
  bool good = true;
  const auto within = [&](const char* what, double found, double most) {
    if (found <= most) return;
    std::printf("FAILED: %s: %.1f, which is above %.1f\n", what, found, most);
    good = false;
  };
  within("percent, median of recipes", 100 * every.median(), 5);
  within("percent, nine of ten recipes", 100 * every.nine_of_ten(), 13);
  within("percent, median of the newest recipes", 100 * newest.median(), 5);
  within("percent, worst of the newest recipes", 100 * newest.worst(), 25);
  const auto order = published::order_of_pairs(rows);
  within("percent of pairs in another order",
         100. - 100. * static_cast<double>(order.right) / static_cast<double>(order.pairs), 6);
  within("recipes refused for memory", static_cast<double>(published::refused_rows(rows)), 1);
  return good;
}

/// The tables of the runs of runs.json.
void print_groups(const json& file, const std::vector<run>& all, bool fits) {
  std::printf("%s", error_head);
  errors dense;
  for (const json& group : file["groups"]) {
    errors of;
    for (const run& each : all) {
      if (each.group == group["name"].get<std::string>())
        of.values.push_back(published::predicted_seconds(each, {}) / each.seconds - 1);
    }
    if (group["kind"].get<std::string>() == "dense")
      dense.values.insert(dense.values.end(), of.values.begin(), of.values.end());
    print_errors(group["name"], of);
  }
  print_errors("**dense models, 16 bit**", dense);
  std::printf("\n| group | source | assumed |\n|---|---|---|\n");
  for (const json& group : file["groups"]) {
    std::printf("| %s | %s | %s |\n", group["name"].get<std::string>().c_str(),
                group["source"].get<std::string>().c_str(), group["assumed"].get<std::string>().c_str());
  }
  std::printf("\n");
  if (fits) print_fits(all);
  print_layers(file);
  print_memory(file, all);
  print_inference(file);
  print_runs(all);
}

}  // namespace

int main(int count, char** words) {
  const std::string folder = STAGECUT_PUBLISHED;
  const std::string_view how = count > 1 ? words[1] : "";
  const json file = json::parse(std::ifstream(folder + "/runs.json"));
  const std::vector<run> all = published::all_runs(file);
  const bool other = how == "--rows" && count > 2;
  auto rows = published::read_rows(other ? words[2] : folder + "/rows.csv", folder + "/models");
  if (other) {
    published::print_rows(rows);
    return 0;
  }
  const auto further = published::read_rows(folder + "/further.csv", folder + "/models");
  if (how == "--write" || how == "--check") {
    const bool same = published::has_table(folder + "/../../examples/cli/output/validated_runs.hpp",
                                           published::validated_table(all, rows, further), how == "--write");
    if (!same) std::printf("FAILED: examples/cli/output/validated_runs.hpp is not what --write writes\n");
    return how == "--write" || (check(file, all) && check_rows(rows) && same) ? 0 : 1;
  }
  std::printf("### Recipes of 2026\n\n");
  published::print_rows(rows);
  std::printf("### Further runs, none of them fitted\n\n");
  published::print_rows(further);
  if (how == "--fit") published::print_folds(rows);
  std::printf("### Dense models of 2021 to 2025\n\n");
  print_groups(file, all, how == "--fit");
  return 0;
}
