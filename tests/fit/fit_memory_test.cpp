// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/error.hpp>
#include <stagecut/fit/fit_memory.hpp>
#include <stagecut/profile/dry_runs.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"

using nlohmann::json;
using stagecut::dry_runs;
using stagecut::fit_memory;
using stagecut::invalid_input;
using stagecut::memory_fit;
using stagecut::memory_method;
using stagecut::rank_peak;

namespace {

constexpr stagecut::memory_fit_options as_sapp{.method = memory_method::as_sapp};
const std::vector<std::string> names{"none", "selective", "communication", "both", "full"};

bool close(double a, double b, double share = 1e-9) { return std::abs(a - b) <= share * std::abs(b); }

/// How many layers of each choice a rank runs.
using counts = std::vector<std::size_t>;

/// The peaks of a run under 1F1B, whose last rank keeps one microbatch.
void add_run(dry_runs& to, const std::vector<counts>& ranks, const memory_fit& truth) {
  const std::size_t run = to.peaks.empty() ? 0 : to.peaks.back().run + 1;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    rank_peak peak{.run = run, .rank = r, .has_head = r == 0, .has_tail = r + 1 == ranks.size()};
    for (const std::size_t layers : ranks[r]) {
      peak.layers += layers;
      peak.kept.push_back(static_cast<double>(layers * (ranks.size() - r)));
    }
    peak.bytes = truth.bytes(peak);
    to.peaks.push_back(peak);
  }
}

/// Runs that usually determine all parameters.
struct random_runs {
  std::mt19937 random;
  explicit random_runs(unsigned seed) : random(seed) {}

  double below(double most) { return std::uniform_real_distribution<double>(0, most)(random); }
  std::size_t upto(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); }

  memory_fit truth(std::size_t choices) {
    const auto bytes = [&](double most) { return upto(7) == 0 ? 0 : below(most); };
    memory_fit made{.constant = bytes(4e9), .parameters = bytes(2e9), .head = bytes(8e9), .tail = bytes(8e9)};
    for (std::size_t c = 0; c < choices; ++c) made.activations.push_back(bytes(1e9));
    return made;
  }
  dry_runs runs(const memory_fit& truth) {
    const std::size_t choices = truth.activations.size();
    dry_runs made{.choices = {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(choices)}};
    const std::size_t ranks = 4 + upto(12);
    for (std::size_t run = 0; run < 2 + upto(2); ++run) {
      std::vector<counts> each(ranks, counts(choices));
      for (counts& of : each) {
        for (std::size_t& layers : of) layers = upto(4);
        if (of == counts(choices)) of[0] = 1;
      }
      add_run(made, each, truth);
    }
    return made;
  }
};

/// The parts in the order of their columns.
std::vector<double*> parts_of(memory_fit& of) {
  std::vector<double*> all{&of.constant, &of.parameters, &of.head, &of.tail};
  for (double& each : of.activations) all.push_back(&each);
  return all;
}

double squares(const memory_fit& of, const dry_runs& runs) {
  double sum = 0;
  for (const rank_peak& peak : runs.peaks) sum += std::pow((of.bytes(peak) - peak.bytes) / 1e9, 2);
  return sum;
}

/// How often a part stands in a peak.
double times(std::size_t part, const rank_peak& of) {
  memory_fit one{.activations = std::vector<double>(of.kept.size())};
  *parts_of(one)[part] = 1;
  return one.bytes(of);
}

const memory_fit known{.constant = 1.5e9, .parameters = 2e9, .activations = {9e8, 1e8}, .head = 4e9, .tail = 1e9};

/// Two runs of four ranks that determine everything.
dry_runs told_runs() {
  dry_runs made{.choices = {"none", "full"}};
  add_run(made, {{5, 0}, {4, 2}, {3, 1}, {4, 1}}, known);
  add_run(made, {{4, 1}, {3, 1}, {2, 4}, {5, 0}}, known);
  return made;
}

