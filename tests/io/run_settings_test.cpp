// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/run_settings.hpp>

#include <stagecut/io/frameworks/deepspeed.hpp>
#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/io/frameworks/megatron.hpp>
#include <stagecut/io/frameworks/torchtitan.hpp>

#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/target.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_deepspeed;
using stagecut::io::as_megatron;
using stagecut::io::as_megatron_flags;
using stagecut::io::as_torchtitan;
using stagecut::io::megatron_cautions;
using stagecut::io::detail::settings_of;

namespace {

stagecut::plan computed(const std::string& members) {
  stagecut::plan p = worked_plan("1f1b");
  p.schedule.microbatches = 32;
  p.profile.unknown_fields = "{\"computed\": {" + members + "}}";
  return p;
}

/// All of them.
stagecut::plan large() {
  return computed(R"("sequence": 4096, "microbatch": 2, "tensor_parallel": 8, "context_parallel": 4, "data_parallel": 16,
                     "expert_parallel": 64, "zero": 1, "sequence_parallel": true, "parameters": 9e9,
                     "active_parameters": 2e9)");
}

/// What follows the layout.
std::string behind(const std::string& text) {
  const std::size_t end = text.rfind('"');
  return end == std::string::npos ? text : text.substr(end + 1);
}

}  // namespace

TEST_CASE("what a profile says of its run, and a plan of its stages") {
  auto run = settings_of(large());
  CHECK((run.tensor == 8 && run.context == 4 && run.data == 16 && run.expert == 64 && run.zero == 1));
  CHECK((run.sequence == 4096 && run.samples == 2 && run.microbatches == 32 && run.global_batch() == 1024));
  CHECK((run.sequence_parallel && run.experts));
  auto p = computed("\"microbatch\": 1, \"sequence_parallel\": true");
  CHECK(!settings_of(p).sequence_parallel);  // nobody shares
  p.own_microbatches = true;
  for (auto& stage : p.stages) stage.tensor_parallel = 4, stage.replicas = 3;
  run = settings_of(p);
  CHECK((run.tensor == 4 && run.data == 3 && run.microbatches == 32 && run.global_batch() == 96));
  CHECK((run.sequence_parallel && !run.experts));
  p.own_microbatches = false;  // three replicas do not share 32 evenly
  CHECK(settings_of(p).microbatches == 0);
  p.stages[0].replicas = 4;
  run = settings_of(p);
  CHECK((run.data == 4 && run.microbatches == 8 && run.global_batch() == 32));
}

TEST_CASE("what is no figure there is none here") {
  for (const char* const text : {"", "{", "[]", "{\"computed\": 3}", "{\"computed\": {\"tensor_parallel\": \"8\", \"microbatch\": -1}}",
                                 "{\"computed\": {\"data_parallel\": 1e300, \"zero\": 99999999999}}"}) {
    stagecut::plan p = worked_plan("1f1b");
    p.profile.unknown_fields = text;
    const auto run = settings_of(p);
    CHECK((run.tensor == 1 && run.data == 1 && run.zero == 0 && run.samples == 0 && run.global_batch() == 0));
  }
}

TEST_CASE("Megatron-LM is told all of it") {
  const std::string settings =
      " --context-parallel-size 4 --expert-model-parallel-size 64 --expert-tensor-parallel-size 1 --sequence-parallel"
      " --use-distributed-optimizer --seq-length 4096 --micro-batch-size 2 --global-batch-size 1024";
  const std::string text = as_megatron(large());
  CHECK(text.starts_with("--tensor-model-parallel-size 8 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout"));
  CHECK(behind(text) == settings);
  CHECK(behind(as_megatron(computed("\"microbatch\": 1"))) == " --micro-batch-size 1 --global-batch-size 32");
  CHECK(behind(as_megatron(worked_plan("1f1b"))).empty());
  auto even = transformer_plan({6, 6, 6, 6}, 1);
  even.profile.unknown_fields = large().profile.unknown_fields;
  even.schedule = {"1f1b", 32, {}, 0};
  CHECK(as_megatron_flags(even) == "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 4" + settings);
}

