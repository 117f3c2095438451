// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/efficiencies.hpp>

#include <doctest/doctest.h>

#include <iterator>
#include <limits>
#include <set>
#include <string>

namespace {

using stagecut::transformer::efficiencies;
using stagecut::transformer::efficiency_names;

std::string refused(const efficiencies& of) {
  try {
    stagecut::transformer::check(of);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("every constant has one name") {
  CHECK(std::size(efficiency_names) * sizeof(double) == sizeof(efficiencies));
  std::set<std::string> names;
  efficiencies all;
  for (const auto& [name, field] : efficiency_names) {
    names.insert(name);
    all.*field = -1;
  }
  CHECK(names.size() == std::size(efficiency_names));
  for (const auto& [name, field] : efficiency_names) {  // so that no two names have the same field
    CHECK(all.*field == -1);
    all.*field = 1;
  }
}

TEST_CASE("the constants of training and of inference are within their ranges") {
  CHECK(refused({}).empty());
  CHECK(refused(stagecut::transformer::serving_efficiencies).empty());
}

TEST_CASE("a constant out of its range is refused by its name") {
  CHECK(refused({.gemm = 0}) == "efficiency.gemm: 0.000000 is not above 0 and at most 2");
  CHECK(refused({.power = 2.5}) == "efficiency.power: 2.500000 is not above 0 and at most 2");
  CHECK(refused({.network = std::numeric_limits<double>::infinity()}) ==
        "efficiency.network: inf is not above 0 and at most 2");
  CHECK(refused({.hidden = 1.5}) == "efficiency.hidden: 1.500000 is not from 0 to 1");
  CHECK(refused({.dispatch_hidden = 1.5}) == "efficiency.dispatch_hidden: 1.500000 is not from 0 to 1");
  CHECK(refused({.expert_tokens = 2e6}) == "efficiency.expert_tokens: 2000000.000000 is not from 0 to 1000000");
  CHECK(refused({.dispatch_rate = 0}) == "efficiency.dispatch_rate: 0.000000 is not above 0");
  CHECK(refused({.dispatch_rate = 1e15}).empty());
  for (const auto& [name, field] : efficiency_names) {
    for (const double wrong :
         {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      efficiencies made;
      made.*field = wrong;
      CHECK(refused(made).starts_with(std::string("efficiency.") + name + ": "));
    }
  }
  // without a tail, without host, without what overlap costs
  CHECK(refused({.hidden = 0,
                 .tail = 0,
                 .expert_tokens = 0,
                 .expert_bytes = 0,
                 .dispatch_hidden = 0,
                 .launch = 0,
                 .loop = 0,
                 .sync = 0})
            .empty());
}
