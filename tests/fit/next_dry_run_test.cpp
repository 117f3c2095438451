// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/error.hpp>
#include <stagecut/fit/fit_memory.hpp>
#include <stagecut/fit/next_dry_run.hpp>
#include <stagecut/profile/dry_runs.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"

using stagecut::argument_error;
using stagecut::dry_run_design;
using stagecut::dry_run_request;
using stagecut::dry_runs;
using stagecut::fit_memory;
using stagecut::memory_fit;
using stagecut::next_dry_run;
using stagecut::rank_peak;

namespace {

using sizes = std::vector<std::size_t>;

std::vector<std::string> names(std::size_t count) {
  const std::vector<std::string> all{"none", "selective", "communication", "both", "full"};
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

dry_run_request asked(std::size_t ranks, std::size_t layers, std::size_t choices, std::size_t runs = 0) {
  return {.ranks = ranks, .layers = layers, .choices = names(choices), .runs = runs};
}

/// The settings of a run, whatever their source: `counts` of every rank.
void add_run(dry_runs& to, const std::vector<sizes>& counts) {
  const std::size_t run = to.peaks.empty() ? 0 : to.peaks.back().run + 1;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    rank_peak peak{.run = run, .rank = r, .has_head = r == 0, .has_tail = r + 1 == counts.size()};
    for (const std::size_t layers : counts[r]) {
      peak.layers += layers;
      peak.kept.push_back(static_cast<double>(layers * (counts.size() - r)));
    }
    to.peaks.push_back(peak);
  }
}

/// Whether each run is one that the request allows, and `to_measure` says the same.
void check_valid(const dry_run_design& design, const dry_run_request& request, std::size_t first_run = 0) {
  const std::size_t mean = (request.layers - 1) / request.ranks + 1;
  const std::size_t most = request.most_layers == 0 ? 2 * mean : request.most_layers;
  REQUIRE(design.to_measure.peaks.size() == design.runs.size() * request.ranks);
  CHECK(design.to_measure.choices == request.choices);
  dry_runs expected{.choices = request.choices};
  for (const auto& [layers, counts] : design.runs) {
    REQUIRE(layers.size() == request.ranks);
    REQUIRE(counts.size() == request.ranks);
    CHECK(std::accumulate(layers.begin(), layers.end(), std::size_t{0}) == request.layers);
    for (std::size_t r = 0; r < request.ranks; ++r) {
      CHECK(layers[r] >= 1);
      CHECK(layers[r] <= most);
      CHECK(counts[r].size() == request.choices.size());
      CHECK(std::accumulate(counts[r].begin(), counts[r].end(), std::size_t{0}) == layers[r]);
    }
    add_run(expected, counts);
  }
  for (rank_peak& peak : expected.peaks) peak.run += first_run;
  CHECK(design.to_measure.peaks == expected.peaks);
}

/// The logarithm of the determinant of the information on all unknowns; -infinity: some are not told.
double information(const std::vector<rank_peak>& peaks, bool constant) {
  const std::size_t choices = peaks[0].kept.size();
  std::vector<std::vector<long double>> rows;
  for (const rank_peak& peak : peaks) {
    std::vector<long double>& row = rows.emplace_back();
    if (constant) row.push_back(1);
    row.push_back(static_cast<long double>(peak.layers));
    for (std::size_t c = 0; c < choices; ++c) row.push_back(peak.kept[c]);
    row.push_back(peak.has_head ? 1 : 0);
    row.push_back(peak.has_tail ? 1 : 0);
  }
  const std::size_t n = rows[0].size();
  std::vector<std::vector<long double>> square(n, std::vector<long double>(n));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) square[i][j] += row[i] * row[j];
    }
  }
  long double sum = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (!(square[k][k] > 1e-9L)) return -std::numeric_limits<double>::infinity();
    sum += std::log(square[k][k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double by = square[i][k] / square[k][k];
      for (std::size_t j = k; j < n; ++j) square[i][j] -= by * square[k][j];
    }
  }
  return static_cast<double>(sum);
}

/// Calls `visit` with every way to put `left` into the places from `at` on, each `least` at least.
template <class Visit>
void each_way(sizes& places, std::size_t at, std::size_t left, std::size_t least, const Visit& visit) {
  if (at + 1 == places.size()) {
    places[at] = left;
    return visit();
  }
  const std::size_t others = (places.size() - at - 1) * least;
  for (std::size_t here = least; here + others <= left; ++here) {
    places[at] = here;
    each_way(places, at + 1, left - here, least, visit);
  }
}

/// Calls `visit` with the counts of every run.
template <class Visit>
void each_run(std::size_t ranks, std::size_t layers, std::size_t choices, const Visit& visit) {
  sizes held(ranks);
  each_way(held, 0, layers, 1, [&] {
    std::vector<sizes> counts(ranks, sizes(choices));
    const auto rank = [&](const auto& self, std::size_t r) -> void {
      if (r == ranks) return visit(held, counts);
      each_way(counts[r], 0, held[r], 0, [&] { self(self, r + 1); });
    };
    rank(rank, 0);
  });
}

}  // namespace

