// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/node_queue.hpp>

#include <doctest/doctest.h>

using stagecut::engine::node_queue;

namespace {

struct open_node {
  double bound;
  int name;
};

}  // namespace

TEST_CASE("nodes come by their bounds; of equal ones the first, whose place the last one takes") {
  node_queue<open_node> open;
  CHECK(open.empty());
  open.push({3, 0});
  open.push({2, 1});
  open.push({2, 2});
  open.push({5, 3});
  open.push({2, 4});
  CHECK(open.least() == 2);
  CHECK(open.pop().name == 1);
  CHECK(open.pop().name == 4);
  CHECK(open.pop().name == 2);
  CHECK(open.least() == 3);
  open.push({4, 5});
  open.keep_below(5);  // without the third
  CHECK(open.pop().name == 0);
  CHECK(open.pop().name == 5);
  CHECK(open.empty());
  open.push({1, 6});
  open.keep_below(1);
  CHECK(open.empty());
}
