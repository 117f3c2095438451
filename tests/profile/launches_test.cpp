// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/detail/launches.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <stagecut/profile/transformer.hpp>

namespace {

using stagecut::transformer::architecture;
using stagecut::transformer::device;
using stagecut::transformer::dispatching;
using stagecut::transformer::efficiencies;
using stagecut::transformer::graphing;
using stagecut::transformer::number;
using stagecut::transformer::pass_terms;
using stagecut::transformer::seconds_of;
using stagecut::transformer::term;
using stagecut::transformer::training;
using enum stagecut::transformer::term_kind;

constexpr device rack{.name = "", .gemm_fp8 = 600e12, .gemm_fp4 = 1200e12};

architecture dense() {
  architecture a;
  a.name = "small";
  a.layers = 2;
  a.hidden = 16;
  a.heads = 4;
  a.ffn = 48;
  a.gated = true;
  a.vocabulary = 10;
  a.biases = false;
  a.dropout = false;
  a.sequence = 64;
  return a;
}

architecture routed() {
  architecture a = dense();
  a.experts = 8;
  a.top_k = 2;
  return a;
}

training with(graphing graphs, number precision = number::bf16) {
  training r;
  r.cuda_graphs = graphs;
  r.precision = precision;
  return r;
}

pass_terms terms(const architecture& a, const training& r, const efficiencies& reached) {
  return stagecut::transformer::explain(a, r, rack, reached).at(1);
}

struct counts {
  double forward = 0, backward = 0;
  friend bool operator==(const counts&, const counts&) = default;
};

double of_pass(const std::vector<term>& pass) {
  double made = 0;
  for (const term& each : pass) made += each.kind == host ? each.kernels : 0;
  return made;
}

/// The kernels that a host launches which is slower than any device.
counts launched(const architecture& a, const training& r) {
  const auto all = terms(a, r, {.launch = 1, .loop = 0.5, .sync = 0});
  return {of_pass(all.forward), of_pass(all.input)};
}

}  // namespace

TEST_CASE("the host launches the kernels that no graph has") {
  CHECK(launched(dense(), with(graphing::none)) == counts{14 + 8, 22 + 14});
  CHECK(launched(dense(), with(graphing::scoped)) == counts{8, 14});
  CHECK(launched(dense(), with(graphing::full)) == counts{0, 0});
  auto latent = dense();
  latent.latent = stagecut::transformer::latent_attention{6, 5, 3, 2, 4};
  CHECK(launched(latent, with(graphing::none)) == counts{22 + 8, 36 + 14});
  CHECK(launched(latent, with(graphing::scoped)) == counts{8, 14});
  auto space = dense();
  space.recurrence = stagecut::transformer::recurrent_mixer{.heads = 4, .head_dim = 8, .state = 6};
  space.forms.assign(2, {.mixer = stagecut::transformer::mixing::recurrence, .mixer_only = true});
  CHECK(launched(space, with(graphing::none)) == counts{18, 30});
  CHECK(launched(space, with(graphing::scoped)) == counts{0, 0});
}

TEST_CASE("each expert is a turn of a loop, of more kernels where numbers are converted") {
  // half a launch each, of 8 experts
  CHECK(launched(routed(), with(graphing::scoped)) == counts{20 + 4 * 2, 34 + 4 * 4});
  CHECK(launched(routed(), with(graphing::none)) == counts{14 + 34 + 4 * 2, 22 + 48 + 4 * 4});
  CHECK(launched(routed(), with(graphing::scoped, number::fp8)) == counts{20 + 4 * 10, 34 + 4 * 16});
  CHECK(launched(routed(), with(graphing::scoped, number::mxfp8)) == counts{20 + 4 * 4, 34 + 4 * 7});
  CHECK(launched(routed(), with(graphing::scoped, number::nvfp4)) == counts{20 + 4 * 4, 34 + 4 * 7});
  CHECK(launched(routed(), with(graphing::full)) == counts{0, 0});
  auto r = with(graphing::scoped, number::fp8);
  r.fused_experts = true;
  CHECK(launched(routed(), r) == counts{20, 34});
  auto a = routed();
  a.shared_ffn = 8;
  CHECK(launched(a, r) == counts{20 + 6, 34 + 10});
  r.fused_experts = false;
  r.data_parallel = r.expert_parallel = 4;  // two experts a device
  CHECK(launched(routed(), r) == counts{20 + 10, 34 + 16});
  r.dispatcher = dispatching::alltoall;
  CHECK(launched(routed(), r) == counts{20 + 50 + 10, 34 + 50 + 16});
}

