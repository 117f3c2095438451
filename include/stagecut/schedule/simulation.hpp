// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <stagecut/core/names.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Times of the passes of a microbatch on every stage, in any unit.
///
/// A vector of passes has one element per stage; or one per stage and slice, at [s * slices + slice]; or one per stage,
/// microbatch and slice, at [(s * microbatches + k) * slices + slice]. It may be empty for passes that the schedule
/// does not run. The other vectors have one element per stage, or per rank.
template <class T>
struct pass_times {
  std::vector<T> forward{};          ///< F
  std::vector<T> backward{};         ///< B; empty: the sum of the next two
  std::vector<T> backward_input{};   ///< I
  std::vector<T> backward_weight{};  ///< W
  /// An F that runs together with the B after it (`op::with_next`), both together, by the stage of F for all
  /// microbatches; empty: their sum.
  std::vector<T> overlapped{};
  std::vector<T> all_reduce{};      ///< at the end, of the gradients of every stage; empty: none
  std::vector<T> optimizer_step{};  ///< after it, per *rank*; empty: none
};

/// The resource that a transfer between neighbouring stages occupies.
enum class transfer_kind : std::uint8_t {
  latency,   ///< none: the receiver starts later by that time
  link,      ///< the link from the sending to the receiving rank, one message at a time
  stream,    ///< one stream per rank, which orders its sends and receives; receiving takes no time
  blocking,  ///< both ranks, which compute nothing meanwhile
};

/// Their names in files and on the command line, the default first.
inline constexpr named<transfer_kind> transfer_kind_names[] = {{"link", transfer_kind::link},
                                                               {"latency", transfer_kind::latency},
                                                               {"stream", transfer_kind::stream},
                                                               {"blocking", transfer_kind::blocking}};

/// The name of a kind, as in files.
[[nodiscard]] constexpr const char* to_string(transfer_kind kind) noexcept {
  return stagecut::name_of(transfer_kind_names, kind);
}

/// Message times per boundary between stages on different ranks; if a schedule has edges, per edge, in the order of
/// `schedule::edges`, including those within a rank.
///
/// If both vectors are empty there are no messages; messages of zero time still keep their order if they occupy a
/// stream or the ranks.
template <class T>
struct transfer_times {
  transfer_kind kind = transfer_kind::link;  ///< the resource that they occupy
  std::vector<T> forward{};   ///< over the boundary of stages b and b + 1, or edge b; or one for all; or empty: zero
  std::vector<T> backward{};  ///< the same for the gradient from b + 1 to b
};

/// The time of a rank in an iteration.
template <class T>
struct rank_use {
  T busy{};     ///< computing
  T blocked{};  ///< held by transfers that block it
  T idle{};     ///< the rest of the makespan
  T first{};    ///< when its first pass begins
  T last{};     ///< when its last pass or its share of the update ends

  /// Equality of all members.
  friend bool operator==(const rank_use&, const rank_use&) = default;
};

/// A simulated iteration.
template <class T>
struct simulation {
  T makespan{};                                       ///< the end of the last op; the first begins at 0
  T span{};                                           ///< the longest of any rank, from `first` to `last`
  std::vector<rank_use<T>> ranks{};                   ///< the time of each rank
  std::vector<std::vector<timed_op<T>>> ops{};        ///< F, B, I, W of every rank, in its order
  std::vector<std::vector<timed_op<T>>> transfers{};  ///< the sends of every rank, in its order
  std::vector<std::vector<timed_op<T>>> updates{};    ///< all-reduces and the optimizer step of every rank
  std::vector<timed_op<T>> critical_path{};           ///< the chain of ops and transfers that determines the makespan

  /// The share of the makespan that the ranks together spend on a part, from 0 to 1: `share(&rank_use<T>::idle)`.
  [[nodiscard]] double share(T rank_use<T>::*part) const {
    double sum = 0;
    for (const rank_use<T>& rank : ranks) sum += static_cast<double>(rank.*part);
    const double all = static_cast<double>(makespan) * static_cast<double>(ranks.size());
    return all > 0 ? sum / all : 0;
  }

  /// Whether transfers block the ranks at their ends.
  [[nodiscard]] bool blocks() const {
    for (const rank_use<T>& rank : ranks) {
      if (T{} < rank.blocked) return true;
    }
    return false;
  }

  /// Equality of all members.
  friend bool operator==(const simulation&, const simulation&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
