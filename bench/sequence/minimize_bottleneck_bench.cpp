// SPDX-License-Identifier: BSL-1.0
// minimize_bottleneck beside its floor, one read of the items, and beside a scalar prefix sum with textbook Nicol.
//
// Names: METHOD/DATA/n:ITEMS/k:STAGES. Small chains come from a pool, so that no branch predictor learns one by heart.

#include <stagecut/stagecut.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace {

enum class data { uniform, exponential, transformer, heavy_head };
constexpr std::array data_names{"uniform", "exponential", "transformer", "heavy_head"};

/// splitmix64, as a number in [0, 1).
double draw(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

void fill(std::vector<double>& items, data kind, std::uint64_t seed) {
  std::uint64_t state = seed;
  const double ends = kind == data::heavy_head ? 30 * (1 + draw(state)) : 4 * (1 + draw(state));
  for (double& item : items) {
    item = kind == data::uniform ? draw(state) : kind == data::exponential ? -std::log1p(-draw(state)) : 1;
  }
  if (kind == data::transformer || kind == data::heavy_head) items.front() = items.back() = ends;
}

/// The floor: reads all items, and adds them in sixteen independent lanes.
[[gnu::noinline]] double read_all(const double* items, std::size_t size) {
  using two = double __attribute__((vector_size(16)));
  two lanes[8] = {};
  std::size_t i = 0;
  for (; i + 16 <= size; i += 16) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      two next;
      __builtin_memcpy(&next, items + i + 2 * lane, sizeof next);
      lanes[lane] += next;
    }
  }
  double sum = 0;
  for (; i < size; ++i) sum += items[i];
  for (const two lane : lanes) sum += lane[0] + lane[1];
  return sum;
}

/// The floor of whoever stores a number per item: reads all items, and writes as many numbers past the caches.
[[gnu::noinline]] void copy_all(const double* items, std::size_t size, double* to) {
  std::size_t i = 0;
#if defined(__SSE2__)
  using two = double __attribute__((vector_size(16)));
  for (; i + 2 <= size; i += 2) {
    two next;
    __builtin_memcpy(&next, items + i, sizeof next);
#if defined(__clang__)
    __builtin_nontemporal_store(next, reinterpret_cast<two*>(to + i));
#else
    __builtin_ia32_movntpd(to + i, next);
#endif
  }
  __builtin_ia32_sfence();
#endif
  for (; i < size; ++i) to[i] = items[i];
}

/// The textbook: prefix sums one after the other, then D. M. Nicol's search (J. Parallel Distrib. Comput. 23(2), 1994,
/// section 3): for each stage the least end whose cost suffices for the rest, by bisection over probes; each probe
/// takes the furthest end by bisection. Memory is reused. Empty stages may be left at the end.
class textbook {
 public:
  double solve(const std::vector<double>& items, std::size_t stages) {
    prefix_.resize(items.size() + 1);
    prefix_[0] = 0;
    for (std::size_t i = 0; i < items.size(); ++i) prefix_[i + 1] = prefix_[i] + items[i];
    const std::size_t n = items.size();
    double best = prefix_[n];
    std::size_t first = 0;
    for (std::size_t left = stages; left > 1 && first < n; --left) {
      std::size_t low = first;
      std::size_t high = n;
      while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (probe(first, left, prefix_[middle] - prefix_[first])) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      best = std::min(best, prefix_[low] - prefix_[first]);
      first = low == first ? low : low - 1;
    }
    best = std::min(best, prefix_[n] - prefix_[first]);
    cuts_.assign(1, 0);
    for (std::size_t s = 0; s < stages; ++s) cuts_.push_back(furthest(cuts_.back(), best));
    return best;
  }

 private:
  [[nodiscard]] std::size_t furthest(std::size_t first, double bound) const {
    const auto from = prefix_.begin() + static_cast<std::ptrdiff_t>(first);
    return static_cast<std::size_t>(std::upper_bound(from, prefix_.end(), *from + bound) - prefix_.begin()) - 1;
  }
  [[nodiscard]] bool probe(std::size_t first, std::size_t stages, double bound) const {
    for (std::size_t s = 0; s < stages; ++s) {
      first = furthest(first, bound);
      if (first + 1 == prefix_.size()) return true;
    }
    return false;
  }

  std::vector<double> prefix_;
  std::vector<std::size_t> cuts_;
};

