// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/joint/detail/variant_choice.hpp>
#include <stagecut/profile/variant_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Turns figures into whole multiples of a power of two, so fine that all of them sum to less than 2^61: whatever the order
/// in which they are summed, and taken away again, the sum is the same. Whole numbers below 2^53 in all stay what they are.
class whole_units {
 public:
  whole_units() = default;
  /// @param sum  of all figures, at most
  explicit whole_units(double sum) {
    int exponent = 0;
    if (sum > 0) static_cast<void>(std::frexp(sum, &exponent));
    const int fine = 60 - exponent;
    exponent_ = fine < 1000 ? fine : 1000;
    unit_ = std::ldexp(1.0, -exponent_);
  }

  [[nodiscard]] std::int64_t whole(double x) const noexcept { return std::llrint(std::ldexp(x, exponent_)); }
  /// Rounded down, and no more than any sum.
  [[nodiscard]] std::int64_t whole_below(double x) const noexcept {
    const double scaled = std::ldexp(x, exponent_);
    return scaled < 0x1p62 ? static_cast<std::int64_t>(scaled) : std::int64_t{1} << 62U;
  }
  [[nodiscard]] double figure(std::int64_t x) const noexcept { return static_cast<double>(x) * unit_; }

 private:
  int exponent_ = 0;
  double unit_ = 1;
};

/// The figures of a graph of layers, in whole units, by layer and by number of devices among which it is divided.
struct variant_tables {
  /// A layer divided among a number of devices.
  struct divided {
    std::vector<variant_figures> variants{};  // time beyond the least one
    std::vector<double> more_parameters{};    // of each variant, bytes beyond the least; empty: all exchange the same
    std::vector<std::vector<std::int64_t>>
        more_cut{};                   // of each variant, time beyond the least of each edge that is cut, of
                                      // those in, then out; empty: all send the same
    std::vector<std::int64_t> cut{};  // likewise the least time
    std::int64_t time = 0;            // of the fastest variant
    std::int64_t parameters = 0;      // of the one with the least
    std::size_t alike = 0;            // the number of its group

    [[nodiscard]] bool exists() const noexcept { return !variants.empty(); }
    [[nodiscard]] bool varies() const noexcept { return !more_parameters.empty() || !more_cut.empty(); }
  };

  whole_units times{}, bytes{}, parameters{};
  std::vector<std::size_t> ways{};                     // ascending
  std::vector<std::vector<divided>> layers{};          // by layer, then as `ways`
  std::vector<std::vector<std::size_t>> neighbours{};  // the other end of each edge in, then of each out
  std::vector<std::int64_t> work{};                    // seconds of a device that a layer takes at least
  std::vector<std::vector<variant_figures>> groups{};  // layers with these figures may be exchanged

  explicit variant_tables(const variant_graph& graph) {
    list_edges(graph);
    choose_units(graph);
    layers.resize(graph.layers.size());
    work.assign(graph.layers.size(), 0);
    for (std::size_t v = 0; v < graph.layers.size(); ++v) {
      layers[v].resize(ways.size());
      bool any = false;
      for (const divided_layer& each : graph.layers[v].divided) {
        if (each.variants.empty()) continue;
        std::size_t t = 0;
        while (ways[t] != each.ways) ++t;
        divided& made = layers[v][t];
        made = tabulate(graph, v, each);
        const std::int64_t here = made.time * static_cast<std::int64_t>(each.ways);
        work[v] = !any || here < work[v] ? here : work[v];
        any = true;
      }
    }
  }

 private:
  [[nodiscard]] static double at(const std::vector<double>& bytes, std::size_t i) noexcept {
    return i < bytes.size() ? bytes[i] : 0;
  }

  void list_edges(const variant_graph& graph) {
    neighbours.resize(graph.layers.size());
    in_.resize(graph.layers.size());
    out_.resize(graph.layers.size());
    for (const variant_edge& each : graph.edges) {
      in_[each.to].push_back(each.bytes);
      neighbours[each.to].push_back(each.from);
    }
    for (const variant_edge& each : graph.edges) {
      out_[each.from].push_back(each.bytes);
      neighbours[each.from].push_back(each.to);
    }
  }

