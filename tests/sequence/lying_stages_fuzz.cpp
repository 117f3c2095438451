// SPDX-License-Identifier: BSL-1.0
// Costs that differ by stage, whatever they say: see lying_calls.hpp.
#include <cstddef>
#include <cstdint>

#include "lying_calls.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace liars;
  fuzz_bytes bytes(data, size);
  fuzz_one_of<full<staged<rank>>, full<staged_separable<std::int64_t>>, staged<double, stagecut::monotone>,
              staged<std::int64_t, stagecut::right_monotone>, staged<double, stagecut::left_monotone>,
              staged<std::int64_t, stagecut::monge>, staged<std::int64_t, stagecut::stage_invariant>,
              staged_separable<double>, working_separable<std::int64_t>, overlapped<double>, overlapped<std::int8_t>>(
      bytes);
  return 0;
}
