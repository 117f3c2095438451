// SPDX-License-Identifier: BSL-1.0
#include <stagecut/sequence/detail/rightmost_end.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace detail = stagecut::detail;

TEST_CASE("the rightmost end is the last within, from wherever it is looked for, and nothing outside is asked for") {
  for (std::size_t known = 0; known < 5; ++known) {
    for (std::size_t most = known; most < 24; ++most) {
      for (std::size_t answer = known; answer <= most; ++answer) {
        std::size_t asked = 0;
        const auto within = [&](std::size_t last) {
          CHECK((known < last && last <= most));
          ++asked;
          return last <= answer;
        };
        CHECK(detail::rightmost_end(known, most, within) == answer);
        CHECK(asked <= 5);
        for (std::size_t likely = 0; likely < 26; ++likely) {
          asked = 0;
          CHECK(detail::rightmost_end(known, most, likely, within) == answer);
          const std::size_t near = likely < known ? known : likely;
          if (near == answer) CHECK(asked <= 2);
        }
      }
    }
  }
}
