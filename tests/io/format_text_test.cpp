// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/format_text.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/io/frameworks/formats.hpp>

#include "../refusal.hpp"
#include "graph_plans.hpp"
#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::argument_error;
using stagecut::io::not_representable;
namespace detail = stagecut::io::detail;

namespace {

/// What is said of the diamond after `change`.
template <class Change>
std::string refused(const Change& change) {
  stagecut::plan made = diamond_plan();
  change(made);
  return refusal<stagecut::argument_error>([&] {
    stagecut::io::detail::check_parts("f", made);
    return 0;
  });
}

}  // namespace

TEST_CASE("lists and sequences") {
  const std::vector<int> none;
  CHECK(detail::list_text(none) == "[]");
  CHECK(detail::list_text(std::vector<int>{-1}) == "[-1]");
  CHECK(detail::list_text(std::vector<int>{-1, 2, 3}) == "[-1, 2, 3]");
  CHECK(detail::list_text(std::vector<int>{1, 2}, ",") == "[1,2]");
  CHECK(detail::sequence_text(3, "|", [](std::size_t i) { return std::string(i, 'x'); }) == "|x|xx");
}

TEST_CASE("a name stays on one line and inside its quotes") {
  CHECK(detail::quoted("layers.0") == "\"layers.0\"");
  CHECK(detail::quoted("") == "\"\"");
  CHECK(detail::quoted("a\"b\\c'd") == "\"a\\\"b\\\\c'd\"");
  CHECK(detail::quoted(std::string_view("\0\n\r\t\x1f\x7f\x80", 7)) ==
        "\"\\u0000\\u000a\\u000d\\u0009\\u001f\\u007f\\x80\"");
  CHECK(detail::quoted("a\u202e\u0085\U000e0041b") == R"("a\u202e\u0085\U000e0041b")");
  CHECK(detail::escaped("\n") == "\\u000a");
}

TEST_CASE("modules, stages of layers, decoders of stages") {
  const auto p = worked_plan();
  CHECK(detail::module_names(p, 1) ==
        std::vector<std::string_view>{"layers.5", "layers.6", "layers.7", "layers.8", "layers.9", "layers.10"});
  CHECK(detail::module_names(p, 3).front() == "layers.18");
  CHECK(detail::module_names(p, 3).back() == "lm_head");
  CHECK(detail::module_names(p, 3).size() == 8);
  const auto stages = p.cuts.assignment();
  REQUIRE(stages.size() == 26);
  CHECK(stages[0] == 0);
  CHECK(stages[5] == 0);
  CHECK(stages[6] == 1);
  CHECK(stages[25] == 3);
  CHECK(detail::decoders_of_stages(p) == std::vector<std::size_t>{5, 6, 7, 6});
  CHECK(detail::decoders_of_stages(transformer_plan({2, 0, 1})) == std::vector<std::size_t>{2, 0, 1});
}

TEST_CASE("the parts of a plan belong together") {
  const auto check = [](const stagecut::plan& p) { detail::check_plan("as_x", "x", p); };
  CHECK_NOTHROW(check(worked_plan()));
  CHECK_THROWS_WITH_AS(check(stagecut::plan{}), "stagecut::io::as_x: plan.devices = 0, must be at least 1",
                       argument_error);
  auto p = worked_plan();
  p.stages_per_rank = 0;
  CHECK_THROWS_WITH_AS(check(p), "stagecut::io::as_x: plan.stages_per_rank = 0, must be at least 1", argument_error);
  p = worked_plan();
  p.profile.layers.pop_back();
  CHECK_THROWS_WITH_AS(check(p), "stagecut::io::as_x: plan.cuts.items() = 26, must be the number of layers, 25",
                       argument_error);
  p = worked_plan();
  p.stages_per_rank = 2;
  CHECK_THROWS_WITH_AS(check(p), "stagecut::io::as_x: plan.cuts.stages() = 4, must be devices * stages_per_rank, 4 * 2",
                       argument_error);
  p.devices = std::numeric_limits<std::size_t>::max() / 2 + 3;  // twice that is 4 again
  CHECK_THROWS_WITH_AS(check(p), Contains("must be devices * stages_per_rank"), argument_error);
  p = worked_plan();
  p.stages_per_rank = 3;
  p.devices = 1;
  CHECK_THROWS_WITH_AS(check(p), Contains("must be devices * stages_per_rank, 1 * 3"), argument_error);
  CHECK_THROWS_WITH_AS(check(inconsistent()),
                       "stagecut::io::as_x: plan.stages.size() = 3, must be the number of stages, 4", argument_error);
}

