// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/generators/sapp_interleaved.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/sapp_bubbles.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sapp_transfers.hpp"

using nlohmann::json;
using stagecut::sapp_memory;

namespace {

using times = std::vector<double>;

/// A pipeline that SAPP's simulator has run; vectors have one element a stage, stage v p + r being chunk v of rank r.
struct pipeline {
  std::size_t ranks = 0;
  std::size_t chunks = 0;
  std::size_t microbatches = 0;
  sapp_memory memory = sapp_memory::big;
  times forward{};
  times backward{};
  times activations{};
  times resident{};               // of every *rank*
  std::optional<double> message;  // what a transfer takes; without: there are none

  pipeline(std::size_t p, std::size_t v, std::size_t m, bool less)
      : ranks(p),
        chunks(v),
        microbatches(m),
        memory(less ? sapp_memory::less : sapp_memory::big),
        forward(p * v),
        backward(p * v),
        activations(p * v),
        resident(p) {}

  [[nodiscard]] stagecut::schedule schedule() const {
    return stagecut::sapp_interleaved(ranks, chunks, microbatches, memory);
  }
  [[nodiscard]] double simulated() const {
    const stagecut::schedule computing = schedule();
    const stagecut::pass_times<double> passes{.forward = forward, .backward = backward};
    if (!message) return stagecut::simulate(computing, passes).makespan;
    const stagecut::transfer_times<double> transfers{
        .kind = stagecut::transfer_kind::blocking, .forward = {*message}, .backward = {*message}};
    return stagecut::simulate(sapp::with_transfers(computing, memory), passes, transfers).makespan;
  }
  /// The most that each rank holds.
  [[nodiscard]] times peaks() const {
    times result = resident;
    const stagecut::schedule computing = schedule();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      double held = resident[rank];
      for (const stagecut::op& op : computing.orders[rank]) {
        held += op.kind == stagecut::op_kind::forward ? activations[op.stage] : -activations[op.stage];
        result[rank] = std::max(result[rank], held);
      }
    }
    return result;
  }
};

/// SAPP's own order for little memory, whose warm-up forgets that the first group of microbatches may be larger.
stagecut::schedule with_small_warm_up(stagecut::schedule order) {
  for (std::size_t rank = 0; rank < order.ranks(); ++rank) {
    std::vector<stagecut::op>& line = order.orders[rank];
    const auto first_backward = std::stable_partition(
        line.begin(), line.end(), [](const stagecut::op& op) { return op.kind == stagecut::op_kind::forward; });
    const std::vector<stagecut::op> forward(line.begin(), first_backward);
    const std::vector<stagecut::op> backward(first_backward, line.end());
    const std::size_t ahead = order.stages() - rank - 1;
    line.assign(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(ahead));
    for (std::size_t i = ahead; i < forward.size() + ahead; ++i) {
      if (i < forward.size()) line.push_back(forward[i]);
      line.push_back(backward[i - ahead]);
    }
  }
  return order;
}

/// How many cases were compared, and in which respects.
struct tally {
  int cases = 0;
  int with_transfers = 0;
  int without_peaks = 0;
};

bool whole(double x) { return x == std::floor(x); }
bool whole(const times& figures) {
  return std::all_of(figures.begin(), figures.end(), [](double x) { return whole(x); });
}

/// Sums of whole numbers are exact; of others SAPP adds up some in another order.
void compare(double found, double expected, bool exact) {
  if (exact) {
    CHECK(found == expected);
  } else {
    CHECK(found == doctest::Approx(expected).epsilon(1e-9));
  }
}

