// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/sapp_init.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../refusal.hpp"

using doctest::Approx;
using stagecut::io::read_sapp_init;

namespace {

constexpr double mb = 1048576;
using numbers = std::vector<double>;

/// A file of 4 ranks and 9 layers: an even share is 2.
const std::string small =
    "# dry runs\n"
    "pipeline_config:\n"
    "  pipeline_num: 4\n"
    "  num_layer: 9\n"
    "  offset: [0, 1, 1, -1]\n"
    "time_config: {head: 90, body: 45.5, tail: 180}\n"
    "recompute_config:\n"
    "  recompute: [0, 1, 0, 0]\n"
    "  select_recompute: [0, 2, 1, 0]\n"
    "  select_comm_recompute: [0, 1, 2, 0]\n"
    "memory_usage:\n"
    "  head_memory: 100\n"
    "  tail_memory: 10.5\n"
    "  body_memories:\n"
    "    stage_id: [1, 2]\n"
    "    memories: [70, 60]\n";

/// It with one text in place of another.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = small;
  return text.replace(text.find(from), from.size(), to);
}

std::string refused(const std::string& text, const stagecut::io::read_limits& limits = {}) {
  return refusal<stagecut::invalid_input>([&] { return read_sapp_init(text, "x", {}, limits); });
}

}  // namespace

TEST_CASE("one run") {
  const auto made = read_sapp_init(small, "x");
  CHECK(made.ranks == 4);
  CHECK(made.layers == 9);
  REQUIRE(made.times);
  CHECK(made.times->head == Approx(0.09));
  CHECK(made.times->body == Approx(0.0455));
  CHECK(made.times->tail == Approx(0.18));
  CHECK(!made.traces);
  // Rank 1 of 3 layers: FULL 1, BOTH min(1, 0), SLCT 1, COMM 0. Rank 2 of 3: BOTH min(1, 2), SLCT 0, COMM 1.
  CHECK(made.dry_runs.choices == std::vector<std::string>{"none", "select", "comm", "both", "full"});
  const auto& peaks = made.dry_runs.peaks;
  REQUIRE(peaks.size() == 4);
  CHECK(peaks[0] == stagecut::rank_peak{0, 1, 3, {3 * 1, 3 * 1, 0, 0, 3 * 1}, false, false, 70 * mb});
  CHECK(peaks[1] == stagecut::rank_peak{0, 2, 3, {2 * 1, 0, 2 * 1, 2 * 1, 0}, false, false, 60 * mb});
  CHECK(peaks[2] == stagecut::rank_peak{0, 0, 2, {4 * 2, 0, 0, 0, 0}, true, false, 100 * mb});
  CHECK(peaks[3] == stagecut::rank_peak{0, 3, 1, {1 * 1, 0, 0, 0, 0}, false, true, 10.5 * mb});
}

TEST_CASE("several runs, with the ends of the first or the last") {
  const std::string text =
      "pipeline_config: {pipeline_num: 3, num_layer: 6, offset: [0, [1, -1, 0]]}\n"
      "recompute_config: {recompute: [true, false], select_recompute: [false, [0, 0, 1]]}\n"
      "memory_usage:\n"
      "  head_memory: 5\n"
      "  tail_memory: 6\n"
      "  body_memories: {stage_id: [[1], [1]], memories: [[7], [8]]}\n";
  const auto first = read_sapp_init(text, "x").dry_runs;
  CHECK(first.choices == std::vector<std::string>{"none", "full"});
  REQUIRE(first.peaks.size() == 4);
  CHECK(first.peaks[0] == stagecut::rank_peak{0, 1, 2, {0, 4}, false, false, 7 * mb});
  CHECK(first.peaks[1] == stagecut::rank_peak{1, 1, 1, {2, 0}, false, false, 8 * mb});
  CHECK(first.peaks[2] == stagecut::rank_peak{0, 0, 2, {0, 6}, true, false, 5 * mb});
  CHECK(first.peaks[3] == stagecut::rank_peak{0, 2, 2, {0, 2}, false, true, 6 * mb});
  const auto last = read_sapp_init(text, "x", {.ends_of_last_run = true}).dry_runs;
  CHECK(last.choices == std::vector<std::string>{"none", "select", "full"});
  CHECK(last.peaks[0] == stagecut::rank_peak{0, 1, 2, {0, 0, 4}, false, false, 7 * mb});
  CHECK(last.peaks[2] == stagecut::rank_peak{1, 0, 3, {9, 0, 0}, true, false, 5 * mb});
  CHECK(last.peaks[3] == stagecut::rank_peak{1, 2, 2, {1, 1, 0}, false, true, 6 * mb});
}