TEST_CASE("each check names the place") {
  auto p = worked_plan("gpipe");
  CHECK_NOTHROW(detail::check_tied("f", p));
  CHECK_NOTHROW(detail::check_names("f", p));
  CHECK_NOTHROW(detail::check_no_stage_empty("f", p));

  p = plan_of(transformer(1), stagecut::cuts({0, 2, 2, 3}, stagecut::empty_stages::allowed));
  CHECK_THROWS_WITH_AS(detail::check_no_stage_empty("f", p), Contains("stage 1 has no layer"), not_representable);

  CHECK_THROWS_WITH_AS(
      detail::check_tied("f", tied(worked_plan())),
      "f cannot express this plan: layer \"final\" of kind \"head\" on stage 3 shares \"embedding.weight\" with layer "
      "\"tok_embeddings\" of kind \"embedding\" on stage 0",
      not_representable);
  CHECK_NOTHROW(detail::check_tied("f", tied(transformer_plan({3}))));

  p = worked_plan();
  p.profile.layers[3].modules = {"a", ""};
  CHECK_THROWS_WITH_AS(detail::check_names("f", p),
                       Contains("layer \"layers.2\" of kind \"decoder\" has a module without a name"),
                       not_representable);
  p.profile.layers[3].modules = {"a", "caf\xe9"};
  CHECK_THROWS_WITH_AS(detail::check_names("f", p),
                       Contains(R"(module "caf\xe9" of layer "layers.2" of kind "decoder" is not UTF-8)"),
                       not_representable);
  p.profile.layers[3].modules = {"a", "norm"};
  CHECK_THROWS_WITH_AS(
      detail::check_names("f", p),
      Contains("module \"norm\" of layer \"final\" of kind \"head\" stands also in layer \"layers.2\""),
      not_representable);
}

TEST_CASE("what no format can say is refused, whatever the format") {
  for (const auto& format : stagecut::io::formats) {
    CAPTURE(format.name);
    if (format.any_plan) continue;
    const std::string name(format.name);
    const auto refusal = [&](const auto& change) {
      auto p = worked_plan();
      for (auto& each : p.profile.layers) {
        each.recomputations = {stagecut::layer_variant{"odd"}};
        each.shardings = {stagecut::layer_variant{"row"}};
      }
      change(p);
      try {
        (void)format.write(p);
      } catch (const not_representable& error) {
        CHECK(error.format() == name);
        return std::string(error.what()).substr(name.size());
      }
      return std::string();
    };
    using stagecut::plan;
    const std::string says = " cannot express this plan: ";
    const std::string usual = refusal([](plan&) {});
    CHECK(refusal([](plan& p) { p.edges = {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}}; }) == usual);
    CHECK(refusal([](plan& p) { p.choices.resize(26); }) == usual);
    // PyTorch traces the model, so stages may feed any later one, and in one of its formats be any set of layers.
    const bool traced = name == "pytorch" || name == "split-module";
    CHECK(refusal([](plan& p) {
            p.edges = {{0, 1, 1}, {0, 3, 1}};
          }) == (traced ? usual : says + "an edge leads from stage 0 to stage 3, and its stages are a chain"));
    CHECK(refusal([](plan& p) {
            auto stages = stage_of_layers(p);
            stages.back() = 0;
            assign_stages(p, stages);
          }) == (name == "split-module" ? usual : says + "its stages are not intervals in the order of its layers"));
    CHECK(refusal([](plan& p) { p.stages[1].on_cpu = true; }) ==
          (traced ? usual : says + "stage 1 is on a CPU, which the format cannot express"));
    CHECK(refusal([](plan& p) { p.profile.layers[2].is_backward = true; }) ==
          (traced ? usual
                  : says + "layer \"layers.1\" of kind \"decoder\" is of the backward pass alone, and its layers have "
                           "both passes"));
    const bool alike = name == "megatron" || name == "megatron-flags" || name == "torchtitan";
    const std::string other =
        alike ? ", stage 0 1 of 1, and it gives all stages as many" : ", and it gives a stage one device";
    if (name == "pipedream") {
      CHECK(refusal([](plan& p) { p.stages[2].replicas = 2; }) == usual);
      CHECK(refusal([](plan& p) { p.stages[1].tensor_parallel = 4; }) ==
            says + "stage 1 has 1 replicas of 4 devices each, and it gives a replica one device");
    } else if (name != "alpa") {  // which has a mesh for every stage
      CHECK(refusal([](plan& p) { p.stages[2].replicas = 2; }) == says + "stage 2 has 2 replicas of 1 devices each" + other);
      CHECK(refusal([](plan& p) { p.stages[1].tensor_parallel = 4; }) == says + "stage 1 has 1 replicas of 4 devices each" + other);
    }
    CHECK(refusal([](plan& p) {
            p.choices.resize(26);
            p.choices[3].sharding = "row";
          }) ==
          says + "layer \"layers.2\" of kind \"decoder\" is run with sharding \"row\", and it chooses none by layer");
    const std::string unknown = refusal([](plan& p) {
      p.choices.resize(26);
      p.choices[3].recomputation = "odd";
    });
    const std::string layer = says + "layer \"layers.2\" of kind \"decoder\"";
    if (name == "sapp" || name == "megatron") {
      CHECK(unknown == layer + ": recomputation \"odd\" is not known to it");
    } else if (name == "megatron-flags") {
      CHECK(unknown == usual);  // it says first that the stages are not even
    } else {
      CHECK(unknown == layer + " is run with recomputation \"odd\", and it chooses none by layer");
    }
  }
}

