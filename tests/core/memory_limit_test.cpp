// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/memory_limit.hpp>

#include <optional>
#include <vector>

#include <doctest/doctest.h>

using stagecut::memory_limit;

TEST_CASE("a memory limit: none, one for all devices, or one for each rank") {
  const memory_limit none;
  CHECK_FALSE(none);
  CHECK_FALSE(none.for_all());
  CHECK(none.of_ranks().empty());
  CHECK(none.of(3, 7) == 7);
  CHECK(memory_limit(std::optional<double>()) == none);
  CHECK(memory_limit(std::vector<double>()) == none);

  const memory_limit all = 5.0;
  CHECK(all);
  CHECK(all.for_all() == 5);
  CHECK(all.of_ranks().empty());
  CHECK(all.of(3, 7) == 5);
  CHECK(memory_limit{5.0} == all);
  CHECK(memory_limit(std::vector<double>{5}) == all);

  const memory_limit each = {1, 2, 3};
  CHECK(each);
  CHECK_FALSE(each.for_all());
  CHECK(each.of_ranks() == std::vector<double>{1, 2, 3});
  CHECK(each.of(2, 7) == 3);
  CHECK(each != all);
  CHECK(each.scaled(2) == memory_limit({2, 4, 6}));
  memory_limit changed = each;
  changed = {};
  CHECK_FALSE(changed);
}
