// SPDX-License-Identifier: BSL-1.0
// minimize_bottleneck compared with its floor, one read of the items, and with a scalar prefix sum and textbook Nicol.
//
// Names: METHOD/DATA/n:ITEMS/k:STAGES.

#include "chains.hpp"

#include <stagecut/stagecut.hpp>

#include <algorithm>
#include <vector>

namespace {

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

/// The floor for methods that store a number per item: reads all items, and writes the same number of values past the
/// caches.
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

/// The textbook: sequential prefix sums, then D. M. Nicol's search (J. Parallel Distrib. Comput. 23(2), 1994, section
/// 3): for each stage the smallest end whose cost suffices for the rest, by bisection over probes; each probe finds the
/// furthest end by bisection. Memory is reused. Trailing stages may be empty.
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

// Memory reused between calls.
stagecut::block_sums<double> blocks;
stagecut::bottleneck_workspace<double> work;
std::vector<double> written;
textbook book;

void register_all() {
  using chain = std::vector<double>;
  using sums = stagecut::prefix_sums<double>;
  for (std::size_t items = 100; items <= 100'000'000; items *= 10) {
    for (const bench::data kind : bench::all_data) {
      const auto add = [=](const char* method, std::size_t stages, auto solve) {
        bench::add(method, {kind, items, stages}, solve);
      };
      add("read", 1, [](const chain& c, sums&) { return read_all(c.data(), c.size()); });
      add("copy", 1, [](const chain& c, sums&) {
        written.resize(c.size());
        return copy_all(c.data(), c.size(), written.data()), written.back();
      });
      add("prefix_pass", 1, [](const chain& c, sums& s) { return s.assign(c), s.prefix(c.size()); });
      add("block_pass", 1, [](const chain& c, sums&) { return blocks.assign(c), blocks.prefix(c.size()); });
      for (const std::size_t stages : {4U, 16U, 64U, 256U, 1024U}) {
        if (2 * stages > items) continue;
        add("reused_prefix", stages,
            [=](const chain&, sums& s) { return stagecut::minimize_bottleneck(s, stages, work)->value; });
        add("prefix", stages, [=](const chain& c, sums& s) {
          s.assign(c);
          return stagecut::minimize_bottleneck(s, stages, work)->value;
        });
        add("blocks", stages, [=](const chain& c, sums&) {
          blocks.assign(c);
          return stagecut::minimize_bottleneck(blocks, stages, work)->value;
        });
        // The textbook's k² log² n becomes minutes.
        if (items * stages > 100'000'000 && stages > 4) continue;
        add("textbook", stages, [=](const chain& c, sums&) { return book.solve(c, stages); });
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, register_all); }
