// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/detail/block_memory.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include <stagecut/profile/transformer.hpp>

namespace {

using stagecut::transformer::architecture;
using stagecut::transformer::device;
using stagecut::transformer::module_set;
using stagecut::transformer::number;
using stagecut::transformer::recomputing;
using stagecut::transformer::seconds_of;
using stagecut::transformer::term;
using stagecut::transformer::training;
using enum stagecut::transformer::term_kind;

constexpr device rack{.name = "", .gemm_fp8 = 600e12, .gemm_fp4 = 1200e12};

constexpr double s = 64, h = 16, f = 48;  // tokens, widths; queries of 16, keys and values of 8

architecture dense() {
  architecture a;
  a.name = "small";
  a.layers = 2;
  a.hidden = 16;
  a.heads = 4;
  a.kv_heads = 2;
  a.ffn = 48;
  a.gated = true;
  a.vocabulary = 10;
  a.norm = stagecut::transformer::normalization::rmsnorm;
  a.biases = false;
  a.dropout = false;
  a.sequence = 64;
  return a;
}

architecture routed() {
  architecture a = dense();
  a.experts = 8;
  a.top_k = 2;
  a.expert_ffn = 24;
  a.shared_ffn = 40;
  return a;
}

architecture latent() {
  architecture a = dense();
  a.latent = stagecut::transformer::latent_attention{6, 5, 3, 2, 4};
  return a;
}

// Without host, so that seconds are those of the device.
training with(number precision, const module_set& modules = {}) {
  training r;
  r.precision = precision;
  r.recompute_modules = modules;
  r.cuda_graphs = stagecut::transformer::graphing::full;
  return r;
}

training with(const module_set& modules) { return with(number::bf16, modules); }

stagecut::layer layer(const architecture& a, const training& r) {
  return stagecut::transformer::profile(a, r, rack).layers.at(1);
}

double kept(const architecture& a, const training& r) { return layer(a, r).activations; }

stagecut::transformer::pass_terms terms(const architecture& a, const training& r) {
  return stagecut::transformer::explain(a, r, rack).at(1);
}

/// Seconds of the terms of those names.
double seconds(const std::vector<term>& pass, const std::vector<std::string_view>& names) {
  double sum = 0;
  for (const std::string_view name : names) {
    double found = 0;
    for (const term& each : pass) found += each.name == name ? each.seconds : 0;
    CHECK(found > 0);
    sum += found;
  }
  return sum;
}

/// Checks what recomputation of modules drops and what it repeats.
void check_modules(const architecture& a, const module_set& modules, double dropped,
                   const std::vector<std::string_view>& repeated) {
  const auto plain = layer(a, with({}));
  const auto less = layer(a, with(modules));
  CHECK(plain.activations - less.activations == doctest::Approx(dropped));
  CHECK(less.recomputed == doctest::Approx(dropped));
  CHECK(plain.recomputed == 0);
  CHECK(less.forward == plain.forward);
  const auto all = terms(a, with(modules));
  CHECK(seconds_of(all.input, repetition) == doctest::Approx(seconds(all.forward, repeated)));
  CHECK(less.backward == doctest::Approx(plain.backward + seconds(all.forward, repeated)));
}

}  // namespace

TEST_CASE("inputs of narrow products are kept as converted") {
  // inputs of two norms; queries, keys, values; gate and other half
  const double wide = 2 * (2 * s * h + s * (16 + 8 + 8) + 2 * s * f) + 4 * 4 * s;
  // outputs of two norms; heads; their product
  const double inputs = 2 * s * h + s * 16 + s * f;
  CHECK(kept(dense(), with(number::bf16)) == wide + 2 * inputs);
  for (const auto& [precision, each] :
       {std::pair(number::fp8, 1.0), {number::mxfp8, 1 + 1. / 32}, {number::nvfp4, 0.5625}}) {
    CHECK(kept(dense(), with(precision)) == wide + each * inputs + 2 * s * 16);  // the core's output is kept wide, too
  }
  CHECK(kept(dense(), with(number::fp32)) == 2 * (wide - 4 * 4 * s) + 4 * 4 * s + 4 * inputs);
}

TEST_CASE("inputs of narrow products of latent attention are kept as converted") {
  const double queries = 4 * 5, values = 4 * 4, narrow = 6 + 5;
  const double wide = 2 * (2 * s * h + s * narrow + s * (2 * queries + values) + 2 * s * f) + 4 * 4 * s;
  const double inputs = 2 * s * h + s * narrow + s * values + s * f;
  CHECK(kept(latent(), with(number::bf16)) == wide + 2 * inputs);
  CHECK(kept(latent(), with(number::fp8)) == wide + inputs + 2 * s * values);
}