TEST_CASE("times from traces, or none") {
  const auto made = read_sapp_init(changed("time_config: {head: 90, body: 45.5, tail: 180}",
                                           "profiling_config:\n"
                                           "  micro_batch_num: 8\n"
                                           "  folder_path: ./traces\n"
                                           "  head_layers: [LlamaEmbedding]\n"
                                           "  body_layers: LLamaDecodeLayer\n"
                                           "  tail_layers: [LlamaRMSNorm, Linear]"),
                                   "x");
  CHECK(!made.times);
  CHECK(made.traces ==
        stagecut::io::sapp_traces{"./traces", 8, {"LlamaEmbedding"}, {"LLamaDecodeLayer"}, {"LlamaRMSNorm", "Linear"}});
  // Cells of a Llama unless others are named.
  const auto usual = read_sapp_init(changed("time_config: {head: 90, body: 45.5, tail: 180}",
                                            "profiling_config: {micro_batch_num: 1, folder_path: a, recompute: true}"),
                                    "x");
  CHECK(usual.traces == stagecut::io::sapp_traces{"a", 1});
  const auto none = read_sapp_init(changed("time_config: {head: 90, body: 45.5, tail: 180}", "other: [1]"), "x");
  CHECK(!none.times);
  CHECK(!none.traces);
}

TEST_CASE("what is wrong is refused at its place") {
  CHECK(refused("a: &b 1") == "x:1: \"&b 1\" is an anchor: they are not read");
  CHECK(refused("") == "x: null is no object");
  CHECK(refused("a: 1") == "x: \"memory_usage\" is missing");
  CHECK(refused(changed("num_layer: 9", "num_layer: 10")) ==
        "x#/pipeline_config/offset: leaves 9 layers on the ranks, and the model has 10");
  CHECK(refused(changed("num_layer: 9", "layers: 9")) == "x#/pipeline_config: \"num_layer\" is missing");
  CHECK(refused(changed("select_recompute: [0, 2, 1, 0]", "select_recompute: [0, 4, 1, 0]")) ==
        "x#/recompute_config: recomputes more layers of rank 1 in run 0 than the 3 that it holds");
  CHECK(refused(changed("select_recompute: [0, 2, 1, 0]", "selective: [0, 2, 1, 0]")) ==
        "x#/recompute_config/selective: is not known");
  CHECK(refused(changed("[70, 60]", "[70]")) ==
        "x#/memory_usage/body_memories/memories: has 1 elements, and \"stage_id\" 2");
  CHECK(refused(changed("[70, 60]", "[70, -60]")) == "x#/memory_usage/body_memories/memories/1: -60 is negative");
  CHECK(refused(changed("[70, 60]", "[70, 1e308]")) ==
        "x#/memory_usage/body_memories/memories/1: 1e+308 is out of range");
  CHECK(refused(changed("[1, 2]", "[1, 4]")) == "x#/memory_usage/body_memories/stage_id/1: 4 is no rank of 4");
  CHECK(refused(changed("[1, 2]", "[1, 1]")) ==
        "x#/memory_usage/body_memories/stage_id/1: the memory of rank 1 in run 0 is given twice");
  CHECK(refused(changed("[1, 2]", "[1, 3]")) ==
        "x#/memory_usage/tail_memory: the memory of rank 3 in run 0 is given twice");
  CHECK(refused(changed("[1, 2]", "[[1], [2]]")) == "x#/pipeline_config/offset: has 4 elements, and there are 2 runs");
  CHECK(refused(changed("  tail_memory: 10.5\n", "")) == "x#/memory_usage: \"tail_memory\" is missing");
  CHECK(refused(changed("45.5", "[45, 5]")) == "x#/time_config/body: [45,5] is not a number");
  CHECK(refused(small, {.bytes = 10}).starts_with("x: is larger than 10 bytes"));
  CHECK(refused(small, {.depth = 2}).starts_with("x:5: nested deeper than 2"));
}

TEST_CASE("layers that do not come out are read where that is wanted") {
  const auto text = changed("num_layer: 9", "num_layer: 10");
  CHECK(read_sapp_init(text, "x", {.lenient = true}).layers == 10);
}