/// Compares with what SAPP's simulator said; `peaks` is the name there.
void compare(const std::string& name, const pipeline& each, const json& said, const char* peaks, tally& seen) {
  CAPTURE(name);
  const double makespan = each.simulated();
  const bool exact = whole(each.forward) && whole(each.backward) && (!each.message || whole(*each.message));
  compare(makespan, said.at("end_time").get<double>(), exact);

  times recomputation(each.forward.size());
  for (std::size_t s = 0; s < recomputation.size(); ++s) {
    recomputation[s] = std::max(0.0, each.backward[s] - 2 * each.forward[s]);
  }
  const auto found = stagecut::sapp_bubbles_of(each.ranks, each.chunks, each.microbatches, each.forward, recomputation,
                                               makespan, each.message.value_or(0));
  // SAPP adds 1e-10 to `imba`; its figures are ratios of sums in an order of its own.
  const json& bubbles = said.at("bubbles");
  CHECK(std::abs(found.real - bubbles.at("real").get<double>()) < 1e-11);
  CHECK(std::abs(found.ideal - bubbles.at("ideal").get<double>()) < 1e-11);
  CHECK(std::abs(found.imbalance - (bubbles.at("imba").get<double>() - 1e-10)) < 1e-11);
  CHECK(std::abs(found.recomputation - bubbles.value("recompute", 0.0)) < 1e-11);
  CHECK(std::abs(found.communication - bubbles.value("comm", 0.0)) < 1e-11);

  if (peaks != nullptr) {
    const times held = each.peaks();
    const auto expected = said.at(peaks).get<times>();
    REQUIRE(held.size() == expected.size());
    for (std::size_t r = 0; r < held.size(); ++r) {
      CAPTURE(r);
      compare(held[r], expected[r], whole(each.activations) && whole(each.resident));
    }
  }
  ++seen.cases;
  seen.with_transfers += each.message ? 1 : 0;
  seen.without_peaks += peaks == nullptr ? 1 : 0;
}

/// Rows of chunks, or the one row of a pipeline without.
times flat(const json& rows) {
  times result;
  for (const json& row : rows) {
    if (row.is_array()) {
      for (const json& figure : row) result.push_back(figure.get<double>());
    } else {
      result.push_back(row.get<double>());
    }
  }
  return result;
}

/// A case of the simulator alone.
pipeline from_blocks(const json& input) {
  const json& blocks = input.at("block_time");
  const bool rows = blocks.at(0).is_array();
  pipeline result(rows ? blocks.at(0).size() : blocks.size(), rows ? blocks.size() : 1,
                  input.at("micro_batches").get<std::size_t>(), input.value("method", "vpp") == "vpp2");
  result.forward = flat(blocks);
  result.activations = input.contains("block_mem") ? flat(input.at("block_mem")) : result.forward;
  const times recomputation =
      input.contains("layer_recompute") ? flat(input.at("layer_recompute")) : times(result.forward.size());
  for (std::size_t s = 0; s < recomputation.size(); ++s) {
    result.backward[s] = 2 * result.forward[s] + recomputation[s];
  }
  if (input.at("run_comm").get<bool>()) result.message = input.at("comm_time").get<double>();
  return result;
}

/// What SAPP calls the ways to run a layer's backward pass: their keys among the figures of a layer.
struct recomputation_type {
  const char* name;
  const char* memory;
  const char* coefficient;
};
constexpr recomputation_type types[] = {{"NONE", "memory_activation", "backward_coef"},
                                        {"SLCT", "memory_select_rec", "select_rec_coef"},
                                        {"COMM", "memory_select_comm", "select_comm_coef"},
                                        {"BOTH", "memory_both_comm_select", "both_comm_select_coef"},
                                        {"FULL", "memory_recompute", "recompute_coef"}};

/// The layers of a case as its simulator sees them: of a sequence in parts, a part's time and converted memory.
json layers_of(const json& input, const json& all) {
  json layers = input.at("layers");
  const auto parts = input.value("seq_split", 1);
  if (parts == 1) return layers;
  const json& converted = all.at("seq_memory_conversion");
  for (json& layer : layers) {
    layer["time"] = layer.at("time").get<double>() / parts;
    if (layer.at("type") != "BODY") {
      layer["memory_parameter"] = converted.at(layer.at("type") == "HEAD" ? "head" : "tail").at(1);
      continue;
    }
    REQUIRE(layer.at("memory_activation") == converted.at("activation_none").at(0));
    layer["memory_parameter"] = converted.at("body_parameter").at(1);
    layer["memory_activation"] = converted.at("activation_none").at(1);
    layer["memory_select_rec"] = converted.at("activation_slct").at(1);
  }
  return layers;
}

