// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/detail/block_terms.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include <stagecut/profile/transformer.hpp>

namespace {

using stagecut::transformer::architecture;
using stagecut::transformer::device;
using stagecut::transformer::dispatching;
using stagecut::transformer::efficiencies;
using stagecut::transformer::number;
using stagecut::transformer::pass_terms;
using stagecut::transformer::roofline;
using stagecut::transformer::term;
using stagecut::transformer::term_kind;
using stagecut::transformer::training;

// All rates and bytes per second are known, and differ.
constexpr device rack{.name = "",
                      .flops = 400e12,
                      .gemm = 300e12,
                      .gemm_fp8 = 600e12,
                      .bandwidth = 2e12,
                      .link = 300e9,
                      .domain = 8,
                      .gemm_fp4 = 1200e12,
                      .sustained_bandwidth = 1e12,
                      .sustained_link = 0,
                      .exponentials = 3e12,
                      .sinks = 7};

constexpr double s = 1024, h = 512, f = 1024;  // tokens, widths

architecture dense() {
  architecture a;
  a.name = "small";
  a.layers = 3;
  a.hidden = 512;
  a.heads = 8;
  a.kv_heads = 4;
  a.ffn = 1024;
  a.gated = true;
  a.vocabulary = 1000;
  a.norm = stagecut::transformer::normalization::rmsnorm;
  a.biases = false;
  a.dropout = false;
  a.sequence = 1024;
  return a;
}

architecture routed() {
  architecture a = dense();
  a.experts = 16;
  a.top_k = 2;
  a.expert_ffn = 256;
  return a;
}

architecture state_space(std::size_t layers = 3) {
  architecture a = dense();
  a.recurrence = stagecut::transformer::recurrent_mixer{.heads = 16, .head_dim = 64, .state = 32, .groups = 4};
  a.forms.assign(layers, {.mixer = stagecut::transformer::mixing::recurrence, .mixer_only = true});
  a.norms = 1;
  return a;
}

training with(number precision) {
  training r;
  r.precision = precision;
  return r;
}

training among(std::size_t devices, dispatching dispatcher) {
  training r;
  r.data_parallel = r.expert_parallel = devices;
  r.dispatcher = dispatcher;
  return r;
}

pass_terms terms(const architecture& a, const training& r, const efficiencies& reached = {}, std::size_t layer = 1) {
  return stagecut::transformer::explain(a, r, rack, reached).at(layer);
}

/// The terms of that name.
std::vector<term> all(const std::vector<term>& pass, std::string_view name) {
  std::vector<term> made;
  for (const term& each : pass) {
    if (each.name == name) made.push_back(each);
  }
  return made;
}

/// The only term of that name.
term only(const std::vector<term>& pass, std::string_view name) {
  const auto found = all(pass, name);
  REQUIRE(found.size() == 1);
  return found[0];
}

double bytes(const std::vector<term>& pass, std::string_view name) {
  double sum = 0;
  for (const term& each : all(pass, name)) sum += each.bytes;
  return sum;
}

double product_rate(number precision) { return roofline(rack, precision, {}).product("", 1, 1, 1).rate; }

constexpr efficiencies usual{};

}  // namespace

TEST_CASE("the gradient of a matrix is read and written for each microbatch") {
  const auto plain = terms(dense(), {});
  CHECK(only(plain.forward, "down").bytes == 2 * (s * f + f * h) + 2 * s * h);
  CHECK(only(plain.input, "down").bytes == 2 * (s * h + f * h) + 2 * s * f);
  CHECK(only(plain.weight, "down").bytes == 2 * s * (f + h) + 2 * 2 * f * h);
  training wide;
  wide.gradient_bytes = 4;
  CHECK(only(terms(dense(), wide).weight, "down").bytes == 2 * s * (f + h) + 2 * 4 * f * h);
  CHECK(only(terms(dense(), with(number::fp8)).weight, "down").bytes == s * (f + h) + 2 * 2 * f * h);
}

TEST_CASE("operands of narrow products are converted, of the input forward and of the output's gradient backward") {
  constexpr std::string_view name = "conversion to narrow numbers";
  CHECK(all(terms(dense(), {}).forward, name).empty());
  for (const auto& [precision, each] : {std::pair(number::fp8, 6.0), {number::mxfp8, 4.0625}, {number::nvfp4, 8.0}}) {
    const auto made = terms(dense(), with(precision));
    CHECK(all(made.forward, name).size() == 4);
    CHECK(bytes(made.forward, name) == each * s * (h + h + h + f));
    CHECK(bytes(made.input, name) == each * s * ((h + h / 2 + h / 2) + h + 2 * f + h));
    CHECK(all(made.weight, name).empty());
    CHECK(only(made.forward, "down").rate == doctest::Approx(product_rate(precision)));
  }
}

