// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/layered_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// What items, stages and boundaries take at least, wherever they stand, as prefix sums. Trivially copyable.
struct least_rows {
  view<const double> forward{};       ///< of the items
  view<const double> backward{};      ///< likewise
  view<const double> own_forward{};   ///< of what stages take beside their items
  view<const double> own_backward{};  ///< likewise
  view<const double> messages{};      ///< of the boundaries, in one direction

  /// The same from copies: see `memory_for`.
  template <class Memory>
  [[nodiscard]] least_rows placed(Memory& memory) const {
    return {memory(forward), memory(backward), memory(own_forward), memory(own_backward), memory(messages)};
  }
};

/// Owns them.
class least_times {
 public:
  explicit least_times(const stagecut::engine::chain_ticks& chain) {
    using namespace stagecut::detail;
    for (auto* sums : {&forward_, &backward_, &load_}) sums->resize(chain.items + 1);
    for (std::size_t i = 0; i < chain.items; ++i) {
      forward_[i + 1] = forward_[i] + chain.least([&](std::size_t s) { return chain.item(engine::tick_f, s, i); });
      backward_[i + 1] = backward_[i] + chain.least([&](std::size_t s) { return chain.item(engine::tick_b, s, i); });
      load_[i + 1] = load_[i] + chain.least([&](std::size_t s) { return chain.item_load(s, i); });
    }
    for (auto* sums : {&own_forward_, &own_backward_, &own_load_}) sums->resize(chain.stages + 1);
    messages_.resize(chain.stages);
    for (std::size_t s = 0; s < chain.stages; ++s) {
      own_forward_[s + 1] = own_forward_[s] + chain.own(engine::tick_f, s);
      own_backward_[s + 1] = own_backward_[s] + chain.own(engine::tick_b, s);
      own_load_[s + 1] = own_load_[s] + chain.own_load(s);
      if (s + 1 == chain.stages) break;
      double least = engine::no_ticks;
      for (std::size_t y = s + 1; y < chain.items; ++y) {
        least = chain.message(s, y) < least ? chain.message(s, y) : least;
      }
      messages_[s + 1] = messages_[s] + least;
    }
  }

  /// Refers to this object.
  [[nodiscard]] least_rows rows() const noexcept {
    return {forward_, backward_, own_forward_, own_backward_, messages_};
  }
  /// All passes of a microbatch of `[first, last)`, as the stages from `from` to `to`.
  [[nodiscard]] double load(std::size_t first, std::size_t last, std::size_t from, std::size_t to) const {
    return load_[last] - load_[first] + own_load_[to] - own_load_[from];
  }
  /// Until the first microbatch comes to a stage that begins at an item.
  [[nodiscard]] double lead(std::size_t s, std::size_t first) const { return forward_[first] + own_forward_[s]; }

 private:
  std::vector<double> forward_{};
  std::vector<double> backward_{};
  std::vector<double> load_{};
  std::vector<double> own_forward_{};
  std::vector<double> own_backward_{};
  std::vector<double> own_load_{};
  std::vector<double> messages_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