TEST_CASE("ranks whose memory is said elsewhere") {
  const auto with = read_sapp_init(small, "x", {.memory_elsewhere = true});
  CHECK(with.dry_runs == read_sapp_init(small, "x").dry_runs);
  CHECK(read_sapp_init(small, "x").to_measure.peaks.empty());
  const std::string text = small.substr(0, small.find("memory_usage"));
  const auto made = read_sapp_init(text, "x", {.memory_elsewhere = true});
  CHECK(made.dry_runs.peaks.empty());
  CHECK(made.to_measure == with.to_measure);
  CHECK(made.to_measure.choices == std::vector<std::string>{"none", "select", "comm", "both", "full"});
  const auto& ranks = made.to_measure.peaks;
  REQUIRE(ranks.size() == 4);
  CHECK(ranks[0] == stagecut::rank_peak{0, 0, 2, {4 * 2, 0, 0, 0, 0}, true, false, 0});
  CHECK(ranks[1] == stagecut::rank_peak{0, 1, 3, {3 * 1, 3 * 1, 0, 0, 3 * 1}, false, false, 0});
  CHECK(ranks[3] == stagecut::rank_peak{0, 3, 1, {1 * 1, 0, 0, 0, 0}, false, true, 0});
  // Several runs, those of lists.
  const auto runs = read_sapp_init(
      "pipeline_config: {pipeline_num: 3, num_layer: 6, offset: [0, [1, -1, 0]]}\nrecompute_config: {}\n", "x",
      {.memory_elsewhere = true});
  REQUIRE(runs.to_measure.peaks.size() == 6);
  CHECK(runs.to_measure.peaks[3] == stagecut::rank_peak{1, 0, 3, {9, 0, 0, 0, 0}, true, false, 0});
  CHECK(refused(text) == "x: \"memory_usage\" is missing");
  std::string many =
      "pipeline_config: {pipeline_num: 10000, num_layer: 10000, offset: 0}\n"
      "recompute_config: {recompute: [";
  for (int run = 0; run < 100; ++run) many += "false, ";
  many += "[0";
  for (int rank = 1; rank < 10000; ++rank) many += ", 0";
  const auto endless = [&] { return read_sapp_init(many + "]]}\n", "x", {.memory_elsewhere = true}); };
  CHECK(refusal<stagecut::invalid_input>(endless) ==
        "x#/pipeline_config: 101 runs of 10000 ranks are more than 1000000 in all");
}

TEST_CASE("rows as SAPP makes them of its own files") {
  const char* const folder = std::getenv("STAGECUT_WORKLOADS");
  if (folder == nullptr || *folder == '\0') {
    MESSAGE("skipped: STAGECUT_WORKLOADS is not set");
    return;
  }
  std::ifstream stream(std::filesystem::path(folder) / "sapp" / "cases.json");
  if (!stream) {
    MESSAGE("skipped: there are no cases of SAPP");
    return;
  }
  const auto all = nlohmann::json::parse(stream);
  constexpr const char* types[] = {"NONE", "SLCT", "COMM", "BOTH", "FULL"};
  constexpr const char* names[] = {"none", "select", "comm", "both", "full"};
  std::size_t files = 0;
  std::size_t rows = 0;
  for (const auto& each : all.at("memory_decomposition")) {
    if (!each.contains("config")) continue;
    const auto name = each.at("name").get<std::string>();
    CAPTURE(name);
    const std::string text = each.at("config").dump();
    CHECK((refused(text) != "not refused") == (name == "init_demopp4"));
    const auto made = read_sapp_init(text, "x", {.ends_of_last_run = true, .lenient = name == "init_demopp4"});
    CHECK(made.ranks == each.at("pp").get<std::size_t>());
    CHECK(made.layers == each.at("num_layer").get<std::size_t>());
    REQUIRE(made.dry_runs.peaks.size() == each.at("rows").size());
    for (std::size_t i = 0; i < made.dry_runs.peaks.size(); ++i) {
      CAPTURE(i);
      const auto& found = made.dry_runs.peaks[i];
      const auto& wanted = each.at("rows").at(i);
      CHECK(found.rank == wanted.at("stage").get<std::size_t>());
      CHECK(found.layers == wanted.at("layers").get<std::size_t>());
      CHECK(found.bytes == wanted.at("memory_mb").get<double>() * mb);
      CHECK(found.has_head == (found.rank == 0));
      CHECK(found.has_tail == (found.rank + 1 == made.ranks));
      std::size_t choice = 0;
      for (std::size_t type = 0; type < 5; ++type) {
        const auto count = wanted.at("per_type").at(types[type]).get<double>();
        const bool named = choice < made.dry_runs.choices.size() && made.dry_runs.choices[choice] == names[type];
        REQUIRE((named || count == 0));
        if (named) CHECK(found.kept.at(choice++) == static_cast<double>(made.ranks - found.rank) * count);
      }
      CHECK(choice == made.dry_runs.choices.size());
      ++rows;
    }
    // The types that SAPP found the memory of.
    CHECK(made.dry_runs.choices.size() == each.at("result").at("act").size());
    ++files;
  }
  CHECK(files == 4);
  CHECK(rows == 35);
}
