// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/detail/shared_bytes.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <vector>

using stagecut::detail::shared_bytes;
using stagecut::profile;
using stagecut::tied_parameters;

namespace {

double bytes_of(const tied_parameters& tied) { return tied.bytes; }

/// What the layers share, name by name.
double by_definition(const profile& model, std::size_t first, std::size_t last) {
  std::set<std::string> seen;
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) {
    for (const tied_parameters& tied : model.layers[i].tied) {
      if (seen.insert(tied.name).second) sum += tied.bytes;
    }
  }
  return sum;
}

/// Layers with at most `most` of `names` names each, some twice, and `bytes(NAME)`.
template <class Bytes>
profile random_profile(std::mt19937& random, std::size_t n, std::size_t most, std::size_t names, const Bytes& bytes) {
  profile model;
  model.layers.resize(n);
  for (auto& layer : model.layers) {
    for (std::size_t t = random() % (most + 1); t-- > 0;) {
      const std::size_t name = random() % names;
      layer.tied.push_back({std::to_string(name), bytes(name), std::nullopt, {}});
    }
  }
  return model;
}

/// As many in each layer: `name(LAYER, TIED)`.
template <class Name>
profile regular_profile(std::size_t n, std::size_t each, const Name& name) {
  profile model;
  model.layers.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t t = 0; t < each; ++t) {
      model.layers[i].tied.push_back({name(i, t), static_cast<double>(t + 1), std::nullopt, {}});
    }
  }
  return model;
}

}  // namespace

TEST_CASE("each name counts once on a stage, as its first layer there says: every stage of random chains") {
  std::mt19937 random(1);
  std::size_t compared = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + random() % 20;
    // Of one name, layers may say different bytes, and none.
    const auto bytes = [&](std::size_t) { return static_cast<double>(random() % 4 == 0 ? 0 : random() % 1000); };
    const profile model = random_profile(random, n, random() % 8, 1 + random() % 30, bytes);
    const shared_bytes shared(model, bytes_of);
    for (std::size_t first = 0; first < n; ++first) {
      for (std::size_t last = first; last <= n; ++last) {
        REQUIRE(shared(first, last) == by_definition(model, first, last));
        ++compared;
      }
    }
  }
  CHECK(compared > 100'000);
}

TEST_CASE("whole bytes are exact up to 2^53, whatever stands beside them") {
  profile model;
  model.layers.resize(3);
  model.layers[0].tied = {{"a", 0x1p53 - 8, std::nullopt, {}}, {"b", 3, std::nullopt, {}}};
  model.layers[1].tied = {{"c", 1, std::nullopt, {}}, {"a", 0x1p53 - 8, std::nullopt, {}}};
  model.layers[2].tied = {{"d", 1, std::nullopt, {}}};
  const shared_bytes shared(model, bytes_of);
  CHECK(shared(0, 3) == 0x1p53 - 3);
  CHECK(shared(0, 2) == 0x1p53 - 4);
  CHECK(shared(1, 3) == 0x1p53 - 6);
  CHECK(shared(2, 3) == 1);
}

TEST_CASE("fractions: a wider stage never has less, on either side, and sums are true but for their rounding") {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> real(0, 1);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n = 1 + random() % 12;
    std::vector<double> of(12);
    for (double& each : of) each = real(random) * static_cast<double>(std::size_t{1} << random() % 40);
    const double scale = round % 5 == 0 ? 0x1p-1060 : round % 5 == 1 ? 0x1p980 : 1;  // also very small, very large
    const auto bytes = [&](std::size_t name) { return of[name] * scale; };
    const profile model = random_profile(random, n, 8, of.size(), bytes);
    const shared_bytes shared(model, bytes_of);
    const double all = by_definition(model, 0, n);
    for (std::size_t first = 0; first < n; ++first) {
      for (std::size_t last = first + 1; last <= n; ++last) {
        const double here = shared(first, last);
        if (first > 0) REQUIRE(here <= shared(first - 1, last));
        if (last < n) REQUIRE(here <= shared(first, last + 1));
        if (scale != 0x1p-1060) REQUIRE(std::abs(here - by_definition(model, first, last)) <= all * 0x1p-50);
      }
    }
  }
}

TEST_CASE("none, sums out of range, and the bytes that are asked for") {
  profile model;
  model.layers.resize(3);
  CHECK(shared_bytes(model, bytes_of)(0, 3) == 0);
  CHECK(shared_bytes(model, bytes_of).numbers() == 0);
  CHECK(shared_bytes()(0, 0) == 0);
  model.layers[0].tied = {{"a", 1e308, std::nullopt, {}}};
  model.layers[2].tied = {{"a", 1e308, std::nullopt, {}}};
  CHECK(shared_bytes(model, bytes_of)(0, 3) == 1e308);
  std::size_t asked = 0;
  CHECK(shared_bytes(model, [&](const tied_parameters&) { return ++asked, 7.0; })(0, 3) == 7);
  CHECK(asked == 2);
  model.layers[2].tied = {{"b", 1e308, std::nullopt, {}}};
  CHECK_THROWS_WITH_AS(shared_bytes(model, bytes_of), doctest::Contains("layer 2"), stagecut::invalid_input);
}

TEST_CASE("numbers that are kept and steps of a question grow with the digits of n, not with the shared parameters") {
  const std::size_t n = 500;
  const std::size_t each = 40;
  const auto digits = static_cast<std::size_t>(std::bit_width(n));
  std::mt19937 random(3);
  const auto any = [&](std::size_t, std::size_t) { return std::to_string(random() % 5000); };
  const shared_bytes shared(regular_profile(n, each, any), bytes_of);
  CHECK(shared.steps() == digits);
  CHECK(shared.numbers() <= 2 * (n * each + 1) * (digits + 1) + n);
  // The same names everywhere are as one; names of one layer need no step.
  const auto same = [](std::size_t, std::size_t t) { return std::to_string(t); };
  const auto own = [&](std::size_t i, std::size_t t) { return std::to_string(i * each + t); };
  CHECK(shared_bytes(regular_profile(n, each, same), bytes_of).numbers() <= 2 * (n + 1) * (digits + 1));
  CHECK(shared_bytes(regular_profile(n, each, own), bytes_of).steps() == 0);
  CHECK(shared_bytes(regular_profile(n, each, own), bytes_of).numbers() == 2 * (n + 1));
}
