// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/search/constrained_cost.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "../fuzz_bytes.hpp"

// Costs and constraints that say what a fuzzer wants. Some keep all that they promise, others do not.
namespace liars {

/// A cost that only compares.
struct rank {
  std::int8_t value;
  friend auto operator<=>(const rank&, const rank&) = default;
};

/// An amount as a cost.
template <class T>
T as_cost(std::int64_t amount) {
  if constexpr (std::is_same_v<T, rank>) {
    return rank{static_cast<std::int8_t>(amount)};
  } else {
    return static_cast<T>(amount);
  }
}

template <class T>
T any_cost(fuzz_bytes& bytes) {
  if constexpr (std::is_same_v<T, rank>) {
    return rank{bytes.number<std::int8_t>()};
  } else {
    return bytes.number<T>();
  }
}

/// How true a table is.
enum class mood : std::uint8_t { honest, mixed, wild, moody };

/// Numbers by their index. A moody table answers the same question in another way each time.
template <class T>
struct table {
  std::vector<T> entries;
  mood how = mood::honest;
  mutable std::uint64_t asked = 0x9E3779B97F4A7C15U;

  T operator[](std::size_t index) const {
    require(index < entries.size());
    if (how != mood::moody) return entries[index];
    asked ^= asked << 13U, asked ^= asked >> 7U, asked ^= asked << 17U;
    return entries[asked % entries.size()];
  }

  /// Lies as it may: in a few entries, or in all of them.
  void spoil(fuzz_bytes& bytes, mood wanted) {
    how = wanted;
    if (how == mood::honest) return;
    T some[8];
    for (T& each : some) each = any_cost<T>(bytes);
    if (how == mood::mixed) {
      for (std::size_t lies = bytes.below(4) + 1; lies-- > 0;) entries[bytes.byte() % entries.size()] = some[lies];
    } else {
      for (T& entry : entries) entry = some[bytes.below(8)];
    }
  }
};

/// All that a model may be asked for, of n items and k stages. What is asked for beyond is the library's mistake.
template <class T>
struct answers {
  std::size_t items;
  std::size_t stages;
  table<T> costs{};     ///< [stage][first][last]
  table<T> prefixes{};  ///< [item]
  table<T> ends{};      ///< [stage][item]
  table<T> begins{};
  table<T> works{};     ///< as costs
  table<T> messages{};  ///< [boundary][item]

