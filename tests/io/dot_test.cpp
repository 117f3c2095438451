// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/dot_lexer.hpp>
#include <stagecut/io/graphs/dot.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"
#include "worked_plan.hpp"

using stagecut::profile;
using stagecut::io::parse_dot;

namespace {

std::string refused(const std::string& text) {
  return refusal<stagecut::invalid_input>([&] { return parse_dot(text, "g.dot"); });
}

/// The edges by the names at their ends.
std::string edges(const profile& model) {
  std::string result;
  for (const auto& [from, to] : model.edges) {
    result += (result.empty() ? "" : " ") + model.layers[from].name + ">" + model.layers[to].name;
  }
  return result;
}

/// A plan of a random graph on two stages or more: of stages in any order of layers.
stagecut::plan random_plan(std::mt19937& random) {
  const std::size_t n = 3 + random() % 8;
  stagecut::plan made;
  made.profile.name = "g";
  for (std::size_t i = 0; i < n; ++i) {
    auto& each = made.profile.layers.emplace_back();
    each.name = i % 3 == 0 ? "a \"quoted\\ name\"" + std::to_string(i) : "n" + std::to_string(i);
    each.is_backward = random() % 4 == 0;
    (each.is_backward ? each.backward : each.forward) = static_cast<double>(random() % 1000) / 7000;
    each.output = static_cast<double>(random() % 9) * 1e12;
    if (random() % 2 == 0) each.cpu = 1e-7;
    if (random() % 2 == 0) each.resident = 0;
    if (random() % 2 == 0) each.group = "g";
    if (random() % 4 == 0) each.stage = random() % 3;
    each.accelerator = random() % 4 != 0;
  }
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t v = 1; v < n; ++v) {
    for (std::size_t u = 0; u < v; ++u) {
      if (u == v - 1 || random() % 3 == 0) made.profile.edges.push_back({order[u], order[v]});
    }
  }
  std::vector<std::size_t> stages(n);
  const std::size_t count = 2 + random() % 2;
  for (std::size_t p = 0; p < n; ++p) stages[order[p]] = std::min(p, count - 1);
  assign_stages(made, stages);
  made.devices = count;
  made.stages.resize(count);
  for (std::size_t s = 0; s < count; ++s) made.stages[s].device = s;
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t t = s + 1; t < count; ++t) made.edges.push_back({s, t, 1});
  }
  made.profile.machine = {4, 1, 1e10, stagecut::link_speed{0, 1e9}};
  return made;
}

}  // namespace

TEST_CASE("nodes, edges and attributes") {
  const auto model = parse_dot(R"(// a comment
strict DiGraph "the \"graph\"" { /* of
several lines */ rankdir=LR; devices=4; graph [memory="1e9" latency=.5]
# a line
  a [forward=1, backward="2.5"; output=64][kind=Conv2d, group=g, shape=box label=<b<i>x</i>>]
  "b c" [weight=3]; 7[backward=4,pass=backward,stage=1,accelerator=false,cpu=1e-3];
  node [shape=ellipse] edge [color=red]
  subgraph cluster_0 { label="x"; 7; -1.5 [weight=0.25 resident=16] }
  a -> "b c" -> 7 [weight=64] a->-1.5 a -> 7; a -> 7
  "b c" -> "join\
ed"
})",
                               "g.dot");
  REQUIRE(model.layers.size() == 5);
  CHECK(model.name == "the \"graph\"");
  CHECK(model.machine == stagecut::stated_machine{4, 0, 1e9, stagecut::link_speed{0.5, 0}});
  stagecut::layer a{"a", "Conv2d", 1, 2.5};
  a.output = 64;
  a.group = "g";
  CHECK(refused("digraph { a [output=8] a -> b [weight=64] }") ==
        "g.dot:1: the output of \"a\" is not the weight of its edges");
  CHECK(model.layers[0].output == 64);
  CHECK(model.layers[0] == a);
  CHECK(model.layers[1] == stagecut::layer{"b c", "", 3, 0, 0, 0, 64});
  CHECK(model.layers[2].backward == 4);
  CHECK(model.layers[2].is_backward);
  CHECK(model.layers[2].stage == 1);
  CHECK(model.layers[2].cpu == 0.001);
  CHECK_FALSE(model.layers[2].accelerator);
  CHECK(model.layers[3].name == "-1.5");
  CHECK(model.layers[3].resident == 16);
  CHECK(model.layers[4].name == "joined");
  CHECK(edges(model) == "a>b c b c>7 a>-1.5 a>7 b c>joined");
}