void check_same(const memory_fit& found, const memory_fit& truth, double share = 1e-9) {
  memory_fit a = found;
  memory_fit b = truth;
  const auto left = parts_of(a);
  const auto right = parts_of(b);
  REQUIRE(left.size() == right.size());
  const double largest = **std::max_element(right.begin(), right.end(), [](auto* x, auto* y) { return *x < *y; });
  for (std::size_t i = 0; i < left.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(*left[i] - *right[i]) <= share * std::max(*right[i], 1e-3 * largest));
  }
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

/// A case of SAPP's: of its types of recomputation those that its result has.
dry_runs runs_of(const json& of) {
  dry_runs made;
  const auto ranks = of.at("pp").get<std::size_t>();
  for (const auto& [name, bytes] : of.at("result").at("act").items()) made.choices.push_back(name);
  for (const json& row : of.at("rows")) {
    const auto rank = row.at("stage").get<std::size_t>();
    rank_peak peak{.rank = rank,
                   .layers = row.at("layers").get<std::size_t>(),
                   .has_head = rank == 0,
                   .has_tail = rank + 1 == ranks,
                   .bytes = row.at("memory_mb").get<double>()};
    for (const std::string& choice : made.choices) {
      peak.kept.push_back(static_cast<double>(ranks - rank) * row.at("per_type").at(choice).get<double>());
    }
    made.peaks.push_back(peak);
  }
  return made;
}

}  // namespace

TEST_CASE("what peaks are made of is told of two runs of four ranks") {
  const dry_runs runs = told_runs();
  const memory_fit found = fit_memory(runs);
  check_same(found, known);
  CHECK(found.constant_determined);
  CHECK(found.head_determined);
  CHECK(found.tail_determined);
  CHECK(found.margin < 1);
  CHECK(found.largest_residual < 1);
  CHECK(found.condition > 1);
  CHECK(found.condition < 300);
  REQUIRE(found.predicted.size() == runs.peaks.size());
  for (std::size_t i = 0; i < runs.peaks.size(); ++i) CHECK(close(found.predicted[i], runs.peaks[i].bytes));
}

TEST_CASE("the parts that made peaks are found from the peaks") {
  random_runs made(5);
  int told = 0;
  int zeros = 0;
  for (int round = 0; round < 3000; ++round) {
    const memory_fit truth = made.truth(1 + made.upto(4));
    const dry_runs runs = made.runs(truth);
    memory_fit found;
    try {
      found = fit_memory(runs);
    } catch (const invalid_input&) {
      continue;  // few ranks and many choices
    }
    ++told;
    zeros += truth.constant == 0 ? 1 : 0;
    CAPTURE(round);
    check_same(found, truth);
    CHECK(found.margin < 10);
    for (double* const each : parts_of(found)) CHECK(*each >= 0);
  }
  CHECK(told > 2500);
  CHECK(zeros > 200);
}

TEST_CASE("with noise no part is negative, and no other parts have less squares of errors") {
  random_runs made(17);
  int told = 0;
  int held = 0;
  for (int round = 0; round < 1500; ++round) {
    const memory_fit truth = made.truth(1 + made.upto(4));
    dry_runs runs = made.runs(truth);
    for (rank_peak& peak : runs.peaks) peak.bytes *= 0.8 + made.below(0.4);
    memory_fit found;
    try {
      found = fit_memory(runs);
    } catch (const invalid_input&) {
      continue;
    }
    ++told;
    CAPTURE(round);
    // The conditions of Karush, Kuhn and Tucker: a part above 0 is level, and one at 0 helps nowhere upwards.
    double norm = 0;
    for (const rank_peak& peak : runs.peaks) norm += peak.bytes * peak.bytes;
    const auto parts = parts_of(found);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      REQUIRE(*parts[p] >= 0);
      double length = 0;
      double downhill = 0;
      for (std::size_t i = 0; i < runs.peaks.size(); ++i) {
        const double column = times(p, runs.peaks[i]);
        length += column * column;
        downhill += column * (runs.peaks[i].bytes - found.predicted[i]);
      }
      downhill /= std::sqrt(length * norm);
      CHECK(downhill < 1e-12);
      if (*parts[p] > 0) CHECK(downhill > -1e-12);
      held += *parts[p] == 0 ? 1 : 0;
    }
    const double least = squares(found, runs);
    for (int i = 0; i < 20; ++i) {
      memory_fit other = found;
      for (double* const each : parts_of(other)) {
        if (made.upto(1) == 0) *each = std::max(0.0, *each + (made.below(2) - 1) * std::pow(10, 3 + made.upto(6)));
      }
      CHECK(squares(other, runs) >= least * (1 - 1e-12));
    }
  }
  CHECK(told > 1200);
  CHECK(held > 500);
}

