// SPDX-License-Identifier: BSL-1.0
// minimize_load: published graphs with known smallest loads, against the published algorithm; a long path, against the
// solver of chains; and a large graph that is never proved.
//
// Names: GRAPH/METHOD/k:ACCELERATORS/c:CPUS, path/METHOD/n:OPERATORS/k:STAGES,
// nasnetamobile/minimize_load/k:STAGES/seed:S. Counters: `load` and `bound`, milliseconds or units; `proved`, 1 or 0;
// `down_sets`; `heuristic_percent`, the gap of the heuristics alone to the smallest load after 50 ms of thread time;
// `peak_mib`, the peak memory of a separate process. The program fails if a smallest load differs from the known one.
// Graphs need STAGECUT_WORKLOADS.

#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/minimize_load.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

#include <benchmark/benchmark.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "../workload_folder.hpp"
#include "down_set_pairs.hpp"
#include "published_graphs.hpp"
#include "thread_seconds.hpp"

namespace {

using stagecut::load_request;
using stagecut::operator_graph;

bool wrong = false;

void check(const std::string& name, double found, double known) {
  if (std::abs(found - known) <= 1e-9 * std::abs(known)) return;
  wrong = true;
  std::fprintf(stderr, "%s: found %.12g, known is %.12g\n", name.c_str(), found, known);
}

/// The peak memory in MiB of a process that does only this.
double peak_of(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  rusage used{};
  int status = 0;
  wait4(child, &status, 0, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

/// The problem in the form of the published algorithm.
bench::load_problem problem_of(const operator_graph& graph, const load_request& request) {
  const stagecut::contraction parts(graph);
  const stagecut::operator_costs costs(graph, parts, request.load, request.devices + request.cpus);
  bench::load_problem result;
  for (std::size_t e = 0; e < costs.size(); ++e) {
    const auto& each = costs.of(e);
    result.accelerator.push_back(costs.seconds(each.forward + each.backward));
    result.cpu.push_back(costs.seconds(each.cpu));
    result.memory.push_back(costs.bytes_of(each.resident + each.activations));
    result.needs_cpu.push_back(!each.on_accelerator);
    for (const auto to : parts.below().successors(e)) result.edges.emplace_back(e, to);
  }
  for (std::size_t i = 0; i < costs.nets(); ++i) {
    const auto pins = costs.pins(i);
    const auto& weight = costs.weight_of(i);
    result.nets.push_back({costs.seconds(weight.forward + weight.backward), {pins.begin(), pins.end()}});
  }
  result.accelerators = request.devices;
  result.cpus = request.cpus;
  if (request.load.memory_limit) result.memory_limit = *request.load.memory_limit;
  return result;
}

/// The smallest load in milliseconds by the published algorithm; below 0 if there is none.
double by_pairs(const operator_graph& graph, const load_request& request) {
  const bench::load_problem problem = bench::fold_leaves(problem_of(graph, request));
  const auto found = bench::down_set_pairs(problem).run();
  return found && found->load < std::numeric_limits<double>::infinity() ? 1e3 * found->load : -1;
}

/// The gap of the plan from the heuristics alone, in percent.
double heuristic_percent(const operator_graph& graph, load_request request, double known) {
  const double begin = bench::thread_seconds();
  const auto stop = [&] { return bench::thread_seconds() - begin >= 0.05; };
  request.method = stagecut::graph_method::linear;
  request.search.time_limit = 0.1;
  request.search.stop = stop;
  const auto found = stagecut::minimize_load(graph, request);
  if (!found) return std::numeric_limits<double>::infinity();
  const double percent = 100 * (1e3 * found->value / known - 1);
  return std::abs(percent) < 1e-9 ? 0 : percent;
}

void published(benchmark::State& state, const std::string& name, const bench::model_graph& of, load_request request,
               double known, double peak) {
  request.load.memory_limit = of.model.machine.memory;
  request.search.time_limit = 60;
  auto found = stagecut::minimize_load(of.graph, request);
  for (auto _ : state) found = stagecut::minimize_load(of.graph, request);
  const bool none = found.state() == stagecut::state::infeasible;
  check(name, found ? 1e3 * found->value : none ? -1 : 0, known);
  state.counters["proved"] = none || found.state() == stagecut::state::optimal ? 1 : 0;
  state.counters["load"] = found ? 1e3 * found->value : -1;
  state.counters["down_sets"] = found ? static_cast<double>(found->statistics.evaluations) : 0;
  state.counters["heuristic_percent"] = known < 0 ? 0 : heuristic_percent(of.graph, request, known);
  if (peak > 0) state.counters["peak_mib"] = peak;
}

/// Whether the published algorithm takes long enough to be worth a comparison, but terminates.
bool is_compared(const std::string& graph) {
  return graph == "layer/gnmt_inference" || graph == "operator/bert_l-6_training";
}

void register_published(const std::filesystem::path& folder) {
  std::ifstream file(folder / "dag_reference.json");
  const auto reference = nlohmann::json::parse(file);
  for (const auto& each : reference.at("cases")) {
    std::string name = each.at("file");
    name = (name.find("LayerGraphs") != std::string::npos ? "layer/" : "operator/") + name.substr(name.rfind('/') + 1);
    name.resize(name.rfind('.'));
    load_request request;
    request.at_most = true;
    request.devices = each.at("K");
    request.cpus = each.at("C");
    const double known = each.at("opt").is_null() ? -1 : each.at("opt").get<double>();
    const bool measured = is_compared(name) && each.at("tag") == "stated";
    const auto add = [&](const char* method, const auto& run) {
      const std::string text = name.substr(name.find('/') + 1) + "/" + method +
                               "/k:" + std::to_string(request.devices) + "/c:" + std::to_string(request.cpus);
      return benchmark::RegisterBenchmark(text.c_str(), [=](benchmark::State& state) { run(state, text); })
          ->Unit(benchmark::kMillisecond);
    };
    const auto read = [=] { return bench::published_graph(folder, name); };
    double peak = 0;
    if (measured) {
      peak = peak_of([&] {
        const bench::model_graph of = read();
        load_request asked = request;
        asked.load.memory_limit = of.model.machine.memory;
        benchmark::DoNotOptimize(stagecut::minimize_load(of.graph, asked));
      });
    }
    add("minimize_load", [=](benchmark::State& state, const std::string& text) {
      published(state, text, read(), request, known, peak);
    });
    if (!measured) continue;
    add("down_set_pairs", [=](benchmark::State& state, const std::string& text) {
      const bench::model_graph of = read();
      load_request asked = request;
      asked.load.memory_limit = of.model.machine.memory;
      double load = 0;
      for (auto _ : state) load = by_pairs(of.graph, asked);
      check(text, load, known);
      state.counters["load"] = load;
      state.counters["peak_mib"] = peak_of([&] { by_pairs(of.graph, asked); });
    })->Iterations(1);
  }
}

struct long_path {
  operator_graph graph{};
  std::vector<double> work{};
  std::vector<double> sent{};
};

const long_path& path_of(std::size_t n) {
  static long_path now;
  if (now.work.size() == n) return now;
  std::mt19937 random(1);
  const auto draw = [&] { return static_cast<double>(1 + random() % 1000); };
  now = {};
  for (std::size_t v = 0; v < n; ++v) {
    now.work.push_back(draw());
    now.sent.push_back(draw());
    stagecut::graph_operator each;
    each.forward = now.work[v];
    each.sent_seconds = now.sent[v];
    now.graph.operators.push_back(each);
    if (v > 0) now.graph.edges.push_back({v - 1, v});
  }
  return now;
}

double least_of_chain(const long_path& of, std::size_t k) {
  const stagecut::prefix_sums<double> sums(of.work);
  const stagecut::added_cuts cost(sums, stagecut::cut_times(of.sent, {stagecut::link_speed{0, 1}}));
  return stagecut::minimize_bottleneck(cost, k)->value;
}

void register_paths() {
  for (const std::size_t n : {10'000U, 1'000'000U}) {
    for (const std::size_t k : {8U, 64U}) {
      const std::string of = "/n:" + std::to_string(n) + "/k:" + std::to_string(k);
      benchmark::RegisterBenchmark(("path/minimize_load" + of).c_str(), [=](benchmark::State& state) {
        const long_path& path = path_of(n);
        load_request request;
        request.devices = k;
        double load = 0;
        for (auto _ : state) load = stagecut::minimize_load(path.graph, request)->value;
        check("path" + of, load, least_of_chain(path, k));
        state.counters["load"] = load;
      })->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark(("path/minimize_bottleneck" + of).c_str(), [=](benchmark::State& state) {
        const long_path& path = path_of(n);
        double load = 0;
        for (auto _ : state) load = least_of_chain(path, k);
        state.counters["load"] = load;
      })->Unit(benchmark::kMillisecond);
    }
  }
}

/// Times of both passes in milliseconds, messages at 12 GB/s, including the input's time.
operator_graph nasnet(const std::filesystem::path& folder) {
  const auto model = stagecut::io::read_profile((folder / "pipedream" / "nasnetamobile.txt").string());
  operator_graph result;
  for (const auto& layer : model.layers) {
    stagecut::graph_operator each;
    each.forward = 1e3 * layer.forward;
    each.backward = 1e3 * layer.backward;
    each.sent_seconds = layer.output / 12e9 * 1e3;
    result.operators.push_back(each);
  }
  for (const auto& edge : model.edges) result.edges.push_back({edge.from, edge.to});
  return result;
}

void register_nasnet(const std::filesystem::path& folder) {
  for (const std::size_t k : {4U, 8U, 16U}) {
    for (const std::size_t seed : {1U, 2U, 3U}) {
      const std::string name = "nasnetamobile/minimize_load/k:" + std::to_string(k) + "/seed:" + std::to_string(seed);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) {
                                     const operator_graph graph = nasnet(folder);
                                     load_request request;
                                     request.devices = k;
                                     request.at_most = true;
                                     request.search.seed = seed;
                                     request.search.time_limit = 10;
                                     const double begin = bench::thread_seconds();
                                     const auto stop = [&] { return bench::thread_seconds() - begin >= 5; };
                                     request.search.stop = stop;
                                     stagecut::graph_partition found;
                                     for (auto _ : state) found = *stagecut::minimize_load(graph, request);
                                     state.counters["load"] = found.value;
                                     state.counters["bound"] = found.bound;
                                   })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto folder = bench::workload_folder("dag_reference.json");
  if (folder) register_published(*folder);
  register_paths();
  if (folder) register_nasnet(*folder);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return wrong ? 1 : 0;
}