struct pool {
  std::size_t items = 0;
  data kind = data::uniform;
  std::vector<std::vector<double>> chains;
  std::vector<stagecut::prefix_sums<double>> sums;
  // What is reused from call to call.
  stagecut::block_sums<double> blocks;
  stagecut::bottleneck_workspace<double> work;
  std::vector<double> to;
  textbook book;
};

/// Chains of one kind and size; the last ones asked for are kept.
pool& chains(data kind, std::size_t items) {
  static pool now;
  if (now.items != items || now.kind != kind) {
    now = {};
    now.items = items;
    now.kind = kind;
    now.chains.resize(std::clamp<std::size_t>((std::size_t{1} << 17U) / items, 1, 1024));
    now.sums.resize(now.chains.size());
    now.to.resize(items);
    for (std::size_t i = 0; i < now.chains.size(); ++i) {
      now.chains[i].resize(items);
      fill(now.chains[i], kind, i + 1);
      now.sums[i].assign(now.chains[i]);
    }
  }
  return now;
}

/// Runs `solve(the pool, a chain of it, its prefix sums)` over the pool; sets the counter `over_mean`, the bottleneck
/// over W/k.
template <class Solve>
void measure(benchmark::State& state, data kind, std::size_t items, std::size_t stages, Solve solve) {
  pool& from = chains(kind, items);
  std::size_t i = 0;
  double last = 0;
  for (auto _ : state) {
    last = solve(from, from.chains[i], from.sums[i]);
    benchmark::DoNotOptimize(static_cast<const double&>(last));  // by reference, 1.7.1 corrupts doubles
    i = i + 1 == from.chains.size() ? 0 : i + 1;
  }
  const auto& shown = from.sums[i == 0 ? from.chains.size() - 1 : i - 1];
  state.counters["over_mean"] = last * static_cast<double>(stages) / shown.prefix(items);
  state.counters["items_per_second"] =
      benchmark::Counter(static_cast<double>(items), benchmark::Counter::kIsIterationInvariantRate);
}

void register_all() {
  for (std::size_t items = 100; items <= 100'000'000; items *= 10) {
    for (std::size_t kind = 0; kind < data_names.size(); ++kind) {
      const auto name = [=](const char* method, std::size_t stages) {
        return std::string(method) + "/" + data_names[kind] + "/n:" + std::to_string(items) +
               "/k:" + std::to_string(stages);
      };
      const auto add = [=](const char* method, std::size_t stages, auto solve) {
        auto* const bench = benchmark::RegisterBenchmark(name(method, stages).c_str(), [=](benchmark::State& state) {
          measure(state, static_cast<data>(kind), items, stages, solve);
        });
        if (items >= 1'000'000) bench->Unit(benchmark::kMillisecond);
      };
      using chain = std::vector<double>;
      using sums = stagecut::prefix_sums<double>;
      add("read", 1, [](pool&, const chain& c, sums&) { return read_all(c.data(), c.size()); });
      add("copy", 1,
          [](pool& p, const chain& c, sums&) { return copy_all(c.data(), c.size(), p.to.data()), p.to.back(); });
      add("prefix_pass", 1, [](pool&, const chain& c, sums& s) { return s.assign(c), s.prefix(c.size()); });
      add("block_pass", 1,
          [](pool& p, const chain& c, sums&) { return p.blocks.assign(c), p.blocks.prefix(c.size()); });
      for (const std::size_t stages : {4U, 16U, 64U, 256U, 1024U}) {
        if (2 * stages > items) continue;
        add("reused_prefix", stages,
            [=](pool& p, const chain&, sums& s) { return stagecut::minimize_bottleneck(s, stages, p.work)->cost; });
        add("prefix", stages, [=](pool& p, const chain& c, sums& s) {
          s.assign(c);
          return stagecut::minimize_bottleneck(s, stages, p.work)->cost;
        });
        add("blocks", stages, [=](pool& p, const chain& c, sums&) {
          p.blocks.assign(c);
          return stagecut::minimize_bottleneck(p.blocks, stages, p.work)->cost;
        });
        // The textbook's k² log² n becomes minutes.
        if (items * stages > 100'000'000 && stages > 4) continue;
        add("textbook", stages, [=](pool& p, const chain& c, sums&) { return p.book.solve(c, stages); });
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
