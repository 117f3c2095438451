// SPDX-License-Identifier: BSL-1.0
// Costs that are asked for intervals, whatever they say: see lying_calls.hpp.
#include <cstddef>
#include <cstdint>

#include "lying_calls.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace liars;
  fuzz_bytes bytes(data, size);
  fuzz_one_of<full<interval<double>>, interval<rank, stagecut::monotone>, interval<std::int64_t, stagecut::monotone>,
              interval<std::int8_t, stagecut::right_monotone>, interval<double, stagecut::left_monotone>,
              interval<double, stagecut::monge>, interval<std::int64_t, stagecut::inverse_monge>,
              separable<std::int64_t>, separable<double, stagecut::monge, stagecut::inverse_monge>>(bytes);
  return 0;
}