TEST_CASE("the head has 16 bits unless it is to be narrow") {
  auto r = with(number::mxfp8);
  CHECK(only(terms(dense(), r, {}, 5).forward, "logits").rate == product_rate(number::bf16));
  CHECK(only(terms(dense(), r, {}, 5).forward, "logits").bytes == 2 * (s * h + h * 1000 + s * 1000));
  CHECK(all(terms(dense(), r, {}, 5).forward, "conversion to narrow numbers").empty());
  r.head_fp8 = true;
  CHECK(only(terms(dense(), r, {}, 5).forward, "logits").rate == product_rate(number::mxfp8));
  CHECK(bytes(terms(dense(), r, {}, 5).forward, "conversion to narrow numbers") == 4.0625 * s * h);
}

TEST_CASE("the core of attention computes as many scores as it sees, and sinks slow it") {
  const auto plain = terms(dense(), {});
  const term forward = only(plain.forward, "core of attention");
  const term backward = only(plain.input, "core of attention");
  const double scores = 8 * s * s / 2;
  CHECK(forward.flops == 2 * scores * (64 + 64));
  CHECK(backward.flops == 2 * scores * (3 * 64 + 2 * 64));
  const roofline clock(rack, number::bf16, {});
  CHECK(forward.seconds == clock.core("", forward.flops, scores, false, false).seconds);
  CHECK(backward.seconds == clock.core("", backward.flops, scores, true, false).seconds);
  auto a = dense();
  a.sinks = true;
  CHECK(only(terms(a, {}).forward, "core of attention").seconds == doctest::Approx(7 * forward.seconds));
  CHECK(only(terms(a, {}).forward, "core of attention").rate == doctest::Approx(forward.rate / 7));
  CHECK(only(terms(a, {}).input, "core of attention").seconds == doctest::Approx(7 * backward.seconds));
}

TEST_CASE("attention with 8 bits has twice the rate, and numbers that are converted after rotation") {
  auto r = with(number::fp8);
  const auto plain = terms(dense(), r);
  r.attention_fp8 = true;
  const auto narrow = terms(dense(), r);
  const double scores = 8 * s * s / 2;
  const roofline clock(rack, number::fp8, {});
  CHECK(only(narrow.forward, "core of attention").seconds ==
        clock.core("", 2 * scores * 128, scores, false, true).seconds);
  CHECK(only(narrow.forward, "core of attention").seconds < only(plain.forward, "core of attention").seconds);
  CHECK(only(plain.forward, "rotation").bytes == 4 * s * 2 * h);
  CHECK(only(plain.input, "rotation").bytes == 4 * s * 2 * h);
  CHECK(only(narrow.forward, "rotation").bytes == 8 * s * 2 * h);
  CHECK(only(narrow.input, "rotation").bytes == 8 * s * 2 * h);
  auto learned = dense();  // nothing is rotated, but all is converted
  learned.positions = 2048;
  const auto converted = terms(learned, r);
  for (const auto* const pass : {&converted.forward, &converted.input}) {
    CHECK(only(*pass, "conversion of queries, keys, values").bytes == 4 * s * 2 * h);
    CHECK(all(*pass, "rotation").empty());
  }
}

TEST_CASE("latent attention projects to narrow vectors and from them to heads") {
  auto a = dense();
  a.latent = stagecut::transformer::latent_attention{192, 128, 48, 16, 32};
  auto r = with(number::fp8);
  const auto made = terms(a, r);
  const double q = 8 * 64, v = 8 * 32;
  CHECK(only(made.forward, "to narrow vectors").flops == 2 * s * h * (192 + 128 + 16));
  CHECK(only(made.forward, "queries").flops == 2 * s * 192 * q);
  CHECK(only(made.forward, "keys, values").flops == 2 * s * 128 * (8 * 48 + v));
  CHECK(only(made.forward, "back from heads").flops == 2 * s * v * h);
  CHECK(only(made.forward, "norms of narrow vectors").bytes == 4 * s * (192 + 128));
  CHECK(only(made.input, "norms of narrow vectors").bytes == 6 * s * (192 + 128));
  CHECK(only(made.forward, "rotation, joined heads").bytes == 4 * s * (2 * q + v));
  CHECK(only(made.input, "rotation, joined heads").bytes == 6 * s * (2 * q + v));
  r.attention_fp8 = true;
  CHECK(only(terms(a, r).forward, "rotation, joined heads").bytes == 8 * s * (2 * q + v));
  CHECK(only(terms(a, r).input, "rotation, joined heads").bytes == 10 * s * (2 * q + v));
}