  [[nodiscard]] std::size_t at(std::size_t s, std::size_t first, std::size_t last) const {
    require(s < stages && first <= last && last <= items);
    return (s * (items + 1) + first) * (items + 1) + last;
  }
  [[nodiscard]] std::size_t at(std::size_t s, std::size_t item) const {
    require(s < stages && item <= items);
    return s * (items + 1) + item;
  }
  [[nodiscard]] bool honest() const { return costs.how == mood::honest; }
};

/// What the promises allow, then spoiled: a table of its own, or sums of items, and what goes with them.
template <class T>
answers<T> make_answers(fuzz_bytes& bytes, std::size_t n, std::size_t k, unsigned promised, bool overlapped) {
  answers<T> result{n, k};
  const auto says = [&](auto axiom) { return (promised & decltype(axiom)::bits) == decltype(axiom)::bits; };
  const bool summed = overlapped || (promised & ~(stagecut::monotone | stagecut::stage_invariant).bits) != 0;
  std::vector<std::int64_t> prefix{7};
  for (std::size_t i = 0; i < n; ++i) prefix.push_back(prefix.back() + static_cast<std::int64_t>(bytes.below(7)));
  const auto bend = static_cast<std::int64_t>(bytes.below(40));
  for (const std::int64_t each : prefix) result.prefixes.entries.push_back(as_cost<T>(each));
  result.costs.entries.resize(k * (n + 1) * (n + 1), as_cost<T>(0));
  result.works.entries = result.costs.entries;
  for (std::size_t s = 0; s < k; ++s) {
    for (std::size_t i = 0; i <= n; ++i) {
      const auto more = [&] {
        return summed && !says(stagecut::additive) ? static_cast<std::int64_t>(bytes.below(4)) : 0;
      };
      result.ends.entries.push_back(as_cost<T>(prefix[i] + more()));
      result.begins.entries.push_back(as_cost<T>(prefix[i] - more()));
      result.messages.entries.push_back(as_cost<T>(overlapped ? static_cast<std::int64_t>(bytes.below(30)) : 0));
    }
  }
  std::vector<std::int64_t> levels((n + 1) * (n + 1));
  for (std::size_t s = 0; s < k; ++s) {
    for (std::size_t length = 0; length <= n; ++length) {
      for (std::size_t first = 0; first + length <= n; ++first) {
        const std::size_t last = first + length;
        const std::int64_t sum = prefix[last] - prefix[first];
        std::int64_t& here = levels[first * (n + 1) + last];
        if (!summed && (s == 0 || !says(stagecut::stage_invariant))) {
          here = static_cast<std::int64_t>(bytes.below(5));
          if (says(stagecut::right_monotone) && length != 0) here += levels[first * (n + 1) + last - 1];
          if (says(stagecut::left_monotone) && length != 0) here = std::max(here, levels[(first + 1) * (n + 1) + last]);
        } else if (summed && !says(stagecut::separable) && !says(stagecut::additive) && says(stagecut::monge)) {
          here = std::max(sum - bend, std::int64_t{});
        } else if (summed && !says(stagecut::separable) && !says(stagecut::additive) && says(stagecut::inverse_monge)) {
          here = std::min(sum, bend);
        } else if (summed) {
          here = sum;
        }
        T& cost = result.costs.entries[result.at(s, first, last)];
        cost = as_cost<T>(here);
        result.works.entries[result.at(s, first, last)] = as_cost<T>(sum);
        if constexpr (!std::is_same_v<T, rank>) {
          const auto& from = result.begins.entries;
          const auto& to = result.ends.entries;
          const auto difference = [&](std::size_t at) {
            return static_cast<T>(to[at * (n + 1) + last] - from[at * (n + 1) + first]);
          };
          if (says(stagecut::separable)) cost = difference(says(stagecut::stage_invariant) ? 0 : s);
        }
        if (overlapped) {
          const auto& sent = result.messages.entries;
          if (s > 0) cost = std::max(cost, sent[result.at(s - 1, first)]);
          if (s + 1 < k) cost = std::max(cost, sent[result.at(s, last)]);
        }
      }
    }
  }
  const auto how = static_cast<mood>(bytes.below(4));
  for (auto* each : {&result.costs, &result.prefixes, &result.ends, &result.begins, &result.works, &result.messages}) {
    each->spoil(bytes, how == mood::mixed && bytes.one_in(2) ? mood::honest : how);
  }
  result.costs.how = how == mood::moody ? how : result.costs.how;
  if (how != mood::honest) result.costs.how = std::max(result.costs.how, mood::mixed);
  return result;
}

/// The models, with what they promise.
/// @{
template <class T, auto... Promised>
struct interval {
  using axioms = stagecut::axioms<Promised...>;
  const answers<T>& of;
  [[nodiscard]] std::size_t size() const { return of.items; }
  T operator()(std::size_t first, std::size_t last) const { return of.costs[of.at(0, first, last)]; }
};
template <class T, auto... Promised>
struct staged {
  using axioms = stagecut::axioms<Promised...>;
  const answers<T>& of;
  [[nodiscard]] std::size_t size() const { return of.items; }
  T operator()(std::size_t s, std::size_t first, std::size_t last) const {
    // Where the number of stages is free, they may be more than k.
    if constexpr (stagecut::promises<staged, stagecut::stage_invariant>) s %= of.stages;
    return of.costs[of.at(s, first, last)];
  }
};
template <class T, auto... More>
struct additive : interval<T, stagecut::monotone, stagecut::additive, More...> {
  [[nodiscard]] T prefix(std::size_t item) const { return this->of.prefixes[this->of.at(0, item)]; }
};
template <class T, auto... More>
struct separable : interval<T, stagecut::separable, stagecut::stage_invariant, More...> {
  [[nodiscard]] T end(std::size_t last) const { return this->of.ends[this->of.at(0, last)]; }
  [[nodiscard]] T begin(std::size_t first) const { return this->of.begins[this->of.at(0, first)]; }
};
template <class T, auto... More>
struct staged_separable : staged<T, stagecut::separable, More...> {
  [[nodiscard]] T end(std::size_t s, std::size_t last) const { return this->of.ends[this->of.at(s, last)]; }
  [[nodiscard]] T begin(std::size_t s, std::size_t first) const { return this->of.begins[this->of.at(s, first)]; }
};
template <class T>
struct working_separable : staged_separable<T> {
  [[nodiscard]] T work(std::size_t s, std::size_t first, std::size_t last) const {
    return this->of.works[this->of.at(s, first, last)];
  }
};
template <class T>
struct overlapped : staged<T> {
  [[nodiscard]] T work(std::size_t s, std::size_t first, std::size_t last) const {
    return this->of.works[this->of.at(s, first, last)];
  }
  [[nodiscard]] T message(std::size_t boundary, std::size_t cut) const {
    require(boundary + 1 < this->of.stages);
    return this->of.messages[this->of.at(boundary, cut)];
  }
};
/// @}

/// What a constraint says.
struct permissions {
  std::size_t items;
  std::size_t stages;
  table<std::uint8_t> allowed{};  ///< [stage][first][last]
  table<std::uint8_t> gone{};     ///< what it calls hopeless
  bool hereditary = false;        ///< what it keeps unless it lies
  bool keeps = true;              ///< whether it does not

