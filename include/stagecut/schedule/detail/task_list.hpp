// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/longest_path.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// That positions of 32 bits can name so many tasks.
/// @throws invalid_input if they cannot
inline void check_task_count(std::size_t tasks) {
  if (tasks <= std::numeric_limits<std::uint32_t>::max()) return;
  fail(invalid_input("schedule", joined({"makes ", tasks, " tasks; they must be below 2^32"})));
}

/// The tasks of an iteration.
struct task_list {
  std::vector<task> tasks{};            ///< in an order in which they can be computed
  std::vector<std::uint32_t> delays{};  ///< of what each of them awaits, where results may be `late`
  std::vector<op> what{};               ///< each of them does
  std::vector<std::uint32_t> last{};    ///< positions of those after which the iteration is over
  bool late = false;                    ///< whether results are under way, but nothing carries them

  /// Its position, from 1.
  std::uint32_t add(const op& does, const task& each) {
    tasks.push_back(each);
    what.push_back(does);
    if (late) delays.push_back(0);
    return static_cast<std::uint32_t>(tasks.size());
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
