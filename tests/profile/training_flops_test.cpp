// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/training_flops.hpp>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/parameters.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace {

using stagecut::transformer::architecture;
using stagecut::transformer::count_parameters;
using stagecut::transformer::training_flops;

architecture llama() {
  architecture a;
  a.layers = 32;
  a.hidden = 4096;
  a.heads = 32;
  a.ffn = 11008;
  a.gated = true;
  a.vocabulary = 32000;
  a.norm = stagecut::transformer::normalization::rmsnorm;
  a.biases = false;
  a.dropout = false;
  a.sequence = 4096;
  return a;
}

// Parameters that multiply: without the table of the embedding, which is looked up, and the scales of norms.
double multiplied(const architecture& a) {
  const auto hidden = static_cast<double>(a.hidden);
  const double norms = (2 * static_cast<double>(a.layers) + 1) * hidden;
  return count_parameters(a).active - static_cast<double>(a.vocabulary) * hidden - norms;
}

}  // namespace

TEST_CASE("six for each parameter that multiplies, and half of the scores") {
  const auto a = llama();
  // Q K and scores V: 2 + 2 operations for each of s/2 keys and each number of a token, in 32 layers, thrice.
  const double attention = 3 * 4 * (4096.0 / 2) * 4096 * 32;
  CHECK(training_flops(a) == doctest::Approx(6 * multiplied(a) + attention).epsilon(1e-12));
  // Llama 2 7B has 6.74e9 parameters; 6.61e9 take part in multiplications.
  CHECK(training_flops(a) == doctest::Approx(6 * 6.607e9 + 3.22e9).epsilon(1e-3));
}

TEST_CASE("longer samples have more scores, by token") {
  const auto a = llama();
  const double one = training_flops(a, 4096), two = training_flops(a, 8192), four = training_flops(a, 16384);
  CHECK(one == training_flops(a));
  CHECK(four - two == doctest::Approx(2 * (two - one)));
}

TEST_CASE("of experts those that a token visits") {
  auto a = llama();
  a.experts = 8;
  a.top_k = 2;
  const double two = training_flops(a);
  a.experts = 16;
  const double router = 6.0 * 4096 * 8 * 32;  // which has a column for each
  CHECK(training_flops(a) == doctest::Approx(two + router));
  a.top_k = 4;
  CHECK(training_flops(a) == doctest::Approx(two + router + 6 * 2 * 3 * 4096.0 * 11008 * 32));
}

TEST_CASE("a model that is none is refused") {
  auto a = llama();
  a.heads = 0;
  CHECK_THROWS_AS((void)training_flops(a), stagecut::invalid_input);
}
