// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/plan/detail/limits_of.hpp>
#include <stagecut/plan/detail/moments_kept.hpp>
#include <stagecut/plan/memory_shortage.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>

// Why there is no plan, and remedies.
namespace stagecut::inline STAGECUT_ABI::detail {

// If devices have different memory, bytes are scaled to the device that has most: on one with half of that, twice.

/// The largest element.
[[nodiscard]] inline double most_of(const std::vector<double>& bytes) {
  double most = 0;
  for (const double each : bytes) most = std::max(most, each);
  return most;
}

/// Scales the bytes of all devices so that the largest is `most`.
[[nodiscard]] inline std::vector<double> stretched(const std::vector<double>& bytes, double most) {
  const double before = detail::most_of(bytes);
  std::vector<double> result;
  for (const double each : bytes) result.push_back(each == before ? most : each * (most / before));
  return result;
}

/// The share of the present memory that suffices: `113 % of the memory of every device`.
[[nodiscard]] inline std::string share_text(double enough, double most) {
  return joined({engine::whole_bytes(100 * (enough / most)), " % of the memory of every device"});
}

/// The block that is furthest from fitting, if it fits on no device: then `layer_too_large`.
[[nodiscard]] inline reason block_on_no_device(const profile& model, const cuts& blocks, const training_memory& memory,
                                               const std::vector<stage_moments>& held,
                                               const std::vector<double>& bytes) {
  const std::size_t stages = held.size();
  reason why{reason::cause::memory};
  double furthest = 1;
  for (std::size_t b = 0; b < blocks.stages(); ++b) {
    std::size_t nearest = stages;  // the stage on which it comes nearest to fitting
    double least = 0;
    const std::size_t lowest = stages > blocks.stages() - b ? stages - (blocks.stages() - b) : 0;
    for (std::size_t s = lowest; s <= b && s < stages; ++s) {
      const double here = memory.share(blocks[b], blocks[b + 1], held[s]) / bytes[s];
      if (nearest == stages || here < least) nearest = s, least = here;
    }
    if (!(least > furthest)) continue;
    furthest = least;
    const std::size_t others = blocks[b + 1] - blocks[b] - 1;
    why.what = reason::cause::layer_too_large;
    why.needed = engine::whole_bytes(memory.share(blocks[b], blocks[b + 1], held[nearest]));
    why.available = engine::floor_bytes(bytes[nearest]);
    why.place =
        joined({layer_text(model, blocks[b]), others == 0 ? "" : joined({" with ", others, " more in its group"}),
                " fits on no device; on device ", nearest, " it"});
  }
  return why;
}

/// Why blocks of layers cannot be cut into stages on devices with different memory, and a remedy.
///
/// @param held   for each stage, what it holds at the decisive moments
/// @param bytes  of the device of each stage, above 0
[[nodiscard]] inline reason heterogeneous_shortage(const profile& model, const cuts& blocks,
                                                   const training_memory& memory,
                                                   const std::vector<stage_moments>& held,
                                                   const std::vector<double>& bytes, const search_options& limits) {
  const std::size_t stages = held.size();
  memory_fit fits(blocks, memory, limits);
  const double most = detail::most_of(bytes);
  reason why = detail::block_on_no_device(model, blocks, memory, held, bytes);
  const bool told = fits(held, bytes).has_value();
  const std::size_t reached = fits.reached();
  const auto enough = [&](double on_largest) { return fits(held, detail::stretched(bytes, on_largest)); };
  const auto least = engine::least_that_fits(enough, most);
  if (least.known) why.remedy = joined({detail::share_text(least.high, most), " would do"});
  if (why.what != reason::cause::memory) return why;
  why.needed = engine::whole_bytes(least.low + 1);
  why.available = engine::floor_bytes(most);
  why.place = joined({"the fullest of ", stages, " stages, counted as on the device with most memory,"});
  if (told && reached < blocks.stages()) {
    why.place = joined({layer_text(model, blocks[reached]), " finds no place: ", why.place});
  }
  return why;
}

/// Why there are fewer blocks than stages.
[[nodiscard]] inline reason too_many_stages(const cuts& blocks, std::size_t stages) {
  return {reason::cause::more_stages_than_layers,
          stages,
          blocks.stages(),
          {},
          blocks.stages() < blocks.items() ? "layers that must share a stage count as one" : ""};
}

/// Why no cut fits into memory, with a stage on each device.
[[nodiscard]] inline reason stage_shortage(const profile& model, const plan_request& request, const cuts& blocks,
                                           const training_memory& memory, const std::vector<stage_moments>& held) {
  if (!request.memory_limit.of_ranks().empty()) {
    return heterogeneous_shortage(model, blocks, memory, held, bytes_of_devices(request), limits_of(request));
  }
  const auto needs = [&](std::size_t devices) {
    if (model.inference) {  // as many groups of requests on every device, for any number of devices
      bool alike = true;
      for (const stage_moments& moments : held) alike = alike && moments == held.front();
      return alike ? std::vector<stage_moments>(devices, held.front()) : std::vector<stage_moments>();
    }
    const bool known = entry_of(request.schedule).most_in_flight != nullptr && request.in_flight.empty();
    if (!known) return std::vector<stage_moments>();
    plan_request asked = request;
    asked.devices = devices;
    return moments_kept(model, asked, microbatches_in_flight(request.schedule, devices, request.microbatches));
  };
  return detail::shortage_of(model, blocks, memory, held, bytes_allowed(request, 0), needs, limits_of(request));
}

/// Why no cut fits into the memory of devices with several stages each; `fits(bytes)` returns whether a cut fits
/// another memory, or unset if that takes too long. If devices differ, bytes count as on the one that has most.
template <class Fits>
[[nodiscard]] reason chunks_shortage(const plan_request& request, const Fits& fits) {
  const double bytes = most_bytes_allowed(request);
  const bool unlike = !request.memory_limit.of_ranks().empty();
  const auto gap = [](double low) { return 0.005 * low + 1; };
  const auto least = engine::least_that_fits(fits, bytes, 2 * bytes, gap, 20);
  return {reason::cause::memory, engine::whole_bytes(least.low + 1), engine::floor_bytes(bytes),
          joined({"the fullest of ", devices_text(request.devices), " of ", request.stages_per_rank, " stages each",
                  unlike ? ", counted as on the one with most memory," : ""}),
          least.fits ? joined({unlike ? share_text(least.high, bytes) : bytes_text(engine::whole_bytes(least.high)),
                               " would do"})
                     : std::string()};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