  /// Seconds in which the bytes cross an edge both ways, with those among devices.
  [[nodiscard]] double crossing(const variant_graph& graph, std::size_t v, const run_variant& one,
                                std::size_t e) const {
    const std::size_t in = in_[v].size();
    return e < in ? 2 * (in_[v][e] + at(one.received, e)) / graph.bandwidth
                  : 2 * (out_[v][e - in] + at(one.sent, e - in)) / graph.bandwidth;
  }

  void choose_units(const variant_graph& graph) {
    double all_time = 0;
    double all_bytes = 0;
    double all_parameters = 0;
    for (std::size_t v = 0; v < graph.layers.size(); ++v) {
      double most_time = 0;
      double most_bytes = 0;
      double most_parameters = 0;
      for (const divided_layer& each : graph.layers[v].divided) {
        std::size_t t = 0;
        while (t < ways.size() && ways[t] < each.ways) ++t;
        if (t == ways.size() || ways[t] != each.ways)
          ways.insert(ways.begin() + static_cast<std::ptrdiff_t>(t), each.ways);
        for (const run_variant& one : each.variants) {
          double time = one.time * static_cast<double>(each.ways) + 4 * one.parameters / graph.bandwidth;
          for (std::size_t e = 0; e < neighbours[v].size(); ++e) time += crossing(graph, v, one, e);
          const double room = one.activations * static_cast<double>(graph.microbatches) + one.resident;
          most_time = time > most_time ? time : most_time;
          most_bytes = room > most_bytes ? room : most_bytes;
          most_parameters = one.parameters > most_parameters ? one.parameters : most_parameters;
        }
      }
      all_time += most_time;
      all_bytes += most_bytes;
      all_parameters += most_parameters;
    }
    for (const double each : {all_time, all_bytes, all_parameters}) {
      if (!is_finite(each)) fail(invalid_input("layers", "their figures sum to more than a double holds"));
    }
    times = whole_units(all_time);
    bytes = whole_units(all_bytes);
    parameters = whole_units(all_parameters);
  }

  [[nodiscard]] divided tabulate(const variant_graph& graph, std::size_t v, const divided_layer& from) {
    divided made;
    const std::size_t edges = neighbours[v].size();
    double least_parameters = from.variants[0].parameters;
    made.time = times.whole(from.variants[0].time);
    made.cut.assign(edges, 0);
    for (std::size_t r = 0; r < from.variants.size(); ++r) {
      const run_variant& one = from.variants[r];
      made.variants.push_back({times.whole(one.time), bytes.whole(one.activations), bytes.whole(one.resident)});
      made.time = made.variants[r].time < made.time ? made.variants[r].time : made.time;
      least_parameters = one.parameters < least_parameters ? one.parameters : least_parameters;
      made.more_cut.emplace_back();
      for (std::size_t e = 0; e < edges; ++e) {
        made.more_cut[r].push_back(times.whole(crossing(graph, v, one, e)));
        if (r == 0 || made.more_cut[r][e] < made.cut[e]) made.cut[e] = made.more_cut[r][e];
      }
    }
    made.parameters = parameters.whole(least_parameters);
    bool same_parameters = true;
    bool same_cut = true;
    for (std::size_t r = 0; r < from.variants.size(); ++r) {
      made.variants[r].time -= made.time;
      made.more_parameters.push_back(from.variants[r].parameters - least_parameters);
      same_parameters = same_parameters && made.more_parameters[r] == 0;
      for (std::size_t e = 0; e < edges; ++e) {
        made.more_cut[r][e] -= made.cut[e];
        same_cut = same_cut && made.more_cut[r][e] == 0;
      }
    }
    if (same_parameters) made.more_parameters.clear();
    if (same_cut) made.more_cut.clear();
    made.alike = group_of(made.variants);
    return made;
  }

  [[nodiscard]] std::size_t group_of(const std::vector<variant_figures>& figures) {
    for (std::size_t g = groups.size(); g-- > 0;) {
      if (groups[g] == figures) return g;
    }
    groups.push_back(figures);
    return groups.size() - 1;
  }

  std::vector<std::vector<double>> in_{}, out_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
