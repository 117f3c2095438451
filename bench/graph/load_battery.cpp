// SPDX-License-Identifier: BSL-1.0
// The quality of the heuristics against the proved smallest load: published graphs, in their original form, with
// reordered operators, and with figures changed by up to a tenth, for several numbers of stages and memory limits.
//
// `load_battery [SEEDS]` prints a Markdown table: first solves all problems, then runs only the heuristics on each for
// 5, 10, 20 and 50 ms of thread time, which a busy machine does not shorten. Status 1: a plan for an infeasible
// problem, or one better than the optimum.

#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/minimize_load.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../workload_folder.hpp"
#include "published_graphs.hpp"
#include "thread_seconds.hpp"

namespace {

using stagecut::operator_graph;
using stagecut::state;

bool wrong = false;

enum class change { none, order, figures };

operator_graph changed(const operator_graph& graph, change how, unsigned seed) {
  operator_graph result = graph;
  std::mt19937 random(seed);
  if (how == change::order) {
    std::vector<std::size_t> number(graph.operators.size());
    for (std::size_t v = 0; v < number.size(); ++v) number[v] = v;
    std::shuffle(number.begin(), number.end(), random);
    for (std::size_t v = 0; v < number.size(); ++v) result.operators[number[v]] = graph.operators[v];
    for (auto& each : result.edges) each = {number[each.from], number[each.to]};
    std::shuffle(result.edges.begin(), result.edges.end(), random);
    result.names.clear();
  } else if (how == change::figures) {
    const auto scale = [&](double& figure) { figure *= 0.9 + 0.2 * static_cast<double>(random()) / 4294967296.0; };
    for (auto& each : result.operators) {
      for (double* figure : {&each.forward, &each.backward, &each.sent_seconds, &each.resident}) scale(*figure);
    }
  }
  return result;
}

/// A problem, and its proved result.
struct instance {
  std::string name;
  std::string kind;
  operator_graph graph;
  stagecut::load_request request;
  state proved;
  double bound;  // lower bound; the smallest load if proved
};

struct tally {
  std::size_t instances = 0;
  std::size_t optimal = 0;
  std::size_t infeasible = 0;
  std::size_t runs = 0;     // of the heuristics, on feasible problems
  std::size_t missed = 0;   // no plan was found
  std::size_t at_best = 0;  // the optimum was found
  double gaps = 0;
  double worst = 0;
  double longest = 0;  // over all runs, seconds

