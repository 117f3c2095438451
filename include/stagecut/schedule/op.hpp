// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The kinds of op in a schedule.
enum class op_kind : std::uint8_t {
  forward,           ///< F: the forward pass of a microbatch through a stage
  backward,          ///< B: its whole backward pass
  backward_input,    ///< I: the gradient of the stage's input alone, which the previous stage needs
  backward_weight,   ///< W: the gradient of its parameters, which no other pass needs
  send_forward,      ///< SEND_F: the activations go to the next stage
  receive_forward,   ///< RECV_F: they arrive, at the named stage
  send_backward,     ///< SEND_B: the gradient of the input goes to the previous stage
  receive_backward,  ///< RECV_B: it arrives, at the named stage
  unshard,           ///< UNSHARD: the stage's sharded parameters are gathered; per stage, not per microbatch
  reshard,           ///< RESHARD: they are dropped again
  reduce_gradient,   ///< REDUCE_GRAD: the gradients of the stage's replicas are summed
  optimizer_step     ///< OPTIMIZER: the device updates its parameters
};

/// Whether the op is computation, which every schedule contains: F, B, I, W.
[[nodiscard]] constexpr bool is_compute(op_kind kind) noexcept { return kind <= op_kind::backward_weight; }

/// Whether a tensor leaves or enters a device: SEND_F, RECV_F, SEND_B, RECV_B.
[[nodiscard]] constexpr bool is_transfer(op_kind kind) noexcept {
  return kind >= op_kind::send_forward && kind <= op_kind::receive_backward;
}

/// Whether a tensor leaves a device: SEND_F, SEND_B.
[[nodiscard]] constexpr bool is_send(op_kind kind) noexcept {
  return kind == op_kind::send_forward || kind == op_kind::send_backward;
}

/// Whether the kind belongs to a microbatch, not to a stage or device as a whole: computation and transfers.
[[nodiscard]] constexpr bool has_microbatch(op_kind kind) noexcept { return is_compute(kind) || is_transfer(kind); }

/// One step of a schedule.
struct op {
  /// As `peer`: the next or previous stage.
  static constexpr std::uint32_t neighbour = ~std::uint32_t{0};

  op_kind kind = op_kind::forward;  ///< the kind
  std::size_t stage = 0;            ///< its stage, from 0
  std::size_t microbatch = 0;       ///< from 0
  std::size_t slice = 0;            ///< of the microbatch's sequence, from 0
  bool with_next = false;           ///< runs together with the next op of its rank: F with B
  std::uint32_t peer = neighbour;   ///< of a transfer: the stage at its other end, set if stages are not a chain

  /// Equality of all members.
  friend bool operator==(const op&, const op&) = default;
};

/// An op with its start and end.
template <class T>
struct timed_op {
  op what{};  ///< the op; a transfer is given by its sending end
  T start{};  ///< since the first op began, in the unit of the durations
  T end{};    ///< in the same unit

  /// Equality of all members.
  friend bool operator==(const timed_op&, const timed_op&) = default;
};

/// The op at the other end of a transfer: for SEND_F, RECV_F of the next stage, or of its `peer`.
/// @pre `each` is a transfer along an edge of stages
[[nodiscard]] constexpr op other_end(op each) noexcept {
  if (each.peer != op::neighbour) {
    constexpr op_kind others[] = {op_kind::receive_forward, op_kind::send_forward, op_kind::receive_backward,
                                  op_kind::send_backward};
    const std::size_t stage = each.peer;
    each.kind = others[static_cast<std::size_t>(each.kind) - static_cast<std::size_t>(op_kind::send_forward)];
    each.peer = static_cast<std::uint32_t>(each.stage);
    each.stage = stage;
    return each;
  }
  switch (each.kind) {
    case op_kind::send_forward: each.kind = op_kind::receive_forward, ++each.stage; break;
    case op_kind::receive_forward: each.kind = op_kind::send_forward, --each.stage; break;
    case op_kind::send_backward: each.kind = op_kind::receive_backward, --each.stage; break;
    default: each.kind = op_kind::send_backward, ++each.stage; break;
  }
  return each;
}

/// PyTorch's names for the kinds of op, in the order of `op_kind`.
inline constexpr named<op_kind> op_names[] = {{"F", op_kind::forward},
                                              {"B", op_kind::backward},
                                              {"I", op_kind::backward_input},
                                              {"W", op_kind::backward_weight},
                                              {"SEND_F", op_kind::send_forward},
                                              {"RECV_F", op_kind::receive_forward},
                                              {"SEND_B", op_kind::send_backward},
                                              {"RECV_B", op_kind::receive_backward},
                                              {"UNSHARD", op_kind::unshard},
                                              {"RESHARD", op_kind::reshard},
                                              {"REDUCE_GRAD", op_kind::reduce_gradient},
                                              {"OPTIMIZER", op_kind::optimizer_step}};

/// The name of a kind: `F`, `I`, `SEND_F`.
[[nodiscard]] constexpr const char* to_string(op_kind kind) noexcept { return stagecut::name_of(op_names, kind); }

/// An op in PyTorch's notation, the stage first: `3F12`; a slice after a colon: `3F12:1`; if stages are not a chain,
/// the other end of a transfer after an arrow: `0SEND_F3>2`, `2RECV_F3<0`.
[[nodiscard]] STAGECUT_DECL std::string to_string(const op& each);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/op.ipp>
#endif
