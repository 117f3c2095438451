// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/training_memory.hpp>
#include <stagecut/makespan/layer_blocks.hpp>

namespace stagecut::inline v0 {

namespace detail {

/// Bytes rounded up to whole ones; the most that can be said where there are more.
[[nodiscard]] inline std::size_t whole_bytes(double bytes) {
  if (!(bytes < 9.2e18)) return std::size_t{1} << 63U;
  const auto whole = static_cast<std::size_t>(bytes);
  return static_cast<double>(whole) < bytes ? whole + 1 : whole;
}

/// Whether blocks can be cut into stages of at most `bytes` each, by the sets of points that s stages can reach.
class memory_fit {
 public:
  memory_fit(const layer_blocks& blocks, const training_memory& memory) : blocks_(blocks), memory_(memory) {}

  [[nodiscard]] bool operator()(const std::vector<std::size_t>& in_flight, double bytes) {
    const memory_cap cap(memory_, in_flight, bytes);
    const blocks_constraint allowed(blocks_, cap);
    const std::size_t items = blocks_.size();
    const std::size_t stages = in_flight.size();
    if (stages > items) return false;
    std::vector<bool> reached(items + 1);
    reached[0] = true;
    reached_ = 0;
    for (std::size_t s = 0; s < stages; ++s) {
      std::vector<bool> next(items + 1);
      for (std::size_t first = s; first < items; ++first) {
        if (!reached[first]) continue;
        const std::size_t highest = items - (stages - 1 - s);
        for (std::size_t last = first + 1; last <= highest; ++last) {
          ++steps_;
          if (next[last]) continue;
          if (allowed(s, first, last)) {
            next[last] = true;
          } else if (allowed.hopeless(s, first, last)) {
            break;
          }
        }
      }
      reached = std::move(next);
      for (std::size_t last = items; last > reached_; --last) {
        if (reached[last]) reached_ = last;
      }
    }
    return reached[items];
  }

  /// The furthest block that the stages of the last question reached, as an end.
  [[nodiscard]] std::size_t reached() const noexcept { return reached_; }

  /// Intervals looked at so far.
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

 private:
  const layer_blocks& blocks_;
  const training_memory& memory_;
  std::size_t steps_ = 0;
  std::size_t reached_ = 0;
};

/// `layer 3 ("layers.2")`.
[[nodiscard]] inline std::string layer_text(const profile& model, std::size_t i) {
  return joined("layer ", std::to_string(i), " (\"", model.layers[i].name, "\")");
}

/// `1 device`, `2 devices`.
[[nodiscard]] inline std::string devices_text(std::size_t devices) {
  return joined(std::to_string(devices), devices == 1 ? " device" : " devices");
}

}  // namespace detail

/// Why blocks of layers cannot be cut into stages within the memory of a device, and what would do.
///
/// @param model      whose blocks these are, for their names
/// @param blocks     of layers that share a stage
/// @param memory     what stages take
/// @param in_flight  microbatches in flight, of every stage
/// @param bytes      of a device
/// @param needs      `needs(k)` gives what is in flight on each of k stages, or nothing if it cannot be told
/// @return           `layer_too_large` with the block that needs most wherever it may stand, and the ways in which it
///                   would have to be sharded; else `memory` with the least that the fullest stage needs, by bisection.
///                   The remedy names the sharding, and the smallest number of devices that fits, each one tried
///
/// O(k n w) for each of about 50 bisections and each number of devices, w blocks in a stage. After 2 * 10^8 steps of
/// either it is content with a thousandth, or with the numbers tried, and says up to which.
template <class InFlight>
[[nodiscard]] reason memory_shortage(const profile& model, const layer_blocks& blocks, const training_memory& memory,
                                     const std::vector<std::size_t>& in_flight, double bytes, const InFlight& needs) {
  constexpr std::size_t patience = 200'000'000;
  const std::size_t stages = in_flight.size();
  const auto ways = [&](double needed) { return std::to_string(detail::whole_bytes(needed / bytes)); };
  detail::memory_fit fits(blocks, memory);
  (void)fits(in_flight, bytes);

  reason why{reason::cause::memory, 0, detail::whole_bytes(bytes), "", ""};
  double most = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    double least = 0;
    const std::size_t lowest = stages > blocks.size() - b ? stages - (blocks.size() - b) : 0;
    for (std::size_t s = lowest; s <= b && s < stages; ++s) {
      const double here = memory.share(blocks[b], blocks[b + 1], in_flight[s]);
      if (s == lowest || here < least) least = here;
    }
    if (!(least > bytes) || !(least > most)) continue;
    most = least;
    const std::size_t last = blocks[b + 1] - 1;
    why.what = reason::cause::layer_too_large;
    why.place = detail::layer_text(model, blocks[b]);
    if (last != blocks[b]) {
      why.place = detail::joined("layers ", std::to_string(blocks[b]), " to ", std::to_string(last), " (\"",
                                 model.layers[blocks[b]].name, "\" to \"", model.layers[last].name,
                                 "\"), which share a stage,");
    }
  }
  if (why.what == reason::cause::memory) {
    const std::size_t reached = fits.reached();
    auto low = static_cast<double>(detail::whole_bytes(bytes) - 1);
    double high = 2 * low + 2;
    while (!fits(in_flight, high)) low = high, high *= 2;
    for (double middle = 0; high - low > 1;) {
      middle = static_cast<double>(detail::whole_bytes(low + (high - low) / 2));
      if (!(low < middle && middle < high)) break;  // beyond 2^53 bytes
      if (fits.steps() > patience && high - low < 1e-3 * high) break;
      (fits(in_flight, middle) ? high : low) = middle;
    }
    most = high;
    why.place = detail::joined("the fullest of ", std::to_string(stages), stages == 1 ? " stage" : " stages");
    if (reached < blocks.size()) {
      why.place = detail::joined(detail::layer_text(model, blocks[reached]), " finds no place: ", why.place);
    }
    why.remedy = detail::joined("sharding every layer ", ways(most), " ways would do");
  } else {
    why.remedy = detail::joined("sharded ", ways(most), " ways it would fit");
  }
  why.needed = detail::whole_bytes(most);

  if (needs(stages).empty()) return why;
  // Fewer devices than that have less memory than all layers together.
  std::size_t devices = detail::whole_bytes(memory.share(0, memory.size(), 1) / bytes);
  const std::size_t until = fits.steps() + patience;
  for (; devices <= blocks.size() && fits.steps() < until; ++devices) {
    if (!fits(needs(devices), bytes)) continue;
    why.remedy = detail::joined(why.remedy, "; ", detail::devices_text(devices), " would do");
    return why;
  }
  const std::string tried = std::to_string(devices > blocks.size() ? blocks.size() : devices - 1);
  why.remedy = detail::joined(why.remedy, "; no number of devices up to ", tried, " would do");
  return why;
}

}  // namespace stagecut::inline v0