TEST_CASE("products of experts reach their rate as they have tokens") {
  for (const auto precision : {number::bf16, number::fp8}) {
    const auto r = with(precision);
    const double half = usual.expert_tokens * roofline(rack, precision, {}).intensity();
    const double each = s * 2 / 16;
    const auto made = terms(routed(), r);
    for (const auto* pass : {&made.forward, &made.input, &made.weight}) {
      const term down = only(*pass, "experts: down");
      CHECK(down.count == 16);
      CHECK(down.flops == 2 * 2 * s * 256 * h);
      CHECK(down.rate == doctest::Approx(product_rate(precision) * each / (each + half)));
      CHECK(only(*pass, "experts: gate, up").flops == 2 * down.flops);
    }
    efficiencies full;
    full.expert_tokens = 0;
    CHECK(only(terms(routed(), r, full).forward, "experts: down").rate == product_rate(precision));
  }
  // of eight devices each has two experts, with all tokens that visit them
  const term whole = only(terms(routed(), among(8, dispatching::deepep)).forward, "experts: down");
  CHECK(whole.count == 2);
  CHECK(whole.m == 1024);
  CHECK(whole.flops == 2 * 2 * s * 256 * h);
}

TEST_CASE("the router has 16 bits and moves its scores in six and four kernels") {
  const auto made = terms(routed(), with(number::fp8));
  const term router = only(made.forward, "router");
  CHECK(router.rate == product_rate(number::bf16));
  CHECK(router.bytes == 2 * (s * h + h * 16 + s * 16));
  const term forward = only(made.forward, "scores, choice of experts");
  CHECK(forward.bytes == doctest::Approx(24 * s * 16 * usual.expert_bytes));
  CHECK(forward.kernels == 6);
  const term backward = only(made.input, "scores, choice of experts");
  CHECK(backward.bytes == doctest::Approx(16 * s * 16 * usual.expert_bytes));
  CHECK(backward.kernels == 4);
}

TEST_CASE("tokens are sorted where no dispatcher does it") {
  const auto sorted = [](const training& r) {
    const auto made = terms(routed(), r);
    CHECK(bytes(made.forward, "sorted tokens") == bytes(made.input, "sorted tokens"));
    return bytes(made.forward, "sorted tokens");
  };
  const double moved = 2 * 8 * 2 * s * h * usual.expert_bytes;
  CHECK(sorted({}) == doctest::Approx(moved));
  CHECK(sorted(among(8, dispatching::alltoall)) == doctest::Approx(moved));
  CHECK(sorted(among(8, dispatching::deepep)) == 0);
  CHECK(sorted(among(8, dispatching::hybridep)) == 0);
}

TEST_CASE("experts have an activation function of their own, and conversions") {
  auto r = with(number::mxfp8);
  const double copies = 2 * s, more = usual.expert_bytes;
  const auto gated = terms(routed(), r);
  CHECK(only(gated.forward, "experts: activation").bytes == doctest::Approx(6 * copies * 256 * more));
  CHECK(only(gated.input, "experts: activation").bytes == doctest::Approx(10 * copies * 256 * more));
  for (const auto* const pass : {&gated.forward, &gated.input}) {
    CHECK(only(*pass, "experts: conversion of tokens").bytes == doctest::Approx(4.0625 * copies * h * more));
  }
  const auto inner = [&](const std::vector<term>& pass) { return only(pass, "experts: conversion of activations").bytes; };
  CHECK(inner(gated.forward) == doctest::Approx(4.0625 * copies * 256 * more));
  CHECK(inner(gated.input) == doctest::Approx(4.0625 * copies * 2 * 256 * more));
  auto a = routed();
  a.gated = false;
  a.squared_relu = true;
  const auto squared = terms(a, r);
  CHECK(only(squared.forward, "experts: activation").bytes == doctest::Approx(12 * copies * 256 * more));
  CHECK(only(squared.input, "experts: activation").bytes == doctest::Approx(20 * copies * 256 * more));
  r.fused_experts = true;
  const auto fused = terms(routed(), r);
  CHECK(all(fused.forward, "experts: activation").empty());
  CHECK(only(fused.input, "experts: activation").bytes == doctest::Approx(4 * copies * 256 * more));
  for (const auto* const pass : {&fused.forward, &fused.input}) {
    CHECK(only(*pass, "experts: conversion of tokens").bytes == doctest::Approx(4.0625 * copies * h * more));
    CHECK(all(*pass, "experts: conversion of activations").empty());
  }
  CHECK(all(terms(routed(), {}).forward, "experts: conversion of tokens").empty());
  // a dense feed-forward part with that function runs as one kernel
  auto one = dense();
  one.gated = false;
  one.squared_relu = true;
  CHECK(only(terms(one, {}).forward, "activation").bytes == 4 * s * f);
  CHECK(only(terms(one, {}).input, "activation").bytes == 6 * s * f);
}

