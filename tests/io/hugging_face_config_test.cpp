// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/hugging_face_config.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <stagecut/io/file.hpp>
#include <stagecut/io/json/parse_json.hpp>
#include <stagecut/profile/parameters.hpp>

#include "workload_files.hpp"

namespace {

using stagecut::io::read_hugging_face_config;
using stagecut::transformer::architecture;
using stagecut::transformer::count_parameters;

const std::string folder = STAGECUT_TEST_DATA "/io/seeds/hugging_face_config/";

architecture published(const std::string& name) {
  return read_hugging_face_config(stagecut::io::file_text(folder + name + ".json"), name);
}

struct total {
  const char* name;
  double parameters;
};

std::string refused(const std::string& text, const std::string& as_family = "") {
  try {
    (void)read_hugging_face_config(text, "f", as_family);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

// A file of a family with all that it needs, and more members.
std::string config(const std::string& family, const std::string& more = "") {
  return R"({"model_type": ")" + family + R"(", "hidden_size": 8, "num_hidden_layers": 6, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 2, "intermediate_size": 16, "vocab_size": 10)" +
         more + "}";
}

architecture made(const std::string& family, const std::string& more = "") {
  return read_hugging_face_config(config(family, more), "f");
}

std::vector<std::size_t> windows(const architecture& a) {
  std::vector<std::size_t> all;
  for (const auto& form : a.forms) all.push_back(form.window);
  return all;
}

std::string dense(const architecture& a) {
  std::string all;
  for (const auto& form : a.forms) all += form.dense ? 'd' : 'e';
  return all;
}

using list = std::vector<std::size_t>;

const std::string experts = R"(, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 3)";
const std::string latent = R"(, "kv_lora_rank": 4, "qk_nope_head_dim": 2, "qk_rope_head_dim": 1, "v_head_dim": 2,
    "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 3)";
const std::string llama4 = R"(, "num_local_experts": 2, "num_experts_per_tok": 1, "intermediate_size_mlp": 32)";

}  // namespace

// The counts are those of the published checkpoints (safetensors), where no other source is named.
TEST_CASE("configs as they are published have the parameters of their checkpoints") {
  for (const auto& [name, parameters] :
       {total{"llama-2-7b", 6'738'415'616},
        {"llama-2-13b", 13'015'864'320},
        {"llama-2-70b", 68'976'648'192},
        {"llama-3.1-8b", 8'030'261'248},
        {"llama-3.1-70b", 70'553'706'496},
        {"llama-3.1-405b", 405'853'388'800},
        {"mistral-7b-v0.1", 7'241'732'096},
        {"mistral-7b-v0.3", 7'248'023'552},
        {"mixtral-8x7b", 46'702'792'704},
        {"mixtral-8x22b", 140'630'071'296},
        {"qwen1.5-moe-a2.7b", 14'315'784'192},
        {"qwen2.5-0.5b", 494'032'768},
        {"qwen2.5-72b", 72'706'203'648},
        {"qwen3-8b", 8'190'735'360},
        {"qwen3-30b-a3b", 30'532'122'624},
        {"qwen3-235b-a22b", 235'093'634'560},
        {"gemma-7b", 8'537'680'896},
        {"gemma-2-9b", 9'241'705'984},
        {"gemma-2-27b", 27'227'128'320},
        {"gemma-3-27b-text", 27'009'346'304},
        {"deepseek-v2-lite", 15'706'484'224},
        {"deepseek-v2", 235'741'434'880},
        {"deepseek-v3", 671'026'419'200},
        {"kimi-k2", 1'026'408'232'448},
        {"gpt2-xl", 1'557'611'200},   // the test of its repository
        {"bert-large", 336'226'108},  // with the heads of pre-training
        {"phi-2", 2'779'683'840},
        {"phi-3-mini", 3'821'079'552},
        {"phi-3-medium", 13'960'238'080},
        {"phi-4", 14'659'507'200},
        {"command-r", 34'980'831'232},
        {"command-r-08-2024", 32'296'476'672},
        {"command-r-plus", 103'810'674'688},  // 104 B; this is what its matrices add up to
        {"command-r7b", 8'028'033'024},
        {"gpt-oss-20b", 20'914'757'184},
        {"gpt-oss-120b", 116'829'156'672}}) {
    CAPTURE(name);
    const auto counted = count_parameters(published(name));
    CHECK(counted.total == parameters);
    CHECK(counted.vision == 0);
  }
}

TEST_CASE("so do those of images and text") {
  for (const auto& [name, parameters] : {total{"llava-1.5-7b", 7'063'427'072},
                                         {"qwen2-vl-7b", 8'291'375'616},
                                         {"qwen2.5-vl-7b", 8'292'166'656},
                                         {"gemma-3-4b-it", 4'300'079'472},
                                         {"gemma-3-27b-it", 27'432'406'640},
                                         {"mistral-small-3.1-24b", 24'011'361'280},
                                         {"llama-4-scout", 108'641'793'536},
                                         {"llama-4-maverick", 401'583'781'376}}) {
    CAPTURE(name);
    const architecture a = published(name);
    REQUIRE(a.vision);
    CHECK(count_parameters(a).total == parameters);
    architecture text = a;
    text.vision.reset();
    CHECK(count_parameters(text).total == parameters - count_parameters(a).vision);
  }
  architecture text = published("gemma-3-27b-it");
  text.vision.reset();
  CHECK(count_parameters(text).total == 27'009'346'304);  // of the model of text alone
}

TEST_CASE("layers that guess further tokens are counted apart") {
  CHECK(count_parameters(published("deepseek-v3")).further == 11'610'068'224);
  CHECK(count_parameters(published("kimi-k2")).further == 0);
  // GLM-4.5's checkpoints hold an embedding and a head for that layer again.
  const auto glm = count_parameters(published("glm-4.5"));
  CHECK(glm.total == 352'797'829'024);
  CHECK(glm.total + glm.further + 2. * 151552 * 5120 == 358'337'791'296);
  const auto air = count_parameters(published("glm-4.5-air"));
  CHECK(air.total + air.further + 2. * 151552 * 4096 == 110'468'824'832);
}

TEST_CASE("a token meets as many parameters as the authors say") {
  const auto active = [](const char* name) { return count_parameters(published(name)).active / 1e9; };
  const auto digits = [](double value, double of) { return std::round(value / of) * of; };
  const double embedding = 201088. * 2880 / 1e9;  // the model card of gpt-oss leaves it out, and not the head
  CHECK(active("gpt-oss-20b") - embedding == doctest::Approx(3.61).epsilon(0.0015));
  CHECK(active("gpt-oss-120b") - embedding == doctest::Approx(5.13).epsilon(0.001));
  CHECK(digits(active("mixtral-8x7b"), 0.1) == doctest::Approx(12.9));   // Jiang et al., 2024: 13 B
  CHECK(digits(active("mixtral-8x22b"), 1) == 39);                       // 39 B
  CHECK(digits(active("deepseek-v2"), 1) == 21);                         // 21 B
  CHECK(digits(active("deepseek-v3") - 129280. * 7168 / 1e9, 1) == 37);  // 37 B
  CHECK(digits(active("qwen3-235b-a22b"), 1) == 22);                     // 22 B
  CHECK(digits(active("qwen1.5-moe-a2.7b"), 0.1) == doctest::Approx(2.7));
}

TEST_CASE("real files of plain names have their published totals") {
  const auto files = workload_files({"configs"}, ".json");
  for (const std::string& file : files) {
    CAPTURE(file);
    const std::string text = stagecut::io::file_text(file);
    const auto figures = stagecut::io::parse_json(text, file);
    const architecture a = read_hugging_face_config(text, file);
    CHECK(a.name == figures.at("name").get<std::string>());
    CHECK(count_parameters(a).total == figures.at("published_total").get<double>());
    CHECK(read_hugging_face_config(text, file, "plain") == a);
  }
  if (!files.empty()) CHECK(files.size() >= 22);
}

TEST_CASE("a file says what layers look like") {
  const architecture llama = published("llama-2-7b");
  CHECK(llama.name == "meta-llama/Llama-2-7b-hf");
  CHECK(llama.source == "config.json, read as llama");
  CHECK(llama.gated);
  CHECK(llama.norm == stagecut::transformer::normalization::rmsnorm);
  CHECK_FALSE(llama.biases);
  CHECK_FALSE(llama.dropout);
  CHECK(llama.forms.empty());
  CHECK(llama.tied == stagecut::transformer::tying::none);
  const architecture gpt = published("gpt2-xl");
  CHECK(gpt.dropout);
  CHECK(gpt.positions == 1024);
  CHECK(gpt.tied == stagecut::transformer::tying::replicate);
  CHECK(gpt.ffn == 6400);
  const architecture command = published("command-r");
  CHECK(command.parallel);
  CHECK(command.norms == 1);
  const architecture oss = published("gpt-oss-20b");
  CHECK(oss.sinks);
  CHECK(oss.qkv_bias == true);
  CHECK(oss.router_bias);
  CHECK(published("deepseek-v2-lite").latent->query_rank == 0);
  CHECK_FALSE(published("deepseek-v2").router_bias);
  CHECK(published("deepseek-v3").router_bias);
  CHECK(published("qwen3-8b").query_norm == stagecut::transformer::qk_norm::head);
  CHECK(published("command-r-plus").query_norm == stagecut::transformer::qk_norm::token);
  CHECK(published("qwen1.5-moe-a2.7b").shared_gate);
}

TEST_CASE("a model has the name in its file, or that of the file's folder or cache") {
  const auto name = [](const char* source, const char* more = "") {
    return read_hugging_face_config(config("llama", more), source).name;
  };
  CHECK(name("config.json", R"(, "_name_or_path": "meta-llama/Llama-2-7b-hf")") == "meta-llama/Llama-2-7b-hf");
  CHECK(name("models/llama-3.1-70b/config.json") == "llama-3.1-70b");
  CHECK(name("models/llama-3.1-70b.json") == "llama-3.1-70b");
  CHECK(name("/hub/models--meta-llama--Llama-3.1-8B/snapshots/0e9e39f2/config.json") == "meta-llama/Llama-3.1-8B");
  CHECK(name("config.json") == "llama");
  CHECK(name("./config.json") == "llama");
  CHECK(name("-") == "llama");
  CHECK(name("models/\xff.json") == "llama");
}

TEST_CASE("what a file leaves out has the default of its class") {
  CHECK(read_hugging_face_config(R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 1,
      "num_attention_heads": 4, "intermediate_size": 16, "vocab_size": 10})",
                                 "f")
            .kv_heads == 0);
  CHECK(made("llama").sequence == 2048);
  CHECK(made("llama", R"(, "tie_word_embeddings": true)").tied == stagecut::transformer::tying::replicate);
  CHECK(made("gemma2").tied == stagecut::transformer::tying::replicate);
  CHECK(made("cohere").tied == stagecut::transformer::tying::replicate);
  CHECK(made("gemma2", R"(, "tie_word_embeddings": false)").tied == stagecut::transformer::tying::none);
  CHECK(made("qwen2").qkv_bias == true);
  CHECK_FALSE(made("qwen2").output_bias.has_value());
  CHECK(made("llama", R"(, "attention_bias": true)").output_bias == true);
  CHECK(made("llama", R"(, "mlp_bias": true)").ffn_bias == true);
  CHECK(made("gpt2").dropout);
  CHECK_FALSE(made("gpt2", R"(, "attn_pdrop": 0.0, "resid_pdrop": 0.0, "embd_pdrop": 0.0)").dropout);
  CHECK(made("llama", R"(, "attention_dropout": 0.1)").dropout);
  // Objects within others are written as what differs from the defaults of their class.
  const architecture llava = published("llava-1.5-7b");
  CHECK(llava.layers == 32);
  CHECK(llava.hidden == 4096);
  CHECK(llava.ffn == 11008);
  const architecture gemma = published("gemma-3-4b-it");
  CHECK(gemma.heads == 8);
  CHECK(gemma.kv_heads == 4);
  CHECK(gemma.head_dim == 256);
  CHECK(gemma.vocabulary == 262208);
  CHECK(gemma.tied == stagecut::transformer::tying::replicate);
}

TEST_CASE("the sequence is the published one, but at most 8192") {
  CHECK(made("llama", R"(, "max_position_embeddings": 4096)").sequence == 4096);
  CHECK(made("llama", R"(, "max_position_embeddings": 131072)").sequence == 8192);
  CHECK(published("llama-4-scout").sequence == 8192);
  CHECK(published("gpt2-xl").sequence == 1024);
  CHECK(published("bert-large").sequence == 512);
}

TEST_CASE("layers have the windows that a file or its class says") {
  CHECK(windows(made("mistral")) == list(6, 4096));
  CHECK(windows(made("mistral", R"(, "sliding_window": null)")).empty());
  CHECK(windows(made("mixtral", experts)).empty());
  CHECK(windows(made("phi3", R"(, "sliding_window": 2047)")) == list(6, 2047));
  CHECK(windows(made("qwen2", R"(, "sliding_window": 7, "max_window_layers": 4)")).empty());
  CHECK(windows(made("qwen2", R"(, "use_sliding_window": true, "sliding_window": 7, "max_window_layers": 4)")) ==
        list{0, 0, 0, 0, 7, 7});
  CHECK(windows(made("qwen2", R"(, "use_sliding_window": true, "sliding_window": 7, "max_window_layers": 9)")).empty());
  CHECK(windows(made("gemma2", R"(, "sliding_window": 7)")) == list{7, 0, 7, 0, 7, 0});
  CHECK(windows(made("gemma3_text", R"(, "sliding_window": 7)")) == list{7, 7, 7, 7, 7, 0});
  CHECK(windows(made("gemma3_text", R"(, "sliding_window": 7, "sliding_window_pattern": 3)")) ==
        list{7, 7, 0, 7, 7, 0});
  CHECK(windows(made("gemma3_text", R"(, "sliding_window": 7, "layer_types": ["full_attention", "sliding_attention",
      "full_attention", "full_attention", "full_attention", "full_attention"])")) == list{0, 7, 0, 0, 0, 0});
  CHECK(windows(made("cohere2")) == list{4096, 4096, 4096, 0, 4096, 4096});
  CHECK(windows(made("gpt_oss", experts)) == list{128, 0, 128, 0, 128, 0});
  CHECK(windows(made("llama4_text", llama4)) == list{8192, 8192, 8192, 0, 8192, 8192});
  CHECK(windows(made("llama4_text", llama4 + R"(, "attention_chunk_size": 5, "no_rope_layers": [1, 0, 1, 0, 1, 1])")) ==
        list{5, 0, 5, 0, 5, 5});
  CHECK(windows(made("llama4_text", llama4 + R"(, "attention_chunk_size": null)")).empty());
}

TEST_CASE("some layers have experts, others not") {
  CHECK(made("qwen3_moe", experts).forms.empty());
  CHECK(dense(made("qwen3_moe", experts + R"(, "decoder_sparse_step": 2)")) == "dedede");
  CHECK(dense(made("qwen3_moe", experts + R"(, "mlp_only_layers": [0, 5])")) == "deeeed");
  CHECK(made("qwen3_moe", experts).expert_ffn == 3);
  CHECK(made("qwen2_moe", experts + R"(, "shared_expert_intermediate_size": 5)").shared_ffn == 5);
  CHECK(dense(made("deepseek_v3", latent + R"(, "first_k_dense_replace": 2)")) == "ddeeee");
  CHECK(dense(made("deepseek_v3", latent + R"(, "first_k_dense_replace": 1, "moe_layer_freq": 2)")) == "ddeded");
  CHECK(made("deepseek_v3", latent + R"(, "n_shared_experts": 2)").shared_ffn == 6);
  CHECK(made("deepseek_v2", latent).latent->query_rank == 1536);
  CHECK(made("deepseek_v2", latent + R"(, "q_lora_rank": null)").latent->query_rank == 0);
  CHECK(made("deepseek_v2", latent + R"(, "topk_method": "noaux_tc")").router_bias);
  CHECK(dense(made("llama4_text", llama4 + R"(, "interleave_moe_layer_step": 2)")) == "dedede");
  CHECK(dense(made("llama4_text", llama4 + R"(, "moe_layers": [1])")) == "dedddd");
  CHECK(made("llama4_text", llama4).ffn == 32);
  CHECK(made("llama4_text", llama4).shared_ffn == 16);
}

TEST_CASE("plain names say all they mean") {
  const architecture a =
      read_hugging_face_config(R"({"hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 4,
      "intermediate_size": 16, "vocab_size": 10, "note": "x", "gated": false, "norm": "layernorm", "norms_per_layer": 1,
      "qk_norm": true, "attention_sinks": true, "qkv_bias": true, "o_bias": true, "mlp_bias": true,
      "tie_word_embeddings": true, "learned_positions": 64, "sliding_window": 5, "num_experts": 4,
      "num_experts_per_tok": 2, "moe_intermediate_size": 6, "shared_intermediate_size": 7, "shared_gate": true,
      "router_bias": true, "first_k_dense": 1, "num_nextn_predict_layers": 1, "dropout": true})",
                               "f");
  CHECK(a.name == "f");  // the file
  CHECK_FALSE(a.gated);
  CHECK(a.norm == stagecut::transformer::normalization::layernorm);
  CHECK(a.parallel);
  CHECK(a.query_norm == stagecut::transformer::qk_norm::head);
  CHECK(a.sinks);
  CHECK(a.qkv_bias == true);
  CHECK(a.output_bias == true);
  CHECK(a.ffn_bias == true);
  CHECK(a.tied == stagecut::transformer::tying::replicate);
  CHECK(a.positions == 64);
  CHECK(a.sequence == 64);
  CHECK(a.expert_ffn == 6);
  CHECK(a.shared_ffn == 7);
  CHECK(a.shared_gate);
  CHECK(a.router_bias);
  CHECK(a.mtp_layers == 1);
  CHECK(a.dropout);
  CHECK(windows(a) == list{5, 5, 5});
  CHECK(dense(a) == "dee");
  CHECK(refused(R"({"hidden_size": 8, "num_experts": 2})") ==
        R"(f: "num_hidden_layers", "num_attention_heads", "intermediate_size", "num_experts_per_tok", "vocab_size" )"
        "are missing, which a file of plain names needs");
}

TEST_CASE("a file of plain names has no other ones, unless it is said to be plain") {
  const std::string figures = R"({"hidden_size": 8, "num_hidden_layers": 6, "num_attention_heads": 4,
      "intermediate_size": 16, "vocab_size": 10, "note": "made up")";
  const std::string problem =
      ": is no plain name, or belongs to a part that is not there; --as, in C++ as_family, gives";
  for (const std::string name : {"num_expertss", "layer_type", "rms_norm_eps", "num_experts_per_tok", "q_lora_rank",
                                 "first_k_dense", "tie_word_embedding"}) {
    const std::string text = figures + ", \"" + name + "\": 1}";
    CHECK(refused(text).starts_with("f#/" + name + problem));
    CHECK(read_hugging_face_config(text, "f", "plain") == read_hugging_face_config(figures + "}", "f"));
  }
  // What is said not to be there, and remarks, do no harm.
  for (const std::string more :
       {R"("router_bias": false)", R"("first_k_dense": 0)", R"("q_lora_rank": null)", R"("_comment": 3)",
        R"("num_experts": 0, "num_experts_per_tok": 0)", R"("license": "none")", R"("$schema": "x")"}) {
    CHECK(read_hugging_face_config(figures + ", " + more + "}", "f") == read_hugging_face_config(figures + "}", "f"));
  }
  CHECK(refused(figures + R"(, "num_experts": 0, "num_experts_per_tok": 2})")
            .starts_with("f#/num_experts_per_tok" + problem));
}

TEST_CASE("experts by whatever name are refused of a family without them") {
  for (const std::string name : {"moe_num_experts", "n_experts", "num_moe_experts", "moe_topk"}) {
    for (const char* const family : {"llama", "plain"}) {
      CHECK(refused(config("new", ", \"" + name + "\": 4"), family) ==
            "f#/" + name + ": read as " + family + " a model has no experts");
    }
    CHECK(read_hugging_face_config(config("new", ", \"" + name + "\": 1"), "f", "llama").experts == 0);
    CHECK(read_hugging_face_config(config("new", ", \"" + name + "\": null"), "f", "llama").experts == 0);
  }
  CHECK(refused(config("new", R"(, "ffn_config": {"moe_num_experts": 16})"), "llama") ==
        "f#/ffn_config/moe_num_experts: read as llama a model has no experts");
}

TEST_CASE("the text of a known model of images can be read alone") {
  const std::string text = R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 64,
      "intermediate_size": 128, "num_hidden_layers": 2}, "vision_config": {}})";
  const auto alone = read_hugging_face_config(text, "f", "gemma3_text");
  CHECK_FALSE(alone.vision.has_value());
  CHECK(alone.heads == 8);
  CHECK(alone.vocabulary == 262208);
  CHECK(refused(text, "llama").find("are missing, which llama needs") != std::string::npos);
}

TEST_CASE("a file of no known family is refused with the nearest, and what is in the way") {
  const std::string text = config("new", R"(, "size_of_all": 16, "rms_norm_eps": 1e-6, "attention_bias": true)");
  CHECK(refused(text) ==
        R"(f#/model_type: "new" is no family that is known; the nearest that is known is llama, which does not know )"
        "size_of_all; --as llama, in C++ as_family, reads it so unless its members contradict that");
  CHECK(read_hugging_face_config(text, "f", "llama").layers == 6);
  CHECK(read_hugging_face_config(text, "f", "gemma2").norms == 4);
  CHECK(refused(config("new", latent))
            .find("the nearest that is known is deepseek_v2, which does not know num_key_value_heads, head_dim;") !=
        std::string::npos);
  CHECK(refused(config("new", R"(, "a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "x": 9, "y": "x")"))
            .find("which does not know a, b, c, d, e, f, g, h and 2 more;") != std::string::npos);
  CHECK(refused(R"({"architectures": ["X"], "hidden_size": 8})")
            .starts_with("f: \"model_type\" is missing; the nearest "));
  CHECK(refused(R"({"model_type": "plain"})").starts_with("f#/model_type: \"plain\" is no family"));
  // A model of text within another that is not known.
  const std::string inner = R"({"model_type": "new_vl", "llm_config": )" + config("new") + "}";
  CHECK(refused(inner).find("llama, which knows all of its members") != std::string::npos);
  CHECK(read_hugging_face_config(inner, "f", "qwen3").layers == 6);
  CHECK(refused(R"({"model_type": "new_vl", "text_config": {}})", "llama") ==
        R"(f#/text_config: "num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size", )"
        R"("vocab_size" are missing, which llama needs)");
  CHECK_THROWS_WITH_AS(
      (void)read_hugging_face_config("{}", "f", "lama"),
      doctest::Contains("stagecut::io::read_hugging_face_config: as_family = lama, must be one of afmoe, "),
      stagecut::argument_error);
}

TEST_CASE("a file that tells of parts that the family does not have is refused") {
  const std::string text = config("new", R"(, "num_local_experts": 8, "kv_lora_rank": null)");
  CHECK(refused(text, "llama") == "f#/num_local_experts: read as llama a model has no experts");
  CHECK(refused(R"({"model_type": "new", "text_config": )" + text + "}", "llama") ==
        "f#/text_config/num_local_experts: read as llama a model has no experts");
  CHECK(refused(config("new", R"(, "kv_lora_rank": 3)"), "qwen3") ==
        "f#/kv_lora_rank: read as qwen3 a model has no narrow keys and values");
  CHECK(refused(config("llama", R"(, "num_experts": 0, "kv_lora_rank": 0)")).empty());
  for (const char* const each :
       {R"("hybrid_override_pattern": "M-M*")", R"("mamba_d_state": 16)", R"("ssm_cfg": {"d": 1})",
        R"("linear_num_key_heads": 4)", R"("linear_attn_config": {"x": 2})", R"("attn_layer_period": 8)",
        R"("mlp_type": "moe")"}) {
    CAPTURE(each);
    CHECK(refused(config("new", std::string(", ") + each), "llama")
              .ends_with(": read as llama all layers have attention and the same feed-forward part"));
  }
  CHECK(refused(config("llama", R"(, "mamba_d_state": null, "mlp_type": null, "attn_layer_period": 0)")).empty());
}

TEST_CASE("a file is not read as a family that its members contradict") {
  CHECK(refused(config("new", R"(, "sliding_window": 64)"), "llama") ==
        "f#/sliding_window: is a figure of afmoe, and llama has none of that name");
  CHECK(refused(config("new", R"(, "sliding_window": 64)"), "mistral").empty());
  CHECK(refused(config("new", R"(, "sliding_window": null, "first_k_dense_replace": 0)"), "llama").empty());
  CHECK(refused(config("llama", R"(, "sliding_window": 64)")).empty());  // as before: its class ignores it
}

TEST_CASE("a file that lacks figures is refused with all of them") {
  CHECK(refused(R"({"model_type": "llama"})") ==
        R"(f: "num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size", "vocab_size" )"
        "are missing, which llama needs");
  CHECK(refused(config("deepseek_v3")) == R"(f: "n_routed_experts", "num_experts_per_tok", "moe_intermediate_size", )"
                                          R"("kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim" )"
                                          "are missing, which deepseek_v3 needs");
  CHECK(refused(R"({"model_type": "gpt2", "n_embd": 8, "n_layer": 2, "n_head": 2})") ==
        R"(f: "vocab_size" is missing, which gpt2 needs)");
  const auto text = read_hugging_face_config(config("llava"), "f");  // a file without the tower's object: text alone
  CHECK_FALSE(text.vision.has_value());
  CHECK(text.source == "config.json, read as llava, without \"vision_config\": text alone");
}

TEST_CASE("a figure that is wrong is refused at its place") {
  CHECK(refused("") == "f:1: no JSON: the text ends too early");
  CHECK(refused("[]") == "f: [] is no object");
  CHECK(refused(R"({"model_type": 3})") == "f#/model_type: 3 is no string");
  CHECK(refused(config("llama", R"(, "mlp_bias": 1)")) == "f#/mlp_bias: 1 is neither true nor false");
  CHECK(refused(R"({"model_type": "llama", "hidden_size": 1.5})") == "f#/hidden_size: 1.5 is no whole number");
  CHECK(refused(R"({"model_type": "llama", "hidden_size": 0})") == "f#/hidden_size: 0 is below 1");
  CHECK(refused(R"({"model_type": "llama", "num_hidden_layers": 10001})") ==
        "f#/num_hidden_layers: 10001 is not from 1 to 10000");
  CHECK(refused(R"({"model_type": "llama", "vocab_size": 99999999999})") ==
        "f#/vocab_size: 99999999999 is not from 1 to 2147483648");
  CHECK(refused(config("mistral", R"(, "sliding_window": -1)")) == "f#/sliding_window: -1 is negative");
  CHECK(refused(config("gemma2", R"(, "layer_types": ["full_attention"])")) ==
        "f#/layer_types: 1 elements, and 6 layers");
  CHECK(refused(config("mixtral", R"(, "layer_types": ["x", "x", "x", "x", "x", "x"])" + experts)) ==
        "f#/layer_types/0: \"x\" is none of full_attention, sliding_attention, chunked_attention");
  CHECK(refused(config("phi3", R"(, "layer_types": ["full_attention", "sliding_attention", "full_attention",
      "full_attention", "full_attention", "full_attention"])")) ==
        R"(f#/layer_types/1: "sliding_attention", and no "sliding_window")");
  CHECK(refused(config("qwen3_moe", experts + R"(, "mlp_only_layers": [6])")) ==
        "f#/mlp_only_layers/0: 6 is not below 6");
  CHECK(refused(config("qwen2_moe", experts + R"(, "use_sliding_window": true)")) ==
        R"(f#/use_sliding_window: true, and no "layer_types" that list its layers)");
  CHECK(refused(config("phi", R"(, "qk_layernorm": true)")) == "f#/qk_layernorm: such models are not known here");
  CHECK(refused(config("llama4_text", llama4 + R"(, "no_rope_layers": [1])")) ==
        "f#/no_rope_layers: 1 elements, fewer than layers");
  CHECK(refused(config("qwen3_moe", R"(, "num_experts": 2, "num_experts_per_tok": 3, "moe_intermediate_size": 1)")) ==
        "f: top_k = 3 is above experts = 2");
  CHECK(refused(config("qwen3", R"(, "model_type": "qwen3")")) == "f#/model_type: stands twice in its object");
}

TEST_CASE("a tower of vision that is wrong is refused at its place") {
  const auto vision = [](const std::string& family, const std::string& more, const std::string& around = "") {
    return refused(config(family, around + R"(, "vision_config": {)" + more + "}"));
  };
  CHECK(vision("llava", R"("model_type": "eva")") ==
        "f#/vision_config/model_type: \"eva\" is none of clip_vision_model, pixtral");
  CHECK(vision("llava", R"("patch_size": 300)") == "f#/vision_config: \"patch_size\" 300 is above \"image_size\" 224");
  CHECK(vision("llava", R"("hidden_size": 10, "num_attention_heads": 3)") ==
        "f: vision/heads: heads = 3 does not divide hidden = 10");
  CHECK(vision("gemma3", R"("image_size": 30, "patch_size": 10)") ==
        "f: 9 patches of an image are no multiple of \"mm_tokens_per_image\" 256");
  CHECK(vision("qwen2_vl", R"("hidden_size": 9)") ==
        "f#/vision_config/hidden_size: 9 is not \"hidden_size\" of the text, 8");
  CHECK(vision("qwen2_vl", R"("mlp_ratio": 0)").starts_with("f#/vision_config/mlp_ratio: "));
  CHECK(vision("llama4", R"("pixel_shuffle_ratio": 0.7)", llama4)
            .starts_with("f#/vision_config/pixel_shuffle_ratio: 0.7"));
  CHECK(vision("mistral3", "", R"(, "multimodal_projector_bias": true)") ==
        "f#/multimodal_projector_bias: such models are not known here");
  CHECK(vision("qwen2_5_vl", R"("depth": 4, "out_hidden_size": 8, "fullatt_block_indexes": [4])") ==
        "f#/vision_config/fullatt_block_indexes/0: 4 is not below 4");
  CHECK(refused(R"({"model_type": "llava", "text_config": {"model_type": "none"}, "vision_config": {}})")
            .starts_with("f#/text_config/model_type: \"none\" is none of afmoe, "));
}

TEST_CASE("towers of vision are made of what their files say") {
  const auto scout = *published("llama-4-scout").vision;
  CHECK(scout.patches == 576);
  CHECK(scout.merged == 4);
  CHECK(scout.projector == list{4096, 4096});
  const auto pixtral = *published("mistral-small-3.1-24b").vision;
  CHECK(pixtral.patches == 12100);
  CHECK(pixtral.projector_norm == 1024);
  // Each of its patches a token: there is room for all.
  CHECK(read_hugging_face_config(
            R"({"model_type": "mistral3", "spatial_merge_size": 1, "text_config": {"model_type": "mistral"},
      "vision_config": {"model_type": "pixtral", "image_size": 1540, "patch_size": 14}})",
            "f")
            .sequence == 12100);
  const auto qwen = *published("qwen2.5-vl-7b").vision;
  CHECK(qwen.window == 64);
  CHECK(qwen.patches == 1024);
  CHECK(qwen.inputs == 3 * 2 * 14 * 14);
  CHECK(qwen.full_layers == list{7, 15, 23, 31});
  const auto gemma = *published("gemma-3-27b-it").vision;
  CHECK(gemma.merged == 16);
  CHECK(gemma.projector_norm_kind == stagecut::transformer::normalization::rmsnorm);
  CHECK(published("llava-1.5-7b").vision->patches == 576);
}
