// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/names.hpp>
#include <stagecut/makespan/search_backends.hpp>

#include <cstdint>
#include <memory>

/// The system for mass simulation of cuts, which helps the search for the smallest makespan.
enum class search_system : std::uint8_t { off, cpu, gpu };

inline constexpr stagecut::named<search_system> search_system_names[] = {
    {"cpu", search_system::cpu}, {"gpu", search_system::gpu}, {"off", search_system::off}};

/// Search helpers. Their code is in a separate file, the only one that includes Thrust.
class search_helpers {
 public:
  search_helpers() = default;
  search_helpers(const search_helpers&) = delete;
  search_helpers& operator=(const search_helpers&) = delete;
  virtual ~search_helpers() = default;

  /// Refers to this object.
  [[nodiscard]] virtual stagecut::search_backends refs() = 0;
};

/// The helpers of a system; null for `off`.
/// @throws std::invalid_argument if this program was built without it, or there is no GPU
[[nodiscard]] std::unique_ptr<search_helpers> make_search_helpers(search_system where);
