// SPDX-License-Identifier: BSL-1.0
// BERT-32 as a chain, from $STAGECUT_WORKLOADS/piper: `DEVICES/MICROBATCHES/GIBIBYTES/REPLICAS`, for the shortest
// iteration. Replicas are powers of 2, or any number; a stage recomputes none, a quarter, a half, three quarters or all
// of its layers; each copy uses 1, 2, 4 or 8 devices, without messages between them. `gap_%` is the optimality gap of
// the iteration.

#include <stagecut/io/file.hpp>
#include <stagecut/io/graphs/piper.hpp>
#include <stagecut/joint/minimize_hybrid.hpp>
#include <stagecut/profile/variant_graph.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <vector>

#include "../workload_folder.hpp"

namespace {

constexpr double gibibyte = 1073741824;
constexpr double bandwidth = 25 * gibibyte;

/// Layers in topological order.
class bert_chain {
 public:
  bert_chain(const stagecut::variant_graph& graph, bool any_replicas) : any_replicas_(any_replicas) {
    std::vector<std::size_t> missing(graph.layers.size());
    for (const auto& each : graph.edges) ++missing[each.to];
    std::vector<std::size_t> ready;
    for (std::size_t v = 0; v < missing.size(); ++v) {
      if (missing[v] == 0) ready.push_back(v);
    }
    while (!ready.empty()) {
      const std::size_t v = ready.back();
      ready.pop_back();
      layers_.push_back(graph.layers[v]);
      for (const auto& each : graph.edges) {
        if (each.from == v && --missing[each.to] == 0) ready.push_back(each.to);
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return layers_.size(); }

  template <class Visit>
  void each_option(const stagecut::stage_query& query, const Visit& visit) const {
    for (std::size_t t = 0; t < layers_[0].divided.size(); ++t) {
      for (std::size_t quarters = 0; quarters <= 4; ++quarters) {
        stagecut::stage_option option;
        option.tensor_parallel = layers_[0].divided[t].tensor_parallel;
        option.choice = quarters;
        double parameters = 0;
        const std::size_t recomputed = ((query.last - query.first) * quarters + 3) / 4;
        for (std::size_t i = query.first; i < query.last; ++i) {
          const auto& variants = layers_[i].divided[t].variants;
          const auto& here = variants[i - query.first < recomputed ? 1 : 0];
          option.forward += variants[0].time / 3;
          option.backward += here.time - variants[0].time / 3;
          option.activations += here.activations;
          option.resident += here.resident;
          parameters += here.parameters;
        }
        const double forward = option.forward, backward = option.backward, activations = option.activations;
        for (std::size_t d = 1; d <= 64; d = any_replicas_ ? d + 1 : 2 * d) {
          const auto share = static_cast<double>(d);
          option.replicas = d;
          option.forward = forward / share;
          option.backward = backward / share;
          option.time = option.forward + option.backward;
          option.activations = activations / share;
          option.message = query.first == 0 ? 0 : 31457280 / bandwidth / share;
          option.all_reduce = 2 * (share - 1) / share * parameters / bandwidth;
          visit(option);
        }
      }
    }
  }

 private:
  std::vector<stagecut::variant_layer> layers_{};
  bool any_replicas_;
};

void measure(benchmark::State& state, const stagecut::variant_graph& graph, std::size_t devices,
             std::size_t microbatches, double memory, bool any_replicas) {
  stagecut::hybrid_request request;
  request.devices = devices;
  request.microbatches = microbatches;
  request.memory_limit = memory * 1e9;
  const bert_chain model(graph, any_replicas);
  for (auto _ : state) {
    const auto best = stagecut::minimize_hybrid(model, request);
    if (!best) return state.SkipWithError(best.why().text().c_str());
    state.counters["iteration"] = best->value;
    state.counters["gap_%"] = 100 * best->gap();
    state.counters["stages"] = static_cast<double>(best->stages.size());
    state.counters["simulations"] = static_cast<double>(best->statistics.evaluations);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto folder = bench::workload_folder("piper/bert32a100.json");
  if (!folder) return 0;
  const std::string path = (*folder / "piper/bert32a100.json").string();
  const auto graph = stagecut::io::parse_piper(stagecut::io::file_text(path), path);
  for (const std::size_t devices : {16, 64}) {
    for (const double memory : {2.0, 8.0}) {
      if (devices == 16 && memory < 8) continue;  // it does not fit
      for (const bool any : {false, true}) {
        const std::size_t microbatches = devices == 16 ? 32 : 64;
        const std::string name = std::to_string(devices) + "/" + std::to_string(microbatches) + "/" +
                                 std::to_string(static_cast<int>(memory)) + (any ? "/any" : "/powers_of_2");
        benchmark::RegisterBenchmark(name.c_str(),
                                     [&graph, devices, microbatches, memory, any](benchmark::State& state) {
                                       measure(state, graph, devices, microbatches, memory, any);
                                     })
            ->Iterations(1)
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  benchmark::RunSpecifiedBenchmarks();
}