TEST_CASE("experts keep what they receive, and need buffers while they run") {
  const double copies = 2 * s;
  const double attention = 2 * s * (16 + 8 + 8) + 4 * 4 * s;
  // inputs of two norms, the output of the second for the router, scores, places and weights
  const double wide = 2 * 3 * s * h + attention + 8 * s * 8 + 8 * copies + 2 * (2 * copies * 24 + 2 * s * 40);
  const double inputs = s * h + s * 16 + copies * h + copies * 24 + s * 40;
  CHECK(kept(routed(), with(number::bf16)) == wide + 2 * inputs);
  CHECK(kept(routed(), with(number::fp8)) == wide + inputs + 2 * s * 16);
  auto r = with(number::bf16);
  CHECK(layer(routed(), r).workspace == 1.5 * (2 * 2 * copies * h + 2 * copies * 24));  // of a graph's own
  r.cuda_graphs = stagecut::transformer::graphing::scoped;
  CHECK(layer(routed(), r).workspace == 2 * 2 * copies * h + 2 * copies * 24);
  CHECK(layer(dense(), r).workspace == 0);
  auto a = routed();
  a.expert_hidden = 8;
  CHECK(kept(a, with(number::fp8)) == wide + inputs + 2 * s * 16 - copies * (h - 8) + s * h + 2 * s * 8);
  // in 16 bits the input of the product to that width is the norm's output, which the router keeps
  CHECK(kept(a, with(number::bf16)) == wide + 2 * inputs - 2 * copies * (h - 8) + 2 * s * 8);
  CHECK(layer(a, r).workspace == 2 * 2 * copies * 8 + 2 * copies * 24);
  // parallel parts read one norm, attention as converted, the router in 16 bits
  auto parallel = routed();
  parallel.parallel = true;
  parallel.norms = 1;
  CHECK(kept(parallel, with(number::bf16)) == wide + 2 * inputs - 2 * s * h - 2 * s * h);
  CHECK(kept(parallel, with(number::fp8)) == wide + inputs + 2 * s * 16 - 2 * s * h);
}

TEST_CASE("a state space keeps its projections and what the convolution makes of them") {
  auto a = dense();
  a.recurrence = stagecut::transformer::recurrent_mixer{.heads = 4, .head_dim = 8, .state = 6, .groups = 2};
  a.forms.assign(2, {.mixer = stagecut::transformer::mixing::recurrence, .mixer_only = true});
  a.norms = 1;
  const double inner = 4 * 8, projections = 2 * 2 * 6;
  const double wide = 2 * s * h + 2 * s * (2 * inner + projections) + 2 * s * (inner + projections) + 2 * s * inner;
  CHECK(kept(a, with(number::bf16)) == wide + 2 * (s * h + s * inner));
  CHECK(kept(a, with(number::mxfp8)) == wide + (1 + 1. / 32) * (s * h + s * inner));
  CHECK(layer(a, {.recomputation = recomputing::full}).activations == 2 * s * h);
  // in a model of parallel parts, too, such a layer has one part and its own norm
  auto parallel = a;
  parallel.parallel = true;
  CHECK(kept(parallel, with(number::bf16)) == kept(a, with(number::bf16)));
}

TEST_CASE("a recomputed module drops what it makes and runs again") {
  const double copies = 2 * s;
  check_modules(dense(), {.layernorm = true}, 2 * 2 * s * h, {"norms"});
  check_modules(dense(), {.core_attn = true}, 4 * 4 * s, {"core of attention"});
  check_modules(dense(), {.mlp = true}, 2 * 3 * s * f, {"gate, up", "activation", "down"});
  check_modules(latent(), {.mla_up_proj = true}, 2 * s * (2 * 4 * 5 + 4 * 4),
                {"queries", "keys, values", "rotation, joined heads"});
  check_modules(routed(), {.moe_act = true}, 2 * copies * 24, {"experts: activation"});
  const double moe = 8 * s * 8 + 8 * copies + 2 * (copies * h + 3 * copies * 24 + 3 * s * 40);
  const std::vector<std::string_view> experts = {
      "router",        "scores, choice of experts", "experts: gate, up",         "experts: activation", "experts: down",
      "sorted tokens", "shared expert: in",         "shared expert: activation", "shared expert: down"};
  check_modules(routed(), {.moe = true}, moe, experts);
  check_modules(routed(), {.moe_act = true, .moe = true}, moe, experts);  // once
  check_modules(dense(), {.layernorm = true, .mlp = true}, 2 * 2 * s * h + 2 * 3 * s * f,
                {"norms", "gate, up", "activation", "down"});
}

TEST_CASE("a feed-forward part that is recomputed keeps its input wide, which it converts again") {
  const auto narrow = [](const module_set& modules) { return with(number::fp8, modules); };
  const double inside = s * f * (2 * 2 + 1);
  CHECK(kept(dense(), narrow({.mlp = true})) == kept(dense(), narrow({})) - inside + s * h);
  auto parallel = dense();
  parallel.parallel = true;
  parallel.norms = 1;
  CHECK(kept(parallel, narrow({.mlp = true})) == kept(parallel, narrow({})) - inside + 2 * s * h);
  CHECK(kept(dense(), with({.mlp = true})) == kept(dense(), with({})) - 2 * 3 * s * f);
}