TEST_CASE("a pass waits for the host as far as the host takes longer") {
  const auto device_time = terms(dense(), with(graphing::full), {});
  const double forward = seconds_of(device_time.forward);
  const double backward = seconds_of(device_time.input) + seconds_of(device_time.weight);
  const double launch = forward;  // 8 kernels take 8 times as long as the pass
  const auto slow = terms(dense(), with(graphing::scoped), {.launch = launch});
  CHECK(seconds_of(slow.forward) == doctest::Approx(8 * launch));
  CHECK(seconds_of(slow.forward, host) == doctest::Approx(8 * launch - forward));
  REQUIRE(14 * launch > backward);
  CHECK(seconds_of(slow.input) + seconds_of(slow.weight) == doctest::Approx(14 * launch));
  const auto fast = terms(dense(), with(graphing::scoped), {.launch = launch / 100});
  CHECK(seconds_of(fast.forward) == forward);
  CHECK(seconds_of(fast.forward, host) == 0);
}

TEST_CASE("a forward pass that runs again is launched again") {
  auto r = with(graphing::scoped);
  r.recomputation = stagecut::transformer::recomputing::full;
  CHECK(launched(dense(), r) == counts{8, 14 + 8});
  r.recomputed_share = 0.25;
  CHECK(launched(dense(), r) == counts{8, 14 + 2});
}

TEST_CASE("modules that run again are launched again") {
  const auto again = [](const architecture& a, graphing graphs, const stagecut::transformer::module_set& modules) {
    auto r = with(graphs);
    const double plain = launched(a, r).backward;
    r.recompute_modules = modules;
    return launched(a, r).backward - plain;
  };
  CHECK(again(dense(), graphing::none, {.layernorm = true}) == 2);
  CHECK(again(dense(), graphing::scoped, {.layernorm = true}) == 0);
  CHECK(again(dense(), graphing::none, {.core_attn = true}) == 1);
  CHECK(again(dense(), graphing::scoped, {.mlp = true}) == 8);
  CHECK(again(dense(), graphing::full, {.mlp = true}) == 0);
  CHECK(again(routed(), graphing::none, {.moe_act = true}) == 1);
  CHECK(again(routed(), graphing::none, {.moe = true}) == 34 + 4 * 2);
  CHECK(again(routed(), graphing::scoped, {.moe_act = true, .moe = true}) == 20 + 4 * 2);
}

TEST_CASE("the host stops the forward pass of experts, unless the iteration is one graph") {
  const efficiencies stops{.launch = 0, .sync = 0.25};
  CHECK(seconds_of(terms(routed(), with(graphing::scoped), stops).forward, host) == 0.25);
  CHECK(seconds_of(terms(routed(), with(graphing::none), stops).forward, host) == 0.25);
  CHECK(seconds_of(terms(routed(), with(graphing::scoped), stops).input, host) == 0);
  CHECK(seconds_of(terms(routed(), with(graphing::full), stops).forward, host) == 0);
  CHECK(seconds_of(terms(dense(), with(graphing::none), stops).forward, host) == 0);
  auto a = routed();
  a.forms.resize(2);
  a.forms[0].dense = true;
  CHECK(seconds_of(terms(a, with(graphing::scoped), stops).forward, host) == 0);
}
