// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/placed_chunks.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/precedence.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The loads of devices that hold several chunks each: the load of a device is the cost of the set of all its elements.
///
/// Where stages keep several microbatches, a chunk keeps the activations of as many as there are chunks from it to the
/// last.
class device_loads {
 public:
  using ticks = operator_costs::ticks;
  using element = precedence::element;

  device_loads(const operator_costs& costs, const placed_chunks& from, const device_rules& rules, double unit)
      : costs_(costs),
        rules_(rules),
        unit_(unit > 0 ? unit : 1),
        kinds_(from.kinds),
        device_(from.device_of),
        count_(from.device_of.size()),
        kept_(from.device_of.size()),
        now_(from.kinds.size()),
        touched_(from.kinds.size()) {
    sets_.assign(kinds_.size(), operator_set(costs));
    misplaced_.resize(kinds_.size());
    held_.resize(kinds_.size());
    more_.resize(kinds_.size());
    for (std::size_t e = 0; e < from.chunk_of.size(); ++e) enter(e, from.chunk_of[e]);
    for (std::size_t d = 0; d < kinds_.size(); ++d) touch(d);
    refresh();
    before_.clear();
  }

  /// Moves an element from the chunk at one place to the chunk at another.
  void move(std::size_t e, std::size_t from, std::size_t to) {
    if (device_[from] == device_[to]) {
      --count_[from], ++count_[to];
      const ticks each = costs_.of(e).activations;
      kept_[from] -= each, kept_[to] += each;
      if (rules_.keeps_in_flight) touch(device_[to]);
      return;
    }
    leave(e, from);
    enter(e, to);
  }

  /// Swaps the devices of the chunks at two places.
  void swap(std::size_t a, const std::vector<element>& in_a, std::size_t b, const std::vector<element>& in_b) {
    for (const element e : in_a) leave(e, a);
    for (const element e : in_b) leave(e, b);
    std::swap(device_[a], device_[b]);
    for (const element e : in_a) enter(e, a);
    for (const element e : in_b) enter(e, b);
  }

  /// Swaps the chunks at two places, one of them empty: nothing changes for their devices.
  void exchange(std::size_t a, std::size_t b) noexcept {
    std::swap(device_[a], device_[b]);
    std::swap(count_[a], count_[b]);
    std::swap(kept_[a], kept_[b]);
  }

  /// Swaps the contents of two devices, or their kinds, or both.
  void change_roles(std::size_t a, std::size_t b, bool contents, bool kinds,
                    const std::vector<std::uint32_t>& place_of) {
    if (kinds) {
      const std::uint8_t kind = kinds_[a];
      kinds_[a] = kinds_[b];
      kinds_[b] = kind;
    }
    if (contents) {
      std::swap(sets_[a], sets_[b]);
      std::swap(held_[a], held_[b]);
      for (std::uint32_t& device : device_) {
        if (device == a || device == b) device = static_cast<std::uint32_t>(device == a ? b : a);
      }
    }
    misplaced_[a] = misplaced_[b] = 0;
    for (std::size_t e = 0; e < place_of.size(); ++e) {
      const std::size_t d = device_[place_of[e]];
      if ((d == a || d == b) && !may_stand(e, d)) ++misplaced_[d];
    }
    touch(a);
    touch(b);
  }

  /// Whether the changes since the last call increase the sum of powers by at most `limit`.
  [[nodiscard]] bool accept(double limit) {
    const double change = refresh();
    if (!(change <= limit)) return false;
    before_.clear();
    return true;
  }
  /// Restores the state before the last change, after that was undone.
  void restore() {
    for (const std::uint32_t d : list_) touched_[d] = false;
    list_.clear();
    for (const auto& [d, state] : before_) now_[d] = state;
    before_.clear();
  }

  /// Whether a device violates the rules.
  [[nodiscard]] bool wrong() const noexcept {
    for (const device_state& device : now_) {
      if (device.wrong) return true;
    }
    return false;
  }
  /// The load of the heaviest device.
  [[nodiscard]] ticks heaviest() const noexcept {
    ticks result = 0;
    for (const device_state& device : now_) result = device.value > result ? device.value : result;
    return result;
  }
  [[nodiscard]] const std::vector<std::uint8_t>& kinds() const noexcept { return kinds_; }

