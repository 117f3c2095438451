// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/placed.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <type_traits>
#include <vector>

#include "copied_arrays.hpp"

using stagecut::view;

namespace {

struct squares {
  std::vector<int> table{0, 1, 4, 9};

  struct reader {
    view<const int> table;
    int operator()(std::size_t i) const { return table[i]; }
  };
  template <stagecut::memory_for<int> Memory>
  [[nodiscard]] reader placed(Memory& memory) const {
    return {memory(view<const int>(table))};
  }
};

struct twice {
  int operator()(int x) const { return 2 * x; }
};

struct longer {
  template <class T>
  std::vector<T> operator()(view<const T> array) const {
    return {array.begin(), array.end()};
  }
};

static_assert(stagecut::memory_for<copied_arrays, int> && stagecut::memory_for<copied_arrays, char>);
static_assert(!stagecut::memory_for<longer, int>);
static_assert(std::is_same_v<stagecut::detail::placed_t<squares, copied_arrays>, squares::reader>);
static_assert(std::is_same_v<stagecut::detail::placed_t<twice, copied_arrays>, twice>);

}  // namespace

TEST_CASE("what owns an array reads a copy of it, and nothing else changes") {
  auto owner = std::make_unique<squares>();
  copied_arrays memory;
  const auto reader = stagecut::detail::placed(*owner, memory);
  CHECK(memory.size() == 1);
  CHECK(reader.table.data() != owner->table.data());
  owner.reset();
  CHECK(reader(3) == 9);
  CHECK(stagecut::detail::placed(twice(), memory)(3) == 6);
  CHECK(memory.size() == 1);
}
