// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/sapp_runs.hpp>

#include <doctest/doctest.h>

#include <string>

#include <stagecut/io/detail/yaml_subset.hpp>

#include "../refusal.hpp"

using stagecut::io::detail::json;
using stagecut::io::detail::json_value;
using stagecut::io::detail::parse_yaml;
using stagecut::io::detail::sapp_counts;
using stagecut::io::detail::sapp_counts_of;
using stagecut::io::detail::sapp_pipelines;

namespace {

/// The pipelines that sections of a file tell.
sapp_pipelines pipelines(const json& pipeline, const json& recompute, const json& ids, bool lenient = false) {
  return {json_value(pipeline, "x"), json_value(recompute, "x"), json_value(ids, "x"), lenient};
}

std::string refused(const std::string& pipeline, const std::string& recompute = "{}", const std::string& ids = "[]") {
  const json sections[] = {parse_yaml(pipeline, "x"), parse_yaml(recompute, "x"), parse_yaml(ids, "x")};
  return refusal<stagecut::invalid_input>([&] { return pipelines(sections[0], sections[1], sections[2]); });
}

}  // namespace

TEST_CASE("how many layers are run in each way") {
  CHECK(sapp_counts_of(6, 0, 0, 0) == sapp_counts{6, 0, 0, 0, 0});
  CHECK(sapp_counts_of(6, 2, 2, 2) == sapp_counts{4, 0, 0, 0, 2});  // FULL alone
  CHECK(sapp_counts_of(6, 2, 0, 0) == sapp_counts{4, 0, 0, 0, 2});  // the same, not counted with the weaker ones
  CHECK(sapp_counts_of(9, 1, 4, 3) == sapp_counts{5, 1, 0, 2, 1});  // BOTH = min(3, 2)
  CHECK(sapp_counts_of(9, 0, 2, 5) == sapp_counts{4, 0, 3, 2, 0});
  CHECK(sapp_counts_of(2, 1, 4, 1)[0] < 0);
}

TEST_CASE("settings of one run") {
  const json pipeline = parse_yaml("{pipeline_num: 3, num_layer: 7, offset: [1, 0, 0]}", "x");
  const json recompute =
      parse_yaml("{recompute: false, select_recompute: [2, true, 1], select_comm_recompute: true}", "x");
  const json ids = parse_yaml("[1]", "x");
  const auto made = pipelines(pipeline, recompute, ids);
  CHECK(made.ranks() == 3);
  CHECK(made.layers() == 7);
  CHECK(made.runs() == 1);
  CHECK(made.layers_of(0, 0) == 3);
  CHECK(made.layers_of(0, 2) == 2);
  CHECK(made.counts_of(0, 0) == sapp_counts{0, 0, 1, 2, 0});
  CHECK(made.counts_of(0, 1) == sapp_counts{0, 0, 0, 2, 0});
  CHECK(made.counts_of(0, 2) == sapp_counts{0, 0, 1, 1, 0});
}

TEST_CASE("settings of several runs, each a list or not") {
  const json pipeline = parse_yaml("{pipeline_num: 2, num_layer: 8, offset: [0, [1, -1], 0]}", "x");
  const json recompute = parse_yaml("{recompute: [[1, 2], false, true]}", "x");
  const json ids = parse_yaml("[[0], [1], []]", "x");
  const auto made = pipelines(pipeline, recompute, ids);
  CHECK(made.runs() == 3);
  CHECK(made.layers_of(0, 1) == 4);
  CHECK(made.layers_of(1, 1) == 3);
  CHECK(made.counts_of(0, 1) == sapp_counts{2, 0, 0, 0, 2});
  CHECK(made.counts_of(1, 1) == sapp_counts{3, 0, 0, 0, 0});
  CHECK(made.counts_of(2, 1) == sapp_counts{0, 0, 0, 0, 4});
  // A list of one run is a run.
  CHECK(pipelines(parse_yaml("{pipeline_num: 2, num_layer: 8, offset: [[1, -1]]}", "x"), json::object(),
                  parse_yaml("[[0]]", "x"))
            .layers_of(0, 0) == 5);
}

TEST_CASE("what does not come out is refused") {
  CHECK(refused("{pipeline_num: 4, num_layer: 62, offset: [-3, 0, -1, 2]}") ==
        "x#/offset: leaves 58 layers on the ranks, and the model has 62");  // 4 * 15 - 2
  CHECK(refused("{pipeline_num: 4, num_layer: 62, offset: 0}") ==
        "x#/offset: leaves 60 layers on the ranks, and the model has 62");
  CHECK(refused("{pipeline_num: 2, num_layer: 2, offset: [2, -2]}") ==
        "x#/offset/1: -2 leaves fewer than 0 layers: an even share is 1");
  CHECK(refused("{pipeline_num: 2, num_layer: 2, offset: [1, 1, 1]}") ==
        "x#/offset: has 3 elements, and there are 2 ranks");
  CHECK(refused("{pipeline_num: 2, num_layer: 2, offset: [[0, 0], 0]}", "{recompute: [true, false, true]}") ==
        "x#/recompute: has 3 elements, and there are 2 runs");
  CHECK(refused("{pipeline_num: 2, num_layer: 2, offset: 1}") == "x#/offset: 1 is neither 0 nor a list");
  CHECK(refused("{pipeline_num: 2, num_layer: 2, offset: [0.5, -0.5]}") == "x#/offset/0: 0.5 is no whole number");
  CHECK(refused("{pipeline_num: 2, num_layer: 2, offset: [3, -3]}") == "x#/offset/0: 3 is more than all layers");
  CHECK(refused("{pipeline_num: 1, num_layer: 2, offset: 0}") == "x#/pipeline_num: 1 is below 2");
  CHECK(refused("{pipeline_num: 10001, num_layer: 2, offset: 0}") == "x#/pipeline_num: 10001 is above 10000");
  CHECK(refused("{pipeline_num: 2, num_layer: 2, offset: 0, chunks: 2}") == "x#/chunks: is not known");
  CHECK(refused("{pipeline_num: 2, num_layer: 2, offset: 0}", "{recompute: 1}") ==
        "x#/recompute: 1 is neither true, false nor a list");
  CHECK(refused("{pipeline_num: 2, num_layer: 2, offset: 0}", "{recompute: [1]}") ==
        "x#/recompute: has 1 elements, and there are 2 ranks");
  CHECK(refused("{pipeline_num: 2, num_layer: 2, offset: 0}", "{recompute: [1, -1]}") ==
        "x#/recompute/1: -1 is negative");
  const json pipeline = parse_yaml("{pipeline_num: 2, num_layer: 4, offset: [1, 2]}", "x");
  const json recompute = parse_yaml("{select_recompute: [0, 5]}", "x");
  const json ids = json::array();
  const auto made = pipelines(pipeline, recompute, ids, true);
  CHECK(made.layers_of(0, 1) == 4);
  CHECK(refusal<stagecut::invalid_input>([&] { return made.counts_of(0, 1); }) ==
        "x: recomputes more layers of rank 1 in run 0 than the 4 that it holds");
}