TEST_CASE("the figures of trust are those of the parts that are returned, and the margin is enough") {
  random_runs made(23);
  int above_some = 0;
  for (int round = 0; round < 300; ++round) {
    const memory_fit truth = made.truth(2);
    dry_runs runs = made.runs(truth);
    for (rank_peak& peak : runs.peaks) peak.bytes *= 0.9 + made.below(0.2);
    for (const bool by_sapp : {false, true}) {
      const memory_fit found = fit_memory(runs, by_sapp ? as_sapp : stagecut::memory_fit_options{});
      double sum = 0;
      double largest = 0;
      double margin = 0;
      for (std::size_t i = 0; i < runs.peaks.size(); ++i) {
        CHECK(found.predicted[i] == found.bytes(runs.peaks[i]));
        const double above = runs.peaks[i].bytes - found.predicted[i];
        sum += above * above;
        largest = std::max(largest, std::abs(above));
        margin = std::max(margin, above);
      }
      CHECK(found.largest_residual == largest);
      CHECK(found.margin == margin);
      above_some += margin > 0 ? 1 : 0;
      CHECK(std::abs(runs.peaks[found.worst].bytes - found.predicted[found.worst]) == largest);
      CHECK(close(found.root_mean_square, std::sqrt(sum / static_cast<double>(runs.peaks.size()))));
    }
  }
  CHECK(above_some > 400);
}

TEST_CASE("without a constant the parts have it, and without a head and a tail there is none") {
  dry_runs runs = told_runs();
  const memory_fit with_all = fit_memory(runs, {.constant = false});
  CHECK_FALSE(with_all.constant_determined);
  CHECK(with_all.constant == 0);
  CHECK(with_all.largest_residual > 1e6);

  std::erase_if(runs.peaks, [](const rank_peak& peak) { return peak.has_head || peak.has_tail; });
  const memory_fit body = fit_memory(runs);
  CHECK(close(body.constant, known.constant));
  CHECK(close(body.activations[1], known.activations[1]));
  CHECK_FALSE(body.head_determined);
  CHECK_FALSE(body.tail_determined);
  CHECK(body.head == 0);
}

TEST_CASE("SAPP's way finds what the ranks between the ends tell, and counts the constant twice at the ends") {
  dry_runs runs = told_runs();
  const memory_fit found = fit_memory(runs, as_sapp);  // four ranks between the ends: as many as unknowns
  CHECK(found.constant_determined);
  CHECK(close(found.constant, known.constant));
  CHECK(close(found.parameters, known.parameters));
  CHECK(close(found.activations[0], known.activations[0]));
  CHECK(close(found.activations[1], known.activations[1]));
  CHECK(close(found.head, known.head + known.constant));
  CHECK(close(found.tail, known.tail + known.constant));
  CHECK(close(found.largest_residual, known.constant));
  CHECK(found.margin < 1);

  // One less: there is no constant, and parts may be negative.
  runs.peaks.erase(runs.peaks.begin() + 1);
  const memory_fit square = fit_memory(runs, as_sapp);
  CHECK_FALSE(square.constant_determined);
  CHECK(square.constant == 0);
  for (std::size_t i = 0; i < runs.peaks.size(); ++i) {
    const rank_peak& each = runs.peaks[i];
    if (!each.has_head && !each.has_tail) CHECK(close(square.predicted[i], each.bytes));
  }
  CHECK(close(square.parameters * 4 + square.activations[0] * 6 + square.activations[1] * 2, runs.peaks[1].bytes));
  runs.peaks.erase(runs.peaks.begin() + 1);
  const std::string few = refusal<invalid_input>([&] { return fit_memory(runs, as_sapp); });
  CHECK(few.find("peaks: 2 of them cannot determine 3 unknowns: ") == 0);
}

