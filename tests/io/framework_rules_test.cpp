// SPDX-License-Identifier: BSL-1.0
#include "framework_rules.hpp"

#include <stagecut/io/frameworks/formats.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "framework_models.hpp"
#include "worked_plan.hpp"

namespace {

std::string written(std::string_view format, const stagecut::plan& made) {
  return stagecut::io::find_format(format)->write(made);
}

std::string joined_rules(const std::vector<std::string>& broken) {
  std::string text;
  for (const auto& each : broken) text += each + "\n";
  return text;
}

/// What is wrong with a text; a checker that finds nothing says so.
std::string broken(std::string_view format, const stagecut::plan& made, const std::string& text) {
  const auto all = violations(format, made, text);
  return all.empty() ? "accepted: " + text : joined_rules(all);
}

/// What is wrong once `from`, which has to be there, is `to`.
std::string broken(std::string_view format, const stagecut::plan& made, const std::string& from,
                   const std::string& to) {
  std::string text = written(format, made);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return broken(format, made, text.replace(at, from.size(), to));
}

/// Where PyTorch splits the model, without the schedule.
std::string split_line(stagecut::plan made) {
  made.schedule = {};
  return written("pytorch", made);
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// A schedule that the format has, and as many microbatches as it needs at least.
std::string schedule_of(std::string_view format, std::size_t chunks) {
  if (format == "torchgpipe" || format == "fairscale") return "gpipe";
  if (format == "vllm" || format == "sglang" || format == "split-module") return "";
  return chunks == 1 ? "1f1b" : "interleaved";
}

/// Chains that the formats say, with cuts anywhere.
class random_chains {
 public:
  stagecut::plan next(std::string_view format) {
    const std::size_t devices = 1 + up_to(4);
    const std::size_t chunks = devices == 1 || up_to(1) == 0 ? 1 : 2 + up_to(1);
    std::vector<stagecut::layer> layers = {layer_of("tok_embeddings", "embedding")};
    const std::size_t decoders = devices * chunks + up_to(20);
    for (std::size_t i = 0; i < decoders; ++i) layers.push_back(layer_of("layers." + std::to_string(i), "decoder"));
    if (up_to(1) == 0) layers.push_back(layer_of("norm", "norm"));
    if (format == "megatron" && up_to(2) == 0) {
      layers.insert(layers.end() - (up_to(1) == 0 ? 0 : 1), layer_of("mtp.0", "mtp"));
    }
    layers.push_back(layer_of("lm_head", "head"));
    std::vector<std::size_t> points;
    for (std::size_t s = 1; s < devices * chunks; ++s) points.push_back(1 + up_to(layers.size() - 2));
    std::sort(points.begin(), points.end());
    auto made = plan_of(layers, stagecut::cuts::from_boundaries(layers.size(), points, stagecut::empty_stages::allowed),
                        chunks);
    if (format == "sapp") recompute(made);
    made.schedule.name = schedule_of(format, chunks);
    made.schedule.microbatches = made.schedule.name.empty() ? 0 : devices * (1 + up_to(3));
    if (up_to(1) == 0 && (format == "megatron" || format == "deepspeed")) made = tied(made);
    return made;
  }

 private:
  std::size_t up_to(std::size_t most) { return random_() % (most + 1); }

  void recompute(stagecut::plan& made) {
    const char* const ways[] = {"", "none", "selective", "full"};
    for (auto& layer : made.profile.layers) {
      if (layer.kind == "decoder") layer.recomputation = ways[up_to(3)];
    }
  }

  std::mt19937 random_{20240611};
};

}  // namespace

TEST_CASE("the worked example is accepted, where it is built as planned") {
  for (const auto format : framework_rules::checked_formats) {
    CAPTURE(format);
    if (format == "megatron-flags") continue;
    CHECK(joined_rules(violations(format, worked_plan(), written(format, worked_plan()))).empty());
    const auto with_schedule = worked_plan(schedule_of(format, 1));
    CHECK(joined_rules(violations(format, with_schedule, written(format, with_schedule))).empty());
  }
  for (const auto& counts :
       {std::vector<std::size_t>{6, 6, 6, 6}, {5, 6, 6, 6}, {6, 6, 5}, {5, 6}, {4, 6, 6, 5}, {24}}) {
    const auto made = transformer_plan(counts);
    CHECK(joined_rules(violations("megatron-flags", made, written("megatron-flags", made))).empty());
  }
  CHECK_THROWS_AS((void)violations("dot", worked_plan(), ""), std::invalid_argument);
}

TEST_CASE("random plans are accepted in every format that says them") {
  random_chains chains;
  std::map<std::string_view, int> accepted;
  for (const auto format : framework_rules::checked_formats) {
    for (int round = 0; round < 2000; ++round) {
      const auto made = chains.next(format);
      std::string text;
      try {
        text = written(format, made);
      } catch (const stagecut::io::not_representable&) {
        continue;
      }
      CAPTURE(format);
      CAPTURE(text);
      REQUIRE(joined_rules(violations(format, made, text)).empty());
      ++accepted[format];
    }
    CAPTURE(format);
    CHECK(accepted[format] >= 20);
  }
}

TEST_CASE("broken layouts of Megatron-LM are refused") {
  const auto plain = worked_plan("1f1b");
  const auto bad = [&](const std::string& from, const std::string& to) { return broken("megatron", plain, from, to); };
  CHECK(contains(bad("t*6|t*7", "t*13"), "3 stages, not a multiple of the ranks"));
  CHECK(contains(bad("t*7", "t*8"), "25 t, not the layers' number"));
  CHECK(contains(bad("t*7", "tL*7"), "one loss"));
  CHECK(contains(bad("t*7", "Et*6"), "one embedding"));
  CHECK(contains(bad("Et*5", "t*5E"), "the first layer must be the embedding"));
  CHECK(contains(bad("t*6L", "Lt*6"), "the last layer must be the loss"));
  CHECK(contains(bad("t*6L", "t*6"), "one loss"));
  CHECK(contains(bad("t*7", "t*6m"), "1 m, not the number of MTP layers"));
  CHECK(contains(bad("t*7", "x*7"), "invalid letter x"));
  CHECK(contains(bad("t*7", "(t*7"), "invalid letter ("));
  CHECK(contains(bad("t*6|t*7", "t*7|t*6"), "layer \"layers.11\" is built on stage 1, and the plan has it on 2"));
  CHECK(contains(bad("size 4", "size 2"), "pipeline of 2 ranks"));
  CHECK(contains(bad("--pipeline-model-parallel-layout", "--pipeline-layout"), "no such option"));
  CHECK(contains(bad("size 4 ", "size 4"), "no blank before --pipeline"));
  CHECK(contains(bad("\"Et", "Et"), "layout without quotes"));
  CHECK(contains(broken("megatron", plain, written("megatron", plain) + " --decoder-first-pipeline-num-layers 5"),
                 "a layout excludes"));
  // The same stages, in the documented short forms.
  CHECK(violations("megatron", plain,
                   "--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout \"E(tt)*2,t|(tt)*3|t*7|tt*5L\"")
            .empty());
}

TEST_CASE("virtual stages and MTP layers of Megatron-LM") {
  auto made = transformer_plan({1, 1, 1, 1}, 2);
  for (const std::size_t m : {2U, 4U, 6U}) {
    made.schedule = {"interleaved", m, {}};
    CHECK(violations("megatron", made, written("megatron", made)).empty());
  }
  const std::string text = written("megatron", made);
  made.schedule.microbatches = 3;
  CHECK(contains(broken("megatron", made, text), "last group of 1 microbatches"));
  CHECK(violations("megatron", made, text + " --microbatch-group-size-per-virtual-pipeline-stage 3").empty());
  made.schedule.microbatches = 1;
  CHECK(contains(broken("megatron", made, text), "group of 2 microbatches, outside 2 to 1"));
  made.schedule = {"1f1b", 4, {}};
  CHECK(contains(broken("megatron", made, text), "schedule 1f1b does not exist there"));

  const std::string start = "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout ";
  std::vector<stagecut::layer> layers = transformer(2);
  layers.insert(layers.end() - 1, {layer_of("mtp.0", "mtp"), layer_of("mtp.1", "mtp")});
  const auto with_mtp = [&](stagecut::cuts cuts) { return plan_of(layers, std::move(cuts), 2); };
  CHECK(violations("megatron", with_mtp({0, 2, 3, 5, 6}), start + "\"Et|t|mm|L\"").empty());
  CHECK(contains(broken("megatron", with_mtp(stagecut::cuts({0, 2, 5, 5, 6}, stagecut::empty_stages::allowed)),
                        start + "\"Et|tmm||L\""),
                 "in the last virtual stage"));
  CHECK(contains(broken("megatron", with_mtp({0, 2, 3, 4, 6}), start + "\"Et|t|m|mL\""), "stand on one stage"));
  CHECK(contains(broken("megatron", with_mtp({0, 2, 3, 5, 6}), start + "\"E|m|tt|mL\""), "decoders stand before MTP"));
  // The final norm is built with the last decoder.
  layers.insert(layers.end() - 3, layer_of("norm", "norm"));
  CHECK(violations("megatron", with_mtp({0, 2, 4, 6, 7}), start + "\"Et|t|mm|L\"").empty());
  CHECK(contains(broken("megatron", with_mtp({0, 2, 3, 6, 7}), start + "\"Et|t|mm|L\""),
                 "layer \"norm\" is built on stage 1"));
}

TEST_CASE("broken flags of Megatron-LM are refused") {
  const auto made = transformer_plan({5, 6, 6, 4});
  const auto bad = [&](const std::string& from, const std::string& to) {
    return broken("megatron-flags", made, from, to);
  };
  CHECK(contains(bad("first-pipeline-num-layers 5", "first-pipeline-num-layers 6"), "11 layers on 2 ranks"));
  CHECK(contains(bad("last-pipeline-num-layers 4", "last-pipeline-num-layers 6"), "is built on stage"));
  CHECK(contains(bad("first-pipeline-num-layers 5", "first-pipeline-num-layers 0"), "no number above 0"));
  CHECK(contains(
      broken("megatron-flags", made, written("megatron-flags", made) + " --account-for-loss-in-pipeline-split"),
      "exclude accounting"));
  const std::string size = "--pipeline-model-parallel-size 2";
  CHECK(contains(broken("megatron-flags", transformer_plan({2, 3}), size), "5 layers on 2 ranks"));
  const auto virtual_stages = transformer_plan({2, 2, 2, 2}, 2);
  CHECK(violations("megatron-flags", virtual_stages, size + " --num-virtual-stages-per-pipeline-rank 2").empty());
  CHECK(contains(broken("megatron-flags", virtual_stages, size + " --num-layers-per-virtual-pipeline-stage 3"),
                 "in stages of 3"));
  CHECK(contains(broken("megatron-flags", virtual_stages, size), "is built on stage"));
  // The head counts as a layer.
  CHECK(violations("megatron-flags", transformer_plan({3, 2}), size + " --account-for-loss-in-pipeline-split").empty());
  CHECK(contains(broken("megatron-flags", transformer_plan({2, 2}), size + " --account-for-loss-in-pipeline-split"),
                 "5 layers on 2 ranks"));
}

TEST_CASE("broken cuts of a list of layers are refused") {
  const auto plain = worked_plan();
  const auto gpipe = worked_plan("gpipe");
  for (const std::string format : {"torchgpipe", "fairscale"}) {
    CHECK(contains(broken(format, plain, "6, 6, 7", "6, 6, 8"), "balance of 27 children, and there are 26"));
    CHECK(contains(broken(format, plain, "[6, 6", "[12, 0"), "is not positive"));
    CHECK(contains(broken(format, plain, "[6, 6, 7", "[12, 7"), "3 partitions on 4 devices"));
    CHECK(contains(broken(format, plain, "[6, 6, 7", "[6, 7, 6"), "is built on stage"));
    CHECK(contains(broken(format, gpipe, "chunks=8", "chunks=0"), "chunks must be positive"));
    CHECK(contains(broken(format, gpipe, "except_last", "sometimes"), "checkpoint 'sometimes'"));
    CHECK(contains(broken(format, gpipe, "Pipe(", "Stage("), "not a call of"));
    CHECK(contains(broken(format, worked_plan("1f1b"), "balance=[6, 6, 7, 7]"), "schedule 1f1b does not exist there"));
    CHECK(contains(broken(format, tied(plain), "balance=[6, 6, 7, 7]"), "parameters shared by stages 0 and 3"));
  }
  const auto one = tied(transformer_plan({4}));  // on one device
  CHECK(contains(broken("torchgpipe", one, "balance=[6]"), "children share parameters"));
  CHECK(violations("fairscale", one, "balance=[6]").empty());

  CHECK(contains(broken("deepspeed", plain, "[0, 6", "[1, 6"), "the first stage starts at 0"));
  CHECK(contains(broken("deepspeed", plain, "26]", "25]"), "the last stage ends at 26"));
  CHECK(contains(broken("deepspeed", plain, "12, 19, ", "19, "), "4 bounds of 4 stages"));
  CHECK(contains(broken("deepspeed", plain, "12, 19", "19, 19"), "nothing to optimise"));
  CHECK(contains(broken("deepspeed", plain, "12, 19", "13, 19"), "is built on stage"));
  CHECK(contains(broken("deepspeed", plain, "_set_bounds(start", "_set(start"), "no subclass"));
  CHECK(contains(broken("deepspeed", gpipe, written("deepspeed", plain)), "schedule gpipe does not exist there"));

  CHECK(contains(broken("alpa", plain, "[6,7", "[7,6"), "layer 7 where 6 is due"));
  CHECK(contains(broken("alpa", plain, ",25]", "]"), "25 layers, and there are 26"));
  CHECK(contains(broken("alpa", plain, "5],[6", "5,6"), "physical shapes of other stages"));
  CHECK(contains(broken("alpa", plain, "5],[6", "5],[],[6"), "a stage without layers"));
  CHECK(contains(broken("alpa", plain, "5],[6,", "5,6],["), "is built on stage"));
  CHECK(contains(broken("alpa", worked_plan("zb-h1"), written("alpa", plain)), "schedule zb-h1 does not exist there"));

  CHECK(contains(broken("pipedream", plain, "3, 3]", "3, 2]"), "module 4 stands on another stage"));
  CHECK(contains(broken("pipedream", plain, "0, 1, 2, 3, 3]", "0, 1, 2, 3]"), "4 modules of 4 stages"));
  CHECK(contains(broken("pipedream", plain, "[2]", "[3]"), "rank 3 is not due"));
  CHECK(contains(broken("pipedream", plain, "[2]", "[]"), "a stage without ranks"));
  CHECK(contains(broken("pipedream", plain, ", \"3\": [3]", ""), "ranks of 3 stages"));

  CHECK(contains(broken("sagemaker", plain, "degree\":4", "degree\":3"), "degree 3"));
  CHECK(contains(broken("sagemaker", plain, "False", "True"), "auto_partition ignores the contexts"));
  CHECK(
      contains(broken("sagemaker", plain, "default_partition\":0", "default_partition\":4"), "none of the partitions"));
  CHECK(contains(broken("sagemaker", plain, "partition(2)", "partition(1)"), "no context of partition 2"));
  CHECK(contains(broken("sagemaker", plain, "layers.5, ", ""), "\"layers.5\" is due"));
  CHECK(contains(broken("sagemaker", plain, "...", ".."), "partition 0 without modules"));
  CHECK(contains(broken("sagemaker", plain, ", norm, lm_head", ""), "25 layers, and there are 26"));
  CHECK(contains(broken("sagemaker", gpipe, "simple", "interleaved"), "schedule gpipe does not exist there"));
  CHECK(contains(broken("sagemaker", tied(plain), written("sagemaker", plain)), "parameters shared"));
}

TEST_CASE("broken texts for PyTorch are refused") {
  const auto plain = worked_plan("1f1b");
  CHECK(contains(broken("pytorch", plain, "layers.11", "layers.99"), "no module \"layers.99\""));
  CHECK(contains(broken("pytorch", plain, "layers.11", "layers.12"), "layer \"layers.11\" is built on stage 1"));
  CHECK(contains(broken("pytorch", plain, "layers.11", "layers.5"), "\"layers.5\" twice"));
  CHECK(contains(broken("pytorch", plain, "layers.5", "tok_embeddings"), "nothing stands before"));
  CHECK(contains(broken("pytorch", plain, "layers.18", "lm_head"), "is cut inside"));
  CHECK(contains(broken("pytorch", plain, "BEGINNING", "MIDDLE"), "no split_spec"));
  CHECK(violations(
            "pytorch", plain,
            "split_spec={\"layers.4\": SplitPoint.END, \"layers.10\": SplitPoint.END, \"layers.17\": SplitPoint.END}")
            .empty());
  CHECK(contains(broken("pytorch", tied(plain), written("pytorch", plain)), "parameters shared"));
  CHECK(contains(broken("split-module", plain, "\"layers.5\": 1", "\"layers.5\": 0"), "is built on stage 0"));
  CHECK(contains(broken("split-module", plain, "    \"layers.5\": 1,\n", ""), "no stage of \"layers.5\""));
  CHECK(contains(broken("split-module", plain, "\"lm_head\": 3", "\"lm_head\": 2"), "is cut inside"));
}

TEST_CASE("PyTorch's schedules: microbatches, stages and their ranks") {
  const auto with = [](std::string name, std::size_t m, std::size_t chunks, bool v = false) {
    auto made = transformer_plan(std::vector<std::size_t>(3 * chunks, 1), chunks);
    made.schedule = {std::move(name), m, {}};
    for (std::size_t s = 3; v && s < 6; ++s) made.stages[s].device = 5 - s;
    return made;
  };
  const auto check = [](const stagecut::plan& made) {
    return joined_rules(violations("pytorch", made, written("pytorch", made)));
  };
  for (const auto& fine :
       {with("gpipe", 1, 1), with("1f1b", 3, 1), with("interleaved", 2, 2), with("interleaved", 8, 3),
        with("looped-bfs", 5, 2), with("zbv", 1, 2, true), with("dualpipev", 6, 2, true), with("zb-h1", 6, 1)}) {
    CHECK(check(fine) == "");
  }
  // What no class runs a file says.
  for (const auto& other :
       {with("1f1b", 2, 1), with("zb-h1", 6, 1), with("interleaved", 7, 2), with("gpipe-lifo", 4, 1)}) {
    const std::string text = written("pytorch", other);
    CHECK(contains(text, "_PipelineScheduleRuntime(stages, n_microbatches="));
    CHECK(check(other) == "");
  }
  // A class that does not run the plan.
  const auto called = [&](const stagecut::plan& made, const std::string& name, bool single = false) {
    std::string text = split_line(made) + "\nschedule = get_schedule_class(\"" + name + "\")(";
    text += single ? "stage" : "stages";
    return broken("pytorch", made, text + ", n_microbatches=" + std::to_string(made.schedule.microbatches) + ")");
  };
  CHECK(contains(called(with("1f1b", 2, 1), "1F1B", true), "2 microbatches, fewer than the stages"));
  CHECK(contains(called(with("1f1b", 6, 2), "1F1B", true), "one stage a rank, and not 2"));
  CHECK(contains(called(with("1f1b", 6, 1), "1F1B"), "a list of stages for a class of one"));
  CHECK(contains(called(with("1f1b", 6, 1), "Interleaved1F1B"), "several stages a rank"));
  CHECK(contains(called(with("1f1b", 6, 1), "GPipe", true), "another schedule than the plan's"));
  CHECK(contains(called(with("gpipe", 6, 1), "1f1b", true), "no class of that name"));
  CHECK(contains(called(with("interleaved", 7, 2), "Interleaved1F1B"), "7 microbatches in 2 rounds"));
  CHECK(contains(called(with("interleaved", 8, 2), "Interleaved1F1B"), "rounds of 4 microbatches, and the plan has 3"));
  CHECK(contains(called(with("interleaved-zb", 11, 2), "InterleavedZeroBubble"), "11 microbatches in 3 rounds"));
  CHECK(contains(called(with("dualpipev", 5, 2, true), "DualPipeV"), "5 microbatches, fewer than the stages"));
  CHECK(contains(called(with("zbv", 6, 3), "ZBVZeroBubble"), "two stages a rank, and not 3"));
  CHECK(contains(called(with("zbv", 6, 2), "ZBVZeroBubble"), "stage 3 runs on rank 2"));
  CHECK(contains(called(with("interleaved", 6, 2, true), "Interleaved1F1B"), "stage 3 runs on rank 0"));
  const auto plain = with("1f1b", 6, 1);
  CHECK(
      contains(broken("pytorch", plain, "n_microbatches=6", "n_microbatches=3"), "other microbatches than the plan's"));
  CHECK(contains(broken("pytorch", plain, "get_schedule_class", "get_schedule"), "no class of that name"));
  CHECK(contains(broken("pytorch", with("zb-h1", 6, 1), "schedule._load_csv(\"schedule.csv\")", ""), "no file"));
}

TEST_CASE("broken texts for torchtitan are refused") {
  const auto plain = worked_plan("1f1b");
  const auto bad = [&](const std::string& from, const std::string& to) {
    return broken("torchtitan", plain, from, to);
  };
  CHECK(contains(bad("lm_head", "output"), "module \"lm_head\" on no stage"));
  CHECK(contains(bad("lm_head", "output"), "no module \"output\""));
  CHECK(contains(bad("\"layers.5\",", ""), "module \"layers.5\" on no stage"));
  CHECK(contains(bad("\"layers.5\"", "\"layers.4\",\"layers.5\""), "module \"layers.4\" twice"));
  CHECK(contains(bad("\"layers.4\"],[", "\"layers.4\","), "3 stages on 4 ranks"));
  CHECK(contains(bad("\"layers.4\"],[", "\"layers.4\"],[],["), "stage 1 has nothing to optimise"));
  CHECK(contains(bad("\"layers.4\"],[\"layers.5\",", "\"layers.4\",\"layers.5\"],["),
                 "layer \"layers.5\" is built on stage 0"));
  CHECK(contains(bad("module_fqns", "modules"), "no such option"));
  CHECK(contains(broken("torchtitan", tied(plain), written("torchtitan", plain)), "exclude each other"));
  auto nested = plain;
  nested.profile.layers[3].name = "decoder.layers.2";
  std::string deep = written("torchtitan", plain);
  deep.replace(deep.find("layers.2"), 8, "decoder.layers.2");
  CHECK(contains(broken("torchtitan", nested, deep), "\"decoder.layers.2\" is nested"));

  // Down and back up.
  auto v = transformer_plan({1, 1, 1, 1}, 2);
  v.schedule = {"zbv", 4, {}};
  const std::string text =
      "module_fqns_per_model_part=[[\"tok_embeddings\",\"layers.0\"],[\"layers.1\"],[\"layers.2\"],[\"layers.3\","
      "\"norm\",\"lm_head\"]]\n"
      "pipeline_parallel_schedule=\"ZBVZeroBubble\"";
  CHECK(contains(broken("torchtitan", v, text), "stage 2 runs on rank 1"));
  v.stages[2].device = 1;
  v.stages[3].device = 0;
  CHECK(violations("torchtitan", v, text).empty());
  v.schedule.name = "dualpipev";
  CHECK(contains(broken("torchtitan", v, text), "another schedule than the plan's"));
  v.schedule.name = "1f1b";
  CHECK(contains(broken("torchtitan", v, text.substr(0, text.find("ZBV")) + "1F1B\""), "one stage a rank, and not 2"));
  const std::string file =
      text.substr(0, text.find("pipeline_parallel_schedule=")) + "pipeline_parallel_schedule_csv=\"s\"";
  CHECK(contains(broken("torchtitan", v, file), "stage 2 runs on rank 0"));
  CHECK(contains(broken("torchtitan", v, text + file.substr(file.find("\npipeline"))), "a file and a class"));
  CHECK(contains(broken("torchtitan", v, text.substr(0, text.find('\n'))), "no schedule"));

  // All that sees is one module.
  auto seeing = transformer_plan({2, 2});
  seeing.profile.layers[0] = layer_of("vision.patches", "vision_embedding");
  seeing.profile.layers[1] = layer_of("vision.layers.0", "vision");
  seeing.profile.layers[2] = layer_of("tok_embeddings", "embedding");
  const std::string parts = "[\"tok_embeddings\"],[\"layers.2\",\"layers.3\",\"norm\",\"lm_head\"]]";
  CHECK(contains(broken("torchtitan", seeing, "module_fqns_per_model_part=[" + parts),
                 "module \"vision_encoder\" on no stage"));
  CHECK(violations("torchtitan", seeing,
                   "pipeline_parallel_module_fqns_per_model_part=[[\"vision_encoder\"," + parts.substr(1))
            .empty());
}

TEST_CASE("broken partitions for vLLM and SGLang are refused") {
  const auto plain = worked_plan();
  for (const auto& [format, name] : std::map<std::string, std::string>{{"vllm", "VLLM_PP_LAYER_PARTITION="},
                                                                       {"sglang", "SGLANG_PP_LAYER_PARTITION="}}) {
    CHECK(contains(broken(format, plain, name + "5,6,7,7"), "sum of 25, and there are 24 hidden layers"));
    CHECK(contains(broken(format, plain, name + "5,6,13"), "3 numbers for 4 ranks"));
    CHECK(contains(broken(format, plain, name + "5,6,x,6"), "invalid partition"));
    CHECK(contains(broken(format, plain, name + "5,6,7,"), "invalid partition"));
    CHECK(contains(broken(format, plain, "PP_LAYERS=5,6,7,6"), "invalid partition"));
    CHECK(contains(broken(format, plain, name + "6,5,7,6"), "layer \"layers.5\" is built on stage 0"));
    CHECK(violations(format, transformer_plan({1, 0, 1}), name + "1,0,1").empty());
    auto other = plain;
    other.profile.layers[3].kind = "Conv2d";
    CHECK(contains(broken(format, other, name + "4,6,7,6"), "kind \"Conv2d\" is none of its models'"));
    // A tower belongs to the first rank.
    auto seeing = plain;
    seeing.profile.layers.insert(seeing.profile.layers.begin(), layer_of("vision.layers.0", "vision"));
    seeing.cuts = {0, 7, 13, 20, 27};
    CHECK(violations(format, seeing, name + "5,6,7,6").empty());
    seeing.cuts = {0, 1, 13, 20, 27};
    CHECK(contains(broken(format, seeing, name + "0,11,7,6"), "layer \"tok_embeddings\" is built on stage 0"));
  }
}

TEST_CASE("broken offsets for SAPP and MindFormers are refused") {
  auto made = transformer_plan({3, 2, 1, 3}, 2);
  made.profile.layers[1].recomputation = "full";
  made.schedule = {"interleaved", 4, {}};
  const auto bad = [&](const std::string& from, const std::string& to) { return broken("sapp", made, from, to); };
  CHECK(contains(bad("[[1, 0], [-1, 1]]", "[[1, 0], [-1, 0]]"), "offsets sum up to 0, and 1 layers are left over"));
  CHECK(contains(bad("[[1, 0], [-1, 1]]", "[[1, 0, -1, 1]]"), "offset is not 2 rows of 2"));
  CHECK(contains(bad("[[1, 0], [-1, 1]]", "[[1, 0], [-2, 2]]"), "stage 2 has 0 layers"));
  CHECK(contains(bad("[[1, 0], [-1, 1]]", "[[-3, 0], [3, 1]]"), "stage 0 has -1 layers"));
  CHECK(contains(bad("[[1, 0], [-1, 1]]", "[[0, 1], [-1, 1]]"), "is built on stage"));
  CHECK(contains(bad("[1, 0], [0, 0]", "[4, 0], [0, 0]"), "recompute of stage 0 is more than its layers"));
  CHECK(contains(bad("[1, 0], [0, 0]", "[2, 0], [0, 0]"), "recompute of stage 0 is not the plan's"));
  CHECK(contains(bad("select_comm_recompute", "comm_recompute"), "no select_comm_recompute"));
  const std::string text = written("sapp", made);
  made.schedule.microbatches = 1;
  CHECK(contains(broken("sapp", made, text), "fewer microbatches than ranks"));
  made.schedule = {"zb-h1", 4, {}};
  CHECK(contains(broken("sapp", made, text), "schedule zb-h1 does not exist there"));
  // Down and back up: the columns are ranks.
  made.schedule = {"zbv", 4, {}};
  std::swap(made.stages[2].device, made.stages[3].device);
  made.profile.layers[1].recomputation = "";
  const std::string none = "[[0, 0], [0, 0]]";
  const std::string rest = "\nrecompute: " + none + "\nselect_recompute: " + none + "\nselect_comm_recompute: " + none;
  CHECK(violations("sapp", made, "offset: [[1, 0], [1, -1]]" + rest).empty());
  CHECK(contains(broken("sapp", made, "offset: [[1, 0], [-1, 1]]" + rest), "is built on stage"));
}

TEST_CASE("names come out of their quotes as they went in") {
  auto made = transformer_plan({2, 2});
  made.profile.layers[1].name = "a\"\\\n\u20ac, b";
  for (const auto format : {"pytorch", "split-module", "torchtitan", "sagemaker"}) {
    CAPTURE(format);
    CHECK(joined_rules(violations(format, made, written(format, made))).empty());
  }
}

TEST_CASE("the models are real ones, in the order in which they run") {
  const auto all = framework_models::models();
  CHECK(all.size() == 15);
  std::map<std::string, std::size_t> kinds;
  for (const auto& each : all) {
    CAPTURE(each.name);
    CHECK(each.layers.size() >= 18);
    for (const auto& layer : each.layers) {
      CHECK(layer.time() > 0);
      ++kinds[layer.kind];
    }
    for (const auto& other : all) CHECK((&other == &each || other.name != each.name));
  }
  for (const auto kind :
       {"", "embedding", "decoder", "encoder", "mtp", "norm", "head", "vision", "vision_embedding", "projector"}) {
    CAPTURE(kind);
    CHECK(kinds[kind] != 0);
  }
  // With all of their layers.
  const auto whole = framework_models::models(1000);
  std::map<std::string, std::size_t> decoders;
  for (const auto& each : whole) decoders[each.name] = framework_rules::count_kind(each, "decoder");
  CHECK(decoders["deepseek-v3"] == 61);
  CHECK(decoders["llama-3.1-405b"] == 126);
  CHECK(decoders["gpt3-175b"] == 96);
  CHECK(framework_rules::ties_of(whole[0]).size() == 1);
}