  [[nodiscard]] std::size_t at(std::size_t s, std::size_t first, std::size_t last) const {
    require(s < stages && first <= last && last <= items);
    return (s * (items + 1) + first) * (items + 1) + last;
  }
};

/// Random permissions, on request hereditary and the same on all stages; then spoiled.
inline permissions make_permissions(fuzz_bytes& bytes, std::size_t n, std::size_t k, bool hereditary) {
  permissions result{n, k};
  result.hereditary = hereditary;
  const std::size_t often = bytes.below(16) + 1;
  result.allowed.entries.assign(k * (n + 1) * (n + 1), 0);
  result.gone.entries = result.allowed.entries;
  auto& allowed = result.allowed.entries;
  for (std::size_t s = 0; s < k; ++s) {
    for (std::size_t length = 0; length <= n; ++length) {
      for (std::size_t first = 0; first + length <= n; ++first) {
        const std::size_t last = first + length;
        bool here = s == 0 ? bytes.below(often) == 0 || bytes.one_in(2) : allowed[result.at(0, first, last)] != 0;
        if (hereditary && length != 0) {
          here = here && allowed[result.at(s, first + 1, last)] != 0 && allowed[result.at(s, first, last - 1)] != 0;
        }
        allowed[result.at(s, first, last)] = here ? 1 : 0;
      }
    }
    // What allows no stage from there on.
    for (std::size_t first = 0; first <= n; ++first) {
      bool any = false;
      for (std::size_t last = n + 1; last-- > first;) {
        any = any || allowed[result.at(s, first, last)] != 0;
        result.gone.entries[result.at(s, first, last)] = any ? 0 : 1;
      }
    }
  }
  const auto how = static_cast<mood>(bytes.below(4));
  result.keeps = how == mood::honest;
  if (!result.keeps) {
    result.allowed.how = result.gone.how = how == mood::moody ? how : mood::wild;
    for (auto* each : {&allowed, &result.gone.entries}) {
      for (std::size_t lies = bytes.below(6); lies-- > 0;) (*each)[bytes.byte() % each->size()] ^= 1U;
    }
  }
  return result;
}

struct keeping {
  using axioms = stagecut::axioms<stagecut::hereditary, stagecut::stage_invariant>;
  const permissions& of;
  bool operator()(std::size_t s, std::size_t first, std::size_t last) const {
    return of.allowed[of.at(s, first, last)] != 0;
  }
};
struct telling {
  using axioms = stagecut::axioms<stagecut::stage_invariant>;
  const permissions& of;
  bool operator()(std::size_t s, std::size_t first, std::size_t last) const {
    return of.allowed[of.at(s, first, last)] != 0;
  }
  [[nodiscard]] bool hopeless(std::size_t s, std::size_t first, std::size_t last) const {
    return of.gone[of.at(s, first, last)] != 0;
  }
  [[nodiscard]] std::optional<stagecut::reason> obstacle(std::size_t items, std::size_t stages) const {
    require(items == of.items && stages <= of.stages);
    if (of.keeps || of.gone[items] == 0) return std::nullopt;
    return stagecut::reason{stagecut::reason::cause::constraint, items, stages, "a lie", {}};
  }
};

}  // namespace liars
