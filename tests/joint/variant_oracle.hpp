// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <random>
#include <vector>

#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/profile/variant_graph.hpp>

/// Small graphs of layers with variants, and the best of all of their plans, by enumeration and without the library.
namespace joint_tests {

/// Which layers, by bits.
using layer_set = unsigned;

struct small_variants {
  stagecut::variant_graph graph{};
  stagecut::hybrid_request request{};
};

/// What a stage takes; no figure is rounded where all are whole numbers and parameters multiples of the microbatches.
struct stage_figures {
  double time = 0;
  double activations = 0;
  double resident = 0;
};

inline double sync_of(const std::vector<double>& bytes, std::size_t i) { return bytes.empty() ? 0 : bytes[i]; }

/// Of the layers that are in it, with variants by layer; unset if one cannot be divided so.
template <class IsIn>
std::optional<stage_figures> figures_of(const stagecut::variant_graph& graph, const IsIn& is_in, std::size_t replicas,
                                        std::size_t ways, const std::vector<std::size_t>& variants) {
  stage_figures all;
  double compute = 0;
  double sent = 0;
  double parameters = 0;
  for (std::size_t v = 0; v < graph.layers.size(); ++v) {
    if (!is_in(v)) continue;
    const stagecut::divided_layer* divided = nullptr;
    for (const auto& each : graph.layers[v].divided) divided = each.tensor_parallel == ways ? &each : divided;
    if (divided == nullptr || variants[v] >= divided->variants.size()) return std::nullopt;
    const stagecut::run_variant& one = divided->variants[variants[v]];
    compute += one.time;
    parameters += one.parameters;
    all.activations += one.activations;
    all.resident += one.resident;
    std::size_t in = 0;
    std::size_t out = 0;
    for (const auto& edge : graph.edges) {
      if (edge.to == v) {
        if (!is_in(edge.from)) sent += 2 * (edge.bytes + sync_of(one.received_bytes, in));
        ++in;
      }
      if (edge.from == v) {
        if (!is_in(edge.to)) sent += 2 * (edge.bytes + sync_of(one.sent_bytes, out));
        ++out;
      }
    }
  }
  const double d = static_cast<double>(replicas);
  const double exchanged = 4 * (d - 1) * parameters / (static_cast<double>(graph.microbatches) * graph.bandwidth);
  all.time = (compute + sent / graph.bandwidth + exchanged) / d;
  return all;
}

inline auto members(layer_set stage) {
  return [stage](std::size_t v) { return (stage >> v & 1U) != 0; };
}

/// Enumerates plans from the end of the pipeline.
class variant_oracle {
 public:
  explicit variant_oracle(const small_variants& of) : graph_(of.graph), request_(of.request) {}

  /// The least time of the slowest stage; unset if there is no plan.
  std::optional<double> best() {
    best_.reset();
    extend((layer_set{1} << graph_.layers.size()) - 1, 0, 0, 0, 0);
    return best_;
  }

  /// The fewest bytes of a device with which there is a plan; unset if there is none.
  std::optional<double> fewest_bytes() {
    request_.memory_limit = {};
    by_bytes_ = true;
    return best();
  }

 private:
  void extend(layer_set rest, std::size_t devices, std::size_t replicas, std::size_t stages, double slowest) {
    if (rest == 0) {
      if (!request_.at_most && devices != request_.devices) return;
      if (request_.stages && stages != *request_.stages) return;
      if (!best_ || slowest < *best_) best_ = slowest;
      return;
    }
    for (layer_set stage = rest; stage != 0; stage = (stage - 1) & rest) {
      if (!ends(rest, stage)) continue;
      for (std::size_t ways = 1; ways <= 2; ++ways) {
        for (std::size_t d = 1; d * ways + devices <= request_.devices; ++d) {
          if (graph_.microbatches % d != 0) continue;
          if (request_.in_flight_rule == stagecut::in_flight_rule::replicas && replicas + d > request_.microbatches)
            continue;
          const std::size_t held = held_by(replicas, stages, d);
          const auto time = least(stage, d, ways, held);
          if (!time) continue;
          const double now = *time > slowest ? *time : slowest;
          if (best_ && now >= *best_) continue;
          extend(rest & ~stage, devices + d * ways, replicas + d, stages + 1, now);
        }
      }
    }
  }

  std::size_t held_by(std::size_t replicas, std::size_t stages, std::size_t d) const {
    if (request_.in_flight_rule == stagecut::in_flight_rule::replicas) return (replicas + d + d - 1) / d;
    return stages + 1 < request_.microbatches ? stages + 1 : request_.microbatches;
  }

  /// Whether no layer of the rest needs one of the stage.
  bool ends(layer_set rest, layer_set stage) const {
    for (const auto& edge : graph_.edges) {
      if ((stage >> edge.from & 1U) != 0 && ((rest & ~stage) >> edge.to & 1U) != 0) return false;
    }
    return true;
  }

