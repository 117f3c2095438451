// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/detail/chunk_moves.hpp>
#include <stagecut/graph/detail/element_stages.hpp>
#include <stagecut/graph/detail/placed_chunks.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/parts/linear_orders.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Searches for chunks of elements on devices with the lightest heaviest device: improves the best ones found by
/// `chunk_moves`, and sometimes restarts from an order cut into even pieces.
class chunk_search {
 public:
  using ticks = operator_costs::ticks;

  /// @param below   which elements may not be on later chunks than others; must outlive this object, as must `costs`
  /// @param costs   of devices
  /// @param counts  of devices
  /// @param chunks  the most per device
  /// @param seed    of random numbers
  chunk_search(const precedence& below, const operator_costs& costs, const stage_counts& counts, std::size_t chunks,
               std::uint64_t seed)
      : below_(below), costs_(costs), counts_(counts), chunks_(chunks), random_(seed) {
    rules_.may_be_empty = counts.at_most;
    if (costs.options().in_flight && costs.options().memory_limit) {
      for (std::size_t e = 0; e < costs.size(); ++e) rules_.keeps_in_flight |= costs.of(e).activations != 0;
    }
    for (std::size_t e = 0; e < costs.size(); ++e) total_ += work(e);
  }

  /// Starts from a partition into stages of one device each.
  void know(const element_stages<ticks>& stages) {
    placed_chunks from;
    from.chunk_of = stages.stage_of;
    from.kinds = stages.kinds;
    for (std::size_t s = 0; s < from.kinds.size(); ++s) from.device_of.push_back(static_cast<std::uint32_t>(s));
    add_devices(from.kinds);
    try_from(from, 1, 0, {});
    starts_.push_back(std::move(from));
  }

  /// Improves one of the best, or restarts.
  void improve(const function_ref<bool()>& stop) {
    ++rounds_;
    placed_chunks from;
    if (rounds_ % 4 == 1 || pool_.empty()) {
      from = rounds_ % 8 == 1 && !starts_.empty() ? starts_[random_.below(starts_.size())] : even_pieces();
    } else {
      from = pool_[std::min(random_.below(pool_.size()), random_.below(pool_.size()))];
    }
    constexpr double hot[] = {0.3, 0.1, 0.03};
    const std::size_t n = costs_.size();
    const std::size_t most = std::min(4000 * n, 200000 + 200 * n);
    try_from(from, std::min(1000 * n * rounds_, most), hot[rounds_ % 3], stop);
  }

  /// The best found; null if there is none.
  [[nodiscard]] const placed_chunks* best() const noexcept { return pool_.empty() ? nullptr : &pool_[0]; }

 private:
  [[nodiscard]] ticks work(std::size_t e) const { return costs_.of(e).forward + costs_.of(e).backward; }
  [[nodiscard]] std::size_t devices() const noexcept { return counts_.devices + counts_.cpus; }

