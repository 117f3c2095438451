// SPDX-License-Identifier: BSL-1.0
// merge_layers: the gap of merging alone and of merging with refinement to the known smallest loads of published
// graphs; and large graphs, as a coarsener and into stages.
//
// Names: GRAPH/k:STAGES, layered/ORDER/n:OPERATORS/parts:PARTS. Counters of the first, in percent above the smallest
// load: `lightest` and `breadth` for merging alone, each also `refined`, and as a baseline `linear`, linear orders for
// the same time; then a table of their medians and worst cases. Counters of the second: `load` and `bound`. The program
// fails if a load is below the known one. Graphs need STAGECUT_WORKLOADS.

#include <stagecut/graph/merge_layers.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/refine_partition.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../workload_folder.hpp"
#include "layered_graph.hpp"
#include "published_graphs.hpp"
#include "thread_seconds.hpp"

namespace {

using stagecut::merge_order;
using stagecut::operator_graph;

constexpr std::array<const char*, 5> ways{"lightest", "lightest_refined", "breadth", "breadth_refined", "linear"};
bool wrong = false;
std::map<std::size_t, std::array<std::vector<double>, ways.size()>> table;  // by stages

double percent_above(const std::string& name, double load, double known) {
  const double result = 100 * (load / known - 1);
  if (result < -1e-7) {
    wrong = true;
    std::fprintf(stderr, "%s: found %.12g, the least known is %.12g\n", name.c_str(), load, known);
  }
  return std::max(result, 0.0);
}

/// The load found in as many seconds of thread time as merging and refining took.
double linear_load(const operator_graph& graph, const stagecut::load_request& of, double seconds) {
  stagecut::load_request request = of;
  const double begin = bench::thread_seconds();
  const auto stop = [&] { return bench::thread_seconds() - begin >= seconds; };
  request.method = stagecut::graph_method::linear;
  request.search.stop = stop;
  const auto found = stagecut::minimize_load(graph, request);
  return found ? 1e3 * found->value : std::numeric_limits<double>::infinity();
}

void published(benchmark::State& state, const std::string& name, const bench::model_graph& of, std::size_t k,
               double known) {
  std::array<double, ways.size()> loads;
  loads.fill(std::numeric_limits<double>::infinity());
  stagecut::load_request request{.devices = k, .at_most = true};
  request.load.memory_limit = of.model.machine.memory;
  const double begin = bench::thread_seconds();
  for (auto _ : state) {
    for (const merge_order order : {merge_order::lightest, merge_order::breadth_first}) {
      const std::size_t at = order == merge_order::lightest ? 0 : 2;
      const auto merged =
          stagecut::merge_layers(of.graph, {.parts = k, .at_most = true, .order = order, .load = request.load});
      if (!merged) continue;
      loads[at] = 1e3 * merged->value;
      stagecut::refine_request refine;
      refine.stages = merged->parts.size();
      refine.load = request.load;
      if (const auto refined = stagecut::refine_partition(of.graph, merged->assignment, refine)) {
        loads[at + 1] = 1e3 * refined->value;
      }
    }
  }
  loads[4] = linear_load(of.graph, request, bench::thread_seconds() - begin);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double percent = std::isinf(loads[i]) ? loads[i] : percent_above(name, loads[i], known);
    state.counters[ways[i]] = percent;
    table[k][i].push_back(percent);
  }
}

void register_published(const std::filesystem::path& folder) {
  std::ifstream file(folder / "dag_reference.json");
  const auto reference = nlohmann::json::parse(file);
  for (const auto& each : reference.at("cases")) {
    if (each.at("C") != 0 || each.at("opt").is_null()) continue;
    std::string name = each.at("file");
    name = (name.find("LayerGraphs") != std::string::npos ? "layer/" : "operator/") + name.substr(name.rfind('/') + 1);
    name.resize(name.rfind('.'));
    const std::size_t k = each.at("K");
    const double known = each.at("opt");
    const std::string text = name.substr(name.find('/') + 1) + "/k:" + std::to_string(k);
    benchmark::RegisterBenchmark(
        text.c_str(),
        [=](benchmark::State& state) { published(state, text, bench::published_graph(folder, name), k, known); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
}

void register_layered() {
  for (const merge_order order : {merge_order::lightest, merge_order::breadth_first}) {
    for (const std::size_t n : {std::size_t{10000}, std::size_t{100000}}) {
      for (const std::size_t parts : {std::size_t{8}, n / 10}) {
        const std::string text = std::string("layered/") + (order == merge_order::lightest ? "lightest" : "breadth") +
                                 "/n:" + std::to_string(n) + "/parts:" + std::to_string(parts);
        benchmark::RegisterBenchmark(text.c_str(),
                                     [=](benchmark::State& state) {
                                       const operator_graph graph = bench::layered_graph(n);
                                       stagecut::merged_layers found;
                                       for (auto _ : state)
                                         found = *stagecut::merge_layers(graph, {.parts = parts, .order = order});
                                       state.counters["load"] = found.value;
                                       state.counters["bound"] = found.bound;
                                       state.counters["given_up"] = static_cast<double>(found.given_up);
                                     })
            ->Unit(benchmark::kMillisecond)
            ->Iterations(1);
      }
    }
  }
}

void print_table() {
  std::printf(
      "\n| stages | problems | way | median %% | worst %% | least load | none |\n|---|---|---|---|---|---|---|\n");
  for (auto& [k, rows] : table) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      std::vector<double>& all = rows[i];
      std::sort(all.begin(), all.end());
      const auto none = std::count_if(all.begin(), all.end(), [](double each) { return std::isinf(each); });
      const auto least = std::count_if(all.begin(), all.end(), [](double each) { return each < 1e-7; });
      const std::size_t found = all.size() - static_cast<std::size_t>(none);
      std::printf("| %zu | %zu | %s | %.2f | %.2f | %td | %td |\n", k, all.size(), ways[i], all[all.size() / 2],
                  found == 0 ? 0 : all[found - 1], least, none);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (const auto folder = bench::workload_folder("dag_reference.json")) register_published(*folder);
  register_layered();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  if (!table.empty()) print_table();
  return wrong ? 1 : 0;
}
