// SPDX-License-Identifier: BSL-1.0
#include <stagecut/fit/fit_efficiencies.hpp>
#include <stagecut/profile/transformer.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace {

using stagecut::measured_time;
using stagecut::transformer::efficiencies;
using seconds = std::vector<double>;

/// Times that computing, computing under a power limit and sending share differently.
constexpr auto shared = [](const efficiencies& with) {
  seconds made;
  for (int i = 1; i <= 5; ++i) {
    made.push_back(i / with.gemm + 1 / with.network);
    made.push_back(i / (with.gemm * with.power) + 2 / with.network + 0.1);
  }
  return made;
};

std::vector<measured_time> as_measured(const seconds& times) {
  std::vector<measured_time> made;
  for (const double time : times) made.push_back({time});
  return made;
}

}  // namespace

TEST_CASE("the numbers that made times are found from the times") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0.3, 1.2);
  for (int round = 0; round < 100; ++round) {
    const efficiencies truth{any(random), any(random), any(random)};
    const auto measured = as_measured(shared(truth));
    const auto found = stagecut::fit_efficiencies(measured, shared);
    CAPTURE(round);
    CHECK(found.mean_error < 1e-9);
    CHECK(found.reached.gemm == doctest::Approx(truth.gemm).epsilon(1e-6));
    CHECK(found.reached.power == doctest::Approx(truth.power).epsilon(1e-6));
    CHECK(found.reached.network == doctest::Approx(truth.network).epsilon(1e-6));
    CHECK(found.predicted == shared(found.reached));
    CHECK(found.determined == std::vector{true, true, true});
    for (std::size_t i = 0; i < measured.size(); ++i) CHECK(std::abs(found.error(i, measured)) < 0.02);
  }
}

TEST_CASE("they are found where computing hides messages, so that times have edges") {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> any(0.3, 1.1);
  const auto hidden = [](const efficiencies& with) {
    seconds made;
    for (int i = 1; i <= 3; ++i) {
      const double work = i / with.gemm, sent = 2.1 / with.network;
      made.push_back(work + (sent > work ? sent - work : 0) + 0.1 * (sent < work ? sent : work));
    }
    return made;
  };
  int close = 0;
  for (int round = 0; round < 200; ++round) {
    const efficiencies truth{any(random), 0.86, any(random)};
    const auto found = stagecut::fit_efficiencies(as_measured(hidden(truth)), hidden);
    CHECK(found.mean_error < 0.003);
    close += found.mean_error < 1e-6 ? 1 : 0;
  }
  CHECK(close >= 198);
}

TEST_CASE("what no time depends on stays as it was") {
  const auto computing = [](const efficiencies& with) { return seconds{1 / with.gemm, 3 / with.gemm}; };
  const auto found = stagecut::fit_efficiencies({{2}, {6}}, computing, {0.84, 0.7, 0.6});
  CHECK(found.determined == std::vector{true, false, false});
  CHECK(found.reached.gemm == doctest::Approx(0.5).epsilon(0.001));
  CHECK(found.reached.power == 0.7);
  CHECK(found.reached.network == 0.6);
}

TEST_CASE("any constants can be fitted, also seconds and more than four") {
  const auto mixed = [](const efficiencies& with) {
    seconds made;
    for (int i = 1; i <= 4; ++i) {
      made.push_back(i / with.memory + 1 / with.attention);
      made.push_back(1 / with.memory + i / (with.attention * with.backward));
      made.push_back(i * with.launch * 1e4 + 1 / with.link);
      made.push_back(with.launch * 1e4 + i * 3e9 / with.dispatch_rate + 1 / with.link);
    }
    return made;
  };
  efficiencies truth;
  truth.memory = 0.7, truth.attention = 0.6, truth.backward = 0.9, truth.link = 0.6, truth.launch = 60e-6;
  truth.dispatch_rate = 20e9;
  const std::vector<stagecut::fitted_constant> fitted = {&efficiencies::memory,   &efficiencies::attention,
                                                         &efficiencies::backward, &efficiencies::link,
                                                         &efficiencies::launch,   &efficiencies::dispatch_rate};
  const auto found = stagecut::fit_efficiencies(as_measured(mixed(truth)), mixed, {}, fitted);
  CHECK(found.mean_error < 1e-6);
  CHECK(found.determined == std::vector<bool>(fitted.size(), true));
  efficiencies others = found.reached;
  for (const auto field : fitted) {
    CHECK(found.reached.*field == doctest::Approx(truth.*field).epsilon(1e-3));
    others.*field = efficiencies{}.*field;
  }
  CHECK(others == efficiencies{});  // what is not fitted stays
}

TEST_CASE("no fit leaves the range of its constants") {
  // Times that more than all of a hidden message would explain best.
  const auto shown = [](const efficiencies& with) {
    stagecut::transformer::check(with);
    return seconds{1 + with.hidden, 2 + with.dispatch_hidden};
  };
  const std::vector<stagecut::fitted_constant> hidden = {&efficiencies::hidden, &efficiencies::dispatch_hidden};
  const auto most = stagecut::fit_efficiencies({{9}, {9}}, shown, {}, hidden);
  CHECK(most.reached.hidden == 1);
  CHECK(most.reached.dispatch_hidden == 1);
  efficiencies none;
  none.hidden = 0;
  const auto still = stagecut::fit_efficiencies({{9}, {9}}, shown, none, hidden);
  CHECK(still.reached.hidden == 0);  // a constant of 0 stays
  CHECK(still.determined == std::vector{false, true});
}

TEST_CASE("one wild measurement moves little, and none that has no weight") {
  const auto computing = [](const efficiencies& with) { return seconds(5, 1 / with.gemm); };
  const auto found = stagecut::fit_efficiencies({{2}, {2}, {2}, {2}, {50}}, computing);
  CHECK(found.reached.gemm == doctest::Approx(0.5).epsilon(0.002));
  const auto weighted = stagecut::fit_efficiencies({{2, 0}, {2, 0}, {4, 1}, {2, 0}, {2, 0}}, computing);
  CHECK(weighted.reached.gemm == doctest::Approx(0.25).epsilon(0.002));
}

TEST_CASE("a fit is never worse than where it began") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> any(0.5, 2);
  for (int round = 0; round < 50; ++round) {
    auto measured = as_measured(shared({}));
    for (auto& each : measured) each.seconds *= any(random);
    double before = 0;
    const seconds first = shared({});
    for (std::size_t i = 0; i < first.size(); ++i) {
      before += std::abs(std::log(first[i] / measured[i].seconds)) / static_cast<double>(first.size());
    }
    CHECK(stagecut::fit_efficiencies(measured, shared).mean_error <= before * (1 + 1e-12));
  }
}

TEST_CASE("nothing to fit to is refused") {
  const auto one = [](const efficiencies&) { return seconds{1}; };
  const auto refused = [&](const std::vector<measured_time>& measured) -> std::string {
    try {
      (void)stagecut::fit_efficiencies(measured, one);
    } catch (const stagecut::argument_error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refused({}).find("has no time with a weight above 0") != std::string::npos);
  CHECK(refused({{1, 0}}).find("has no time") != std::string::npos);
  CHECK(refused({{0}}).find("measured[0].seconds") != std::string::npos);
  CHECK(refused({{1, -1}}).find("measured[0].weight") != std::string::npos);
  CHECK(refused({{1}, {1}}).find("must be the number of measured times, 2") != std::string::npos);
  CHECK(refused({{1}}).empty());
}