  void add(const tally& other) {
    instances += other.instances, optimal += other.optimal, infeasible += other.infeasible;
    runs += other.runs, missed += other.missed, at_best += other.at_best;
    gaps += other.gaps, worst = std::max(worst, other.worst), longest = std::max(longest, other.longest);
  }
  void print(const std::string& name) const {
    const double found = static_cast<double>(std::max<std::size_t>(runs - missed, 1));
    std::printf("| %s | %zu | %zu | %zu | %zu | %zu | %zu | %zu | %.4f %% | %.3f %% | %.0f ms |\n", name.c_str(),
                instances, optimal, infeasible, instances - optimal - infeasible, runs, missed, at_best, gaps / found,
                worst, 1e3 * longest);
  }
};

stagecut::load_request request_for(const operator_graph& graph, std::size_t k, double memory) {
  stagecut::load_request request;
  request.devices = k;
  request.at_most = true;
  double total = 0;
  for (const auto& each : graph.operators) total += each.resident;
  if (memory != 0) request.load.memory_limit = memory * total / static_cast<double>(k);
  request.search.time_limit = 60;
  return request;
}

/// All problems of a published graph, solved.
void solve(const std::filesystem::path& folder, const std::string& name, std::vector<instance>& into) {
  const operator_graph stated = bench::published_graph(folder, name).graph;
  for (const change how : {change::none, change::figures}) {
    const operator_graph graph = changed(stated, how, 7);
    for (const std::size_t k : {2U, 4U, 8U, 12U, 16U}) {
      for (const double memory : {0.0, 1.5, 1.3, 1.1}) {
        const stagecut::load_request request = request_for(graph, k, memory);
        const double begin = bench::thread_seconds();
        const auto exact = stagecut::minimize_load(graph, request);
        const double took = bench::thread_seconds() - begin;
        char text[100];
        std::snprintf(text, sizeof text, memory == 0 ? "any" : "%g × average", memory);
        const std::string kind = text;
        const std::string which = name + ", k = " + std::to_string(k) + ", memory " + kind;
        std::snprintf(text, sizeof text, ": %s in %.1f s", to_string(exact.state()), took);
        if (took > 2) std::fprintf(stderr, "%s%s\n", which.c_str(), text);
        const double bound = exact ? exact->bound : 0;
        const auto add = [&](const char* beginning, operator_graph made) {
          into.push_back({which + ", " + beginning, std::string(beginning) + " | " + kind, std::move(made), request,
                          exact.state(), bound});
        };
        add(how == change::none ? "as published" : "figures ± 10 %", graph);
        if (how == change::none) add("in another order", changed(graph, change::order, 5));
      }
    }
  }
}

/// Runs only the heuristics on a problem.
void try_heuristics(const instance& of, double limit, std::size_t seed, tally& into) {
  const double begin = bench::thread_seconds();
  const auto stop = [&] { return bench::thread_seconds() - begin >= limit; };
  stagecut::load_request request = of.request;
  request.method = stagecut::graph_method::linear;
  request.search.seed = seed;
  request.search.time_limit = 2 * limit;
  request.search.stop = stop;
  const auto found = stagecut::minimize_load(of.graph, request);
  into.longest = std::max(into.longest, bench::thread_seconds() - begin);
  const bool none = of.proved == state::infeasible;
  if (found ? none || found->value < of.bound * (1 - 1e-12) : found.state() == state::infeasible && !none) {
    wrong = true;
    std::fprintf(stderr, "%s, seed %zu: wrong\n", of.name.c_str(), seed);
  }
  if (none) return;
  ++into.runs;
  if (!found) {
    ++into.missed;
    std::fprintf(stderr, "%s, seed %zu: no plan in %g s\n", of.name.c_str(), seed, limit);
    return;
  }
  const double gap = std::max(0.0, 100 * (found->value / of.bound - 1));
  into.at_best += gap < 1e-9 ? 1U : 0U;
  into.gaps += gap;
  into.worst = std::max(into.worst, gap);
  if (gap > 0.1 && limit >= 0.05) std::fprintf(stderr, "%s, seed %zu: %.3f %% above\n", of.name.c_str(), seed, gap);
}

}  // namespace

int main(int argc, char** argv) {
  const auto folder = bench::workload_folder("dag_reference.json");
  if (!folder) return 0;
  const std::size_t seeds = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 3;
  std::vector<instance> all;
  for (const char* const name : bench::published_graphs) solve(*folder, name, all);
  std::puts(
      "| graphs | memory | instances | proved optimal | proved infeasible | open | runs | no plan found | "
      "at the optimum | mean gap | worst gap | longest run |\n|---|---|---|---|---|---|---|---|---|---|---|---|");
  for (const double limit : {0.005, 0.01, 0.02, 0.05}) {
    std::map<std::string, tally> by_kind;
    for (const instance& each : all) {
      tally& here = by_kind[each.kind];
      ++here.instances;
      here.optimal += each.proved == state::optimal ? 1U : 0U;
      here.infeasible += each.proved == state::infeasible ? 1U : 0U;
      for (std::size_t seed = 1; seed <= seeds; ++seed) try_heuristics(each, limit, seed, here);
    }
    tally sum;
    for (const auto& [kind, each] : by_kind) {
      if (limit == 0.05) each.print(kind);
      sum.add(each);
    }
    sum.print("all, " + std::to_string(static_cast<int>(1e3 * limit)) + " ms |");
  }
  return wrong ? 1 : 0;
}