TEST_CASE(
    "the runs of every pipeline tell all that its runs can tell, as soon as there are as many peaks as unknowns") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> bytes(1e8, 5e9);
  for (const std::size_t ranks : sizes{2, 3, 4, 8, 16}) {
    for (std::size_t choices = 1; choices <= 5; ++choices) {
      for (const std::size_t layers : sizes{ranks, ranks + 1, 2 * ranks, 2 * ranks + 3, 6 * ranks}) {
        if (layers == ranks && ranks < 4) continue;
        CAPTURE(ranks);
        CAPTURE(choices);
        CAPTURE(layers);
        const auto request = asked(ranks, layers, choices);
        const dry_run_design design = next_dry_run(request);
        check_valid(design, request);
        CHECK(design.constant_determined == (ranks > 2 && layers > ranks));
        const std::size_t unknowns = choices + (design.constant_determined ? 4 : 3);
        CHECK(design.least_runs == (unknowns + ranks - 1) / ranks);
        CHECK(design.runs.size() == design.least_runs);
        CHECK(design.condition < 120);

        // Measured, they give back what they were made of, the constant in other parts if it is not told.
        memory_fit truth{
            .constant = bytes(random), .parameters = bytes(random), .head = bytes(random), .tail = bytes(random)};
        for (std::size_t c = 0; c < choices; ++c) truth.activations.push_back(bytes(random) / 10);
        dry_runs measured = design.to_measure;
        for (rank_peak& peak : measured.peaks) peak.bytes = truth.bytes(peak);
        const memory_fit found = fit_memory(measured, {.constant = design.constant_determined});
        CHECK(found.condition == design.condition);
        CHECK(found.largest_residual < 1);
        if (!design.constant_determined) {
          double& with = layers == ranks && ranks > 2 ? truth.parameters : truth.head;
          with += truth.constant;
          if (ranks == 2) truth.tail += truth.constant;
          truth.constant = 0;
        }
        CHECK(found.constant == doctest::Approx(truth.constant).epsilon(1e-9));
        CHECK(found.parameters == doctest::Approx(truth.parameters).epsilon(1e-9));
        CHECK(found.head == doctest::Approx(truth.head).epsilon(1e-9));
        CHECK(found.tail == doctest::Approx(truth.tail).epsilon(1e-9));
        for (std::size_t c = 0; c < choices; ++c) {
          CHECK(found.activations[c] == doctest::Approx(truth.activations[c]).epsilon(1e-9));
        }
      }
    }
  }
}

TEST_CASE("no run tells more, however its layers are mixed") {
  struct pipeline {
    std::size_t ranks, layers, choices;
  };
  for (const auto& [ranks, layers, choices] :
       {pipeline{5, 8, 1}, {5, 11, 1}, {6, 9, 1}, {6, 9, 2}, {7, 9, 2}, {7, 8, 3}}) {
    CAPTURE(ranks);
    CAPTURE(layers);
    CAPTURE(choices);
    auto request = asked(ranks, layers, choices, 1);
    request.most_layers = layers;
    const double found = information(next_dry_run(request).to_measure.peaks, true);
    double best = -std::numeric_limits<double>::infinity();
    std::size_t seen = 0;
    each_run(ranks, layers, choices, [&](const sizes&, const std::vector<sizes>& counts) {
      dry_runs one;
      add_run(one, counts);
      best = std::max(best, information(one.peaks, true));
      ++seen;
    });
    CHECK(seen > 30);
    CHECK(found > best - 1e-6);
  }
}

TEST_CASE("random runs tell less") {
  std::mt19937 random(9);
  const auto request = asked(8, 32, 4, 2);
  const dry_run_design design = next_dry_run(request);
  check_valid(design, request);
  CHECK(design.least_runs == 1);
  const double found = information(design.to_measure.peaks, true);
  double best = -std::numeric_limits<double>::infinity();
  for (int round = 0; round < 3000; ++round) {
    dry_runs other;
    for (int run = 0; run < 2; ++run) {
      std::vector<sizes> counts(8, sizes(4));
      for (std::size_t l = 0; l < 32; ++l) ++counts[l < 8 ? l : random() % 8][random() % 4];
      add_run(other, counts);
    }
    best = std::max(best, information(other.peaks, true));
  }
  CHECK(found > best + 1);
}

TEST_CASE("more runs tell more") {
  double before = -std::numeric_limits<double>::infinity();
  for (std::size_t runs = 2; runs <= 6; ++runs) {
    const auto request = asked(4, 13, 3, runs);
    const dry_run_design design = next_dry_run(request);
    check_valid(design, request);
    CHECK(design.least_runs == 2);
    CHECK(design.runs.size() == runs);
    const double now = information(design.to_measure.peaks, true);
    CHECK(now > before + 0.1);
    before = now;
  }
}

