// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/cut_times.hpp>
#include <stagecut/cost/link_speed.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

// Small random costs and constraints that keep what they promise, and some that do not.
namespace models {

using generator = std::mt19937_64;

/// A cost that only compares.
struct rank {
  std::int64_t value;
  friend auto operator<=>(const rank&, const rank&) = default;
};

/// An integer as a cost: itself, something that rounds, or something that only compares.
template <class Cost>
Cost as_cost(std::int64_t level) {
  if constexpr (std::is_same_v<Cost, rank>) {
    return rank{level};
  } else if constexpr (std::is_floating_point_v<Cost>) {
    return static_cast<Cost>(0.1 * static_cast<double>(level));
  } else {
    return static_cast<Cost>(level);
  }
}

/// A cost given by a table, for each stage or the same for all.
template <class Cost, bool Staged, auto... Promised>
struct table {
  using axioms = stagecut::axioms<Promised...>;
  std::size_t items;
  std::vector<std::vector<Cost>> entries;  ///< [stage][first * (items + 1) + last]

  [[nodiscard]] std::size_t size() const { return items; }
  Cost operator()(std::size_t first, std::size_t last) const requires(!Staged) {
    return entries[0][first * (items + 1) + last];
  }
  Cost operator()(std::size_t stage, std::size_t first, std::size_t last) const requires(Staged) {
    return entries[stage][first * (items + 1) + last];
  }
};

/// A random table of costs from -5 on that grow as they promise, often not at all. Empty intervals have a cost, too.
template <class Cost, bool Staged, auto... Promised>
table<Cost, Staged, Promised...> random_table(generator& random, std::size_t n, std::size_t stages) {
  constexpr unsigned bits = stagecut::axioms<Promised...>::bits;
  table<Cost, Staged, Promised...> result{n, {}};
  const std::int64_t base = random() % 3 == 0 ? -5 : 0;
  for (std::size_t s = 0; s < (Staged ? stages : 1); ++s) {
    std::vector<std::int64_t> levels((n + 1) * (n + 1));
    std::vector<Cost> entries(levels.size(), as_cost<Cost>(0));
    for (std::size_t length = 0; length <= n; ++length) {
      for (std::size_t first = 0; first + length <= n; ++first) {
        const std::size_t last = first + length;
        std::int64_t& here = levels[first * (n + 1) + last];
        here = base + static_cast<std::int64_t>(random() % ((bits & 3U) == 0 ? 12 : 4));
        const std::int64_t more = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 6);
        if ((bits & 1U) != 0 && length != 0) here = std::max(here, levels[first * (n + 1) + last - 1] + more);
        if ((bits & 2U) != 0 && length != 0) here = std::max(here, levels[(first + 1) * (n + 1) + last] + more);
        entries[first * (n + 1) + last] = as_cost<Cost>(here);
      }
    }
    result.entries.push_back(entries);
  }
  return result;
}

/// A constraint given by a table.
template <auto... Promised>
struct permits {
  using axioms = stagecut::axioms<Promised...>;
  std::size_t items;
  std::vector<std::vector<char>> entries;  ///< [stage][first * (items + 1) + last]; stages beyond begin anew

  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return entries[stage % entries.size()][first * (items + 1) + last] != 0;
  }
};

/// Not hereditary, but it tells what is hopeless.
struct telling_permits : permits<> {
  [[nodiscard]] bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    for (; last <= items; ++last) {
      if ((*this)(stage, first, last)) return false;
    }
    return true;
  }
};

/// Random intervals, which keep what they promise.
template <auto... Promised>
permits<Promised...> random_permits(generator& random, std::size_t n, std::size_t stages) {
  using promised = stagecut::axioms<Promised...>;
  constexpr bool hereditary = (promised::bits & stagecut::hereditary.bits) != 0;
  constexpr bool same = (promised::bits & stagecut::stage_invariant.bits) != 0;
  const std::size_t per_cent = hereditary ? 80 + 4 * (random() % 6) : 20 + 20 * (random() % 5);
  permits<Promised...> result{n, {}};
  for (std::size_t s = 0; s < (same ? 1 : stages); ++s) {
    std::vector<char> entries((n + 1) * (n + 1));
    for (std::size_t length = 0; length <= n; ++length) {
      for (std::size_t first = 0; first + length <= n; ++first) {
        const std::size_t last = first + length;
        bool here = random() % 100 < per_cent;
        if (hereditary && length == 0) here = random() % 100 < 98;
        if (hereditary && length != 0) {
          here = here && entries[first * (n + 1) + last - 1] != 0 && entries[(first + 1) * (n + 1) + last] != 0;
        }
        entries[first * (n + 1) + last] = here ? 1 : 0;
      }
    }
    result.entries.push_back(entries);
  }
  return result;
}

