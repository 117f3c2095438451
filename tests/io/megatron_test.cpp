// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/megatron.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_megatron;
using stagecut::io::as_megatron_flags;
using stagecut::io::not_representable;

namespace {

/// A plan from one letter a layer, `|` between stages: E embedding, t decoder, m mtp, n norm, L head, others unknown.
stagecut::plan spelled(const std::string& letters, std::size_t chunks = 1) {
  std::vector<stagecut::layer> layers;
  std::vector<std::size_t> sizes(1);
  for (const char letter : letters) {
    if (letter == '|') {
      sizes.push_back(0);
      continue;
    }
    const std::string kind = letter == 'E'   ? "embedding"
                             : letter == 't' ? "decoder"
                             : letter == 'm' ? "mtp"
                             : letter == 'n' ? "norm"
                             : letter == 'L' ? "head"
                                             : "other";
    layers.push_back(layer_of(letter + std::to_string(layers.size()), kind));
    ++sizes.back();
  }
  return plan_of(std::move(layers), stagecut::cuts::from_sizes(sizes, stagecut::empty_stages::allowed), chunks);
}

std::string layout(const stagecut::plan& p) {
  const std::string text = as_megatron(p);
  const std::size_t quote = text.find('"');
  REQUIRE(text.back() == '"');
  return text.substr(quote + 1, text.size() - quote - 2);
}

/// What the refusal of a plan says, after the words that all have in common.
std::string refusal(std::string (*write)(const stagecut::plan&), const stagecut::plan& p) {
  try {
    return "not refused: " + write(p);
  } catch (const not_representable& error) {
    const std::string text = error.what();
    const std::string common = error.format() + " cannot express this plan: ";
    return text.starts_with(common) ? text.substr(common.size()) : text;
  }
}

std::string flags(const std::vector<std::size_t>& decoders, std::size_t chunks = 1) {
  return as_megatron_flags(transformer_plan(decoders, chunks))
      .substr(std::string("--pipeline-model-parallel-size ").size());
}

std::string flags_refusal(const std::vector<std::size_t>& decoders, std::size_t chunks = 1) {
  return refusal(as_megatron_flags, transformer_plan(decoders, chunks));
}

}  // namespace

TEST_CASE("the worked example") {
  const std::string text = "--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout \"Et*5|t*6|t*7|t*6L\"";
  CHECK(as_megatron(worked_plan()) == text);
  CHECK(as_megatron(worked_plan("1f1b")) == text);
  CHECK(as_megatron(tied(worked_plan())) == text);
}

TEST_CASE("layouts") {
  CHECK(layout(spelled("EtL")) == "EtL");
  CHECK(layout(spelled("EttL")) == "Et*2L");
  CHECK(layout(spelled("E|t|tt|L")) == "E|t|t*2|L");
  CHECK(layout(spelled("E||t|L")) == "E||t|L");
  CHECK(layout(spelled("Et|tnL")) == "Et|tL");
  CHECK(layout(spelled("Et|t|mmL")) == "Et|t|m*2L");
  CHECK(layout(spelled("Et|tn|mL")) == "Et|t|mL");
  CHECK(layout(spelled("Et|t|m|L")) == "Et|t|m|L");
  CHECK(layout(spelled("Et|tmn|L")) == "Et|tm|L");
  CHECK(layout(spelled("Ettm|L")) == "Et*2m|L");
  CHECK(layout(spelled("Et|t|tm|L", 2)) == "Et|t|tm|L");
  CHECK(as_megatron(spelled("Et|t|t|t|t|L", 3)) ==
        "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout \"Et|t|t|t|t|L\"");
}

TEST_CASE("a layout of 16 ranks with 61 decoders and multi-token prediction") {
  std::string letters = "Ettt|";
  for (int i = 0; i < 29; ++i) letters += "tt|";
  std::string text = "Et*3|";
  for (int i = 0; i < 29; ++i) text += "t*2|";
  auto p = spelled(letters + "m|L", 2);
  p.schedule.name = "interleaved";
  CHECK(p.devices == 16);
  CHECK(layout(p) == text + "m|L");
}

