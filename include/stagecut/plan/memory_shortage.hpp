// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/merged_items.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Whether blocks can be cut into stages of at most `bytes` each; each stage has its own need. It computes the set of
/// ends that the first s stages can reach.
class memory_fit {
 public:
  memory_fit(const cuts& blocks, const training_memory& memory, const search_options& limits)
      : blocks_(blocks), memory_(memory), clock_(limits) {}

  /// Unset if the patience ran out first.
  template <class Bytes>
  [[nodiscard]] std::optional<bool> operator()(const std::vector<stage_moments>& held, const Bytes& bytes) {
    const memory_cap<const training_memory&> cap(memory_, bytes, held);
    const merged_constraint<const decltype(cap)&> allowed(cap, blocks_);
    const std::size_t items = blocks_.stages();
    const std::size_t stages = held.size();
    if (stages > items) return false;
    std::vector<bool> reached(items + 1);
    reached[0] = true;
    reached_ = 0;
    for (std::size_t s = 0; s < stages; ++s) {
      std::vector<bool> next(items + 1);
      const std::size_t highest = items - (stages - 1 - s);
      std::size_t run = 0;  // ends in [run, gap) are reached; saves one query each
      std::size_t gap = 0;
      for (std::size_t first = s; first < items; ++first) {
        if (!reached[first]) continue;
        for (std::size_t last = first + 1; last <= highest; ++last) {
          if (last >= run && last < gap) last = gap;
          if (last > highest) break;
          if (is_over()) return std::nullopt;
          if (!next[last] && !allowed(s, first, last)) {
            if (allowed.hopeless(s, first, last)) break;
            continue;
          }
          next[last] = true;
          if (last > reached_) reached_ = last;
          if (gap == 0) run = last;
          if (gap == 0 || gap == last) gap = last + 1;
        }
        while (gap != 0 && gap <= items && next[gap]) ++gap;
      }
      reached = std::move(next);
    }
    return reached[items];
  }

  /// The furthest end that the stages of the last query reached.
  [[nodiscard]] std::size_t reached() const noexcept { return reached_; }

 private:
  // Intervals evaluated, over all queries: a few seconds.
  static constexpr std::size_t patience = 200'000'000;

  /// Whether one interval more is too many, or the caller ends the search.
  bool is_over();

  const cuts& blocks_;
  const training_memory& memory_;
  chain_clock clock_;
  std::size_t steps_ = 0;
  std::size_t reached_ = 0;
};

/// The block that needs most, if it exceeds `bytes` in every position: then `layer_too_large`.
[[nodiscard]] STAGECUT_DECL reason too_large_block(const profile& model, const cuts& blocks,
                                                   const training_memory& memory,
                                                   const std::vector<stage_moments>& held, double bytes);

/// The tensor-parallel degrees above 1 that layers offer as shardings, in order.
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> offered_degrees(const profile& model);

/// The model with the sharding of that degree, without recomputation if there is a choice, of each layer that offers
/// one: its figures on one of the devices.
[[nodiscard]] STAGECUT_DECL profile sharded_by(profile model, std::size_t degree);

/// Names the smallest degree that layers offer with which stages fit; empty: none, or unknown.
[[nodiscard]] STAGECUT_DECL std::string sharding_remedy(const profile& model, const cuts& blocks,
                                                        const memory_options& options,
                                                        const std::vector<stage_moments>& held, double bytes,
                                                        const search_options& limits);

/// `1 device`, `2 devices`.
[[nodiscard]] inline std::string devices_text(std::size_t devices) {
  return joined({devices, devices == 1 ? " device" : " devices"});
}

/// See `memory_shortage`.
/// @param held   for each stage, what it holds at the decisive moments
/// @param needs  the same, or microbatches in flight, for each of k stages
template <class Needs>
[[nodiscard]] reason shortage_of(const profile& model, const cuts& blocks, const training_memory& memory,
                                 const std::vector<stage_moments>& held, double bytes, const Needs& needs,
                                 const search_options& limits) {
  const std::size_t stages = held.size();
  if (stages == 0) fail(argument_error("memory_shortage", "in_flight", "{}", "must be of one stage at least"));
  if (!is_finite(bytes) || is_negative(bytes)) {
    fail(argument_error("memory_shortage", "bytes", number_text(bytes), "must be finite and not negative"));
  }
  check_limits("memory_shortage", limits);
  if (stages > blocks.stages()) return {reason::cause::more_stages_than_layers, stages, blocks.stages()};
  memory_fit fits(blocks, memory, limits);
  reason why = too_large_block(model, blocks, memory, held, bytes);
  const bool told = fits(held, bytes).has_value();
  const std::size_t reached = fits.reached();
  const auto least = engine::least_that_fits([&](double enough) { return fits(held, enough); }, bytes);
  why.remedy = sharding_remedy(model, blocks, memory.options(), held, bytes, limits);
  if (why.remedy.empty() && least.known) {
    why.remedy = joined({engine::whole_bytes(least.high), " bytes a device would do"});
  }
  if (why.what == reason::cause::memory) {
    why.needed = engine::whole_bytes(least.low + 1);
    why.place = joined({"the fullest of ", stages, stages == 1 ? " stage" : " stages"});
    if (told && reached < blocks.stages()) {
      why.place = joined({layer_text(model, blocks[reached]), " finds no place: ", why.place});
    }
  }
  if (needs(stages).empty()) return why;
  // Fewer devices have less memory than all layers together.
  std::size_t devices = engine::whole_bytes(memory.share(0, memory.size(), 1) / bytes);
  if (devices == 0) devices = 1;
  std::optional<bool> enough = false;
  while (devices <= blocks.stages() && (enough = fits(moments_of(needs(devices)), bytes)) == false) ++devices;
  const std::size_t tried = devices > blocks.stages() ? blocks.stages() : devices - 1;
  if (tried == 0 && enough != true) return why;
  why.remedy =
      joined({why.remedy, why.remedy.empty() ? "" : "; ",
              enough == true ? devices_text(devices) : joined({"no number of devices up to ", tried}), " would do"});
  return why;
}

}  // namespace detail

/// Why blocks of layers cannot be cut into stages within the memory of a device, and a remedy.
///
/// @param model      the model of these blocks, for their names
/// @param blocks     the indivisible blocks of layers, as the stages of these cuts
/// @param memory     what stages need
/// @param in_flight  microbatches in flight, for each stage
/// @param bytes      of a device
/// @param needs      `needs(k)` gives what is in flight on each of k stages, or nothing if unknown
/// @param limits     optional: when to return what is known by then
/// @return           `layer_too_large` with the block that needs most in every position; else `memory` with the least
///                   need of the fullest stage, by bisection. The remedy names the smallest tensor-parallel degree that
///                   layers offer as `shardings` with which stages fit, or the bytes of a device that would do; and the
///                   smallest number of devices that fits, each one tried. `more_stages_than_layers` if that is the
///                   cause
/// @throws           argument_error for no stage, and for bytes that are negative or not finite
///
/// O(k n) for each of about 50 bisections and each number of devices, as a rule; O(k n w) at worst, w blocks in a
/// stage. It gives up after 2 * 10^8 steps, and then returns what is known.
template <class InFlight>
[[nodiscard]] reason memory_shortage(const profile& model, const cuts& blocks, const training_memory& memory,
                                     const std::vector<std::size_t>& in_flight, double bytes, const InFlight& needs,
                                     const search_options& limits = {}) {
  return detail::shortage_of(model, blocks, memory, detail::moments_of(in_flight), bytes, needs, limits);
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/memory_shortage.ipp>
#endif
