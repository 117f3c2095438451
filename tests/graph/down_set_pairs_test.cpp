// SPDX-License-Identifier: BSL-1.0
// The peer that the benchmarks measure against is right: it is enumerated.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "../../bench/graph/down_set_pairs.hpp"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bench::load_problem random_problem(std::mt19937& random, unsigned sparse = 3) {
  bench::load_problem result;
  const std::size_t n = 1 + random() % 8;
  const auto draw = [&](unsigned most) { return static_cast<double>(random() % (most + 1)); };
  for (std::size_t v = 0; v < n; ++v) {
    result.accelerator.push_back(draw(9));
    result.cpu.push_back(draw(30));
    result.memory.push_back(draw(5));
    result.needs_cpu.push_back(random() % 12 == 0);
  }
  std::vector<std::size_t> label(n);  // edges do not follow the numbers
  for (std::size_t v = 0; v < n; ++v) label[v] = v;
  std::shuffle(label.begin(), label.end(), random);
  for (std::size_t v = 0; v < n; ++v) {
    bench::crossing_net net{draw(4), {label[v]}};
    for (std::size_t u = v + 1; u < n; ++u) {
      if (random() % sparse != 0) continue;
      net.elements.push_back(label[u]);
      result.edges.emplace_back(label[v], label[u]);
    }
    if (net.elements.size() > 1) result.nets.push_back(net);
  }
  result.accelerators = random() % 4;
  result.cpus = random() % 3;
  if (random() % 2 == 0) result.memory_limit = static_cast<double>(4 + random() % 15);
  return result;
}

/// The load of a set, by its definition.
double load_of(const bench::load_problem& problem, const std::vector<bool>& in, bool is_cpu) {
  double seconds = 0;
  double memory = 0;
  for (std::size_t v = 0; v < in.size(); ++v) {
    if (!in[v]) continue;
    seconds += is_cpu ? problem.cpu[v] : problem.accelerator[v];
    memory += problem.memory[v];
    if (!is_cpu && problem.needs_cpu[v]) return infinity;
  }
  if (is_cpu) return seconds;
  for (const bench::crossing_net& net : problem.nets) {
    const auto inside = std::count_if(net.elements.begin(), net.elements.end(), [&](std::size_t v) { return in[v]; });
    if (inside != 0 && inside != static_cast<std::ptrdiff_t>(net.elements.size())) seconds += net.seconds;
  }
  return memory > problem.memory_limit ? infinity : seconds;
}

bool feeds_itself(const bench::load_problem& problem, const std::vector<std::size_t>& part, std::size_t parts) {
  std::vector<std::vector<bool>> leads(parts, std::vector<bool>(parts));
  for (const auto& [from, to] : problem.edges) {
    if (part[from] != part[to]) leads[part[from]][part[to]] = true;
  }
  for (std::size_t k = 0; k < parts; ++k) {
    for (std::size_t i = 0; i < parts; ++i) {
      for (std::size_t j = 0; j < parts; ++j) leads[i][j] = leads[i][j] || (leads[i][k] && leads[k][j]);
    }
  }
  for (std::size_t i = 0; i < parts; ++i) {
    if (leads[i][i]) return true;
  }
  return false;
}

/// All partitions without a cycle, each with all ways to choose what of it runs on CPUs.
double by_enumeration(const bench::load_problem& problem) {
  const std::size_t n = problem.accelerator.size();
  const std::size_t devices = problem.accelerators + problem.cpus;
  double best = infinity;
  std::vector<std::size_t> part(n);
  const auto place = [&](const auto& self, std::size_t v, std::size_t parts) -> void {
    if (parts > devices) return;
    if (v < n) {
      for (part[v] = 0; part[v] < parts; ++part[v]) self(self, v + 1, parts);
      self(self, v + 1, parts + 1);
      return;
    }
    if (feeds_itself(problem, part, parts)) return;
    for (std::size_t cpus = 0; cpus < std::size_t{1} << parts; ++cpus) {
      std::size_t count = 0;
      double most = 0;
      for (std::size_t p = 0; p < parts; ++p) {
        const bool is_cpu = (cpus >> p & 1U) != 0;
        count += is_cpu ? 1 : 0;
        std::vector<bool> in(n);
        for (std::size_t u = 0; u < n; ++u) in[u] = part[u] == p;
        most = std::max(most, load_of(problem, in, is_cpu));
      }
      if (count <= problem.cpus && parts - count <= problem.accelerators) best = std::min(best, most);
    }
  };
  place(place, 0, 0);
  return best;
}

}  // namespace

