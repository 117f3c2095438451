// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/stored_weights.hpp>

#include <doctest/doctest.h>

#include <stagecut/profile/devices.hpp>
#include <stagecut/profile/transformer_inference.hpp>

namespace {

using namespace stagecut::transformer;

architecture small(bool experts = false) {
  architecture a;
  a.name = "small";
  a.layers = 2;
  a.hidden = 64;
  a.heads = 4;
  a.ffn = 96;
  a.gated = true;
  a.biases = a.dropout = false;
  a.norm = normalization::rmsnorm;
  a.vocabulary = 100;
  a.sequence = 32;
  if (experts) a.experts = 4, a.top_k = 2, a.shared_ffn = 32;
  return a;
}

constexpr double attention = 4. * 64 * 64;
constexpr double dense = 3. * 64 * 96;
constexpr double shared = 3. * 64 * 32;
constexpr double router = 64. * 4;
constexpr double norms = 2. * 64;

double layer_bytes(const architecture& a, const stored_weights& weights, number precision = number::bf16) {
  const serving how{.precision = precision, .weights = weights};
  return inference_profile(a, how, serving_phase::decode, devices[4]).layers[1].parameters;
}

}  // namespace

TEST_CASE("weights have the bytes of their format, norms and router those of the precision") {
  CHECK(layer_bytes(small(), {}) == 2 * (attention + dense + norms));
  CHECK(layer_bytes(small(), {.bytes = 0.5}) == doctest::Approx(0.5 * (attention + dense) + 2 * norms));
  CHECK(layer_bytes(small(), {.bytes = 0.5, .attention = false}) ==
        doctest::Approx(2 * (attention + norms) + 0.5 * dense));
  CHECK(layer_bytes(small(), {.bytes = 0.5, .feed_forward = false}) ==
        doctest::Approx(0.5 * attention + 2 * (dense + norms)));
  CHECK(layer_bytes(small(true), {.bytes = 0.5, .attention = false, .feed_forward = false}) ==
        doctest::Approx(2 * (attention + norms + router + shared) + 0.5 * 4 * dense));
  CHECK(layer_bytes(small(true), {.bytes = 0.5, .experts = false}) ==
        doctest::Approx(0.5 * (attention + shared) + 2 * (norms + router + 4 * dense)));
}

TEST_CASE("the head is stored so only if it is said") {
  const auto head = [](const stored_weights& weights) {
    return inference_profile(small(), {.weights = weights}, serving_phase::decode, devices[4]).layers.back().parameters;
  };
  CHECK(head({.bytes = 0.5}) == 2 * 64 * 100);
  CHECK(head({.bytes = 0.5, .head = true}) == 0.5 * 64 * 100);
}

TEST_CASE("a pass reads fewer bytes, and computes as much") {
  const auto sum = [](const stored_weights& weights, auto figure) {
    double made = 0;
    const auto all = explain_inference(small(), {.weights = weights}, serving_phase::decode, devices[4]);
    for (const auto& each : all[1].forward) {
      if (each.kind == term_kind::product) made += each.*figure;
    }
    return made;
  };
  CHECK(sum({.bytes = 0.5}, &term::flops) == sum({}, &term::flops));
  CHECK(sum({}, &term::bytes) - sum({.bytes = 0.5}, &term::bytes) == doctest::Approx(1.5 * (attention + dense)));
}

TEST_CASE("keys and values have the bytes of their format") {
  const auto kept = [](double bytes) {
    return inference_profile(small(), {.cached_bytes = bytes}, serving_phase::decode, devices[4]).layers[1].activations;
  };
  CHECK(kept(0) == 32 * 128 * 2);
  CHECK(kept(1) == 32 * 128);
  CHECK(weight_format_names[2].value == 0.51953125);
}

TEST_CASE("figures that are none are refused") {
  CHECK_THROWS_WITH_AS((void)layer_bytes(small(), {.bytes = -1}), "serving.weights: bytes are not from 0 to 16",
                       stagecut::invalid_input);
  CHECK_THROWS_AS((void)inference_profile(small(), {.cached_bytes = 17}, serving_phase::decode, devices[4]),
                  stagecut::invalid_input);
}