/// A case of layers and of how many of them each chunk runs with which type.
pipeline from_layers(const json& input, const json& strategy, const json& all) {
  pipeline result(input.at("pp").get<std::size_t>(), input.at("vpp").get<std::size_t>(),
                  input.at("micro_batches").get<std::size_t>(), input.at("less_memory").get<bool>());
  result.resident.assign(result.ranks, input.at("stage_const_mem_mb").get<double>());
  for (const json& layer : layers_of(input, all)) {
    const double time = layer.value("forward_time", layer.at("time").get<double>());
    const double parameters = layer.at("memory_parameter").get<double>();
    if (layer.at("type") != "BODY") {
      const bool head = layer.at("type") == "HEAD";
      const std::size_t stage = head ? 0 : result.forward.size() - 1;
      result.forward[stage] += time;
      result.backward[stage] += 2 * time;
      result.resident[stage % result.ranks] += parameters;
      continue;
    }
    const json& counts = strategy.contains("NONE") ? strategy : strategy.at(layer.at("name").get<std::string>());
    for (const recomputation_type& type : types) {
      if (!counts.contains(type.name)) continue;
      const times layers = flat(counts.at(type.name));
      REQUIRE(layers.size() == result.forward.size());
      const double coefficient =
          layer.value(type.coefficient, all.at("meta").at("coefficients").at(type.name).get<double>());
      for (std::size_t s = 0; s < layers.size(); ++s) {
        result.forward[s] += layers[s] * time;
        result.backward[s] += layers[s] * 2 * time * (1 + coefficient);
        result.resident[s % result.ranks] += layers[s] * parameters;
        if (layers[s] != 0) result.activations[s] += layers[s] * layer.at(type.memory).get<double>();
      }
    }
  }
  return result;
}

/// The reference cases, where STAGECUT_WORKLOADS names a folder of them.
std::optional<json> reference_cases() {
  const char* const folder = std::getenv("STAGECUT_WORKLOADS");
  if (folder == nullptr || *folder == '\0') {
    MESSAGE("skipped: STAGECUT_WORKLOADS is not set");
    return std::nullopt;
  }
  const auto path = std::filesystem::path(folder) / "sapp" / "cases.json";
  std::ifstream file(path);
  if (!file) {
    MESSAGE("skipped: there is no ", path.string());
    return std::nullopt;
  }
  return json::parse(file);
}

}  // namespace

TEST_CASE("pipelines as SAPP's simulator runs them") {
  const auto all = reference_cases();
  if (!all) return;
  tally seen;
  int refused = 0;
  for (const json& each : all->at("simulator_cases")) {
    const auto name = each.at("name").get<std::string>();
    CAPTURE(name);
    const pipeline given = from_blocks(each.at("input"));
    if (!each.contains("error")) {
      compare(name, given, each.at("result"), "peak_mem", seen);
      continue;
    }
    const stagecut::pass_times<double> passes{.forward = given.forward, .backward = given.backward};
    CHECK_THROWS_AS((void)stagecut::simulate(with_small_warm_up(given.schedule()), passes), stagecut::invalid_input);
    CHECK(given.simulated() > 0);
    ++refused;
  }
  CHECK(seen.cases == 5);
  CHECK(seen.with_transfers == 4);
  CHECK(refused == 1);
}

TEST_CASE("the third example of SAPP's simulator: its 421.2 are those of its own transfers, and of no kind of ours") {
  // Of the docstring of `PipelineSimulator`: 8 ranks, 3 chunks, 16 microbatches, messages of 0.1.
  pipeline given(8, 3, 16, false);
  given.forward.assign(24, 2);
  given.forward.back() = 2.6;
  times again(24);
  again[8] = again[18] = 1;
  again[16] = again[17] = 2;
  for (std::size_t s = 0; s < 24; ++s) given.backward[s] = 2 * given.forward[s] + again[s];
  const auto by = [&](stagecut::transfer_kind kind, double message) {
    const stagecut::pass_times<double> passes{.forward = given.forward, .backward = given.backward};
    const stagecut::transfer_times<double> transfers{.kind = kind, .forward = {message}, .backward = {message}};
    return stagecut::simulate(given.schedule(), passes, transfers).makespan;
  };
  CHECK(given.simulated() == doctest::Approx(385.8).epsilon(1e-12));
  for (const auto kind : {stagecut::transfer_kind::latency, stagecut::transfer_kind::link}) {
    CHECK(by(kind, 0.1) == doctest::Approx(389.8).epsilon(1e-12));
  }
  CHECK(by(stagecut::transfer_kind::stream, 0.1) == doctest::Approx(593.9).epsilon(1e-12));
  CHECK(by(stagecut::transfer_kind::blocking, 0.1) == doctest::Approx(919.3).epsilon(1e-12));
  given.message = 0.1;
  CHECK(given.simulated() == doctest::Approx(421.2).epsilon(1e-12));
  const auto bubbles = stagecut::sapp_bubbles_of(8, 3, 16, given.forward, again, given.simulated(), 0.1);
  const std::pair<double, double> said[] = {{bubbles.real, 0.4444},
                                            {bubbles.ideal, 0.1458},
                                            {bubbles.imbalance, 0.1851},
                                            {bubbles.communication, 0.0724},
                                            {bubbles.recomputation, 0.0412}};
  for (const auto& [found, printed] : said) CHECK(std::abs(found - printed) <= 0.5e-4);
}