  /// Adds the unused devices: accelerators, then CPUs.
  void add_devices(std::vector<std::uint8_t>& kinds) const {
    const auto cpus = static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), 1));
    kinds.resize(counts_.devices + cpus, 0);
    kinds.resize(devices(), 1);
  }

  void try_from(const placed_chunks& from, std::size_t steps, double hot, const function_ref<bool()>& stop) {
    const auto average = static_cast<double>(total_) / static_cast<double>(counts_.devices);
    const double unit = pool_.empty() ? average : static_cast<double>(pool_[0].value);
    chunk_moves moves(below_, costs_, with_all_chunks(from), rules_, unit, random_);
    if (hot > 0) moves.anneal(steps, hot, stop);
    if (moves.best().value != placed_chunks().value) keep(moves.best());
  }

  /// The same with empty chunks at random places, so that every device has the maximum number.
  [[nodiscard]] placed_chunks with_all_chunks(const placed_chunks& from) {
    constexpr std::uint32_t empty = ~std::uint32_t{0};
    std::vector<std::size_t> left(devices(), chunks_);
    std::vector<std::uint32_t> row;  // the chunks, including empty ones
    for (std::size_t c = 0; c < from.device_of.size(); ++c) {
      --left[from.device_of[c]];
      row.push_back(static_cast<std::uint32_t>(c));
    }
    std::vector<std::uint32_t> idle;
    for (std::size_t d = 0; d < left.size(); ++d) idle.insert(idle.end(), left[d], static_cast<std::uint32_t>(d));
    row.resize(row.size() + idle.size(), empty);
    // A random interleaving: each kind keeps its order, and idle devices are shuffled.
    std::vector<std::uint32_t> mixed;
    for (std::size_t used = 0, rest = idle.size(); used < from.device_of.size() || rest > 0;) {
      const std::size_t kept = from.device_of.size() - used;
      mixed.push_back(random_.below(kept + rest) < kept ? row[used++] : (--rest, empty));
    }
    placed_chunks result;
    result.kinds = from.kinds;
    std::vector<std::uint32_t> number(from.device_of.size());
    for (const std::uint32_t each : mixed) {
      std::uint32_t device = 0;
      if (each == empty) {
        std::swap(idle[random_.below(idle.size())], idle.back());
        device = idle.back();
        idle.pop_back();
      } else {
        number[each] = static_cast<std::uint32_t>(result.device_of.size());
        device = from.device_of[each];
      }
      result.device_of.push_back(device);
    }
    for (const std::uint32_t chunk : from.chunk_of) result.chunk_of.push_back(number[chunk]);
    return result;
  }

  /// A random order, cut into pieces of about equal work; devices cycle, or alternate direction.
  [[nodiscard]] placed_chunks even_pieces() {
    const element_order order = random_.below(2) == 0 ? random_order(below_, random_) : depth_first_of_some();
    placed_chunks result;
    result.chunk_of.resize(order.size());
    add_devices(result.kinds);
    if (costs_.by_position()) shuffle(result.kinds);
    const std::size_t turns = 1 + random_.below(chunks_);
    const bool back = random_.below(2) == 0;
    for (std::size_t turn = 0; turn < turns; ++turn) {
      for (std::size_t d = 0; d < devices(); ++d) {
        result.device_of.push_back(static_cast<std::uint32_t>(back && turn % 2 == 1 ? devices() - 1 - d : d));
      }
    }
    const auto pieces = static_cast<double>(result.device_of.size());
    double before = 0;  // of the order, with half of the element
    for (const precedence::element e : order) {
      const auto here = static_cast<double>(work(e)) + 1;
      const double share = (before + here / 2) / (static_cast<double>(total_) + static_cast<double>(order.size()));
      before += here;
      const auto piece = static_cast<std::size_t>(share * pieces);
      result.chunk_of[e] = static_cast<std::uint32_t>(std::min(piece, result.device_of.size() - 1));
    }
    return result;
  }
  /// A depth-first order with random starts.
  [[nodiscard]] element_order depth_first_of_some() {
    return ordered(below_, [&](std::vector<precedence::element>& ready) {
      const std::size_t i = ready.size() - 1 - random_.below(std::min<std::size_t>(ready.size(), 2));
      const precedence::element e = ready[i];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(i));
      return e;
    });
  }
  void shuffle(std::vector<std::uint8_t>& kinds) {
    for (std::size_t i = kinds.size(); i > 1; --i) std::swap(kinds[i - 1], kinds[random_.below(i)]);
  }

  /// Keeps a result if it is one of the best.
  void keep(placed_chunks found) {
    make_compact(found);
    const auto less = [](const placed_chunks& a, const placed_chunks& b) { return a.value < b.value; };
    const auto at = std::lower_bound(pool_.begin(), pool_.end(), found, less);
    if (at != pool_.end() && at->value == found.value) return;
    pool_.insert(at, std::move(found));
    if (pool_.size() > 8) pool_.pop_back();
  }

  const precedence& below_;
  const operator_costs& costs_;
  stage_counts counts_;
  std::size_t chunks_;
  engine::seeded random_;
  device_rules rules_{};
  ticks total_ = 0;
  std::vector<placed_chunks> starts_{};
  std::vector<placed_chunks> pool_{};  // the best first, one per value
  std::size_t rounds_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
