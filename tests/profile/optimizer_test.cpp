// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/optimizer.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using stagecut::find_optimizer;
using stagecut::optimizers;

TEST_CASE("the ranges of torchgpipe and the RFC are there, both ends of each") {
  const auto has = [](const char* prefix, double multiplier) {
    return std::any_of(optimizers.begin(), optimizers.end(), [&](const stagecut::optimizer& optimizer) {
      return optimizer.name.substr(0, std::string_view(prefix).size()) == prefix && optimizer.multiplier == multiplier;
    });
  };
  struct range {
    const char* name;
    double least;
    double most;
  };
  for (const auto& [name, least, most] : {range{"sgd", 2, 3}, range{"adam", 4, 5}, range{"adadelta", 4, 4},
                                          range{"adagrad", 3, 3}, range{"rmsprop", 3, 5}}) {
    CAPTURE(name);
    CHECK(has(name, least));
    CHECK(has(name, most));
  }
}

TEST_CASE("mixed-precision Adam keeps 16 bytes for each parameter of 2 bytes") {
  CHECK(2 * find_optimizer("mixed-adam")->multiplier == 2 + 2 + 4 + 4 + 4);
  CHECK(2 * find_optimizer("mixed-adam-fp32-gradients")->multiplier == 18);
  CHECK(find_optimizer("adamw") == nullptr);
}