TEST_CASE("strategies of SAPP's documents, and better ones, as its simulator runs them") {
  const auto all = reference_cases();
  if (!all) return;
  tally given;
  tally better;
  for (const char* const group : {"strategy_simulations", "solver_cases"}) {
    for (const json& each : all->at(group)) {
      const auto name = each.at("name").get<std::string>();
      const json& input = each.at("input");
      if (each.contains("result")) {
        compare(name, from_layers(input, each.at("strategy_layers"), *all), each.at("result"), "peak_mem", given);
      }
      for (const char* const found : {"best_known_min1", "best_known_min0"}) {
        if (!each.contains(found)) continue;
        const json& best = each.at(found);
        compare(name + ", " + found, from_layers(input, best.at("strategy_layers"), *all),
                best.at("verified_with_sapp_simulator"), "peak_mem_mb", better);
      }
    }
  }
  CHECK(given.cases == 7);
  CHECK(better.cases == 16);
}

TEST_CASE("strategies of SAPP's solver as its simulator runs them") {
  const auto all = reference_cases();
  if (!all) return;
  tally seen;
  int left_out = 0;
  for (const json& each : all->at("solver_cases")) {
    const auto name = each.at("name").get<std::string>();
    CAPTURE(name);
    if (!each.contains("sim")) {  // there was no strategy to simulate
      ++left_out;
      continue;
    }
    const json& said = each.at("sim");
    pipeline given = from_layers(each.at("input"), each.at("strategy_layers"), *all);
    const times forward = flat(said.at("forward"));
    const times backward = flat(said.at("backward"));
    if (std::any_of(forward.begin(), forward.end(), [](double x) { return x < 0; })) {
      ++left_out;  // SAPP simulated the parts of layers that its solver had ended with, some of them below 0
      continue;
    }
    // The same here, but not below 0: the times are known, and the memory is not.
    const bool feasible = each.at("milp").at("status") == "Optimal";
    for (std::size_t s = 0; s < forward.size() && feasible; ++s) {
      CHECK(given.forward[s] == doctest::Approx(forward[s]).epsilon(1e-12));
      CHECK(given.backward[s] == doctest::Approx(backward[s]).epsilon(1e-12));
    }
    given.forward = forward;
    given.backward = backward;
    compare(name, given, said, feasible ? "peak_mem_mb" : nullptr, seen);
  }
  CHECK(seen.cases == 14);
  CHECK(seen.without_peaks == 1);
  CHECK(left_out == 2);
}

TEST_CASE("SAPP's transfers: each message once, and with groups of p microbatches nobody waits in vain") {
  for (std::size_t chunks = 1; chunks <= 3; ++chunks) {
    for (std::size_t ranks = 1; ranks <= 6; ++ranks) {
      CAPTURE(chunks);
      CAPTURE(ranks);
      pipeline each(ranks, chunks, 3 * ranks, false);
      each.forward.assign(ranks * chunks, 2);
      each.backward.assign(ranks * chunks, 4);
      const double without = each.simulated();
      each.message = 1;
      CHECK((each.simulated() > without) == (ranks > 1));

      std::size_t sent = 0;
      std::size_t received = 0;
      const auto lines = sapp::with_transfers(each.schedule(), each.memory).orders;
      for (const auto& line : lines) {
        for (const stagecut::op& what : line) {
          if (!stagecut::is_transfer(what.kind)) continue;
          ++(sapp::is_send(what) ? sent : received);
        }
      }
      CHECK(sent == (ranks == 1 ? 0 : 2 * (ranks * chunks - 1) * each.microbatches));
      CHECK(received == sent);
    }
  }
}
