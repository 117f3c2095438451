// SPDX-License-Identifier: BSL-1.0
#include "commands/report.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/io/pictures/chrome_trace.hpp>
#include <stagecut/io/pictures/svg.hpp>

#include "ranks/threads.hpp"

using namespace executor;

TEST_CASE("how far results are apart: the norm of the difference over that of what is expected") {
  const gradients expected{.losses = {3}, .layers = {{}, {4, 0}}};
  CHECK(difference(expected, expected) == 0);
  CHECK(difference({{3}, {{}, {4, 0.5F}}}, expected) == 0.1);
  CHECK(difference({{0}, {{}, {0, 0}}}, expected) == 1);
  CHECK(std::isnan(difference({{3}, {{}, {4}}}, expected)));
  CHECK(std::isnan(difference({{3}, {}}, expected)));
  CHECK(std::isnan(difference({{}, {{}, {4, 0}}}, expected)));
  CHECK(std::isnan(difference({{3}, {{}, {std::nanf(""), 0}}}, expected)));
}

TEST_CASE("what ranks bring back becomes one") {
  std::vector<rank_result> ranks(2);
  ranks[0].computed.layers = {{1}, {2, 3}};
  ranks[1].computed = {{5, 6}, {{}, {}, {4}}};
  const gradients all = joined(ranks);
  CHECK(all.losses == std::vector<float>{5, 6});
  CHECK(all.layers == std::vector<std::vector<float>>{{1}, {2, 3}, {4}});
}

TEST_CASE("a report says of every plan what was predicted and measured, and draws both on one axis") {
  std::vector<measured_run> runs;
  auto profile = timed_profile(6, 3);
  for (auto& layer : profile.layers) {
    for (double* const time : {&layer.forward, &layer.backward, &*layer.backward_input, &*layer.backward_weight})
      *time /= 10;
  }
  for (const auto& plan : three_plans(profile, {.ranks = 2, .microbatches = 4, .link = {0.0005, 0}},
                                      stagecut::schedule_kind::one_forward_one_backward)) {
    run_setup setup = setup_of(plan, nullptr);
    setup.iterations = 3;
    runs.push_back(compared(plan, run_threads(setup)));
    CHECK(runs.back().fastest <= runs.back().run.makespan);
    CHECK(runs.back().run.makespan <= runs.back().slowest);
  }
  const std::string text = report_text(runs);
  for (const char* const word : {"plan", "uniform", "bottleneck", "makespan", "1f1b", "0F", "1B", "0SEND_F", "1SEND_B",
                                 "filling", "runtime", "quartiles apart"}) {
    CHECK(text.find(word) != std::string::npos);
  }
  CHECK(text.find("not as predicted") == std::string::npos);
  const auto json = report_json(runs);
  REQUIRE(json.size() == 3);
  CHECK(json[2].at("plan") == "makespan");
  CHECK(json[2].at("schedule") == "1f1b");
  CHECK(json[2].at("predicted").get<double>() == runs[2].of.predicted.makespan);
  CHECK(json[2].at("measured").get<double>() == runs[2].run.makespan);
  CHECK(json[2].at("cuts").size() == 3);
  CHECK(json[2].at("ops").size() == 6);
  double sum = 0;
  for (const auto& part : json[2].at("parts")) sum += part.at("measured").get<double>();
  CHECK(sum == doctest::Approx(runs[2].run.makespan));
  CHECK_FALSE(json[2].contains("difference"));
  runs[0].measured_bytes[0] += 4;
  CHECK(report_text(runs).find("not as predicted") != std::string::npos);

  const auto pictures = pictures_of(runs[2]);
  REQUIRE(pictures.size() == 2);
  const std::string svg = stagecut::io::as_svg(pictures);
  CHECK(svg.find("makespan, 1f1b: predicted") != std::string::npos);
  CHECK(svg.find("makespan, 1f1b: measured") != std::string::npos);
  CHECK(nlohmann::json::parse(stagecut::io::as_chrome_trace(pictures)).at("traceEvents").size() > 50);
}
