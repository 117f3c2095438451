// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/tick_rows.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace stagecut::engine;

namespace {

// Three items on two stages. Prefix sums by kind; with `apart` those of the second stage are twice as large.
struct tables {
  explicit tables(bool apart) {
    for (const double scale : {1.0, 10.0, 100.0}) {
      for (std::size_t s = 0; s < (apart ? 2U : 1U); ++s) {
        for (const double each : {0.0, 1.0, 3.0, 6.0}) sums.push_back(scale * each * (s == 0 ? 1 : 2));
      }
    }
    rows = {sums, own, messages, boundary, 3, 2};
  }
  std::vector<double> sums{};
  std::vector<double> own{0.5, 0.25, 0, 0, 0, 7};  // F of both stages, B, W
  std::vector<double> messages{0, 40, 50, 0};
  std::vector<std::size_t> boundary{0};
  tick_rows rows{};
};

}  // namespace

TEST_CASE("a pass is a difference of prefix sums, and what the stage takes by itself") {
  const tables same(false);
  CHECK(same.rows.pass(tick_f, 0, 0, 2) == 3.5);
  CHECK(same.rows.pass(tick_f, 1, 2, 3) == 3.25);
  CHECK(same.rows.pass(tick_b, 1, 1, 3) == 50);
  CHECK(same.rows.pass(tick_w, 1, 1, 3) == 507);
  const tables apart(true);
  CHECK(apart.rows.pass(tick_f, 0, 0, 2) == 3.5);
  CHECK(apart.rows.pass(tick_f, 1, 2, 3) == 6.25);
  CHECK(apart.rows.pass(tick_w, 1, 1, 3) == 1007);
}

TEST_CASE("no message follows the last stage") {
  const tables of(false);
  CHECK(of.rows.message(0, 1) == 40);
  CHECK(of.rows.message(0, 2) == 50);
  CHECK(of.rows.message(1, 3) == 0);
}
