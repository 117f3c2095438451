// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/parts/stage_links.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "random_edges.hpp"

using stagecut::op;
using stagecut::op_kind;
using stagecut::schedule;
using stagecut::stage_edge;
using stagecut::detail::cycle_of_edges;
using stagecut::detail::edge_count;
using stagecut::detail::edge_problem;
using stagecut::detail::stage_links;

namespace {

schedule with(std::size_t stages, std::vector<stage_edge> edges) {
  schedule result;
  result.rank_of.resize(stages);
  result.edges = std::move(edges);
  return result;
}

/// Whether a stage can be reached from itself, by the definition.
bool has_cycle(const schedule& all) {
  const std::size_t n = all.stages();
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n));
  for (const stage_edge& edge : all.edges) reach[edge.from][edge.to] = true;
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (reach[i][i]) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a chain has the edge b from stage b to the next, and transfers that name nobody") {
  const schedule all = with(4, {});
  const stage_links links(all);
  CHECK(links.chain());
  CHECK(edge_count(all) == 3);
  CHECK(links.of(0, false).size() == 0);
  CHECK(links.of(3, true).size() == 0);
  for (std::size_t b = 0; b < 3; ++b) {
    REQUIRE(links.of(b, true).size() == 1);
    CHECK(links.of(b, true)[0].edge == b);
    CHECK(links.of(b, true)[0].stage == b + 1);
    CHECK(links.of(b + 1, false)[0].edge == b);
    CHECK(links.of(b + 1, false)[0].stage == b);
    CHECK(links.peer(links.of(b, true)[0]) == op::neighbour);
    CHECK(links.find({op_kind::send_forward, b, 0})->edge == b);
    CHECK(links.find({op_kind::receive_backward, b, 0})->edge == b);
    CHECK(links.find({op_kind::send_backward, b + 1, 0})->edge == b);
    CHECK(links.find({op_kind::receive_forward, b + 1, 0})->edge == b);
  }
  CHECK(links.find({op_kind::send_forward, 3, 0}) == nullptr);
  CHECK(links.find({op_kind::send_forward, 0, 0, 0, false, 1}) == nullptr);
  CHECK(edge_count(with(0, {})) == 0);
  CHECK(edge_count(with(1, {})) == 0);
}

TEST_CASE("the links of a stage are its edges, in their order") {
  random_edges random(1);
  for (int round = 0; round < 500; ++round) {
    const std::size_t stages = 2 + random.up_to(6);
    const schedule all = with(stages, random.edges(stages, false));
    const stage_links links(all);
    CHECK_FALSE(links.chain());
    for (std::size_t s = 0; s < stages; ++s) {
      for (const bool down : {false, true}) {
        std::size_t i = 0;
        for (std::size_t e = 0; e < all.edges.size(); ++e) {
          const stage_edge& each = all.edges[e];
          if ((down ? each.from : each.to) != s) continue;
          REQUIRE(i < links.of(s, down).size());
          CHECK(links.of(s, down)[i].edge == e);
          CHECK(links.of(s, down)[i].stage == (down ? each.to : each.from));
          const auto peer = static_cast<std::uint32_t>(down ? each.to : each.from);
          CHECK(links.peer(links.of(s, down)[i]) == peer);
          const op sent{down ? op_kind::send_forward : op_kind::send_backward, s, 0, 0, false, peer};
          REQUIRE(links.find(sent) != nullptr);
          CHECK(links.find(sent)->edge == e);
          CHECK(links.find(other_end(sent))->edge == e);
          CHECK(other_end(other_end(sent)) == sent);
          ++i;
        }
        CHECK(i == links.of(s, down).size());
      }
    }
    CHECK(edge_problem(all).empty());
  }
}

TEST_CASE("a cycle is found exactly where there is one, and is one") {
  random_edges random(2);
  int cycles = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t stages = 2 + random.up_to(5);
    schedule all = with(stages, random.edges(stages, false));
    const stage_edge back{random.up_to(stages - 1), random.up_to(stages - 1)};
    bool stands = false;
    for (const stage_edge& edge : all.edges) stands = stands || edge == back;
    if (!stands) all.edges.push_back(back);
    const std::string text = cycle_of_edges(stage_links(all), stages);
    REQUIRE(text.empty() != has_cycle(all));
    if (text.empty()) continue;
    ++cycles;
    std::vector<std::size_t> path;
    for (std::size_t at = 0; at < text.size(); at += 5) path.push_back(static_cast<std::size_t>(text[at] - '0'));
    REQUIRE(path.size() >= 2);
    CHECK(path.front() == path.back());
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      bool found = false;
      for (const stage_edge& edge : all.edges) found = found || edge == stage_edge{path[i], path[i + 1]};
      CHECK(found);
    }
  }
  CHECK(cycles > 500);
}