 private:
  struct device_state {
    ticks value = 0;
    double power = 0;
    bool wrong = false;
  };

  void touch(std::size_t d) {
    if (touched_[d]) return;
    touched_[d] = true;
    list_.push_back(static_cast<std::uint32_t>(d));
  }
  void enter(std::size_t e, std::size_t place) {
    const std::size_t d = device_[place];
    sets_[d].add(e);
    if (!may_stand(e, d)) ++misplaced_[d];
    ++held_[d], ++count_[place];
    kept_[place] += costs_.of(e).activations;
    touch(d);
  }
  void leave(std::size_t e, std::size_t place) {
    const std::size_t d = device_[place];
    sets_[d].remove(e);
    if (!may_stand(e, d)) --misplaced_[d];
    --held_[d], --count_[place];
    kept_[place] -= costs_.of(e).activations;
    touch(d);
  }
  [[nodiscard]] bool may_stand(std::size_t e, std::size_t d) const {
    const operator_costs::figures& each = costs_.of(e);
    if (each.stage != graph_operator::none && each.stage != d) return false;
    return kinds_[d] != 0 ? each.on_cpu : each.on_accelerator;
  }

  /// Recomputes what was touched; all devices with chunks if memory depends on later chunks.
  /// @return  the increase of the sum of powers
  double refresh() {
    if (rules_.keeps_in_flight) {
      for (std::size_t d = 0; d < kinds_.size(); ++d) touch(d), more_[d] = 0;
      std::size_t from = 0;  // chunks from a place on; consecutive ones on a device count once
      std::size_t device = kinds_.size();
      for (std::size_t place = device_.size(); place-- > 0;) {
        if (count_[place] == 0) continue;
        if (device_[place] != device) ++from;
        device = device_[place];
        more_[device] += (costs_.in_flight(0, from) - 1) * kept_[place];
      }
    }
    double change = 0;
    for (const std::uint32_t d : list_) {
      touched_[d] = false;
      before_.emplace_back(d, now_[d]);
      const double old = now_[d].power;
      now_[d] = state_of(d);
      change += now_[d].power - old;
    }
    list_.clear();
    return change;
  }

  /// A device that violates the rules has a power that grows with the violation.
  [[nodiscard]] device_state state_of(std::size_t d) const {
    device_state result;
    if (held_[d] == 0) {
      result.wrong = kinds_[d] == 0 && !rules_.may_be_empty;
      result.power = result.wrong ? 2 : 0;
      return result;
    }
    const stage_role role{kinds_[d], d, d + 1};  // of one microbatch
    result.value = sets_[d].value(role);
    const double share = static_cast<double>(result.value) / unit_;
    const double fourth = share * share * share * share;
    result.power = fourth * fourth * fourth + 2 * static_cast<double>(misplaced_[d]);
    result.wrong = misplaced_[d] != 0;
    if (kinds_[d] != 0) return result;
    const ticks over = sets_[d].memory(role) + more_[d] - costs_.limit();
    if (over <= 0) return result;
    result.wrong = true;
    result.power += 1 + 20 * static_cast<double>(over) / (static_cast<double>(costs_.limit()) + 1);
    return result;
  }

  const operator_costs& costs_;
  device_rules rules_;
  double unit_;
  std::vector<std::uint8_t> kinds_;
  std::vector<std::uint32_t> device_;  // of each place
  std::vector<std::size_t> count_;     // elements at each place
  std::vector<ticks> kept_;            // activations of one microbatch at each place
  std::vector<operator_set> sets_{};   // of each device, as are the following
  std::vector<std::size_t> misplaced_{};
  std::vector<std::size_t> held_{};
  std::vector<ticks> more_{};  // activations of further microbatches
  std::vector<device_state> now_;
  std::vector<bool> touched_;
  std::vector<std::uint32_t> list_{};  // what was touched
  std::vector<std::pair<std::uint32_t, device_state>> before_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
