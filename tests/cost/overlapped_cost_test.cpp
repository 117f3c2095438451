// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/overlapped_cost.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace {

struct staged {
  [[nodiscard]] static std::size_t size() { return 3; }
  int operator()(std::size_t, std::size_t first, std::size_t last) const { return static_cast<int>(last - first); }
};

struct with_work : staged {
  [[nodiscard]] int work(std::size_t stage, std::size_t first, std::size_t last) const {
    return (*this)(stage, first, last);
  }
};

struct with_messages : with_work {
  [[nodiscard]] static int message(std::size_t, std::size_t) { return 0; }
};

struct of_another_type : with_work {
  [[nodiscard]] static double message(std::size_t, std::size_t) { return 0; }
};

}  // namespace

TEST_CASE("a cost is overlapped if it tells of its work and of its messages, in its own type") {
  CHECK(!stagecut::overlapped_cost<staged>);
  CHECK(!stagecut::overlapped_cost<with_work>);
  CHECK(stagecut::overlapped_cost<with_messages>);
  CHECK(!stagecut::overlapped_cost<of_another_type>);
  CHECK(!stagecut::overlapped_cost<stagecut::prefix_sums<double>>);
  CHECK(stagecut::overlapped_cost<stagecut::overlapped_cuts<stagecut::prefix_sums<double>>>);
}
