// SPDX-License-Identifier: BSL-1.0
// Plans of whole models by the makespan: plan_graph, compared with the best plan of a chain of their operators and with
// the plan of smallest load.
//
// Names: MODEL/k:STAGES/m:MICROBATCHES. Each is planned once; links of 12 GB/s, no memory limit. Counters: `makespan`,
// milliseconds; `chain` and `least_load`, the makespans of the others in units of it, and `chain_counts`, the makespan
// of the chains' cuts with warm-up counts chosen for them; `gap_percent`, to its bound; `operators`. A chain is the
// operators in one of 24 topological orders, each forwarding what later ones need; each is planned with 1F1B. The
// program fails if one of the others is shorter by more than a thousandth. Real models need STAGECUT_WORKLOADS.

#include <stagecut/cost/objective.hpp>
#include <stagecut/graph/graph_of_profile.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/plan_graph.hpp>
#include <stagecut/graph/stage_pipeline.hpp>
#include <stagecut/graph/warm_up.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/plan/make_plan.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../workload_folder.hpp"
#include "published_graphs.hpp"

namespace {

using stagecut::profile;

bool beaten = false;

/// Builds models with operator times from their work: 20 Tflop/s, 1 TB/s, 4-byte numbers; the backward pass takes twice
/// as long.
class maker {
 public:
  /// Adds an operator with these flops and output numbers, and inputs from others. Returns its index.
  std::size_t add(double flops, double numbers, const std::vector<std::size_t>& from) {
    stagecut::layer made;
    made.name = std::to_string(result.layers.size());
    made.forward = std::max(flops / 20e12, 2 * 4 * numbers / 1e12);
    made.backward = 2 * made.forward;
    made.output = made.activations = 4 * numbers;
    result.layers.push_back(made);
    for (const std::size_t each : from) result.edges.push_back({each, result.layers.size() - 1});
    return result.layers.size() - 1;
  }

  /// A convolution of `side * side` windows on square maps.
  std::size_t convolve(double images, double size, double in, double out, double side,
                       const std::vector<std::size_t>& from) {
    const double numbers = images * size * size * out;
    return add(2 * numbers * in * side * side, numbers, from);
  }

