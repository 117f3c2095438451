// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/transformer_config.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <stagecut/io/file.hpp>
#include <stagecut/profile/parameters.hpp>

namespace {

using stagecut::io::read_transformer_config;

stagecut::transformer::architecture preset(const std::string& name) {
  const std::string path = STAGECUT_TEST_DATA "/../examples/models/" + name + ".json";
  auto made = read_transformer_config(stagecut::io::file_text(path), name).architecture;
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

}  // namespace

TEST_CASE("the presets have the parameters of the released checkpoints") {
  const auto parameters = [](const char* name) { return stagecut::transformer::count_parameters(preset(name)).total; };
  CHECK(parameters("bert-large") == 336'226'108);          // bert-large-uncased as BertForPreTraining
  CHECK(parameters("gpt2-xl") == 1'557'611'200);           // gpt2-xl
  CHECK(parameters("gpt3-175b") == 174'604'259'328);       // not released; the paper says 175.0 B
  CHECK(parameters("llama-2-7b") == 6'738'415'616);        // Llama-2-7b-hf
  CHECK(parameters("llama-2-70b") == 68'976'648'192);      // Llama-2-70b-hf
  CHECK(parameters("llama-3.1-405b") == 405'853'388'800);  // Llama-3.1-405B
  CHECK(parameters("mixtral-8x7b") == 46'702'792'704);     // Mixtral-8x7B-v0.1
}

TEST_CASE("models of state spaces and experts have the parameters of the released checkpoints") {
  const auto parameters = [](const std::string& name) {
    const std::string path = STAGECUT_TEST_DATA "/../bench/published/models/" + name + ".json";
    return stagecut::transformer::count_parameters(
        read_transformer_config(stagecut::io::file_text(path), name).architecture);
  };
  CHECK(parameters("deepseek-v3").total == 671'026'419'200);  // without the layer that predicts a further token
  CHECK(parameters("gpt-oss-120b").total == 116'829'156'672);
  CHECK(parameters("qwen3-30b-a3b").total == 30'532'122'624);
  CHECK(parameters("qwen3-235b-a22b").total == 235'093'634'560);
  CHECK(parameters("llama-3-70b").total == 70'553'706'496);
  CHECK(parameters("llama-3-8b").total == 8'030'261'248);
  CHECK(parameters("nemotron-3-nano").total == 31'577'940'288);
  CHECK(parameters("nemotron-3-nano").further == 0);
  // Further tokens are predicted by one layer of attention and experts, which Lightning runs twice.
  const auto lightning = parameters("nemotron-3.5-lightning");
  CHECK(lightning.total == parameters("nemotron-3-nano").total);
  CHECK(lightning.total + lightning.further / 2 == 32'913'266'240);
  const auto super = parameters("nemotron-3-super");
  CHECK(super.total == 120'668'707'840);
  CHECK(super.total + super.further == 123'611'033'088);
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

// Each figure other than by default, so that one that is not read or not written is seen.
const char* const every_figure = R"(, "source": "y", "kv_heads": 2, "head_dim": 3, "gated": true, "experts": 4,
    "top_k": 2, "expert_ffn": 5, "shared_ffn": 6, "shared_gate": true, "router_bias": true, "positions": 8,
    "token_types": 2, "tied": "colocate", "norm": "rmsnorm", "norms": 4, "parallel": true, "query_norm": "token",
    "sinks": true, "biases": false, "qkv_bias": true, "output_bias": true, "ffn_bias": false, "head_bias": true,
    "dropout": false, "encoder": true, "causal": true, "mtp_layers": 3,
    "expert_hidden": 24, "squared_relu": true, "router_groups": 2, "top_groups": 1, "value_dim": 27,
    "attention_gate": "element", "idle_experts": 28, "embedding_norm": true, "head_dense": true, "pooler": false,
    "query_rank": 29, "output_rank": 30, "output_groups": 2, "streams": 3,
    "recurrence": {"heads": 4, "head_dim": 25, "state": 26, "groups": 2, "convolution": 5, "kind": "kimi_delta", "rank": 6,
      "bias": true, "convolution_bias": false, "norm": false},
    "indexer": {"heads": 31, "head_dim": 32, "top_k": 33},
    "latent": {"query_rank": 7, "kv_rank": 8, "plain_dim": 9, "rotary_dim": 10, "value_dim": 11},
    "forms": [{"window": 12, "mixer": "recurrence", "ffn": 34, "keys_are_values": true, "shares_indexer": true,
      "compression": 35}, {"dense": true}, {"mixer_only": true}, {"layers": 2, "mixer": "none"}],
    "vision": {"layers": 13, "hidden": 14, "heads": 2, "ffn": 15, "gated": true, "biases": false, "norm": "rmsnorm",
      "inputs": 16, "input_bias": true, "positions": 17, "extra_norms": 2, "extra_tokens": 1, "patches": 18, "images": 3,
      "window": 4, "merged": 9, "projector_merges": false, "projector": [19, 20], "projector_bias": false,
      "projector_norm": 21, "projector_norm_kind": "layernorm", "norms": 3, "query_norm": "head", "deepstack": 4,
      "joined": [22]},
    "quantized": "awq", "weights": {"bytes": 0.5, "attention": false, "feed_forward": false, "experts": false, "head": true},
    "training": {"sequence": 8, "microbatch": 3, "precision": "fp8", "recomputation": "selective", "recomputed_share": 0.4,
      "tensor_parallel": 2, "sequence_parallel": false, "context_parallel": 4, "expert_parallel": 2, "data_parallel": 4,
      "zero": 2, "overlap": "ub", "exchange_hidden": false, "gradient_bytes": 4, "state_bytes": 0.5, "flash": false,
      "variants": true, "parameter_bytes": 1,
      "recompute_modules": ["layernorm", "moe_act", "mla_up_proj", "core_attn", "mlp", "moe"], "dispatcher": "deepep",
      "expert_overlap": true, "cuda_graphs": "full", "fused_experts": true, "attention_fp8": true, "head_fp8": true,
      "offload": 0.25, "microbatches": 6})";

TEST_CASE("a config sets the newer fields as well") {
  const auto text = config(every_figure);
  const auto read = read_transformer_config(text, "f");
  const auto& a = read.architecture;
  CHECK(a.expert_ffn == 5);
  CHECK(a.shared_ffn == 6);
  CHECK(a.shared_gate);
  CHECK(a.router_bias);
  CHECK(a.norms == 4);
  CHECK(a.parallel);
  CHECK(a.query_norm == stagecut::transformer::qk_norm::token);
  CHECK(a.sinks);
  CHECK(a.output_bias == true);
  CHECK(a.ffn_bias == false);
  CHECK(a.head_bias);
  CHECK(a.causal == true);
  CHECK(a.mtp_layers == 3);
  CHECK(a.latent == stagecut::transformer::latent_attention{7, 8, 9, 10, 11});
  using enum stagecut::transformer::mixing;
  using stagecut::transformer::layer_form;
  // With those that predict further tokens.
  CHECK(a.forms == std::vector<layer_form>{{12, false, recurrence, false, 0, 0, 0, 34, true, true, 35},
                                           {0, true, attention, false},
                                           {0, false, attention, true},
                                           {0, false, none, false},
                                           {0, false, none, false}});
  using stagecut::transformer::recurrent_kind;
  CHECK(a.recurrence ==
        stagecut::transformer::recurrent_mixer{4, 25, 26, 2, 5, recurrent_kind::kimi_delta, 6, true, false, false});
  CHECK(a.indexer == stagecut::transformer::sparse_indexer{31, 32, 33});
  CHECK(a.value_dim == 27);
  CHECK(a.attention_gate == stagecut::transformer::attention_gating::element);
  CHECK(a.idle_experts == 28);
  CHECK(a.embedding_norm);
  CHECK(a.head_dense);
  CHECK_FALSE(a.pooler);
  CHECK(a.query_rank == 29);
  CHECK(a.output_rank == 30);
  CHECK(a.output_groups == 2);
  CHECK(a.streams == 3);
  CHECK(a.expert_hidden == 24);
  CHECK(a.squared_relu);
  CHECK(a.router_groups == 2);
  CHECK(a.top_groups == 1);
  REQUIRE(a.vision);
  const auto& v = *a.vision;
  CHECK(v.layers == 13);
  CHECK(v.hidden == 14);
  CHECK(v.heads == 2);
  CHECK(v.ffn == 15);
  CHECK(v.gated);
  CHECK_FALSE(v.biases);
  CHECK(v.norm == stagecut::transformer::normalization::rmsnorm);
  CHECK(v.inputs == 16);
  CHECK(v.input_bias);
  CHECK(v.positions == 17);
  CHECK(v.extra_norms == 2);
  CHECK(v.extra_tokens == 1);
  CHECK(v.patches == 18);
  CHECK(v.images == 3);
  CHECK(v.window == 4);
  CHECK(v.merged == 9);
  CHECK_FALSE(v.projector_merges);
  CHECK(v.projector == std::vector<std::size_t>{19, 20});
  CHECK_FALSE(v.projector_bias);
  CHECK(v.projector_norm == 21);
  CHECK(v.projector_norm_kind == stagecut::transformer::normalization::layernorm);
  CHECK(v.norms == 3);
  CHECK(v.query_norm == stagecut::transformer::qk_norm::head);
  CHECK(v.deepstack == 4);
  CHECK(v.joined == std::vector<std::size_t>{22});
  const auto& r = read.training;
  CHECK(r.precision == stagecut::transformer::number::fp8);
  CHECK(r.recomputed_share == 0.4);
  CHECK(r.context_parallel == 4);
  CHECK(r.expert_parallel == 2);
  CHECK(r.overlap == stagecut::transformer::overlapping::ub);
  CHECK_FALSE(r.exchange_hidden);
  CHECK(r.parameter_bytes == 1);
  CHECK(r.recompute_modules == stagecut::transformer::module_set{true, true, true, true, true, true});
  CHECK(r.dispatcher == stagecut::transformer::dispatching::deepep);
  CHECK(r.expert_overlap);
  CHECK(r.cuda_graphs == stagecut::transformer::graphing::full);
  CHECK(r.fused_experts);
  CHECK(r.attention_fp8);
  CHECK(r.head_fp8);
  CHECK(r.offload == 0.25);
  CHECK(r.microbatches == 6);
}

TEST_CASE("a config that is written is read back equal") {
  const auto again = [](const stagecut::io::transformer_config& each) {
    const auto text = stagecut::io::as_json(each);
    CHECK(read_transformer_config(text, "f") == each);
    return text;
  };
  CHECK(again(read_transformer_config(config(""), "f")) == R"({
  "name": "x",
  "layers": 2,
  "hidden": 8,
  "heads": 4,
  "ffn": 16,
  "vocabulary": 10,
  "sequence": 4
})");
  const auto full = again(read_transformer_config(config(every_figure), "f"));
  // All that differs from the default is written: the text has as many members as the one that it was read from.
  const auto count = [](const std::string& text) { return std::count(text.begin(), text.end(), ':'); };
  CHECK(count(full) == count(config(every_figure)) + 3);  // each form says how many layers have it
  for (const char* const folder :
       {"/../examples/models", "/../bench/published/models", "/io/seeds/hugging_face_config"}) {
    for (const auto& file : std::filesystem::directory_iterator(STAGECUT_TEST_DATA + std::string(folder))) {
      if (file.path().extension() != ".json") continue;
      CAPTURE(file.path());
      (void)again(read_transformer_config(stagecut::io::file_text(file.path().string()), "f"));
    }
  }
}

TEST_CASE("published quantizations say the bytes of weights, and what is left as it is") {
  const auto weights = [](const std::string& quantization) {
    return read_transformer_config(
               R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 4, "num_attention_heads": 4,
        "intermediate_size": 16, "vocab_size": 10, "quantization_config": )" +
                   quantization + "}",
               "f")
        .weights;
  };
  const auto bytes = [&](const std::string& quantization) { return weights(quantization).bytes; };
  CHECK(bytes(R"({"quant_method": "awq", "bits": 4, "group_size": 128})") == 0.51953125);
  CHECK(bytes(R"({"quant_method": "gptq", "bits": 8, "group_size": -1})") == 1);
  CHECK(bytes(R"({"quant_method": "fp8"})") == 1);
  CHECK(bytes(R"({"quant_method": "fp8", "weight_block_size": [128, 128]})") == 1 + 4. / 16384);
  CHECK(bytes(R"({"quant_method": "mxfp4"})") == 0.53125);
  CHECK(bytes(R"({"quant_method": "bitsandbytes", "load_in_4bit": true})") == 0.5625);
  CHECK(bytes(R"({"quant_method": "bitsandbytes", "bnb_4bit_use_double_quant": true})") == doctest::Approx(0.515869));
  CHECK(bytes(R"({"quant_method": "bitsandbytes", "load_in_8bit": true})") == 1);
  CHECK(bytes(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})") == 0.5625);
  CHECK(bytes(R"({"quant_method": "modelopt", "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "float",
      "group_size": 16}}}})") == 0.5625);
  CHECK(
      bytes(
          R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int",
      "group_size": 32}}}})") == 0.5 + 2.5 / 32);
  CHECK(bytes(R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8, "type":
      "float"}}}})") == 1);
  CHECK(bytes(R"({"quant_method": "nobodys"})") == 0);
  CHECK(bytes("3") == 0);
  const auto left =
      weights(R"({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"]})");
  CHECK_FALSE(left.attention);
  CHECK(left.feed_forward);
  CHECK(left.experts);
  CHECK_FALSE(left.head);
  CHECK(weights(R"({"quant_method": "fp8", "ignore": ["model.layers.0.self_attn", "model.layers.1.self_attn"]})")
            .attention);
  CHECK_FALSE(weights(R"({"quant_method": "fp8", "ignore": ["model.layers.0.self_attn", "model.layers.1.self_attn",
      "model.layers.2.self_attn.q_proj"]})")
                  .attention);
  // What published files list: norms within attention do not leave it out, nor do those of towers.
  const auto fp8 = [&](const std::string& names) {
    return weights(R"({"quant_method": "fp8", "ignore": [)" + names + "]}");
  };
  CHECK(fp8(R"("lm_head", "model.layers.0.post_attention_layernorm", "model.layers.1.post_attention_layernorm",
      "model.layers.2.post_attention_layernorm", "model.layers.3.mlp.gate")") ==
        stagecut::transformer::stored_weights{.bytes = 1});
  CHECK(fp8(R"("model.layers.0.self_attn.q_a_layernorm", "model.layers.1.self_attn.indexer.k_norm",
      "model.layers.2.self_attn.kv_a_layernorm", "model.visual.blocks.0.attn", "re:.*vision_tower.*")")
            .attention);
  const auto kimi = fp8(R"("lm_head", "re:.*self_attn.*", "re:.*shared_experts.*")");
  CHECK_FALSE(kimi.attention);
  CHECK_FALSE(kimi.feed_forward);
  CHECK(kimi.experts);
  CHECK_FALSE(
      fp8(R"("model.language_model.layers.0.mlp*", "model.layers.1.mlp*", "model.layers.2.mlp*")").feed_forward);
  CHECK(bytes(R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION"})") == 0);
  CHECK(read_transformer_config(config(R"(, "weights": {"bytes": 0.5, "attention": false, "head": true})"), "f")
            .weights == stagecut::transformer::stored_weights{.bytes = 0.5, .attention = false, .head = true});
  CHECK(refused(config(R"(, "weights": {"bytes": 17})")) == "f#/weights/bytes: is not from 0 to 16");
}

TEST_CASE("forms are said in order and from the start again") {
  const auto forms = [](const std::string& layers, const std::string& said) {
    return read_transformer_config(R"({"name": "x", "hidden": 8, "heads": 4, "ffn": 16, "vocabulary": 10, "sequence": 4,
        "layers": )" + layers + R"(, "forms": )" +
                                       said + "}",
                                   "f");
  };
  const auto all = forms("8", R"([{"layers": 2, "window": 3}, {}])").architecture.forms;
  std::string shown;
  for (const auto& each : all) shown += std::to_string(each.window);
  CHECK(shown == "33033033");
  CHECK(stagecut::io::as_json(forms("8", R"([{"layers": 2, "window": 3}, {}])")).ends_with(R"("forms": [
    {
      "layers": 2,
      "window": 3
    },
    {
      "layers": 1
    }
  ]
})"));
  CHECK(forms("3", R"([{"dense": true}, {"layers": 2}])").architecture.forms[0].dense);
  const auto refusal = [&](const std::string& layers, const std::string& said) -> std::string {
    try {
      (void)forms(layers, said);
    } catch (const stagecut::invalid_input& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal("3", "[]") == "f#/forms: is empty");
  CHECK(refusal("3", "{}") == "f#/forms: {} is no array");
  CHECK(refusal("3", R"([{"layers": 4}])") == "f#/forms: of 4 layers, and there are 3");
  CHECK(refusal("3", R"([{"layers": 0}])") == "f#/forms/0/layers: 0 is below 1");
  CHECK(refusal("3", R"([{"layers": 99999}, {"layers": 2}])") == "f#/forms/1: more than 100000 layers");
  CHECK(refusal("3", R"([{"width": 4}])") == "f#/forms/0/width: is not known");
  CHECK(refusal("3", R"([{"window": 9999999999}])") == "f#/forms/0/window: 9999999999 is above 2147483648");
  CHECK(refusal("100001", "[{}]") == "f#/layers: 100001 is not from 1 to 100000");
}

TEST_CASE("what could not be read back is not written") {
  auto each = read_transformer_config(config(""), "f");
  const auto refusal = [&]() -> std::string {
    try {
      (void)stagecut::io::as_json(each);
    } catch (const stagecut::argument_error& error) {
      return error.what();
    }
    return "";
  };
  each.architecture.heads = 3;
  CHECK(refusal() ==
        "stagecut::io::as_json: heads = heads = 3 does not divide hidden = 8, and no head_dim, must be what "
        "check accepts");
  each.architecture.heads = 4;
  each.architecture.name = "";
  CHECK(refusal() == "stagecut::io::as_json: name = \"\", must not be empty");
  each.architecture.name = "\xff";
  CHECK(refusal() == "stagecut::io::as_json: config#/name = \"\\xff\", must be UTF-8");
}

TEST_CASE("files with names of Hugging Face's are read as such") {
  const std::string figures = R"("hidden_size": 8, "num_hidden_layers": 6, "num_attention_heads": 4,
      "intermediate_size": 16, "vocab_size": 10})";
  CHECK(read_transformer_config(R"({"model_type": "gemma2", "num_key_value_heads": 2, "head_dim": 2, )" + figures, "f")
            .architecture.norms == 4);
  CHECK(read_transformer_config("{" + figures, "f").architecture.name == "f");
  CHECK(read_transformer_config(R"({"model_type": "new", )" + figures, "f", {}, "llama").architecture.layers == 6);
  CHECK(refused(R"({"architectures": []})").starts_with("f: \"model_type\" is missing; the nearest "));
  CHECK(refused(R"({"hidden_size": 8})").ends_with("are missing, which a file of plain names needs"));
}