TEST_CASE("models that are not Megatron-LM's") {
  const auto why = [](const std::string& letters, std::size_t chunks = 1) {
    return refusal(as_megatron, spelled(letters, chunks));
  };
  CHECK(why("Et|xL") ==
        "layer \"x2\" of kind \"other\": kinds known to it are vision_embedding, vision, audio, "
        "projector, encoder, embedding, decoder, mtp, norm, head; as one layer with layer \"t1\" of kind "
        "\"decoder\", before it, it would have a place");
  CHECK(why("t|L") == "it has no layer of kind \"embedding\"");
  CHECK(why("Et|t") == "it has no layer of kind \"head\"");
  CHECK(why("EEt|L") == "layer \"E1\" of kind \"embedding\" is the second of its kind");
  CHECK(why("Et|LL") == "layer \"L3\" of kind \"head\" is the second of its kind");
  CHECK(why("Et|nnL") == "layer \"n3\" of kind \"norm\" is the second of its kind");
  CHECK(why("tE|L") == "layer \"E1\" of kind \"embedding\" stands behind layer \"t0\" of kind \"decoder\"");
  CHECK(why("Et|Lt") == "layer \"t3\" of kind \"decoder\" stands behind layer \"L2\" of kind \"head\"");
  CHECK(why("Etm|tL") == "layer \"t3\" of kind \"decoder\" stands behind layer \"m2\" of kind \"mtp\"");
  CHECK(why("Et|ntL") == "layer \"t3\" of kind \"decoder\" stands behind layer \"n2\" of kind \"norm\"");
  CHECK(why("|EtL") == "layer \"E0\" of kind \"embedding\" on stage 1, and its place is stage 0, the first");
  CHECK(why("EtL|") == "layer \"L2\" of kind \"head\" on stage 0, and its place is stage 1, the last");
  CHECK(why("Etn|L") == "layer \"n2\" of kind \"norm\" on stage 0, and its place is stage 1, the last");
  CHECK(why("Et|t|mnL") ==
        "layer \"n4\" of kind \"norm\" on stage 2, and its place is stage 1, where the last decoder is");
  CHECK(why("Et|m|mL") ==
        "layer \"m3\" of kind \"mtp\" on stage 2, and its place is stage 1, where the first of its kind is");
  CHECK(why("Et|tm|t|L", 2).starts_with("layer \"t4\" of kind \"decoder\" stands behind"));
  CHECK(why("Et|tm||L", 2) ==
        "layer \"m3\" of kind \"mtp\" on stage 1, and its place is the last stage of a device, from stage 2");
  CHECK(why("Etm|||L", 2).starts_with("layer \"m2\" of kind \"mtp\" on stage 0, and its place is the last stage"));
  CHECK(why("Et|L", 2) == "several stages on every device, and there is only one device");
}