/// Random items of a sum: small integers, often 0, seldom large; times 0.1 if they may round.
template <class T>
std::vector<T> random_items(generator& random, std::size_t n) {
  std::vector<T> items(n);
  for (T& item : items) {
    const std::int64_t level = random() % 4 == 0 ? 0 : static_cast<std::int64_t>(random() % 10);
    item = as_cost<T>(random() % 8 == 0 ? 10 * level : level);
  }
  return items;
}

/// Random speeds, some of them equal.
inline std::vector<double> random_speeds(generator& random, std::size_t stages) {
  std::vector<double> speeds(stages);
  for (double& speed : speeds) speed = 0.5 * static_cast<double>(1 + random() % 6);
  return speeds;
}

/// Random messages, over one link or over one at every boundary.
inline stagecut::cut_times random_times(generator& random, std::size_t n, std::size_t stages) {
  std::vector<stagecut::link_speed> links(random() % 3 == 0 ? 1 : stages - 1);
  for (auto& link : links) {
    link = {0.3 * static_cast<double>(random() % 4),
            random() % 4 == 0 ? 0 : 0.7 * static_cast<double>(1 + random() % 4)};
  }
  return {random_items<double>(random, n), links};
}

/// A function without any order, which may also change its mind, or be no number.
struct noise {
  std::uint64_t salt;
  bool moody = false;
  unsigned nans = 0;  ///< how many of 16 calls
  mutable std::uint64_t calls = 0;

  std::uint64_t operator()(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    if (moody) ++calls;
    std::uint64_t z =
        salt + a * 0x9e3779b97f4a7c15U + b * 0xbf58476d1ce4e5b9U + c * 0x94d049bb133111ebU + calls * 0x2545f491U;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  [[nodiscard]] double number(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    const std::uint64_t bits = (*this)(a, b, c);
    if (bits % 16 < nans) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(bits >> 58U) - 20;
  }
};

/// A cost that keeps none of its promises.
template <class Cost, bool Staged, auto... Promised>
struct liar {
  using axioms = stagecut::axioms<Promised...>;
  std::size_t items;
  noise source;

  [[nodiscard]] std::size_t size() const { return items; }
  Cost operator()(std::size_t first, std::size_t last) const requires(!Staged) { return cost(0, first, last); }
  Cost operator()(std::size_t stage, std::size_t first, std::size_t last) const requires(Staged) {
    return cost(stage, first, last);
  }
  [[nodiscard]] Cost prefix(std::size_t i) const { return cost(9, i, i); }
  [[nodiscard]] Cost end(std::size_t stage, std::size_t last) const { return cost(stage, 7, last); }
  [[nodiscard]] Cost begin(std::size_t stage, std::size_t first) const { return cost(stage, 8, first); }

 private:
  [[nodiscard]] Cost cost(std::size_t stage, std::size_t first, std::size_t last) const {
    if constexpr (std::is_same_v<Cost, rank>) {
      return rank{static_cast<std::int64_t>(source(stage, first, last) % 50)};
    } else if constexpr (std::is_floating_point_v<Cost>) {
      return static_cast<Cost>(source.number(stage, first, last));
    } else {
      return static_cast<Cost>(source(stage, first, last) % 50);
    }
  }
};

/// A cost with messages that keeps none of its promises.
struct overlapped_liar : liar<double, true> {
  [[nodiscard]] double work(std::size_t stage, std::size_t first, std::size_t last) const {
    return source.number(100 + stage, first, last);
  }
  [[nodiscard]] double message(std::size_t boundary, std::size_t cut) const {
    return source.number(200, boundary, cut);
  }
};

/// A constraint that keeps none of its promises.
template <auto... Promised>
struct lying_permits {
  using axioms = stagecut::axioms<Promised...>;
  noise source;
  unsigned per_cent;

  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return source(stage, first, last) % 100 < per_cent;
  }
  [[nodiscard]] bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    return source(stage + 50, first, last) % 100 < per_cent;
  }
};

}  // namespace models