TEST_CASE("how weights are quantized is told, and written") {
  const auto method = [](const std::string& more) {
    const auto read = read_transformer_config(
        R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 8, "num_attention_heads": 2, "vocab_size": 3,
            "intermediate_size": 16)" + more + "}", "f");
    CHECK(read_transformer_config(stagecut::io::as_json(read), "g") == read);
    return read.quantized;
  };
  CHECK(method("").empty());
  CHECK(method(R"(, "quantization_config": null)").empty());
  CHECK(method(R"(, "quantization_config": {"quant_method": "fp8", "fmt": "e4m3"})") == "fp8");
  CHECK(method(R"(, "quantization_config": {"bits": 4})") == "some method");
  CHECK(method(R"(, "compression_config": {"quant_method": "compressed-tensors"})") == "compressed-tensors");
  CHECK(method(R"(, "text_config": {"quantization_config": {"quant_method": "mxfp4"}})") == "mxfp4");
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
  CHECK(refused("[]") == "f: [] is no object");
  for (const char* const other :
       {"{}", R"({"bos_token_id": 1, "eos_token_id": 2})", R"({"metadata": {}, "weight_map": {}})"}) {
    CHECK(refused(other).starts_with("f: is no model's configuration: it has neither members of Hugging Face's"));
  }
  CHECK(refused(R"({"layers": 2})") == "f: \"name\" is missing");
  CHECK(refused(R"({"name": "x", "layers": 2})") == "f: \"hidden\" is missing");
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
  CHECK(refused_with(R"("training": {"precision": "fp4"})") ==
        "f#/training/precision: \"fp4\" is none of bf16, fp16, fp32, fp8, mxfp8, nvfp4");
  CHECK(refused_with(R"("positions": 4, "training": {"sequence": 5})") ==
        "f#/training/sequence: sequence = 5 is above positions = 4");
  CHECK(refused_with(R"("training": {"tensor_parallel": 8})") ==
        "f#/training/tensor_parallel: tensor_parallel = 8 does not divide heads = 4");
  CHECK(refused_with(R"("training": {"cuda_graphs": "some"})") ==
        "f#/training/cuda_graphs: \"some\" is none of none, scoped, full");
  CHECK(refused_with(R"("training": {"dispatcher": "nccl"})") ==
        "f#/training/dispatcher: \"nccl\" is none of alltoall, deepep, hybridep");
  CHECK(refused_with(R"("training": {"recompute_modules": "mlp"})") ==
        "f#/training/recompute_modules: \"mlp\" is no array");
  CHECK(
      refused_with(R"("training": {"recompute_modules": ["mlp", "attention"]})") ==
      "f#/training/recompute_modules/1: \"attention\" is none of layernorm, moe_act, mla_up_proj, core_attn, mlp, moe");
  CHECK(refused_with(R"("training": {"recompute_modules": ["mla_up_proj"]})") ==
        "f#/training/recompute_modules: has mla_up_proj, but the model has no latent attention");
  CHECK(refused_with(R"("training": {"attention_fp8": true})") ==
        "f#/training/attention_fp8: is set, but the precision is not of 8 or 4 bits");
  CHECK(refused_with(R"("training": {"microbatches": 0})") == "f#/training/microbatches: 0 is below 1");
  CHECK(refused_with(R"("training": {"offload": 1.5})") == "f#/training/offload: 1.500000 is not from 0 to 1");
  CHECK(refused_with(R"("mamba": {"heads": 4, "head_dim": 2})") ==
        "f#/recurrence/state: 0 is not from 1 to 2147483648");
  CHECK(refused_with(R"("mamba": {"heads": 4, "head_dim": 2, "state": 3, "groups": 3})") ==
        "f#/recurrence/groups: groups = 3 does not divide heads = 4");
  CHECK(refused_with(R"("forms": [{"mixer": "mamba"}])") ==
        R"(f#/forms: layer 0 is recurrent, and the figures of "recurrence" are missing)");
  CHECK(refused_with(R"("forms": [{"mixer": "none", "mixer_only": true}])") ==
        "f#/forms: layer 0 has neither a mixer nor a feed-forward part");
  CHECK(refused_with(R"("forms": [{"mixer": "lstm"}])") ==
        "f#/forms/0/mixer: \"lstm\" is none of attention, recurrence, none, both, mamba");
  CHECK(refused_with(R"("latent": {"kv_rank": 3})") == "f#/latent: \"plain_dim\" is missing");
  CHECK(refused_with(R"("latent": {"rank": 3})") == "f#/latent/rank: is not known");
  CHECK(refused_with(R"("vision": {"layers": 3})") == "f#/vision: \"hidden\" is missing");
  CHECK(refused_with(R"("vision": {"layers": 1, "hidden": 8, "heads": 3, "ffn": 1, "inputs": 1, "patches": 1})") ==
        "f#/vision/heads: heads = 3 does not divide hidden = 8");
  CHECK(refused_with(R"("vision": {"layers": 1, "hidden": 8, "heads": 2, "ffn": 1, "inputs": 1, "patches": 1,
      "projector": [0]})") == "f#/vision/projector/0: 0 is below 1");
  CHECK(refused_with(R"("training": {"overlap": "all"})") == "f#/training/overlap: \"all\" is none of recipe, none, bwd, ub");
  CHECK(refused_with(R"("training": {"expert_parallel": 2})") ==
        "f#/training/expert_parallel: is above 1, but there are no experts");
  CHECK(refused(R"({"name": "", "layers": 2, "hidden": 8, "heads": 4, "ffn": 16, "vocabulary": 10, "sequence": 4})") ==
        "f#/name: is empty");
  CHECK(refused(R"({"name": "x", "layers": 18446744073709551615, "hidden": 8, "heads": 4, "ffn": 16,
                    "vocabulary": 10, "sequence": 4})") == "f#/layers: 18446744073709551615 is not from 1 to 100000");
}
