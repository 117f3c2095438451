// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/detail/order_bytes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/tick_scale.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/orders/detail/order_ticks.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/memory_curve.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL order_bytes::order_bytes(const synthesis_request& request, schedule_problem& of) : request_(request), of_(of) {
  check();
  scale();
  const stage_bytes& bytes = request.bytes;
  for (std::size_t s = 0; s < of.stages(); ++s) {
    of.kept.push_back(up(kept(s)));
    of.late.push_back(of.whole[s] ? 0 : bytes.weight_part.empty() ? of.kept[s] : up(bytes.weight_part[s]));
    of.again.push_back(bytes.recomputed.empty() ? 0 : up(bytes.recomputed[s]));
    const bool runs_apart = of.split && !of.whole[s] && !bytes.recomputed_apart.empty();
    of.apart.push_back(runs_apart ? up(bytes.recomputed_apart[s]) : 0);
  }
  for (std::size_t r = 0; r < of.ranks && request.memory_limit; ++r) {
    const double left = memory(r) - resident(r);
    const std::int64_t units = left > 0 ? ticks_.down(left) : 0;
    // Rounded, a microbatch that just fits may take a few units more.
    of.memory.push_back(fits_alone(r) ? std::max(units, alone(r, std::int64_t{0}, of.kept, of.again)) : units);
  }
  for (std::size_t s = 0; s < of.stages(); ++s) of.again[s] += of.apart[s];
}

STAGECUT_DECL std::optional<reason> order_bytes::shortage() const {
  for (std::size_t r = 0; r < of_.ranks && of_.capped(); ++r) {
    if (fits_alone(r)) continue;
    return reason{reason::cause::memory,
                  engine::whole_bytes(bytes_alone(r)),
                  engine::floor_bytes(memory(r)),
                  joined({"rank ", r, ", with one microbatch at a time,"}),
                  {}};
  }
  return std::nullopt;
}

STAGECUT_DECL double order_bytes::resident(std::size_t rank) const {
  double sum = 0;
  for (const std::size_t s : of_.stages_of[rank])
    sum += request_.bytes.resident.empty() ? 0 : request_.bytes.resident[s];
  return sum;
}

STAGECUT_DECL void order_bytes::check() const {
  const stage_bytes& bytes = request_.bytes;
  each("bytes.resident", bytes.resident);
  each("bytes.activations", bytes.activations);
  each("bytes.weight_part", bytes.weight_part);
  each("bytes.recomputed", bytes.recomputed);
  each("bytes.recomputed_apart", bytes.recomputed_apart);
  for (std::size_t s = 0; s < bytes.weight_part.size(); ++s) {
    if (bytes.weight_part[s] <= kept(s)) continue;
    refuse_order(joined({"bytes.weight_part[", s, "]"}).c_str(), std::to_string(bytes.weight_part[s]),
                 "must be at most what the stage keeps");
  }
  const std::vector<double>& limits = request_.memory_limit.values();
  if (limits.size() > 1 && limits.size() != of_.ranks) {
    refuse_order("memory_limit.size()", std::to_string(limits.size()),
                 joined({"must be 1 or the number of ranks, ", of_.ranks}));
  }
  for (std::size_t r = 0; r < limits.size(); ++r) {
    if (is_finite(limits[r]) && !is_negative(limits[r])) continue;
    refuse_order(joined({"memory_limit[", r, "]"}).c_str(), std::to_string(limits[r]),
                 "must be finite and not negative");
  }
}

STAGECUT_DECL void order_bytes::each(const char* name, const std::vector<double>& values) const {
  if (!values.empty() && values.size() != of_.stages()) {
    refuse_order(joined({name, ".size()"}).c_str(), std::to_string(values.size()),
                 joined({"must be the number of stages, ", of_.stages()}));
  }
  for (std::size_t s = 0; s < values.size(); ++s) {
    if (is_finite(values[s]) && !is_negative(values[s])) continue;
    refuse_order(joined({name, "[", s, "]"}).c_str(), std::to_string(values[s]), "must be finite and not negative");
  }
}

STAGECUT_DECL void order_bytes::scale() {
  double sum = 0;
  bool fractions = false;
  const auto add = [&](double value) {
    sum += value;
    fractions = fractions || value != __builtin_floor(value);
  };
  for (std::size_t s = 0; s < of_.stages(); ++s) {
    add(kept(s));
    if (!request_.bytes.recomputed.empty()) add(request_.bytes.recomputed[s]);
    if (!request_.bytes.recomputed_apart.empty()) add(request_.bytes.recomputed_apart[s]);
    if (!request_.bytes.weight_part.empty()) add(request_.bytes.weight_part[s]);
  }
  double most = as_computed(sum * static_cast<double>(of_.microbatches));
  for (std::size_t r = 0; r < of_.ranks && request_.memory_limit; ++r) {
    const double left = memory(r) - resident(r);
    fractions = fractions || left != __builtin_floor(left);
    most = std::max(most, left);
  }
  if (fractions || most >= 0x1p60) ticks_ = engine::tick_scale(most);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