TEST_CASE("the cases of SAPP's memory decomposition") {
  const auto all = reference_cases();
  if (!all) return;
  std::size_t seen = 0;
  for (const json& each : all->at("memory_decomposition")) {
    const auto name = each.at("name").get<std::string>();
    CAPTURE(name);
    const json& result = each.at("result");
    const dry_runs runs = runs_of(each);
    const memory_fit found = fit_memory(runs, as_sapp);
    for (std::size_t c = 0; c < runs.choices.size(); ++c) {
      CHECK(close(found.activations[c], result.at("act").at(runs.choices[c]).get<double>()));
    }
    CHECK(close(found.parameters, result.at("par").get<double>()));
    CHECK(close(found.head, result.at("head").get<double>()));
    CHECK(close(found.tail, result.at("tail").get<double>()));
    CHECK(found.constant_determined == !result.at("const").is_null());
    if (found.constant_determined) CHECK(close(found.constant, result.at("const").get<double>()));
    ++seen;

    // All peaks at once are told with less error, and nothing is negative.
    memory_fit ours = fit_memory(runs, {.constant = found.constant_determined});
    if (found.constant_determined) CHECK(ours.root_mean_square < found.root_mean_square);
    for (double* const part : parts_of(ours)) CHECK(*part >= 0);
  }
  CHECK(seen == 5);
}

TEST_CASE("what peaks do not tell is named, and the run that would") {
  const auto refused = [](const std::vector<std::vector<counts>>& of, std::vector<std::string> choices,
                          bool constant = true) {
    dry_runs runs{.choices = std::move(choices)};
    memory_fit truth = known;
    truth.activations.resize(runs.choices.size(), 3e8);
    for (const auto& each : of) add_run(runs, each, truth);
    return refusal<invalid_input>([&] { return fit_memory(runs, {.constant = constant}); });
  };
  CHECK(refused({{{3}, {3}, {3}, {3}, {3}, {3}}}, {"none"}) ==
        "peaks: the constant and the parameters of a layer cannot be distinguished: add a run in which some rank holds "
        "another number of layers");
  CHECK(refused({{{3, 0}, {2, 0}, {4, 0}, {3, 0}, {3, 0}, {1, 0}}}, {"none", "full"}) ==
        "peaks: the activations of \"full\" stand in no peak: add a run in which some rank runs layers as \"full\"");
  CHECK(
      refused({{{3, 1}, {3, 1}, {6, 2}, {3, 1}, {9, 3}, {6, 2}}}, {"none", "full"}) ==
      "peaks: the activations of \"none\" and the activations of \"full\" cannot be distinguished: add a run in which "
      "some "
      "rank runs another share of its layers as \"full\"");
  CHECK(refused({{{3}, {1}}, {{2}, {2}}, {{1}, {3}}}, {"none"}) ==
        "peaks: the constant, the head and the tail cannot be distinguished: add the peak of a rank without head or "
        "tail");
  CHECK(refused({{{3, 1}, {3, 0}, {6, 0}, {3, 0}, {2, 0}, {6, 0}}}, {"none", "full"}) ==
        "peaks: the activations of \"full\" and the head cannot be distinguished: add the peak of a rank without the "
        "head "
        "that "
        "runs layers as \"full\"");
  CHECK(
      refused({{{3}}, {{2}}, {{1}}, {{5}}}, {"none"}, false) ==
      "peaks: the parameters of a layer and the activations of \"none\" cannot be distinguished: add a run in which "
      "some rank "
      "keeps another number of microbatches; the head and the tail cannot be distinguished: add a run in which no rank "
      "holds "
      "both head and tail");
  // The same with such runs.
  CHECK(refused({{{3}, {3}, {3}, {3}, {3}, {3}}, {{3}, {4}, {3}, {2}, {3}, {3}}}, {"none"}) == "not refused");
  CHECK(refused({{{3, 0}, {2, 0}, {4, 0}, {3, 0}, {3, 0}, {1, 0}}, {{3, 0}, {2, 0}, {0, 4}, {3, 0}, {3, 0}, {1, 0}}},
                {"none", "full"}) == "not refused");
  CHECK(refused({{{3, 1}, {3, 1}, {6, 2}, {3, 1}, {9, 3}, {6, 2}}, {{3, 1}, {1, 3}, {6, 2}, {3, 1}, {9, 3}, {6, 2}}},
                {"none", "full"}) == "not refused");
  CHECK(refused({{{3}, {1}}, {{2}, {2}}, {{1}, {3}}, {{1}, {2}, {1}}}, {"none"}) == "not refused");
  CHECK(refused({{{3, 1}, {3, 0}, {6, 0}, {3, 0}, {2, 0}, {6, 0}}, {{4, 0}, {3, 0}, {6, 0}, {1, 2}, {2, 0}, {6, 0}}},
                {"none", "full"}) == "not refused");
  const std::string few = refused({{{3}, {3}, {3}}}, {"none"});
  CHECK(few.find("peaks: 3 of them cannot determine 5 unknowns: the constant, the parameters of a layer, ") == 0);
}

