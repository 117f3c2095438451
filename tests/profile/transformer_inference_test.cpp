// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/devices.hpp>
#include <stagecut/profile/transformer_inference.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <stagecut/profile/parameters.hpp>

namespace {

using stagecut::transformer::architecture;
using stagecut::transformer::inference_profile;
using stagecut::transformer::number;
using stagecut::transformer::serving;
using enum stagecut::transformer::serving_phase;

architecture llama() {
  architecture a;
  a.name = "small";
  a.layers = 3;
  a.hidden = 8;
  a.heads = 4;
  a.kv_heads = 2;
  a.ffn = 12;
  a.gated = true;
  a.vocabulary = 10;
  a.norm = stagecut::transformer::normalization::rmsnorm;
  a.biases = false;
  a.dropout = true;  // not while it serves
  a.sequence = 64;
  a.mtp_layers = 1;  // nor this
  return a;
}

double seconds(const stagecut::profile& model) {
  double sum = 0;
  for (const auto& layer : model.layers) sum += layer.forward;
  return sum;
}

/// The products of experts in the second part of a model's forward pass: how many there are, of how many tokens each.
stagecut::transformer::term expert_products(const architecture& a, const serving& how,
                                            stagecut::transformer::serving_phase phase = decode) {
  const auto all = stagecut::transformer::explain_inference(a, how, phase);
  for (const auto& term : all.at(1).forward) {
    if (std::string(term.name) == "experts: down") return term;
  }
  return {};
}

}  // namespace

TEST_CASE("a profile of inference has weights, kept tokens and forward passes alone") {
  const auto model = inference_profile(llama(), {.sequence = 32, .concurrent = 5});
  CHECK(model.inference);
  REQUIRE(model.layers.size() == 6);
  double weights = 0;
  for (const auto& layer : model.layers) {
    CHECK(layer.forward > 0);
    CHECK(layer.backward == 0);
    CHECK(layer.update == 0);
    CHECK(layer.resident == layer.parameters);
    weights += layer.parameters;
  }
  CHECK(weights == 2 * stagecut::transformer::count_parameters(llama()).total);
  CHECK(model.layers[1].activations == 5 * 32 * 2 * (4 + 4));  // keys and values of 2 heads of 2 numbers
  CHECK(model.layers[0].activations == 0);
  CHECK(model.layers[1].output == 2 * 5 * 8);  // a token of each request
  CHECK(inference_profile(llama(), {.sequence = 32}, prefill).layers[1].output == 2 * 32 * 8);
}

TEST_CASE("fp8 halves the weights of layers, not what is kept of tokens") {
  const auto& h100 = stagecut::transformer::devices[2];
  const auto wide = inference_profile(llama(), {}, decode, h100);
  const auto narrow = inference_profile(llama(), {.precision = number::fp8}, decode, h100);
  for (std::size_t i = 0; i < wide.layers.size(); ++i) {
    const bool halved = wide.layers[i].kind == "decoder";
    CHECK(narrow.layers[i].parameters == wide.layers[i].parameters / (halved ? 2 : 1));
    CHECK(narrow.layers[i].activations == wide.layers[i].activations);
  }
}

TEST_CASE("windows and latent attention keep less") {
  auto a = llama();
  a.forms.resize(3);
  a.forms[1].window = 16;
  a.forms[2].window = 1000;
  const auto model = inference_profile(a, {.sequence = 32});
  CHECK(model.layers[1].activations == 32 * 2 * 8);
  CHECK(model.layers[2].activations == 16 * 2 * 8);
  CHECK(model.layers[3].activations == 32 * 2 * 8);
  a = llama();
  a.latent = stagecut::transformer::latent_attention{6, 5, 3, 2, 4};
  CHECK(inference_profile(a, {.sequence = 32}).layers[1].activations == 32 * 2 * (5 + 2));
  CHECK(inference_profile(a, {.sequence = 32, .tensor_parallel = 2}).layers[1].activations == 32 * 2 * (5 + 2));
}

TEST_CASE("a token takes at least the time to read the weights and what is kept") {
  architecture a = llama();
  a.layers = 8, a.hidden = 1024, a.heads = 16, a.kv_heads = 4, a.ffn = 4096, a.vocabulary = 32000;
  const stagecut::transformer::device on;
  for (const std::size_t concurrent : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
    const auto model = inference_profile(a, {.sequence = 4096, .concurrent = concurrent});
    double bytes = 0;
    for (std::size_t i = 1; i < model.layers.size(); ++i) {
      bytes += model.layers[i].parameters + model.layers[i].activations;
    }
    CHECK(seconds(model) > bytes / on.bandwidth);
    CHECK(seconds(model) < 2 * bytes / on.bandwidth + 1e-3);
  }
}