TEST_CASE("the same request has the same answer, and other seeds one about as good") {
  const auto request = asked(8, 40, 5, 2);
  const dry_run_design first = next_dry_run(request);
  CHECK(first == next_dry_run(request));
  for (std::uint64_t seed = 2; seed < 20; ++seed) {
    auto other = request;
    other.seed = seed;
    const double difference =
        information(next_dry_run(other).to_measure.peaks, true) - information(first.to_measure.peaks, true);
    CHECK(std::abs(difference) < 1.5);
  }
}

TEST_CASE("runs that exist are gone on from") {
  dry_runs existing{.choices = names(2)};
  add_run(existing, {{4, 0}, {4, 0}, {4, 0}, {4, 0}});  // tells neither full nor the constant
  const auto request = asked(4, 16, 2);
  const dry_run_design next = next_dry_run(request, existing);
  check_valid(next, request, 1);
  CHECK(next.least_runs == 1);
  CHECK(next_dry_run(request).least_runs == 2);
  dry_runs both = existing;
  both.peaks.insert(both.peaks.end(), next.to_measure.peaks.begin(), next.to_measure.peaks.end());
  CHECK(fit_memory(both, {}).condition == next.condition);
  CHECK(std::isfinite(information(both.peaks, true)));

  // Where all is known, one run more makes it surer.
  const dry_run_design more = next_dry_run(request, both);
  CHECK(more.least_runs == 1);
  check_valid(more, request, 2);
  CHECK(more.condition < next.condition);

  // A pipeline of four ranks tells the constant, which one of two does not tell by itself.
  CHECK_FALSE(next_dry_run(asked(2, 8, 2)).constant_determined);
  CHECK(next_dry_run(asked(2, 8, 2), existing).constant_determined);
}

TEST_CASE("other numbers of microbatches are kept where the schedule says so") {
  auto request = asked(4, 16, 2, 2);
  request.in_flight = {7, 5, 3, 1};
  const dry_run_design design = next_dry_run(request);
  for (const rank_peak& peak : design.to_measure.peaks) {
    double kept = 0;
    for (const double of : peak.kept) kept += of;
    CHECK(kept == request.in_flight[peak.rank] * static_cast<double>(peak.layers));
  }
  request.in_flight = {8, 8, 8, 8};  // GPipe
  CHECK(
      refusal<argument_error>([&] { return next_dry_run(request); })
          .find("the parameters of a layer, the activations of \"none\" and the activations of \"selective\" cannot be "
                "distinguished") != std::string::npos);
}

TEST_CASE("requests without an answer are refused") {
  const auto refused = [](const dry_run_request& request, const dry_runs& existing = {}) {
    return refusal<std::invalid_argument>([&] { return next_dry_run(request, existing); });
  };
  CHECK(refused(asked(1, 8, 1)) ==
        "stagecut::next_dry_run: request.ranks = 1, must be at least 2: on one rank, head and tail cannot be "
        "distinguished");
  CHECK(refused(asked(4, 3, 1)) ==
        "stagecut::next_dry_run: request.layers = 3, must be at least the number of ranks, 4");
  CHECK(refused(asked(4, 16, 0)) == "choices: there is none");
  CHECK(refused(asked(4, 16, 3, 1)) ==
        "stagecut::next_dry_run: request.runs = 1, must be at least 2 to determine 7 unknowns, or 0");
  CHECK(refused(asked(3, 3, 2)) ==
        "stagecut::next_dry_run: request.layers = 3, must be others, or ranks: whatever the runs, the parameters of a "
        "layer, "
        "the activations of \"none\", the activations of \"selective\", the head and the tail cannot be distinguished");
  auto request = asked(4, 17, 2);
  request.most_layers = 4;
  CHECK(refused(request) ==
        "stagecut::next_dry_run: request.most_layers = 4, must be at least 5: all layers have a rank");
  request = asked(4, 16, 2);
  request.most_layers = 4;  // all ranks alike
  CHECK_FALSE(next_dry_run(request).constant_determined);
  request.in_flight = {3, 2, 1};
  CHECK(refused(request) ==
        "stagecut::next_dry_run: request.in_flight.size() = 3, must be 0 or the number of ranks, 4");
  request.in_flight = {3, 2, std::numeric_limits<double>::quiet_NaN(), 1};
  CHECK(refused(request) == "stagecut::next_dry_run: request.in_flight[2] = NaN, must be finite and above 0");
  dry_runs existing{.choices = {"none"}};
  add_run(existing, {{4}, {4}, {4}, {4}});
  CHECK(refused(asked(4, 16, 2), existing) ==
        "stagecut::next_dry_run: request.choices.size() = 2, must be the choices of the runs that exist");
  existing.peaks[1].kept.clear();
  CHECK(refused(asked(4, 16, 1), existing) == "peak 1: kept has the size 0, and there are 1 choices");
}