  std::optional<double> least(layer_set stage, std::size_t d, std::size_t ways, std::size_t held) const {
    std::optional<double> least;
    std::vector<std::size_t> variants(graph_.layers.size(), 0);
    for (layer_set second = stage;; second = (second - 1) & stage) {
      for (std::size_t v = 0; v < variants.size(); ++v) variants[v] = second >> v & 1U;
      if (const auto all = figures_of(graph_, members(stage), d, ways, variants)) {
        const double bytes = all->activations * static_cast<double>(held) + all->resident;
        const double cost = by_bytes_ ? bytes : all->time;
        const bool fits = !request_.memory_limit.for_all() || bytes <= *request_.memory_limit.for_all();
        if (fits && (!least || cost < *least)) least = cost;
      }
      if (second == 0) return least;
    }
  }

  const stagecut::variant_graph& graph_;
  stagecut::hybrid_request request_;
  std::optional<double> best_{};
  bool by_bytes_ = false;
};

inline std::size_t down_sets_of(const stagecut::variant_graph& graph) {
  std::size_t count = 0;
  for (layer_set s = 0; s < layer_set{1} << graph.layers.size(); ++s) {
    bool closed = true;
    for (const auto& edge : graph.edges) closed = closed && ((s >> edge.to & 1U) == 0 || (s >> edge.from & 1U) != 0);
    count += closed ? 1 : 0;
  }
  return count;
}

/// A chain of up to six layers or a graph of up to seven with at most 40 down-sets; half of them with variants that
/// differ in neither parameters nor messages. Some 15 % have no plan.
inline small_variants drawn_variants(std::mt19937& dice) {
  const auto number = [&](std::size_t from, std::size_t to) {
    return std::uniform_int_distribution<std::size_t>(from, to)(dice);
  };
  const auto amount = [&](std::size_t from, std::size_t to) { return static_cast<double>(number(from, to)); };
  small_variants made;
  stagecut::variant_graph& graph = made.graph;
  const bool chain = number(0, 1) == 0;
  const bool alike = number(0, 1) == 0;
  constexpr std::size_t batches[] = {4, 6, 12};
  graph.microbatches = batches[number(0, 2)];
  const std::size_t layers = number(1, chain ? 6 : 7);
  do {
    graph.edges.clear();
    for (std::size_t to = 1; to < layers; ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        const bool there = chain ? from + 1 == to : number(0, 2) == 0;
        if (there) graph.edges.push_back({from, to, amount(0, 9)});
      }
    }
  } while (down_sets_of(graph) > 40);
  graph.layers.assign(layers, {});
  double all = 0;
  for (std::size_t v = 0; v < layers; ++v) {
    std::size_t in = 0;
    std::size_t out = 0;
    for (const auto& edge : graph.edges) {
      in += edge.to == v ? 1 : 0;
      out += edge.from == v ? 1 : 0;
    }
    graph.layers[v].id = v;
    for (std::size_t ways = 1; ways <= 2; ++ways) {
      if (number(0, 9) == 0) continue;
      stagecut::divided_layer divided{ways, {}};
      for (std::size_t r = 0; r < 2; ++r) {
        if (r == 1 && number(0, 5) == 0) break;
        stagecut::run_variant one;
        one.name = r == 0 ? "kept" : "again";
        one.time = amount(1, 20);
        one.activations = amount(0, 9);
        one.resident = amount(0, 9);
        if (r == 0 || !alike) {
          one.parameters = amount(0, 3) * static_cast<double>(graph.microbatches);
          for (std::size_t e = 0; e < in; ++e) one.received_bytes.push_back(amount(0, 3));
          for (std::size_t e = 0; e < out; ++e) one.sent_bytes.push_back(amount(0, 3));
        } else {
          one.parameters = divided.variants[0].parameters;
          one.received_bytes = divided.variants[0].received_bytes;
          one.sent_bytes = divided.variants[0].sent_bytes;
        }
        divided.variants.push_back(one);
        all += r == 0 ? one.activations + one.resident : 0;
      }
      graph.layers[v].divided.push_back(divided);
    }
  }
  stagecut::hybrid_request& request = made.request;
  request.devices = number(1, 8);
  request.microbatches = graph.microbatches;
  request.at_most = number(0, 3) != 0;
  if (number(0, 5) == 0) request.stages = number(1, layers < 3 ? layers : 3);
  request.in_flight_rule = number(0, 3) == 0 ? stagecut::in_flight_rule::stages : stagecut::in_flight_rule::replicas;
  if (number(0, 5) != 0) request.memory_limit = amount(3, static_cast<std::size_t>(all) + 4);
  request.search.time_limit.reset();
  return made;
}

}  // namespace joint_tests
