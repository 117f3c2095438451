// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/sapp.hpp>

#include <doctest/doctest.h>

#include <string>

#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::io::as_sapp;
using stagecut::io::not_representable;

TEST_CASE("the worked example") {
  CHECK(as_sapp(worked_plan()) ==
        "offset: [[-1, 0, 1, 0]]\n"
        "recompute: [[0, 0, 0, 0]]\n"
        "select_recompute: [[0, 0, 0, 0]]\n"
        "select_comm_recompute: [[0, 0, 0, 0]]");
}

TEST_CASE("chunks are rows, and full recomputation counts as selective too") {
  auto p = transformer_plan({3, 2, 1, 3}, 2);  // 9 decoders: 2 is an even share
  p.profile.layers[1].recomputation = "full";
  p.profile.layers[2].recomputation = "selective";
  p.profile.layers[3].recomputation = "none";
  p.profile.layers[6].recomputation = "full";
  p.profile.layers[7].recomputation = "selective";
  p.profile.layers[8].recomputation = "selective";
  CHECK(as_sapp(p) ==
        "offset: [[1, 0], [-1, 1]]\n"
        "recompute: [[1, 0], [1, 0]]\n"
        "select_recompute: [[2, 0], [1, 2]]\n"
        "select_comm_recompute: [[1, 0], [1, 0]]");
}

TEST_CASE("each count contains the stronger ones") {
  // Of 7 decoders: NONE, SLCT by its three names, COMM, BOTH, FULL on 2 stages of 4 and 3.
  auto p = transformer_plan({4, 3});
  const char* const names[] = {"none", "select", "selective", "slct", "comm", "both", "full"};
  for (std::size_t i = 0; i < 7; ++i) p.profile.layers[i + 1].recomputation = names[i];
  CHECK(as_sapp(p) ==
        "offset: [[1, 0]]\n"
        "recompute: [[0, 1]]\n"
        "select_recompute: [[3, 2]]\n"
        "select_comm_recompute: [[0, 3]]");
}

TEST_CASE("what was chosen goes before what the figures recompute") {
  auto p = transformer_plan({2, 2});
  p.profile.layers[1].recomputation = "selective";
  p.choices.resize(p.profile.layers.size());
  for (const std::size_t i : {std::size_t{1}, std::size_t{3}}) p.choices[i].recomputation = "full";
  CHECK(as_sapp(p) ==
        "offset: [[0, 0]]\nrecompute: [[1, 1]]\nselect_recompute: [[1, 1]]\nselect_comm_recompute: [[1, 1]]");
}

TEST_CASE("sequences that are cut are a line more") {
  auto p = worked_plan();
  const std::string whole = as_sapp(p);
  p.schedule = {"seq-1f1b", 8};
  p.schedule.slices = 4;
  CHECK(as_sapp(p) == whole + "\nseq_split_num: 4");
}

TEST_CASE("what SAPP cannot express") {
  auto p = worked_plan();
  p.profile.layers[4].recomputation = "twice";
  CHECK_THROWS_WITH_AS((void)as_sapp(p),
                       Contains("sapp cannot express this plan: layer \"layers.3\" of kind \"decoder\": recomputation "
                                "\"twice\" is not known"),
                       not_representable);
  p = worked_plan();
  p.profile.layers[25].recomputation = "full";
  CHECK_THROWS_WITH_AS((void)as_sapp(p), Contains("layer \"final\" of kind \"head\" is recomputed"), not_representable);
  p = worked_plan();
  p.profile.layers[4].kind = "mtp";
  CHECK_THROWS_WITH_AS((void)as_sapp(p), Contains("of kind \"mtp\" on stage 0, and its place is stage 3, the last"),
                       not_representable);
  p = transformer_plan({1, 1, 1, 1}, 2);
  p.stages[2].device = 1;
  CHECK_THROWS_WITH_AS((void)as_sapp(p), Contains("stage 2 stands on device 1"), not_representable);
  CHECK_THROWS_WITH_AS((void)as_sapp(transformer_plan({1, 0, 1})), Contains("stage 1 has no layer of kind \"decoder\""),
                       not_representable);
  CHECK_NOTHROW((void)as_sapp(transformer_plan({1, 0})));  // the head alone
  CHECK_NOTHROW((void)as_sapp(transformer_plan({0, 2, 0})));
  CHECK_THROWS_WITH_AS((void)as_sapp(inconsistent()), Contains("io::as_sapp: plan.stages"), stagecut::argument_error);
}
