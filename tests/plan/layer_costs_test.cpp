// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/layer_costs.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace detail = stagecut::detail;
using stagecut::checkpointing;
using stagecut::measure;

TEST_CASE("a backward pass by what it computes again, the mean over the microbatches") {
  stagecut::layer each;
  each.forward = 4;
  each.backward = 8;
  CHECK(detail::backward_of(each, checkpointing::never, 4) == 8);
  CHECK(detail::backward_of(each, checkpointing::always, 4) == 12);
  CHECK(detail::backward_of(each, checkpointing::except_last, 4) == 11);
  CHECK(detail::backward_of(each, checkpointing::except_last, 0) == 12);
}

TEST_CASE("what a layer adds to its stage, by each measure, and what that is called") {
  stagecut::profile model;
  model.layers.resize(2);
  model.layers[0].parameters = 6;
  model.layers[1].tied = {{"w", 2}};
  const stagecut::training_memory memory(model);
  stagecut::plan_request request;
  const auto costs = [&](measure by) {
    request.by = by;
    return detail::measured_costs(model, request, stagecut::training_memory(model));
  };
  CHECK(costs(measure::time).of == "parameters");  // no layer has a time
  CHECK(costs(measure::time).values == std::vector<double>{6, 2});
  model.layers[0].forward = 1;
  model.layers[1].backward = 3;
  CHECK(costs(measure::time).of == "time");
  CHECK(costs(measure::time).values == std::vector<double>{1, 3});
  CHECK(costs(measure::parameters).values == std::vector<double>{6, 2});
  CHECK(costs(measure::layers).values == std::vector<double>{1, 1});
  request.weights = {5, 7};
  request.weights_name = "mine";
  CHECK(costs(measure::weights).values == request.weights);
  CHECK(costs(measure::weights).of == "mine");
  request.time_weight = 0.5;  // of the time 1/4 and 3/4, of the memory 3/4 and 1/4
  CHECK(costs(measure::time_and_memory).values == std::vector<double>{0.5, 0.5});
  CHECK(costs(measure::time_and_memory).of == "time and memory");
  model = {};
  model.layers.resize(2);
  CHECK_THROWS_WITH_AS((void)costs(measure::time), "model: no layer has a time, and none has parameters",
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)costs(measure::parameters), "model: no layer has parameters", stagecut::invalid_input);
}
