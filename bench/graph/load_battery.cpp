// SPDX-License-Identifier: BSL-1.0
// How near to the least load the heuristics come: published graphs, as they are, with their operators in another order,
// and with figures changed by up to a tenth, for several numbers of stages and limits of memory, against what is proved.
//
// `load_battery [MILLISECONDS [SEEDS]]` prints a table in Markdown. The limit is of the thread's own time, so that a busy
// machine does not shorten it. Status 1: a plan where there is none, or one that is better than the best.

#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/minimize_load.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "workloads.hpp"

namespace {

using stagecut::operator_graph;
using stagecut::state;

bool wrong = false;

/// Seconds of this thread.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

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
      for (double* figure : {&each.forward, &each.backward, &each.sent, &each.resident}) scale(*figure);
    }
  }
  return result;
}

struct tally {
  std::size_t optimal = 0;
  std::size_t infeasible = 0;
  std::size_t unknown = 0;
  std::size_t runs = 0;
  std::size_t found = 0;    // of runs, where there is a plan
  std::size_t missed = 0;   // likewise, no plan was found
  std::size_t at_best = 0;  // likewise, the best
  double gaps = 0;
  double worst = 0;
  std::vector<double> reached{};  // seconds
  double longest = 0;             // run

  void add(const tally& other) {
    optimal += other.optimal, infeasible += other.infeasible, unknown += other.unknown;
    runs += other.runs, found += other.found, missed += other.missed, at_best += other.at_best;
    gaps += other.gaps, worst = std::max(worst, other.worst), longest = std::max(longest, other.longest);
    reached.insert(reached.end(), other.reached.begin(), other.reached.end());
  }
  void print(const std::string& name) {
    std::sort(reached.begin(), reached.end());
    const auto ms = [&](double share) {
      return reached.empty() ? 0 : 1e3 * reached[static_cast<std::size_t>(share * static_cast<double>(reached.size() - 1))];
    };
    std::printf("| %s | %zu | %zu | %zu | %zu | %zu | %zu | %.4f %% | %.3f %% | %.1f ms | %.1f ms | %.0f ms |\n", name.c_str(),
                optimal, infeasible, unknown, runs, missed, at_best, found == 0 ? 0 : gaps / static_cast<double>(found),
                worst, ms(0.5), ms(1), 1e3 * longest);
  }
};

stagecut::load_request request_for(const operator_graph& graph, std::size_t k, double memory) {
  stagecut::load_request request;
  request.devices = k;
  request.at_most = true;
  double total = 0;
  for (const auto& each : graph.operators) total += each.resident;
  if (memory != 0) request.load.memory = memory * total / static_cast<double>(k);
  return request;
}

/// Looks at one graph by the heuristics alone.
void try_heuristics(const std::string& name, const operator_graph& graph, stagecut::load_request request, double limit,
                    std::size_t seeds, state proved, double least, tally& into) {
  for (std::size_t seed = 1; seed <= seeds; ++seed) {
    const double begin = thread_seconds();
    double reached = 0;
    double best = 0;
    const auto stop = [&] { return thread_seconds() - begin >= limit; };
    const auto progress = [&](const stagecut::load_progress& at) {
      if (at.load != best) best = at.load, reached = thread_seconds() - begin;
    };
    request.method = stagecut::graph_method::linear;
    request.limits.seed = seed;
    request.limits.time_limit = 2 * limit;
    request.limits.stop = stop;
    request.limits.progress = progress;
    const auto found = stagecut::minimize_load(graph, request);
    into.longest = std::max(into.longest, thread_seconds() - begin);
    ++into.runs;
    const bool impossible = (found && proved == state::infeasible) || (found.state() == state::infeasible && least > 0) ||
                            (found && least > 0 && found->load < least * (1 - 1e-12));
    if (impossible) wrong = true, std::fprintf(stderr, "%s: wrong\n", name.c_str());
    if (least == 0) continue;
    if (!found) {
      ++into.missed;
      std::fprintf(stderr, "%s, seed %zu: no plan, the least load is %g s\n", name.c_str(), seed, least);
      continue;
    }
    const double gap = 100 * (found->load / least - 1);
    ++into.found;
    into.at_best += gap < 1e-9 ? 1U : 0U;
    into.gaps += gap;
    into.worst = std::max(into.worst, gap);
    into.reached.push_back(reached);
    if (gap > 0.1) std::fprintf(stderr, "%s, seed %zu: %.3f %% above\n", name.c_str(), seed, gap);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto folder = bench::workloads();
  if (!folder) return 0;
  const double limit = argc > 1 ? std::atof(argv[1]) / 1e3 : 0.05;
  const std::size_t seeds = argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : 3;
  std::map<std::pair<int, double>, tally> all;
  for (const char* const name : bench::published_graphs) {
    const operator_graph stated = bench::published_graph(*folder, name).graph;
    for (const change how : {change::none, change::figures}) {
      const operator_graph graph = changed(stated, how, 7);
      for (const std::size_t k : {2U, 4U, 8U, 12U, 16U}) {
        for (const double memory : {0.0, 1.5, 1.3, 1.1}) {
          stagecut::load_request request = request_for(graph, k, memory);
          request.limits.time_limit = 60;
          const double begin = thread_seconds();
          const auto exact = stagecut::minimize_load(graph, request);
          const double took = thread_seconds() - begin;
          tally& here = all[{static_cast<int>(how), memory}];
          const double least = exact.state() == state::optimal ? exact->load : 0;
          here.optimal += exact.state() == state::optimal ? 1U : 0U;
          here.infeasible += exact.state() == state::infeasible ? 1U : 0U;
          here.unknown += exact.state() == state::optimal || exact.state() == state::infeasible ? 0U : 1U;
          char text[200];
          std::snprintf(text, sizeof text, "%s%s, k = %zu, memory %g", name, how == change::none ? "" : " changed", k, memory);
          if (took > 5) std::fprintf(stderr, "%s: %s in %.1f s\n", text, to_string(exact.state()), took);
          try_heuristics(text, graph, request, limit, seeds, exact.state(), least, here);
          if (how != change::none) continue;
          tally& other = all[{static_cast<int>(change::order), memory}];
          try_heuristics(std::string(text) + ", in another order", changed(graph, change::order, 5), request, limit, seeds,
                         exact.state(), least, other);
        }
      }
    }
  }
  std::puts("| graphs | memory | proved optimal | proved infeasible | unknown | runs | no plan found | at the optimum | "
            "mean gap | worst gap | reached, median | reached, worst | longest run |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|");
  const char* const names[] = {"as published", "in another order", "figures ± 10 %"};
  tally sum;
  for (auto& [which, each] : all) {
    char memory[50];
    std::snprintf(memory, sizeof memory, which.second == 0 ? "any" : "%g × average", which.second);
    sum.add(each);
    each.print(std::string(names[which.first]) + " | " + memory);
  }
  sum.print("all |");
  return wrong ? 1 : 0;
}