TEST_CASE("experts that see narrower tokens have products to and from them") {
  auto a = routed();
  a.expert_hidden = 128;
  a.shared_ffn = 384;
  const auto made = terms(a, {});
  CHECK(only(made.forward, "to the width of experts").flops == 2 * s * h * 128);
  CHECK(only(made.forward, "from the width of experts").flops == 2 * s * 128 * h);
  CHECK(only(made.forward, "experts: gate, up").flops == 2 * 2 * s * 128 * 2 * 256);
  CHECK(only(made.forward, "experts: down").flops == 2 * 2 * s * 256 * 128);
  CHECK(only(made.forward, "router").flops == 2 * s * h * 16);  // which sees the whole token
  CHECK(only(made.forward, "shared expert: in").flops == 2 * s * h * 2 * 384);
  CHECK(only(made.forward, "shared expert: down").flops == 2 * s * 384 * h);
  CHECK(only(made.forward, "shared expert: activation").bytes == 6 * s * 384);
  CHECK(only(made.forward, "sorted tokens").bytes == doctest::Approx(2 * 8 * 2 * s * 128 * usual.expert_bytes));
  CHECK(all(terms(routed(), {}).forward, "to the width of experts").empty());
}

TEST_CASE("a state space mixes tokens within chunks of 128 and through its state") {
  const auto made = terms(state_space(), {});
  const double inner = 16 * 64, projections = 2 * 4 * 32;
  CHECK(only(made.forward, "into the state space").flops == 2 * s * h * (2 * inner + projections + 16));
  CHECK(only(made.forward, "back from the state space").flops == 2 * s * inner * h);
  const term scan = only(made.forward, "scan");
  CHECK(scan.kind == term_kind::attention);
  CHECK(scan.flops == s * (2 * 128 * 32 * 4 + 2 * 128 * inner + 4 * 32 * inner));
  CHECK(scan.rate == product_rate(number::bf16) / 4);
  CHECK(only(made.input, "scan").flops == 2.5 * scan.flops);
  CHECK(only(made.forward, "convolution").bytes == 4 * s * (inner + projections));
  CHECK(only(made.input, "convolution").bytes == 8 * s * (inner + projections));
  CHECK(only(made.forward, "scan's chunks, gate, norm").bytes == 36 * s * inner);
  CHECK(only(made.input, "scan's chunks, gate, norm").bytes == 80 * s * inner);
  // a layer of one part: one norm, one sum, no attention, no feed-forward part
  CHECK(bytes(made.forward, "norms") + bytes(made.forward, "sums") == 10 * s * h);
  CHECK(bytes(made.input, "norms") + bytes(made.input, "sums") == 10 * s * h);
  for (const char* const absent : {"core of attention", "back from heads", "gate, up", "down"}) {
    CHECK(all(made.forward, absent).empty());
  }
  training two;
  two.tensor_parallel = 2;
  const auto half = terms(state_space(), two);
  CHECK(only(half.forward, "into the state space").flops == only(made.forward, "into the state space").flops / 2);
  CHECK(only(half.forward, "scan").flops == scan.flops / 2);
  two.tensor_parallel = 8;  // devices share a group of heads, and each has its projections
  CHECK(only(terms(state_space(), two).forward, "into the state space").flops ==
        2 * s * h * (2 * inner / 8 + 2 * 32 + 16 / 8));
}

TEST_CASE("a layer has the parts of its form") {
  using stagecut::transformer::mixing;
  auto a = state_space();
  a.forms[0] = {.mixer = mixing::none};
  a.forms[1] = {.mixer_only = true};
  a.forms[2] = {.mixer = mixing::recurrence};
  const auto work = [&](std::size_t layer, std::string_view name) {
    return all(terms(a, {}, {}, layer).forward, name).size();
  };
  const auto forward = [&](std::size_t layer) { return terms(a, {}, {}, layer).forward; };
  const std::pair<const char*, std::vector<std::size_t>> parts[] = {
      {"core of attention", {0, 1, 0}}, {"scan", {0, 0, 1}}, {"gate, up", {1, 0, 1}}, {"down", {1, 0, 1}}};
  for (const auto& [name, expected] : parts) {
    for (std::size_t i = 0; i < 3; ++i) CHECK(work(i + 1, name) == expected[i]);
  }
  CHECK(bytes(forward(1), "norms") == 4 * s * h);
  CHECK(bytes(forward(2), "sums") == 6 * s * h);
  CHECK(bytes(forward(3), "norms") == 2 * 4 * s * h);  // of both parts, though models of one part have one
  CHECK(bytes(forward(3), "sums") == 2 * 6 * s * h);
}