TEST_CASE("the weight of a node is what no other word says") {
  const auto layer = [](const std::string& words) { return parse_dot("digraph{a[" + words + "]}", "g").layers[0]; };
  CHECK(layer("weight=3").forward == 3);
  CHECK(layer("weight=3,pass=backward").backward == 3);
  CHECK(layer("weight=3,forward=1").forward == 1);
  CHECK(layer("weight=3,backward=1").forward == 0);
  CHECK(layer("backward_input=1,backward_weight=2").backward == 3);
  CHECK(layer("backward_input=1,backward_weight=2,backward=4").backward == 4);
}

TEST_CASE("each mistake in DOT is named with its line") {
  CHECK(refused("digraph { a }") == "not refused");
  CHECK(refused("digraph { a -> b }") == "not refused");
  CHECK(refused("") == "g.dot:1: the text ends too early");
  CHECK(refused("strict graph { a }") == "g.dot:1: \"graph\" begins one without directions, and a digraph is wanted");
  CHECK(refused("digraph {\n}") == "g.dot: names no node");
  CHECK(refused("digraph { a b }") == "g.dot: names 2 nodes, and no edge");
  CHECK(refused("digraph { a\n") == "g.dot:2: the text ends too early");
  CHECK(refused("digraph { a }\n}") == "g.dot:2: something stands behind the graph");
  CHECK(refused("digraph { a\n-- b }") == "g.dot:2: \"--\" is an edge without a direction, and this is a digraph");
  CHECK(refused("digraph { a -> b:n }") == "g.dot:1: \":\" names a port, and those are not read");
  CHECK(refused("digraph { a -> {b c} }") ==
        "g.dot:1: a subgraph is the end of an edge, and only nodes are read as ends");
  CHECK(refused("digraph { {a b} -> c }") ==
        "g.dot:1: a subgraph is the end of an edge, and only nodes are read as ends");
  CHECK(refused("digraph { \"a\n\"\n\"b }") == "g.dot:3: a quote is not closed");
  CHECK(refused("digraph { a [label=<x>, y=<x] }") == "g.dot:1: an angle bracket is not closed");
  CHECK(refused("digraph {\n/* a }") == "g.dot:2: a comment is not closed");
  CHECK(refused("digraph { a [x] }") == "g.dot:1: unexpected \"]\"");
  CHECK(refused("digraph { a \xC3\xA9 = }") == "g.dot:1: unexpected \"}\"");
  CHECK(refused("digraph { a + b }") == "g.dot:1: unexpected \"+\"");
  CHECK(refused("digraph { node [weight=1] a }") ==
        "g.dot:1: \"weight\" is set for all that follow, and is read of each alone");
  CHECK(refused("digraph { edge [weight=1] a }") ==
        "g.dot:1: \"weight\" is set for all that follow, and is read of each alone");
  CHECK(refused("digraph { a [forward=x] }") == "g.dot:1: forward: \"x\" is not a number");
  CHECK(refused("digraph { a [stage=0.5] }") == "g.dot:1: stage: \"0.5\" is no whole number");
  CHECK(refused("digraph { a [stage=4294967296] }") == "g.dot:1: stage: \"4294967296\" is no stage: it must be below 2^32");
  CHECK(refused("digraph { a [pass=forward] }") == "g.dot:1: pass: \"forward\" is neither both nor backward");
  CHECK(refused("digraph {\n a [forward=1, pass=backward] }") ==
        "g.dot:2: \"a\": an operator of the backward pass has a forward time");
  CHECK(refused("digraph { a [backward_input=1] }") ==
        "g.dot:1: \"a\": \"backward_input\" stands without its other half");
  CHECK(refused("digraph { a -> b [weight=1]\na -> c [weight=2] }") ==
        "g.dot:2: the weight differs from another edge out of \"a\": a node sends the same along all of them");
  CHECK(refused("digraph { a -> b a -> b }") == "g.dot:1: the edge from \"a\" to \"b\" stands twice");
  CHECK(refused("digraph { a -> a }") == "g.dot:1: an edge leads from \"a\" to \"a\"");
  CHECK(refused("digraph {\n a -> b -> c\n -> a }") == "g.dot:2: \"a\" -> \"b\" -> \"c\" -> \"a\" is a cycle");
  CHECK(refusal<stagecut::invalid_input>([] {
          return parse_dot("digraph { a }", "g", {.bytes = 3});
        }).starts_with("g: is larger than 3 bytes"));
}