TEST_CASE("an order of one's own is refused where a schedule is") {
  auto p = worked_plan();
  p.schedule.microbatches = 1;
  p.schedule.orders.resize(4);
  for (std::size_t s = 0; s < 4; ++s) {
    p.schedule.orders[s] = {{stagecut::op_kind::forward, s, 0}, {stagecut::op_kind::backward, s, 0}};
  }
  const std::string why = "its devices run an order of their own, and the only schedule";
  for (const char* name : {"megatron", "deepspeed", "torchgpipe", "fairscale", "sagemaker"}) {
    const std::string_view of(name);
    const std::string only = of == "torchgpipe" || of == "fairscale" ? "s there are \"gpipe\" and \"gpipe-lifo\""
                             : of == "sagemaker"                     ? "s there are \"1f1b\" and \"gpipe\""
                                                                     : " there is \"1f1b\"";
    CHECK_THROWS_WITH_AS((void)stagecut::io::find_format(name)->write(p),
                         (std::string(name) + " cannot express this plan: " + why + only).c_str(), not_representable);
  }
}

TEST_CASE("numbers that do not agree are named") {
  using stagecut::plan;
  CHECK(refused([](plan&) {}) == "not refused");
  CHECK(refused([](plan& p) { p.assignment.clear(), p.cuts = {0, 3, 4}; }) == "not refused");
  CHECK(refused([](plan& p) { p.devices = 0; }) == "stagecut::io::f: plan.devices = 0, must be at least 1");
  CHECK(refused([](plan& p) { p.stages_per_rank = 0; }) == "stagecut::io::f: plan.stages_per_rank = 0, must be at least 1");
  CHECK(refused([](plan& p) { p.assignment.pop_back(); }) ==
        "stagecut::io::f: plan.assignment.size() = 3, must be the number of layers, 4");
  CHECK(refused([](plan& p) { p.assignment[1] = 2; }) ==
        "stagecut::io::f: plan.assignment = 2, must be below the number of stages, 2");
  CHECK(refused([](plan& p) { p.stages.resize(3); }) ==
        "stagecut::io::f: plan.stages.size() = 3, must be devices * stages_per_rank, 2 * 1");
  CHECK(refused([](plan& p) {
          p.assignment.clear(), p.cuts = {0, 3};
        }) == "stagecut::io::f: plan.cuts.items() = 3, must be the number of layers, 4");
  CHECK(refused([](plan& p) {
          p.assignment.clear(), p.cuts = {0, 4};
        }) == "stagecut::io::f: plan.cuts.stages() = 1, must be devices * stages_per_rank, 2 * 1");
  CHECK(refused([](plan& p) {
          p.assignment.clear(), p.cuts = {0, 3, 4}, p.stages.pop_back();
        }) == "stagecut::io::f: plan.stages.size() = 1, must be the number of stages, 2");
}