TEST_CASE("peaks that are none are refused") {
  const auto refused = [](const auto& change) {
    dry_runs runs = told_runs();
    change(runs);
    return refusal<invalid_input>([&] { return fit_memory(runs); });
  };
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused([](dry_runs& runs) { runs.peaks.clear(); }) == "peaks: there is none");
  CHECK(refused([](dry_runs& runs) { runs.choices.clear(); }) == "choices: there is none");
  CHECK(refused([](dry_runs& runs) { runs.choices[1] = "none"; }) == "choices: \"none\" is there twice");
  CHECK(refused([&](dry_runs& runs) { runs.peaks[1].bytes = not_a_number; }) ==
        "peak 1: bytes = NaN, must be finite and not negative");
  CHECK(refused([&](dry_runs& runs) { runs.peaks[3].bytes = -1; }) ==
        "peak 3: bytes = -1, must be finite and not negative");
  CHECK(refused([&](dry_runs& runs) { runs.peaks[2].kept[1] = -2; }) ==
        "peak 2: kept[1] = -2, must be finite and not negative");
  CHECK(refused([&](dry_runs& runs) { runs.peaks[2].kept[0] = not_a_number; }) ==
        "peak 2: kept[0] = NaN, must be finite and not negative");
  CHECK(refused([&](dry_runs& runs) { runs.peaks[4].kept.pop_back(); }) ==
        "peak 4: kept has the size 1, and there are 2 choices");
  CHECK(refused([&](dry_runs& runs) { runs.peaks[5].layers = 0; }) ==
        "peak 5: activations are kept where there is no layer");
  CHECK(refused([](dry_runs&) {}) == "not refused");
  dry_runs none = told_runs();
  std::erase_if(none.peaks, [](const rank_peak& peak) { return !peak.has_head; });
  CHECK(refusal<invalid_input>([&] { return fit_memory(none, as_sapp); }).find("peaks: 0 of them cannot determine 3") ==
        0);
}

TEST_CASE("peaks of any size are fitted alike, and those of nothing are nothing") {
  for (const double by : {1e-250, 1e-9, 1e9, 1e250}) {
    dry_runs runs = told_runs();
    for (rank_peak& peak : runs.peaks) peak.bytes *= by;
    const memory_fit found = fit_memory(runs);
    CHECK(close(found.parameters, known.parameters * by));
    CHECK(close(found.tail, known.tail * by));
    runs.peaks[2].bytes *= 1.1;
    CHECK(close(fit_memory(runs).root_mean_square / by, [&] {
      dry_runs plain = told_runs();
      plain.peaks[2].bytes *= 1.1;
      return fit_memory(plain).root_mean_square;
    }()));
  }
  dry_runs empty = told_runs();
  for (rank_peak& peak : empty.peaks) peak.bytes = 0;
  CHECK(fit_memory(empty).parameters == 0);
  CHECK(fit_memory(empty).largest_residual == 0);
}