TEST_CASE("schedules and places that are not Megatron-LM's") {
  for (const auto write : {as_megatron, as_megatron_flags}) {
    auto p = transformer_plan({2, 2, 2, 2});
    for (const char* const schedule : {"gpipe", "interleaved"}) {
      p.schedule.name = schedule;
      CHECK(refusal(write, p) == "its schedule is \"" + p.schedule.name + "\", and the only one there is \"1f1b\"");
    }
    p.schedule.name = "1f1b";
    CHECK_NOTHROW((void)write(p));
    p.stages[1].device = 2;
    CHECK(refusal(write, p) == "stage 1 stands on device 2, and its place is device 1");

    p = transformer_plan({2, 2, 2, 2}, 2);
    for (const char* const schedule : {"gpipe", "1f1b"}) {
      p.schedule.name = schedule;
      CHECK(refusal(write, p) == "its schedule is \"" + p.schedule.name +
                                     "\", and the only one there with several stages on a device is \"interleaved\"");
    }
    p.schedule = {"interleaved", 8};
    CHECK_NOTHROW((void)write(p));
    for (const std::size_t microbatches : {3U, 7U}) {
      p.schedule.microbatches = microbatches;
      CHECK(
          refusal(write, p) ==
          std::to_string(microbatches) +
              " microbatches, and interleaved they must be a multiple of the 2 ranks, or come in groups, for example " +
              (microbatches == 3 ? "of 3" : "of 4"));
    }
    p.schedule.microbatches = 0;  // not known
    CHECK_NOTHROW((void)write(p));
    p.stages[2].device = 1;  // back and forth
    p.stages[3].device = 0;
    CHECK(refusal(write, p) == "stage 2 stands on device 1, and its place is device 0");
  }
  CHECK_THROWS_WITH_AS((void)as_megatron(inconsistent()), Contains("io::as_megatron: plan.stages"),
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS((void)as_megatron_flags(inconsistent()), Contains("io::as_megatron_flags: plan.stages"),
                       stagecut::argument_error);
}

TEST_CASE("a hybrid model gets its pattern, a letter a layer") {
  std::vector<stagecut::layer> layers = {layer_of("e", "embedding")};
  for (const char* const kind : {"mamba", "moe", "attention", "mlp", "gated_delta_net", "mamba"}) {
    layers.push_back(layer_of("l" + std::to_string(layers.size()), kind));
  }
  layers.push_back(layer_of("h", "head"));
  CHECK(as_megatron(plan_of(layers, {0, 3, 6, 8}, 1)) == "--pipeline-model-parallel-size 3 --hybrid-layer-pattern \"ME|*-G|M\"");
  const std::vector<std::string> since = {
      "bars in --hybrid-layer-pattern are read since Megatron-LM's pull request 3377 of 2026"};
  CHECK(stagecut::io::megatron_cautions(plan_of(layers, {0, 3, 6, 8}, 1)) == since);
  CHECK(stagecut::io::megatron_cautions(plan_of(layers, {0, 8}, 1)).empty());
  CHECK(as_megatron(plan_of(layers, {0, 1, 7, 8}, 1)) == "--pipeline-model-parallel-size 3 --hybrid-layer-pattern \"|ME*-GM|\"");
  CHECK(as_megatron(plan_of(layers, {0, 2, 3, 6, 8}, 2)) ==
        "--pipeline-model-parallel-size 2 --hybrid-layer-pattern \"M|E|*-G|M\"");
  CHECK(refusal(as_megatron_flags, plan_of(layers, {0, 3, 6, 8}, 1)).starts_with("layer \"l1\" of kind \"mamba\": kinds known"));
}

TEST_CASE("flags: only those that are needed") {
  CHECK(as_megatron_flags(transformer_plan({3})) == "--pipeline-model-parallel-size 1");
  CHECK(flags({6, 6, 6, 6}) == "4");
  CHECK(flags({5, 6}) == "2 --decoder-first-pipeline-num-layers 5");
  CHECK(flags({5, 6, 6, 6}) == "4 --decoder-first-pipeline-num-layers 5");
  CHECK(flags({6, 6, 6, 5}) == "4 --decoder-last-pipeline-num-layers 5");
  CHECK(flags({5, 6, 6, 4}) == "4 --decoder-first-pipeline-num-layers 5 --decoder-last-pipeline-num-layers 4");
  CHECK(flags({5, 6, 6, 5}) == "4 --decoder-first-pipeline-num-layers 5 --decoder-last-pipeline-num-layers 5");
  CHECK(flags({5, 6, 7}) == "3 --decoder-first-pipeline-num-layers 5 --decoder-last-pipeline-num-layers 7");
  CHECK(flags({5, 6, 5}) == "3 --decoder-first-pipeline-num-layers 5 --decoder-last-pipeline-num-layers 5");
  CHECK(flags({3, 3, 3, 3, 3, 3}, 3) == "2 --num-layers-per-virtual-pipeline-stage 3");
  const std::string account = " --account-for-embedding-in-pipeline-split";
  const std::string loss = " --account-for-loss-in-pipeline-split";
  CHECK(flags({2, 3, 3, 3}, 2) == "2 --num-layers-per-virtual-pipeline-stage 3" + account);
  CHECK(flags({3, 3, 3, 2}, 2) == "2 --num-layers-per-virtual-pipeline-stage 3" + loss);
  CHECK(flags({0, 1, 1, 0}, 2) == "2 --num-layers-per-virtual-pipeline-stage 1" + account + loss);
  CHECK(as_megatron_flags(spelled("Et|tnmL")) == "--pipeline-model-parallel-size 2");
}

TEST_CASE("flags: what they cannot express") {
  CHECK(flags_refusal({5, 6, 7, 6}) ==
        "24 - 5 - 6 = 13 decoders do not divide by the 2 ranks between the first and the last; format megatron can "
        "express "
        "it");
  CHECK(
      flags_refusal({5, 5, 7, 6}) ==
      "23 - 5 - 6 = 12 decoders would be 6 on each of the 2 ranks between the first and the last, and are 5, 7; format "
      "megatron can express it");
  CHECK(flags_refusal({6, 6, 5, 6}).starts_with("23 - 6 - 6 = 11 decoders do not divide"));
  CHECK(flags_refusal({2, 2, 3, 2}, 2) ==
        "stage 2 has 3 decoders and stage 1 has 2, with 2 stages on every device all are equal, but for one less on "
        "the first "
        "and the last; format megatron can express it");
  CHECK(flags_refusal({2, 0, 2}) == "stage 1 has no layer of kind \"decoder\"");
  CHECK(refusal(as_megatron_flags, spelled("E|t|tL")) == "stage 0 has no layer of kind \"decoder\"");
  CHECK(refusal(as_megatron_flags, spelled("Et|t|m|L")) ==
        "layer \"m3\" of kind \"mtp\" on stage 2, and its place is stage 3, the last");
  CHECK(refusal(as_megatron_flags, spelled("Et|x")).starts_with("layer \"x2\" of kind \"other\""));
}

TEST_CASE("flags are as Megatron-LM reads them") {
  int said = 0;
  int refused = 0;
  std::vector<std::size_t> decoders;
  const auto each = [&](const auto& self, std::size_t ranks) -> void {
    if (ranks != 0) {
      for (std::size_t count = 1; count <= 3; ++count) {
        decoders.push_back(count);
        self(self, ranks - 1);
        decoders.pop_back();
      }
      return;
    }
    const auto p = transformer_plan(decoders);
    const std::size_t total = p.profile.layers.size() - 2;
    const std::string text = refusal(as_megatron_flags, p);
    const auto flag = [&](const std::string& name) {
      const std::size_t at = text.find(name);
      return at == std::string::npos ? std::size_t{0} : static_cast<std::size_t>(text[at + name.size()] - '0');
    };
    if (!text.starts_with("not refused")) {
      // No way to set the flags gives the plan.
      CHECK(!std::equal(decoders.begin() + 2, decoders.end() - 1, decoders.begin() + 1));
      ++refused;
      return;
    }
    const std::size_t first = flag("--decoder-first-pipeline-num-layers ");
    const std::size_t last = flag("--decoder-last-pipeline-num-layers ");
    const std::size_t others = decoders.size() - (first != 0 ? 1 : 0) - (last != 0 ? 1 : 0);
    const std::size_t rest = total - first - last;
    std::vector<std::size_t> read(decoders.size(), others == 0 ? 0 : rest / others);
    if (first != 0) read.front() = first;
    if (last != 0) read.back() = last;
    CHECK((others == 0 || rest % others == 0));
    CHECK(read == decoders);
    ++said;
  };
  for (std::size_t ranks = 1; ranks <= 5; ++ranks) each(each, ranks);
  CHECK(said == 93);
  CHECK(refused == 270);
}