TEST_CASE("numbers, attention and overlap are told") {
  const auto told = [](const char* members) { return behind(as_megatron(computed(members))); };
  CHECK(told(R"("precision": "bf16")") == " --bf16");
  CHECK(told(R"("precision": "fp16", "flash": true)") == " --fp16");
  CHECK(told(R"("precision": "fp8", "flash": false)") == " --attention-backend unfused --bf16 --fp8-format hybrid");
  CHECK(told(R"("precision": "mxfp8")") == " --bf16 --fp8-format e4m3 --fp8-recipe mxfp8");
  CHECK(told(R"("precision": "nvfp4")") == " --bf16 --fp4-format e2m1 --fp4-recipe nvfp4");
  CHECK(told(R"("recompute_modules": ["mlp", "mla_up_proj"])") ==
        " --recompute-granularity selective --recompute-modules mla_up_proj mlp");
  CHECK(told(R"("recompute_modules": "mlp")").empty());
  CHECK(told(R"("precision": "fp32", "overlap": "ub")").empty());
  CHECK(told(R"("tensor_parallel": 2, "overlap": "ub", "sequence_parallel": true)") == " --sequence-parallel --tp-comm-overlap");
  const std::string text = as_deepspeed(computed(R"("precision": "fp16")"));
  CHECK(text.ends_with("{\"gradient_accumulation_steps\": 32, \"fp16\": {\"enabled\": true}}"));
}

TEST_CASE("checkpointed stages recompute all their layers") {
  auto p = worked_plan("1f1b");
  CHECK(as_megatron(p).find("--recompute") == std::string::npos);
  p.memory.checkpoint = "always";
  CHECK(as_megatron(p).ends_with(" --recompute-granularity full --recompute-method uniform --recompute-num-layers 1"));
}

TEST_CASE("degrees with which frameworks do not train are refused") {
  CHECK_THROWS_WITH_AS((void)as_deepspeed(computed("\"zero\": 2")), Contains("ZeRO stage 2, and its pipelines run with at most stage 1"),
                       stagecut::not_representable);
  auto p = large();
  CHECK_NOTHROW((void)as_megatron(p));
  p.profile.unknown_fields.replace(p.profile.unknown_fields.find("\"sequence_parallel\": true"), 25, "\"sequence_parallel\": false");
  CHECK_THROWS_WITH_AS((void)as_megatron(p), Contains("without sequence parallelism"), stagecut::not_representable);
  using stagecut::framework;
  CHECK(!stagecut::io::settings_obstacle(framework::megatron_flags, p.profile).empty());
  for (const framework each : {framework::none, framework::torchtitan, framework::deepspeed})
    CHECK(stagecut::io::settings_obstacle(each, p.profile).empty());
}

TEST_CASE("torchtitan, by the keys of both its versions") {
  const std::string text = as_torchtitan(large());
  CHECK(text.substr(text.find('\n')) ==
        "\ntensor_parallel_degree=8\ncontext_parallel_degree=4\nexpert_parallel_degree=64\ndata_parallel_shard_degree=16"
        "\nfsdp_reshard_after_forward=\"never\"\npipeline_parallel_degree=4\npipeline_parallel_schedule=\"1F1B\""
        "\nnum_pp_microbatches=32  # since August 2026\npipeline_parallel_microbatch_size=2  # to 0.3.0, in its place"
        "\nlocal_batch_size=64\nseq_len=4096");
  CHECK(as_torchtitan(computed("\"data_parallel\": 2")).find("\ndata_parallel_replicate_degree=2\n") != std::string::npos);
  CHECK(as_torchtitan(computed("\"data_parallel\": 2, \"zero\": 3")).find("=\"always\"\n") != std::string::npos);
  CHECK(as_torchtitan(worked_plan()).find('\n') == std::string::npos);
}

TEST_CASE("DeepSpeed, as its topology and its configuration") {
  const std::string text = as_deepspeed(large());
  CHECK(text.substr(text.find("\ntopology")) ==
        "\ntopology = PipeModelDataParallelTopology(num_pp=4, num_mp=8, num_dp=16)"
        "\nconfig = {\"gradient_accumulation_steps\": 32, \"train_micro_batch_size_per_gpu\": 2, \"train_batch_size\": 1024, "
        "\"zero_optimization\": {\"stage\": 1}}");
  const std::string measured = as_deepspeed(computed(""));
  CHECK(measured.substr(measured.find("\nconfig")) == "\nconfig = {\"gradient_accumulation_steps\": 32}");
}

TEST_CASE("what has stopped Megatron-LM") {
  CHECK(megatron_cautions(worked_plan()).empty());
  auto p = large();  // stages of 5, 6, 7 and 6 decoders
  const std::vector<std::string> odd = megatron_cautions(p);
  REQUIRE(odd.size() == 1);
  CHECK_MESSAGE(odd[0].ends_with("expert layers (its issue 1810): stage 0, 2"), odd[0]);
  p = plan_of(transformer(2), stagecut::cuts({0, 2, 2, 4}, stagecut::empty_stages::allowed));
  const std::vector<std::string> empty = megatron_cautions(p);
  REQUIRE(empty.size() == 1);
  CHECK_MESSAGE(empty[0].starts_with("no layer is on stage 1: "), empty[0]);
}