TEST_CASE("the least load over pairs of down-sets is that of all acyclic partitions, and its devices have it") {
  std::mt19937 random(20);
  int solved = 0;
  int on_cpus = 0;
  for (int round = 0; round < 400; ++round) {
    const bench::load_problem problem = random_problem(random);
    const auto found = bench::down_set_pairs(problem).run();
    REQUIRE(found);
    REQUIRE(found->load == by_enumeration(problem));
    if (found->load == infinity) {
      REQUIRE(found->devices.empty());
      continue;
    }
    ++solved;
    std::vector<bool> done(problem.accelerator.size());
    std::size_t accelerators = 0;
    std::size_t cpus = 0;
    double most = 0;
    for (const auto& device : found->devices) {
      std::vector<bool> in(done.size());
      for (const std::size_t v : device.elements) {
        REQUIRE_FALSE(done[v]);
        done[v] = in[v] = true;
      }
      for (const auto& [from, to] : problem.edges) REQUIRE((done[from] || !done[to]));
      REQUIRE(device.load == load_of(problem, in, device.is_cpu));
      most = std::max(most, device.load);
      ++(device.is_cpu ? cpus : accelerators);
    }
    REQUIRE(std::find(done.begin(), done.end(), false) == done.end());
    REQUIRE(most == found->load);
    REQUIRE(accelerators <= problem.accelerators);
    REQUIRE(cpus <= problem.cpus);
    on_cpus += cpus != 0 ? 1 : 0;
  }
  CHECK(solved > 190);
  CHECK(solved < 380);
  CHECK(on_cpus > 60);
}

TEST_CASE("folding leaves without time changes no least load, and leaves fewer down-sets") {
  std::mt19937 random(21);
  int fewer = 0;
  for (int round = 0; round < 120; ++round) {
    bench::load_problem problem = random_problem(random, 5);
    problem.memory_limit = infinity;
    for (std::size_t v = 0; v < problem.cpu.size(); ++v) {
      if (random() % 2 == 0) problem.accelerator[v] = problem.cpu[v] = 0;
    }
    const bench::load_problem less = bench::fold_leaves(problem);
    REQUIRE(std::accumulate(less.memory.begin(), less.memory.end(), 0.0) ==
            std::accumulate(problem.memory.begin(), problem.memory.end(), 0.0));
    const auto found = bench::down_set_pairs(less).run();
    REQUIRE(found);
    REQUIRE(found->load == by_enumeration(problem));
    const auto whole = bench::down_set_pairs(problem).run();
    REQUIRE(found->down_sets <= whole->down_sets);
    if (found->down_sets < whole->down_sets) ++fewer;
  }
  CHECK(fewer > 30);
}

TEST_CASE("of a chain there are as many down-sets as prefixes, of unordered elements all sets") {
  bench::load_problem problem;
  for (auto* each : {&problem.accelerator, &problem.cpu, &problem.memory}) each->assign(6, 1);
  problem.needs_cpu.assign(6, false);
  problem.accelerators = 3;
  auto found = bench::down_set_pairs(problem).run();
  REQUIRE(found);
  CHECK(found->down_sets == 64);
  CHECK(found->pairs == 729 - 64);
  CHECK(found->load == 2);
  CHECK_FALSE(bench::down_set_pairs(problem).run(63));
  CHECK(bench::down_set_pairs(problem).run(64));

  for (std::size_t v = 1; v < 6; ++v) problem.edges.emplace_back(v - 1, v);
  found = bench::down_set_pairs(problem).run();
  REQUIRE(found);
  CHECK(found->down_sets == 7);
  CHECK(found->pairs == 21);
}
