// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/joint/baselines/equal_machines.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rates that depend on the number of devices that a stage has on each machine.
/// @{
/// Seconds per byte of the gradient exchange among the devices of a stage.
[[nodiscard]] inline double all_reduce_rate(const equal_machines& machines, const std::vector<std::size_t>& stage) {
  std::size_t devices = 0;
  std::size_t parts = 0;
  for (const std::size_t each : stage) {
    devices += each;
    parts += each > 0 ? 1 : 0;
  }
  if (devices < 2) return 0;
  const double share = 2 * (static_cast<double>(devices - 1) / static_cast<double>(devices));
  if (parts > 1) return share / machines.collective;
  const std::size_t pairs = devices / 2;
  return share / machines.inside / static_cast<double>(pairs);
}

/// Seconds per byte of a message from one stage to the next.
[[nodiscard]] inline double message_rate(const equal_machines& machines, const std::vector<std::size_t>& from,
                                         const std::vector<std::size_t>& to) {
  std::size_t parts = 0;
  std::size_t senders = 0;
  std::size_t beside = 0;  // senders on the machine of the receivers
  for (std::size_t i = 0; i < to.size(); ++i) {
    parts += to[i] > 0 ? 1 : 0;
    senders += from[i];
    beside += to[i] > 0 ? from[i] : 0;
  }
  if (parts > 1) return 1 / machines.collective;
  if (senders == beside) return 1 / machines.inside;
  return static_cast<double>(senders - beside) / static_cast<double>(senders) / machines.across;
}
/// @}

/// The devices taken on every machine, and those taken by the stage placed last. Machines are equal, so they are
/// sorted, the fullest first.
struct machine_state {
  std::vector<std::size_t> taken{};
  std::vector<std::size_t> last{};

  friend bool operator==(const machine_state&, const machine_state&) = default;
};

/// Takes devices for a stage; unset: too few where the placement looks.
/// @return  the number on each machine
[[nodiscard]] inline std::optional<std::vector<std::size_t>> placed_devices(const equal_machines& machines,
                                                                            const machine_state& state, placement how,
                                                                            std::size_t devices) {
  std::vector<std::size_t> taken(machines.count);
  const auto fill = [&](bool fresh) {
    for (std::size_t i = 0; i < machines.count && devices > 0; ++i) {
      if ((state.taken[i] == 0) != fresh) continue;
      const std::size_t free = machines.devices - state.taken[i];
      taken[i] = free < devices ? free : devices;
      devices -= taken[i];
    }
  };
  if (how == placement::append) fill(false);
  if (how != placement::scatter) fill(true);
  for (bool more = how == placement::scatter; more && devices > 0;) {
    more = false;
    for (std::size_t i = 0; i < machines.count && devices > 0; ++i) {
      if (state.taken[i] + taken[i] == machines.devices) continue;
      ++taken[i], --devices;
      more = true;
    }
  }
  if (devices > 0) return std::nullopt;
  return taken;
}

/// The state after a stage has taken its devices.
/// @param order  set to the machines in the order of the new state, as numbers in the old one
[[nodiscard]] inline machine_state next_state(const machine_state& state, const std::vector<std::size_t>& taken,
                                              std::vector<std::size_t>& order) {
  order.clear();
  for (std::size_t i = 0; i < taken.size(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::size_t in_a = state.taken[a] + taken[a];
    const std::size_t in_b = state.taken[b] + taken[b];
    return in_a != in_b ? in_a > in_b : taken[a] > taken[b];
  });
  machine_state next;
  for (const std::size_t i : order) {
    next.taken.push_back(state.taken[i] + taken[i]);
    next.last.push_back(taken[i]);
  }
  return next;
}

/// All states that stages lead to, each found once, with the transitions between them.
class machine_states {
 public:
  /// A stage before those placed.
  struct step {
    std::uint32_t state = 0;
    placement how = placement::fresh;
    double message_rate = 0;     ///< to the stage placed last
    double all_reduce_rate = 0;  ///< of the stage
  };

  explicit machine_states(const equal_machines& machines) : machines_(machines) {
    machine_state none;
    none.taken.resize(machines.count);
    none.last.resize(machines.count);
    states_.push_back(none);
    steps_.emplace_back();
  }

  /// The distinct ways to place a stage of `devices` devices.
  [[nodiscard]] const std::vector<step>& steps(std::uint32_t state, std::size_t devices) {
    if (steps_[state].empty()) steps_[state].resize(machines_.count * machines_.devices + 1);
    auto& known = steps_[state][devices];
    if (known) return *known;
    std::vector<step> found;
    for (const placement how : {placement::fresh, placement::append, placement::scatter}) {
      const auto taken = placed_devices(machines_, states_[state], how, devices);
      if (!taken) continue;
      std::vector<std::size_t> order;
      const std::uint32_t next = number_of(next_state(states_[state], *taken, order));
      const double rate = state == 0 ? 0 : message_rate(machines_, *taken, states_[state].last);
      bool is_new = true;
      for (const step& each : found) is_new = is_new && !(each.state == next && each.message_rate == rate);
      if (is_new) found.push_back({next, how, rate, all_reduce_rate(machines_, *taken)});
    }
    steps_[state][devices] = found;
    return *steps_[state][devices];
  }

  [[nodiscard]] const machine_state& operator[](std::uint32_t state) const { return states_[state]; }

 private:
  std::uint32_t number_of(const machine_state& state) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i] == state) return static_cast<std::uint32_t>(i);
    }
    states_.push_back(state);
    steps_.emplace_back();
    return static_cast<std::uint32_t>(states_.size() - 1);
  }

  equal_machines machines_;
  std::vector<machine_state> states_;
  std::vector<std::vector<std::optional<std::vector<step>>>> steps_;  // by state and number of devices
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
