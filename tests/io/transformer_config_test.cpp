// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/transformer_config.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include <stagecut/profile/transformer.hpp>

namespace {

using stagecut::io::read_transformer_config;

stagecut::transformer::architecture preset(const std::string& name) {
  std::ifstream file(STAGECUT_TEST_DATA "/../examples/models/" + name + ".json");
  REQUIRE(file.is_open());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto made = read_transformer_config(text, name).architecture;
  CHECK(made.name == name);
  CHECK_FALSE(made.source.empty());
  return made;
}

// All that has to be there, and more members.
std::string config(const std::string& more) {
  return R"({"name": "x", "layers": 2, "hidden": 8, "heads": 4, "ffn": 16, "vocabulary": 10, "sequence": 4)" + more +
         "}";
}

std::string refused(const std::string& text) {
  try {
    (void)read_transformer_config(text, "f");
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

std::string refused_with(const std::string& more) { return refused(config(", " + more)); }

// The FLOP of a microbatch of one sample.
double flops(const stagecut::transformer::architecture& a, const stagecut::transformer::training& r) {
  double sum = 0;
  for (const auto& layer : stagecut::transformer::profile(a, r, {"", 1, 1, 1e300, 1, 1}).layers) sum += layer.time();
  return sum;
}

stagecut::transformer::training classic(stagecut::transformer::recomputing way) {
  stagecut::transformer::training r;
  r.recomputation = way;
  r.flash = false;
  return r;
}

}  // namespace

TEST_CASE("the presets have the parameters of the released checkpoints") {
  const auto parameters = [](const char* name) { return stagecut::transformer::parameters(preset(name)); };
  CHECK(parameters("bert-large") == 336'226'108);          // bert-large-uncased as BertForPreTraining
  CHECK(parameters("gpt2-xl") == 1'557'611'200);           // gpt2-xl
  CHECK(parameters("gpt3-175b") == 174'604'259'328);       // not released; the paper says 175.0 B
  CHECK(parameters("llama-2-7b") == 6'738'415'616);        // Llama-2-7b-hf
  CHECK(parameters("llama-2-70b") == 68'976'648'192);      // Llama-2-70b-hf
  CHECK(parameters("llama-3.1-405b") == 405'853'388'800);  // Llama-3.1-405B
  CHECK(parameters("mixtral-8x7b") == 46'702'792'704);     // Mixtral-8x7B-v0.1
}

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
    CHECK(bytes == 2 * stagecut::transformer::parameters(a));
    CHECK(resident == 16 * stagecut::transformer::parameters(a));
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
  CHECK(flops(a, classic(none)) == doctest::Approx(6 * stagecut::transformer::parameters(a) * s).epsilon(0.03));
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
  const double all = stagecut::transformer::parameters(a);
  const double experts = 32. * 8 * 3 * 4096 * 14336;
  const double active = all - experts * 6 / 8;
  CHECK(active == doctest::Approx(12.9e9).epsilon(0.01));  // Jiang et al., 2024: 13 B
  const double embedding = 32000. * 4096;                  // read, not multiplied
  const double core = 3.5 * 32 * 4. * 4096 * 4096 * 4096;
  CHECK(flops(a, {}) == doctest::Approx(6 * (active - embedding) * 4096 + core).epsilon(1e-3));
}

TEST_CASE("a config sets the fields that it names") {
  const auto made = read_transformer_config(config(R"(, "source": "y", "kv_heads": 2, "head_dim": 3, "gated": true, "experts": 4,
      "top_k": 2, "positions": 8, "token_types": 2, "tied": "colocate", "norm": "rmsnorm", "biases": false,
      "qkv_bias": true, "dropout": false, "encoder": true, "training": {"sequence": 8, "microbatch": 3,
      "precision": "fp32", "recomputation": "full", "tensor_parallel": 2, "sequence_parallel": false,
      "data_parallel": 4, "zero": 2, "gradient_bytes": 4, "state_bytes": 0.5, "flash": false, "variants": true})"),
                                "f");
  const auto& a = made.architecture;
  CHECK(a.name == "x");
  CHECK(a.source == "y");
  CHECK(a.layers == 2);
  CHECK(a.hidden == 8);
  CHECK(a.heads == 4);
  CHECK(a.kv_heads == 2);
  CHECK(a.head_dim == 3);
  CHECK(a.ffn == 16);
  CHECK(a.gated);
  CHECK(a.experts == 4);
  CHECK(a.top_k == 2);
  CHECK(a.vocabulary == 10);
  CHECK(a.positions == 8);
  CHECK(a.token_types == 2);
  CHECK(a.tied == stagecut::transformer::tying::colocate);
  CHECK(a.norm == stagecut::transformer::normalization::rmsnorm);
  CHECK_FALSE(a.biases);
  CHECK(a.qkv_bias == true);
  CHECK_FALSE(a.dropout);
  CHECK(a.encoder);
  CHECK(a.sequence == 4);
  const auto& r = made.training;
  CHECK(r.sequence == 8);
  CHECK(r.microbatch == 3);
  CHECK(r.precision == stagecut::transformer::number::fp32);
  CHECK(r.recomputation == stagecut::transformer::recomputing::full);
  CHECK(r.tensor_parallel == 2);
  CHECK(r.sequence_parallel == false);
  CHECK(r.data_parallel == 4);
  CHECK(r.zero == 2);
  CHECK(r.gradient_bytes == 4);
  CHECK(r.state_bytes == 0.5);
  CHECK_FALSE(r.flash);
  CHECK(r.variants);
}

TEST_CASE("what a config leaves out has its default") {
  const auto made = read_transformer_config(config(R"(, "kv_heads": null, "training": {"microbatch": 2})"), "f");
  CHECK(made.architecture.kv_heads == 0);
  CHECK(made.architecture.tied == stagecut::transformer::tying::none);
  CHECK(made.architecture.biases);
  CHECK_FALSE(made.architecture.qkv_bias.has_value());
  CHECK(made.training.microbatch == 2);
  CHECK(made.training.precision == stagecut::transformer::number::bf16);
  CHECK_FALSE(made.training.sequence_parallel.has_value());
  CHECK(made.training.flash);
  CHECK_FALSE(made.training.variants);
  CHECK(made.training.tensor_parallel == 1);
  CHECK(made.training.data_parallel == 1);
  CHECK(made.training.zero == 0);
}

TEST_CASE("a config that is wrong is refused at its place") {
  CHECK(refused("") == "f:1: no JSON: the text ends too early");
  CHECK(refused("[]") == "f#: [] is no object");
  CHECK(refused("{}") == "f#: \"name\" is missing");
  CHECK(refused(R"({"name": "x", "layers": 2})") == "f#: \"hidden\" is missing");
  CHECK(refused_with(R"("name": "y")") == "f#/name: stands twice in its object");
  CHECK(refused_with(R"("kvheads": 2)") == "f#/kvheads: is not known");
  CHECK(refused_with(R"("training": {"zeros": 2})") == "f#/training/zeros: is not known");
  CHECK(refused_with(R"("training": 3)") == "f#/training: 3 is no object");
  CHECK(refused_with(R"("kv_heads": 0)") == "f#/kv_heads: 0 is below 1");
  CHECK(refused_with(R"("kv_heads": 3)") == "f#/kv_heads: kv_heads = 3 does not divide heads = 4");
  CHECK(refused_with(R"("head_dim": 1.5)") == "f#/head_dim: 1.5 is no whole number");
  CHECK(refused_with(R"("head_dim": -1)") == "f#/head_dim: -1 is negative");
  CHECK(refused_with(R"("gated": 1)") == "f#/gated: 1 is neither true nor false");
  CHECK(refused_with(R"("source": 1)") == "f#/source: 1 is no string");
  CHECK(refused_with(R"("tied": "yes")") == "f#/tied: \"yes\" is none of none, replicate, colocate");
  CHECK(refused_with(R"("tied": true)") == "f#/tied: true is no string");
  CHECK(refused_with(R"("top_k": 1)") == "f#/top_k: top_k = 1 is above experts = 0");
  CHECK(refused_with(R"("experts": 8)") == "f#/top_k: 0, but there are experts");
  CHECK(refused_with(R"("positions": 3)") == "f#/sequence: sequence = 4 is above positions = 3");
  CHECK(refused_with(R"("training": {"zero": 4})") == "f#/training/zero: 4 is not from 0 to 3");
  CHECK(refused_with(R"("training": {"precision": "fp8"})") ==
        "f#/training/precision: \"fp8\" is none of bf16, fp16, fp32");
  CHECK(refused_with(R"("positions": 4, "training": {"sequence": 5})") ==
        "f#/training/sequence: sequence = 5 is above positions = 4");
  CHECK(refused_with(R"("training": {"tensor_parallel": 8})") ==
        "f#/training/tensor_parallel: tensor_parallel = 8 does not divide heads = 4");
  CHECK(refused(R"({"name": "", "layers": 2, "hidden": 8, "heads": 4, "ffn": 16, "vocabulary": 10, "sequence": 4})") ==
        "f#/name: is empty");
  CHECK(refused(R"({"name": "x", "layers": 18446744073709551615, "hidden": 8, "heads": 4, "ffn": 16,
                    "vocabulary": 10, "sequence": 4})") == "f#/layers: 18446744073709551615 is not from 1 to 100000");
}