TEST_CASE("a text is told to be in DOT behind its comments") {
  const auto is_dot = [](const char* text) { return stagecut::io::detail::is_dot(text, "g"); };
  CHECK(is_dot("digraph {}"));
  CHECK(is_dot("\xEF\xBB\xBF \n// x\n/* y */\n# z\nSTRICT digraph {}"));
  CHECK(is_dot("graph{"));
  CHECK(is_dot("digraph \"a b\""));
  CHECK_FALSE(is_dot("digraphs"));
  CHECK_FALSE(is_dot("graph -- Conv2d -- forward_compute_time=1"));
  CHECK_FALSE(is_dot("graph,kind,forward"));
  CHECK_FALSE(is_dot("strict"));
  CHECK_FALSE(is_dot("# only a comment"));
  CHECK_FALSE(is_dot("\"digraph\""));
  CHECK_FALSE(is_dot(""));
}

TEST_CASE("a plan is written with its stages as clusters") {
  stagecut::plan made = plan_of({layer_of("a", ""), layer_of("b", "op")}, {0, 1, 2});
  made.profile.layers[0].forward = 0.5;
  made.stages[1].on_cpu = true;
  CHECK(stagecut::io::as_dot(made) == R"(digraph "" {
  node [shape=box, style=filled];
  subgraph cluster_0 {
    label="stage 0";
    node [fillcolor="#a6c8f0"];
    "a" [forward="0.5"];
  }
  subgraph cluster_1 {
    label="stage 1 on a CPU";
    node [fillcolor="#f6c48e"];
    "b" [kind="op"];
  }
  "a" -> "b";
})");
  made.profile.layers[1].name = "a";
  CHECK(stagecut::io::as_dot(made).find("  \"0\" -> \"1\";") != std::string::npos);
  made.stages.pop_back();
  CHECK_THROWS_WITH_AS((void)stagecut::io::as_dot(made), doctest::Contains("io::as_dot: plan#/stages"),
                       stagecut::argument_error);
}

TEST_CASE("a plan in DOT is read back as its profile, in the order of its stages") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const stagecut::plan made = random_plan(random);
    const profile again = parse_dot(stagecut::io::as_dot(made), "g.dot");
    REQUIRE(again.layers.size() == made.profile.layers.size());
    REQUIRE(again.edges.size() == made.profile.edges.size());
    REQUIRE(again.machine == made.profile.machine);
    std::vector<std::size_t> place(again.layers.size());  // where each layer went
    std::size_t next = 0;
    for (std::size_t s = 0; s < made.stages.size(); ++s) {
      for (const std::size_t i : layers_of(made, s)) {
        place[i] = next++;
        REQUIRE(again.layers[place[i]] == made.profile.layers[i]);
      }
    }
    for (std::size_t e = 0; e < again.edges.size(); ++e) {
      REQUIRE(again.edges[e] ==
              stagecut::profile_edge{place[made.profile.edges[e].from], place[made.profile.edges[e].to]});
    }
  }
}
