// SPDX-License-Identifier: BSL-1.0
#include "options/device_counts.hpp"

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

TEST_CASE("auto are all numbers of replicas, or of too many the most likely ones, and powers of 2 always") {
  using list = std::vector<std::size_t>;
  CHECK(replica_counts(6, 100) == list{1, 2, 3, 4, 5, 6});
  CHECK(replica_counts(12, 6) == list{1, 2, 3, 4, 6, 8});
  CHECK(replica_counts(12, 8) == list{1, 2, 3, 4, 5, 6, 8, 12});
  CHECK(replica_counts(16, 0) == list{1, 2, 4, 8, 16});
  CHECK(replica_counts(1, 1) == list{1});
}

TEST_CASE("numbers in a row are told by their ends") {
  CHECK(counts_text({1}) == "1");
  CHECK(counts_text({1, 2, 4}) == "1, 2, 4");
  CHECK(counts_text({1, 2, 3, 4, 6, 8, 9, 10}) == "1 to 4, 6, 8 to 10");
}
