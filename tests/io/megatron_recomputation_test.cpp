// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/megatron_recomputation.hpp>
#include <stagecut/io/frameworks/megatron.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_megatron;
using stagecut::io::not_representable;

namespace {

/// Stages with one decoder per word; each stage recomputes by its words, from its first decoder on.
stagecut::plan recomputing(const std::vector<std::vector<std::string>>& words) {
  std::vector<std::size_t> decoders;
  for (const auto& word : words) decoders.push_back(word.size());
  stagecut::plan p = transformer_plan(decoders);
  p.schedule = {"1f1b", 8};
  p.choices.resize(p.profile.layers.size());
  std::size_t i = 1;
  for (const auto& stage : words) {
    for (const std::string& each : stage) p.choices[i++].recomputation = each;
  }
  return p;
}

/// What of the options is of recomputation.
std::string options(const std::vector<std::vector<std::string>>& words) {
  const std::string all = as_megatron(recomputing(words));
  const std::size_t at = all.find("--recompute-granularity");
  if (at == std::string::npos) return "";
  std::string said = all.substr(at);
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  return said;
}

}  // namespace

TEST_CASE("the same in all layers") {
  CHECK(options({{"none", ""}, {"none", "none"}}).empty());
  CHECK(options({{"selective", "selective"}, {"selective", "selective"}}) == "--recompute-granularity selective");
  CHECK(options({{"full", "full"}, {"full", "full"}}) ==
        "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1");
}

TEST_CASE("as many whole layers at the beginning of every stage") {
  CHECK(options({{"full", "none", "none"}, {"full", "none"}}) ==
        "--recompute-granularity full --recompute-method block --recompute-num-layers 1");
  CHECK(options({{"full", "full", "none"}, {"full", "full", "", ""}}) ==
        "--recompute-granularity full --recompute-method block --recompute-num-layers 2");
}

TEST_CASE("layers as they were profiled, where nothing was chosen") {
  const auto profiled = [](const std::string& all, const std::string& last) {
    auto p = transformer_plan({2, 2});
    p.schedule = {"1f1b", 8};
    for (std::size_t i = 1; i < 5; ++i) p.profile.layers[i].recomputation = i == 4 ? last : all;
    return as_megatron(p);
  };
  CHECK(profiled("full", "full").find(" --recompute-granularity full --recompute-method uniform") != std::string::npos);
  CHECK(profiled("selective", "selective").find(" --recompute-granularity selective") != std::string::npos);
  CHECK(profiled("", "").find("--recompute") == std::string::npos);
  CHECK(profiled("odd", "odd").find("--recompute") == std::string::npos);
  CHECK_THROWS_WITH_AS((void)profiled("full", ""), Contains("recomputes more or fewer layers"), not_representable);
}

TEST_CASE("layers that guess further tokens recompute with all decoders alone") {
  auto p = recomputing({{"full", "full"}, {"full", "full"}});
  p.profile.layers[4].kind = "mtp";
  CHECK(as_megatron(p).find("--recompute-method uniform") != std::string::npos);
  p.choices[2].recomputation = p.choices[3].recomputation = "none";
  CHECK_THROWS_WITH_AS((void)as_megatron(p), Contains("stage 1 recomputes more or fewer"), not_representable);
  p.choices[1].recomputation = "none";
  CHECK_THROWS_WITH_AS((void)as_megatron(p), Contains("guesses further tokens"), not_representable);
}

TEST_CASE("what Megatron has no words for is refused with the place") {
  const auto refused = [](const std::vector<std::vector<std::string>>& words, const char* why) {
    CHECK_THROWS_WITH_AS((void)as_megatron(recomputing(words)), Contains(why), not_representable);
  };
  refused({{"full", "none"}, {"full", "full"}}, "stage 1 recomputes more or fewer layers than stage 0");
  refused({{"full", "none"}, {"none", "full"}}, "stage 1 does not recompute its first layers, whole, and no others");
  refused({{"none", "full"}, {"none", "full"}}, "stage 0 does not recompute its first layers, whole, and no others");
  refused({{"selective", "full"}, {"full", "full"}}, "stage 0 does not recompute its first layers, whole");
  refused({{"odd", "none"}, {"none", "none"}}, "recomputation \"odd\" is not known to it");
  auto p = recomputing({{"full", "full"}, {"full", "full"}});
  p.choices.back().recomputation = "full";
  CHECK_THROWS_WITH_AS((void)as_megatron(p), Contains("is recomputed, and is no decoder"), not_representable);
}
