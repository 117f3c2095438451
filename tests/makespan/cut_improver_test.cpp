// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/cut_improver.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using stagecut::cut_improver;
using stagecut::cut_improver_ref;
using stagecut::improvement;
using stagecut::view;

namespace {

struct constant {
  bool operator()(const improvement&, view<std::size_t>) const { return true; }
};
struct counting {
  std::size_t asked = 0;
  int operator()(const improvement& task, view<std::size_t> points) {
    ++asked;
    points[1] = task.points[1] + 1;
    return 1;
  }
};
struct silent {
  void operator()(const improvement&, view<std::size_t>) const {}
};
struct greedy {  // wants to write what it is to read
  bool operator()(improvement&, view<std::size_t>) const { return true; }
};
struct curt {
  bool operator()(const improvement&) const { return true; }
};

}  // namespace

static_assert(cut_improver<constant>);
static_assert(cut_improver<const constant>);
static_assert(cut_improver<counting>);
static_assert(!cut_improver<const counting>);
static_assert(cut_improver<bool (*)(const improvement&, view<std::size_t>)>);
static_assert(cut_improver<cut_improver_ref>);
static_assert(!cut_improver<silent>);
static_assert(!cut_improver<greedy>);
static_assert(!cut_improver<curt>);
static_assert(!cut_improver<int>);

TEST_CASE("an improver is referred to, not copied, and writes into the cut that it is given") {
  CHECK_FALSE(cut_improver_ref{});
  counting improver;
  const cut_improver_ref ref = improver;
  REQUIRE(ref);
  const std::vector<std::size_t> best{0, 2, 5};
  std::vector<std::size_t> cut = best;
  improvement task;
  CHECK(task.points.size() == 0);
  CHECK(task.simulations == 0);
  task.points = best;
  CHECK(ref(task, cut));
  CHECK(cut == std::vector<std::size_t>{0, 3, 5});
  CHECK(best == std::vector<std::size_t>{0, 2, 5});
  CHECK(improver.asked == 1);
}
