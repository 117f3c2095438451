// SPDX-License-Identifier: BSL-1.0
// The profiles of the presets. Apart from transformer_config_test.cpp, as reading needs no profile.
#include <stagecut/io/json/transformer_config.hpp>

#include <doctest/doctest.h>

#include <string>

#include <stagecut/io/file.hpp>
#include <stagecut/profile/parameters.hpp>
#include <stagecut/profile/transformer.hpp>

namespace {

stagecut::transformer::architecture preset(const std::string& name) {
  const std::string path = STAGECUT_TEST_DATA "/../examples/models/" + name + ".json";
  return stagecut::io::read_transformer_config(stagecut::io::file_text(path), name).architecture;
}

double parameters(const stagecut::transformer::architecture& a) {
  return stagecut::transformer::count_parameters(a).total;
}

// The FLOP of a microbatch of one sample: of all terms, those that are run again twice.
double flops(const stagecut::transformer::architecture& a, const stagecut::transformer::training& r) {
  double sum = 0;
  for (const auto& layer : stagecut::transformer::explain(a, r)) {
    double forward = 0;
    for (const auto& term : layer.forward) forward += term.flops;
    for (const auto* pass : {&layer.input, &layer.weight}) {
      for (const auto& term : *pass) {
        sum += term.kind == stagecut::transformer::term_kind::repetition ? forward : term.flops;
      }
    }
    sum += forward;
  }
  return sum;
}

stagecut::transformer::training classic(stagecut::transformer::recomputing way) {
  stagecut::transformer::training r;
  r.recomputation = way;
  r.flash = false;
  return r;
}

}  // namespace

TEST_CASE("the layers of each preset have all its parameters") {
  for (const auto* name :
       {"bert-large", "gpt2-xl", "gpt3-175b", "llama-2-7b", "llama-2-70b", "llama-3.1-405b", "mixtral-8x7b"}) {
    const auto a = preset(name);
    const auto made = stagecut::transformer::profile(a);
    double bytes = 0;
    double resident = 0;
    for (const auto& layer : made.layers) {
      bytes += layer.parameters;
      resident += *layer.resident;
    }
    for (const auto& tied : made.layers.back().tied) {
      bytes += tied.bytes;
      resident += *tied.resident;
    }
    CHECK(bytes == 2 * parameters(a));
    CHECK(resident == 16 * parameters(a));
  }
}

TEST_CASE("GPT-3 takes the FLOP that papers say") {
  using enum stagecut::transformer::recomputing;
  const auto a = preset("gpt3-175b");
  constexpr double s = 2048, h = 12288, l = 96, v = 50257;
  // Narayanan et al., SC 2021, equation 3, with full recomputation
  CHECK(flops(a, classic(full)) ==
        doctest::Approx(96 * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))).epsilon(1e-9));
  // Korthikanti et al., 2022, equation 7, without
  CHECK(flops(a, classic(none)) ==
        doctest::Approx(72 * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h))).epsilon(1e-9));
  // Kaplan et al., 2020: 6 for each parameter and token, which leaves out attention
  CHECK(flops(a, classic(none)) == doctest::Approx(6 * parameters(a) * s).epsilon(0.03));
}

TEST_CASE("GPT-3 keeps 70 % less where the core of attention is recomputed") {
  using enum stagecut::transformer::recomputing;
  const auto a = preset("gpt3-175b");
  const auto all = stagecut::transformer::profile(a, classic(none)).layers.at(1).activations;
  const auto left = stagecut::transformer::profile(a, classic(selective)).layers.at(1).activations;
  CHECK(all == (34. + 80.) * 2048 * 12288);  // 5as/h = 80 (Korthikanti et al., 2022, section 5)
  CHECK(1 - left / all == doctest::Approx(0.70).epsilon(0.01));
}

TEST_CASE("Mixtral takes the time of the parameters that a token meets") {
  auto a = preset("mixtral-8x7b");
  const double all = parameters(a);
  const double experts = 32. * 8 * 3 * 4096 * 14336;
  const double active = all - experts * 6 / 8;
  CHECK(active == doctest::Approx(12.9e9).epsilon(0.01));  // Jiang et al., 2024: 13 B
  const double embedding = 32000. * 4096;                  // read, not multiplied
  const double core = 3.5 * 32 * 2. * 4096 * 4096 * 4096;  // without what the mask hides
  CHECK(flops(a, {}) == doctest::Approx(6 * (active - embedding) * 4096 + core).epsilon(1e-3));
}
