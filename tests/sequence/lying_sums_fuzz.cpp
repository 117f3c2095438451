// SPDX-License-Identifier: BSL-1.0
// Costs that promise to be sums, whatever they say: see lying_calls.hpp.
#include <cstddef>
#include <cstdint>

#include "lying_calls.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace liars;
  fuzz_bytes bytes(data, size);
  fuzz_one_of<full<additive<std::int64_t>>, full<additive<double>>, additive<std::int8_t>, additive<std::uint64_t>,
              additive<float>>(bytes);
  return 0;
}
