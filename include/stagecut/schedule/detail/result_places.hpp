// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether an op goes back through the stages: of the kinds that compute or transfer, all but F, SEND_F and RECV_F.
[[nodiscard]] constexpr bool is_back(op_kind kind) noexcept {
  return kind != op_kind::forward && kind != op_kind::send_forward && kind != op_kind::receive_forward;
}

/// Where tasks are found by what they have for a microbatch and slice; 0: there is none yet.
class result_places {
 public:
  /// @param streams  whether messages that have left are noted, beside those that have arrived
  result_places(const schedule& order, bool streams) : microbatches_(order.microbatches), slices_(order.slices) {
    const std::size_t parts = order.microbatches * order.slices;
    for (const bool back : {false, true}) {
      made_[back].resize(order.stages() * parts);
      arrived_[back].resize(edge_count(order) * parts);
      if (streams) sent_[back].resize(arrived_[back].size());
    }
  }

  /// F, or else B or I, of the op's stage; `slice` may be that of another one.
  [[nodiscard]] std::uint32_t& made(const op& each, std::size_t slice) noexcept {
    return made_[is_back(each.kind)][index(each.stage, each.microbatch, slice)];
  }
  [[nodiscard]] std::uint32_t& made(const op& each) noexcept { return made(each, each.slice); }

  /// What leaves along an edge in the direction of the op, on the sender's stream.
  [[nodiscard]] std::uint32_t& sent(const op& each, std::size_t edge) noexcept {
    return sent_[is_back(each.kind)][index(edge, each.microbatch, each.slice)];
  }

  /// What those wait for who wait for what comes along it.
  [[nodiscard]] std::uint32_t& arrived(const op& each, std::size_t edge) noexcept {
    return arrived_[is_back(each.kind)][index(edge, each.microbatch, each.slice)];
  }

 private:
  [[nodiscard]] std::size_t index(std::size_t stage_or_edge, std::size_t microbatch, std::size_t slice) const noexcept {
    return (stage_or_edge * microbatches_ + microbatch) * slices_ + slice;
  }

  std::size_t microbatches_;
  std::size_t slices_;
  std::array<std::vector<std::uint32_t>, 2> made_{};
  std::array<std::vector<std::uint32_t>, 2> sent_{};
  std::array<std::vector<std::uint32_t>, 2> arrived_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