TEST_CASE("more tokens, longer contexts and more requests are never faster") {
  double before = 0;
  for (const std::size_t sequence : {16U, 32U, 64U}) {
    const double now = seconds(inference_profile(llama(), {.sequence = sequence}, prefill));
    CHECK(now > before);
    before = now;
  }
  before = 0;
  for (const std::size_t concurrent : {1U, 2U, 8U, 64U}) {
    const double now = seconds(inference_profile(llama(), {.concurrent = concurrent}));
    CHECK(now > before);
    before = now;
  }
}

TEST_CASE("few tokens meet few experts") {
  auto a = llama();
  a.experts = 8;
  a.top_k = 2;
  const auto met = [&](const serving& how) { return expert_products(a, how).count; };
  CHECK(met({}) == doctest::Approx(2));
  CHECK(met({.concurrent = 2}) == doctest::Approx(8 * (1 - 0.75 * 0.75)));
  CHECK(met({.concurrent = 1000}) == doctest::Approx(8));
  // of eight devices that share the experts each has one, which the tokens of all of them may visit
  CHECK(met({.concurrent = 3, .expert_parallel = 8}) == doctest::Approx(1 - std::pow(0.75, 24)));
}

TEST_CASE("less than a token a device of tensor parallelism meets less than an expert") {
  auto a = llama();
  a.experts = 8;
  a.top_k = 2;
  const auto few = expert_products(a, {.tensor_parallel = 4, .expert_parallel = 2});
  CHECK(few.m == doctest::Approx(1));  // a quarter of a token of two devices, of whose two experts half are here
  CHECK(few.count == doctest::Approx(0.25 * 2));
  double before = 0;
  for (std::size_t concurrent = 1; concurrent < 40; ++concurrent) {
    const double now =
        seconds(inference_profile(a, {.concurrent = concurrent, .tensor_parallel = 4, .expert_parallel = 2}));
    CHECK(now > before);
    before = now;
  }
}

TEST_CASE("short prompts meet few experts, too, and their space is that of the widest part") {
  auto a = llama();
  a.experts = 64;
  a.top_k = 2;
  a.shared_ffn = 100;
  const auto met = [&](std::size_t sequence) { return expert_products(a, {.sequence = sequence}, prefill).count; };
  CHECK(met(4) == doctest::Approx(64 * (1 - std::pow(62 / 64., 4))));
  CHECK(met(4096) == doctest::Approx(64));
  const auto space = [&](const serving& how) { return inference_profile(a, how).layers[1].workspace / (64 * 2); };
  CHECK(space({}) == 8 + 4 + 4 + 3 * 100);  // what all visit, shared by four devices below the two experts of a token
  CHECK(space({.tensor_parallel = 4}) == 2 + 2 + 2 + 3 * 100 / 4);
  a.shared_ffn = 4;
  CHECK(space({.tensor_parallel = 4}) == 2 + 2 + 2 + 3 * 2 * 12 / 4);
  CHECK(space({.tensor_parallel = 4, .expert_parallel = 2}) == 2 + 2 + 2 + 3 * 2 * 12 / 4);  // a quarter of the tokens
}

TEST_CASE("the terms of inference add up to its times") {
  for (const auto phase : {decode, prefill}) {
    const auto model = inference_profile(llama(), {}, phase);
    const auto terms = stagecut::transformer::explain_inference(llama(), {}, phase);
    REQUIRE(terms.size() == model.layers.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      CHECK(model.layers[i].forward == stagecut::transformer::seconds_of(terms[i].forward));
      CHECK(terms[i].input.empty());
      CHECK(terms[i].update.empty());
    }
  }
}

TEST_CASE("images are looked at with the prompt") {
  auto a = llama();
  stagecut::transformer::vision_tower v;
  v.layers = 1, v.hidden = 6, v.heads = 2, v.ffn = 10, v.inputs = 12, v.patches = 8;
  a.vision = v;
  const auto prompt = inference_profile(a, {}, prefill);
  const auto token = inference_profile(a, {}, decode);
  CHECK(prompt.layers[1].forward > 0);
  CHECK(token.layers[1].forward == 0);
  CHECK(prompt.layers[1].output > 0);
  for (const std::size_t i : {0U, 1U, 2U}) CHECK(token.layers[i].output == 0);
  CHECK(token.layers[1].parameters == prompt.layers[1].parameters);
}

TEST_CASE("an encoder has no next token") {
  auto a = llama();
  a.encoder = true;
  CHECK_THROWS_AS((void)inference_profile(a), stagecut::invalid_input);
  CHECK_NOTHROW((void)inference_profile(a, {}, prefill));
}

