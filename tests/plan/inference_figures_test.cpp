// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/inference_figures.hpp>

#include <stagecut/plan/make_plan.hpp>

#include <doctest/doctest.h>

using stagecut::inference_figures;
using stagecut::inference_figures_of;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::transfer_kind;

TEST_CASE("messages hold stages or not, and tokens wait for them in any case") {
  profile model;
  model.inference = true;
  for (const double output : {8.0, 16.0, 64.0}) {
    model.layers.emplace_back();
    model.layers.back().forward = 3;
    model.layers.back().output = output;
  }
  plan_request request{.devices = 3, .speeds = {1, 0.5, 1}, .links = {{1, 8}}};
  const auto figures = [&](transfer_kind transfers) {
    request.transfers = transfers;
    return inference_figures_of(*stagecut::make_plan(model, request));
  };
  // 3, 6 and 3 seconds, between them 2 and 3.
  CHECK(figures(transfer_kind::link) == inference_figures{12, 5, 6});
  CHECK(figures(transfer_kind::stream) == inference_figures{12, 5, 6});
  CHECK(figures(transfer_kind::latency) == inference_figures{12, 5, 6});
  CHECK(figures(transfer_kind::blocking) == inference_figures{12, 5, 11});
  request.links = {{1, 8}, {9, 8}};
  CHECK(figures(transfer_kind::link) == inference_figures{12, 13, 11});
  CHECK(figures(transfer_kind::latency) == inference_figures{12, 13, 6});
  CHECK(figures(transfer_kind::link).time_per_token() == 25);
  request.links.clear();
  CHECK(figures(transfer_kind::link) == inference_figures{12, 0, 6});
  CHECK(inference_figures_of(*stagecut::make_plan(model, plan_request{.devices = 1, .links = {{1, 8}}})) ==
        inference_figures{9, 0, 9});
}
