// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/in_flight.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using stagecut::microbatches_in_flight;
using stagecut::schedule_kind;
using counts = std::vector<std::size_t>;

TEST_CASE("GPipe keeps all, 1F1B one for each stage from it on") {
  CHECK(microbatches_in_flight(schedule_kind::gpipe, 3, 8) == counts{8, 8, 8});
  CHECK(microbatches_in_flight(schedule_kind::one_forward_one_backward, 4, 6) == counts{4, 3, 2, 1});
  CHECK(microbatches_in_flight(schedule_kind::one_forward_one_backward, 4, 2) == counts{2, 2, 2, 1});
  CHECK(microbatches_in_flight(schedule_kind::one_forward_one_backward, 4, 0) == counts{4, 3, 2, 1});
  CHECK_THROWS_WITH_AS((void)microbatches_in_flight(schedule_kind::gpipe, 4, 0), doctest::Contains("microbatches = 0"),
                       stagecut::argument_error);
}

TEST_CASE("names") {
  CHECK(std::string(to_string(schedule_kind::gpipe)) == "gpipe");
  CHECK(std::string(to_string(schedule_kind::one_forward_one_backward)) == "1f1b");
}