TEST_CASE("a group's prompts take their time together, and the space of a part of them") {
  const auto one = inference_profile(llama(), {.sequence = 16384}, prefill);
  const auto four = inference_profile(llama(), {.sequence = 16384, .concurrent = 4}, prefill);
  CHECK(seconds(four) > 3 * seconds(one));
  CHECK(four.layers[1].workspace == one.layers[1].workspace);
  CHECK(one.layers[1].workspace == inference_profile(llama(), {.sequence = 8192}).layers[1].workspace);
  CHECK(one.layers[1].workspace == 8192 * 2 * (8 + 4 + 4 + 3 * 12));
}

TEST_CASE("what inference does not compute is refused") {
  const auto refused = [](const architecture& a, const serving& how) -> std::string {
    try {
      (void)inference_profile(a, how, decode, stagecut::transformer::devices[4]);
    } catch (const stagecut::invalid_input& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refused(llama(), {.precision = number::fp8}).empty());
  CHECK(refused(llama(), {.precision = number::mxfp8}) ==
        "serving.precision: is mxfp8, which is computed for training alone");
  CHECK(refused(llama(), {.precision = number::nvfp4}) ==
        "serving.precision: is nvfp4, which is computed for training alone");
  auto a = llama();
  a.forms.resize(3);
  CHECK(refused(a, {}).empty());
}

TEST_CASE("recurrent layers keep a state, in four bytes a number, and the tokens of their convolution") {
  using stagecut::transformer::recurrent_kind;
  auto a = llama();
  a.recurrence = stagecut::transformer::recurrent_mixer{.heads = 4, .head_dim = 2, .state = 3};
  a.forms.resize(3);
  a.forms[1] = {.mixer = stagecut::transformer::mixing::recurrence, .mixer_only = true};
  const auto kept = [&](std::size_t layer, std::size_t sequence) {
    return inference_profile(a, {.sequence = sequence, .concurrent = 5}, decode).layers[1 + layer].activations;
  };
  CHECK(kept(1, 100) == 5 * (4. * 8 * 3 + 3 * (8 + 2 * 3) * 2.));
  CHECK(kept(1, 900) == kept(1, 100));
  CHECK(kept(0, 100) == 5 * 100 * (4 + 4) * 2);
  a.forms[1].mixer = stagecut::transformer::mixing::both;
  CHECK(kept(1, 100) == 5 * (4. * 8 * 3 + 3 * (8 + 2 * 3) * 2.) + kept(0, 100));
  a.recurrence = stagecut::transformer::recurrent_mixer{
      .heads = 8, .head_dim = 1, .convolution = 3, .kind = recurrent_kind::short_convolution};
  a.forms[1].mixer = stagecut::transformer::mixing::recurrence;
  CHECK(kept(1, 100) == 5 * 2 * 8 * 2.);
}

TEST_CASE("compressed and chosen keys are kept and seen") {
  auto a = llama();
  a.indexer = stagecut::transformer::sparse_indexer{.heads = 2, .head_dim = 4, .top_k = 16};
  a.forms.resize(3);
  a.forms[1] = {.shares_indexer = true};
  a.forms[2] = {.window = 8, .keys_are_values = true, .shares_indexer = true, .compression = 4};
  const auto made = inference_profile(a, {.sequence = 128}, decode);
  CHECK(made.layers[1].activations == 128 * (4 + 4 + 4) * 2);
  CHECK(made.layers[2].activations == 128 * (4 + 4) * 2);
  CHECK(made.layers[3].activations == (8 + 128 / 4) * 4 * 2);
  const auto core = [&](std::size_t layer) {
    const auto all = explain_inference(a, {.sequence = 128}, decode);
    for (const auto& each : all[layer].forward) {
      if (std::string_view(each.name) == "core of attention") return each.flops;
    }
    return 0.;
  };
  CHECK(core(1) == core(2));
  CHECK(core(3) == core(1) * (8 + 32) / 16);
}

TEST_CASE("rates of long runs and constants of training leave inference as it is") {
  auto on = stagecut::transformer::devices[4];
  const auto made = inference_profile(llama(), {}, decode, on);
  on.sustained /= 2;
  on.sustained_fp8 /= 2;
  on.sustained_bandwidth = 1e12;
  CHECK(inference_profile(llama(), {}, decode, on) == made);
  on.gemm = 0;  // but where no measured product is known
  CHECK(inference_profile(llama(), {}, decode, on) != made);
  auto other = stagecut::transformer::serving_efficiencies;
  other.launch = other.sync = 1;
  other.attention = other.backward = other.expert_bytes = 0.5;
  CHECK(inference_profile(llama(), {}, decode, stagecut::transformer::devices[4], other) == made);
}

TEST_CASE("no request is refused") {
  CHECK_THROWS_WITH_AS((void)inference_profile(llama(), {.concurrent = 0}), "serving.concurrent: is 0",
                       stagecut::invalid_input);
}