TEST_CASE("experts that run again send their tokens again") {
  auto r = with({.moe = true});
  r.data_parallel = r.expert_parallel = 8;
  const auto all = terms(routed(), r);
  double sent = 0, of_experts = 0;
  for (const term& each : all.forward) {
    if (each.module == stagecut::transformer::layer_module::moe) of_experts += each.seconds;
    if (each.module == stagecut::transformer::layer_module::moe_act) of_experts += each.seconds;
    if (each.kind == message) sent += each.seconds;
  }
  CHECK(sent > 0);
  const auto again = [&] {
    for (const term& each : all.input) {
      if (each.kind == repetition) return each;
    }
    return term{};
  }();
  CHECK(again.seconds == doctest::Approx(of_experts));
  CHECK(again.waiting == doctest::Approx(sent));
}

TEST_CASE("modules are recomputed with the core of attention, and within a whole layer") {
  auto both = with({.mlp = true});
  both.recomputation = recomputing::selective;
  CHECK(kept(dense(), both) == kept(dense(), with({.core_attn = true, .mlp = true})));
  CHECK(layer(dense(), both).backward == layer(dense(), with({.core_attn = true, .mlp = true})).backward);
  both.recomputation = recomputing::full;
  CHECK_THROWS_WITH_AS((void)layer(dense(), both), "training.recompute_modules: is set, but whole layers are recomputed",
                       stagecut::invalid_input);
  both.recomputation = recomputing::selective;
  both.variants = true;  // among them whole layers, for which the modules do not count
  auto full = with({});
  full.recomputation = recomputing::full;
  CHECK(layer(dense(), both).recomputations.get().back().activations == layer(dense(), full).activations);
  CHECK(layer(dense(), both).recomputations.get().back().backward == layer(dense(), full).backward);
}

TEST_CASE("what is recomputed is converted again") {
  const auto repeated = [](const architecture& a, const module_set& modules, number precision) {
    return seconds_of(terms(a, with(precision, modules)).input, repetition);
  };
  const auto conversions = [](const architecture& a, std::size_t first, std::size_t last) {
    std::vector<double> found;
    for (const term& each : terms(a, with(number::fp8)).forward) {
      if (std::string_view(each.name) == "conversion to narrow numbers") found.push_back(each.seconds);
    }
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += found.at(i);
    return sum;
  };
  // of queries, keys and values, of the product after heads, of the feed-forward part's two
  CHECK(repeated(dense(), {.layernorm = true}, number::fp8) ==
        doctest::Approx(repeated(dense(), {.layernorm = true}, number::bf16) + conversions(dense(), 0, 1) +
                        conversions(dense(), 2, 3)));
  CHECK(repeated(dense(), {.mlp = true}, number::fp8) > repeated(dense(), {.mlp = true}, number::bf16) / 2);
  const auto all = terms(routed(), with(number::fp8));
  CHECK(repeated(routed(), {.moe_act = true}, number::fp8) ==
        doctest::Approx(seconds(all.forward, {"experts: activation", "experts: conversion of activations"})));
}

TEST_CASE("a share of what is kept waits in the host's memory") {
  auto r = with({});
  const auto plain = layer(dense(), r);
  r.offload = 0.25;
  const auto less = layer(dense(), r);
  CHECK(less.activations == 0.75 * plain.activations);
  const auto all = terms(dense(), r);
  const double hidden = stagecut::transformer::efficiencies{}.hidden;
  for (const auto* pass : {&all.forward, &all.input}) {
    const term sent = pass->back();
    CHECK(std::string_view(sent.name) == "activations to and from the host");
    CHECK(sent.bytes == 0.25 * plain.activations);
    CHECK(sent.alone == sent.bytes / rack.host_link);
    CHECK(sent.seconds ==
          doctest::Approx(stagecut::transformer::seconds_seen(sent.alone, seconds_of(*pass) - sent.seconds, hidden)));
  }
  CHECK(less.forward == doctest::Approx(plain.forward + hidden * all.forward.back().alone));
  device none = rack;
  none.host_link = 0;
  CHECK_THROWS_WITH_AS(
      (void)stagecut::transformer::profile(dense(), r, none),
      "device.host_link: is 0: how fast activations get to the host's memory, for offload, is not known",
      stagecut::invalid_input);
  CHECK_NOTHROW((void)stagecut::transformer::profile(dense(), {}, none));
}

TEST_CASE("transfers to the host leave the links to the messages at an iteration's end") {
  auto r = with({});
  r.data_parallel = 8;
  device slow = rack;
  slow.link = 1e7;  // so that the sum of gradients takes longer than the passes that hide it
  slow.sustained_link = 0;
  slow.host_link = 1e9;
  const auto plain = stagecut::transformer::explain(dense(), r, slow).at(1);
  r.offload = 0.5;
  const auto away = stagecut::transformer::explain(dense(), r, slow).at(1);
  const term sum = plain.update.at(0);
  REQUIRE(sum.alone > sum.beside);
  REQUIRE(away.input.back().beside > 0.01 * sum.beside);
  CHECK(away.update.at(0).beside == sum.beside);
  CHECK(seconds_of(away.update) == seconds_of(plain.update));
}