  profile result{};
};

/// U-Net: 8 images of 256 x 256, 64 channels, doubled at each of four steps down.
profile unet() {
  constexpr double images = 8;
  maker make;
  double size = 256;
  double width = 64;
  std::size_t last = make.add(0, images * 3 * size * size, {});
  double in = 3;
  std::vector<std::size_t> across;
  for (int level = 0; level < 4; ++level) {
    last = make.convolve(images, size, in, width, 3, {last});
    last = make.convolve(images, size, width, width, 3, {last});
    across.push_back(last);
    in = width, width *= 2, size /= 2;
    last = make.add(0, images * in * size * size, {last});
  }
  last = make.convolve(images, size, in, width, 3, {last});
  last = make.convolve(images, size, width, width, 3, {last});
  for (; !across.empty(); across.pop_back()) {
    size *= 2;
    last = make.convolve(images, size, width, width / 2, 2, {last});
    last = make.convolve(images, size, width, width / 2, 3, {last, across.back()});
    width /= 2;
    last = make.convolve(images, size, width, width, 3, {last});
  }
  make.convolve(images, size, width, 2, 1, {last});
  return make.result;
}

/// GoogLeNet: 64 images of 224 x 224, with the channels from its authors (C. Szegedy et al., CVPR 2015, table 1).
profile inception() {
  constexpr double images = 64;
  maker make;
  std::size_t last = make.add(0, images * 3 * 224 * 224, {});
  last = make.convolve(images, 112, 3, 64, 7, {last});
  last = make.convolve(images, 56, 64, 192, 3, {last});
  // Size, input; 1 x 1; before and in 3 x 3; before and in 5 x 5; after the pool.
  constexpr std::array<double, 8> modules[] = {
      {28, 192, 64, 96, 128, 16, 32, 32},     {28, 256, 128, 128, 192, 32, 96, 64},
      {14, 480, 192, 96, 208, 16, 48, 64},    {14, 512, 160, 112, 224, 24, 64, 64},
      {14, 512, 128, 128, 256, 24, 64, 64},   {14, 512, 112, 144, 288, 32, 64, 64},
      {14, 528, 256, 160, 320, 32, 128, 128}, {7, 832, 256, 160, 320, 32, 128, 128},
      {7, 832, 384, 192, 384, 48, 128, 128}};
  for (const auto& [size, in, one, before_three, three, before_five, five, behind] : modules) {
    const std::size_t a = make.convolve(images, size, in, one, 1, {last});
    const std::size_t b = make.convolve(images, size, in, before_three, 1, {last});
    const std::size_t c = make.convolve(images, size, before_three, three, 3, {b});
    const std::size_t d = make.convolve(images, size, in, before_five, 1, {last});
    const std::size_t e = make.convolve(images, size, before_five, five, 5, {d});
    const std::size_t f = make.add(0, images * size * size * in, {last});
    const std::size_t g = make.convolve(images, size, in, behind, 1, {f});
    last = make.add(0, images * size * size * (one + three + five + behind), {a, c, e, g});
  }
  make.add(2 * images * 1024 * 1000, images * 1000, {last});
  return make.result;
}

/// 12 layers for 197 image patches, 768 wide, and 12 for 77 words, 512 wide, for 64 pairs; then the comparison of both.
profile vision_and_text() {
  constexpr double pairs = 64;
  maker make;
  const auto tower = [&](double tokens, double width) {
    const double numbers = pairs * tokens * width;
    std::size_t last = make.add(2 * numbers * width, numbers, {});
    for (int layer = 0; layer < 12; ++layer) {
      last = make.add(numbers * (8 * width + 4 * tokens), numbers, {last});
      last = make.add(numbers * 16 * width, numbers, {last});
    }
    return make.add(2 * pairs * width * 512, pairs * 512, {last});
  };
  const std::size_t images = tower(197, 768);
  const std::size_t texts = tower(77, 512);
  make.add(2 * pairs * pairs * 512, pairs * pairs, {images, texts});
  return make.result;
}

/// A topological order: the ready operator of smallest priority first.
std::vector<std::size_t> order_of(const profile& model, const std::vector<double>& priority, bool newest) {
  const std::size_t n = model.layers.size();
  std::vector<std::size_t> waits(n);
  std::vector<std::size_t> ready;
  std::vector<std::size_t> result;
  for (const auto& each : model.edges) ++waits[each.to];
  for (std::size_t v = 0; v < n; ++v) {
    if (waits[v] == 0) ready.push_back(v);
  }
  while (!ready.empty()) {
    auto next = ready.end() - 1;
    if (!newest) {
      next = std::min_element(ready.begin(), ready.end(), [&](auto a, auto b) { return priority[a] < priority[b]; });
    }
    result.push_back(*next);
    ready.erase(next);
    for (const auto& each : model.edges) {
      if (each.from == result.back() && --waits[each.to] == 0) ready.push_back(each.to);
    }
  }
  return result;
}

/// The operators in an order, each forwarding earlier outputs that are needed after it.
profile chain_of(const profile& model, const std::vector<std::size_t>& order) {
  const std::size_t n = order.size();
  std::vector<std::size_t> place(n);
  for (std::size_t i = 0; i < n; ++i) place[order[i]] = i;
  std::vector<std::size_t> last(n);
  for (const auto& each : model.edges) last[each.from] = std::max(last[each.from], place[each.to]);
  profile result;
  for (std::size_t i = 0; i < n; ++i) {
    result.layers.push_back(model.layers[order[i]]);
    result.layers[i].output = 0;
    for (std::size_t j = 0; j <= i; ++j) {
      if (last[order[j]] > i) result.layers[i].output += model.layers[order[j]].output;
    }
  }
  return result;
}

std::vector<profile> chains_of(const profile& model) {
  const std::size_t n = model.layers.size();
  std::vector<double> priority(n);
  for (std::size_t v = 0; v < n; ++v) priority[v] = static_cast<double>(v);
  std::vector<profile> result{chain_of(model, order_of(model, priority, false)),
                              chain_of(model, order_of(model, priority, true))};
  std::vector<double> depth(n);
  for (const std::size_t v : order_of(model, priority, false)) {
    for (const auto& each : model.edges) {
      if (each.from == v) depth[each.to] = std::max(depth[each.to], depth[v] + 1);
    }
  }
  result.push_back(chain_of(model, order_of(model, depth, false)));
  std::mt19937 random(1);
  while (result.size() < 24) {
    for (double& each : priority) each = static_cast<double>(random());
    result.push_back(chain_of(model, order_of(model, priority, false)));
  }
  return result;
}

/// The makespan of a chain's cut with the best warm-up counts for it.
double with_counts(const profile& chain, const stagecut::plan& made, std::size_t m) {
  const auto graph = stagecut::graph_of(chain, {.link = stagecut::link_speed{0, 12e9}, .memory_accounting = {}});
  const auto stages = stagecut::make_stage_pipeline(graph, stagecut::stage_of_layers(made), made.stages.size());
  return stagecut::choose_warm_up(stages, m, stagecut::transfer_kind::link)->makespan;
}

void plan(benchmark::State& state, const std::string& name, const profile& model, std::size_t m) {
  stagecut::plan_request request;
  request.devices = 4;
  request.microbatches = m;
  request.links = {{0, 12e9}};
  request.objective = stagecut::plan_objective::makespan;
  stagecut::plan found;
  for (auto _ : state) found = *stagecut::plan_graph(model, request);
  const double makespan = *found.makespan;
  request.search.time_limit = 2;
  double chain = std::numeric_limits<double>::infinity();
  double chain_counts = chain;
  for (const profile& each : chains_of(model)) {
    const stagecut::plan made = *stagecut::make_plan(each, request);
    chain = std::min(chain, *made.makespan);
    chain_counts = std::min(chain_counts, with_counts(each, made, m));
  }
  request.objective = stagecut::plan_objective::bottleneck;
  const double least_load = *stagecut::plan_graph(model, request)->makespan;
  if (std::min({chain, chain_counts, least_load}) < makespan * 0.999)
    beaten = true, std::fprintf(stderr, "%s: beaten\n", name.c_str());
  state.counters["makespan"] = 1e3 * makespan;
  state.counters["chain"] = chain / makespan;
  state.counters["chain_counts"] = chain_counts / makespan;
  state.counters["least_load"] = least_load / makespan;
  state.counters["gap_percent"] = 100 * (makespan / found.objective.bound - 1);
  state.counters["operators"] = static_cast<double>(model.layers.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::pair<std::string, profile>> models{
      {"unet", unet()}, {"inception", inception()}, {"vision_and_text", vision_and_text()}};
  if (const auto folder = bench::workload_folder("dag_reference.json")) {
    const auto read = [&](const char* path) { return stagecut::io::read_profile((*folder / path).string()); };
    models.emplace_back("resnet50", read("pipedream/resnet50.txt"));
    models.emplace_back("gnmt_large", read("pipedream/gnmt_large.txt"));
    models.emplace_back("gnmt_16", read("hpgo/gnmt_16.txt"));
  }
  for (const auto& [name, model] : models) {
    for (const std::size_t m : {4U, 8U, 16U, 32U}) {
      const std::string text = name + "/k:4/m:" + std::to_string(m);
      const auto run = [text, &of = model, m](benchmark::State& state) { plan(state, text, of, m); };
      benchmark::RegisterBenchmark(text.c_str(), run)->Iterations(1)->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return beaten ? 1 : 0;
}
