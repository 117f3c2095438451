// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <stagecut/core/words.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What one pass of a microbatch takes on every stage, in any unit.
///
/// A vector of passes has one element a stage; or one a stage and slice, at [s * slices + slice]; or one a stage,
/// microbatch and slice, at [(s * microbatches + k) * slices + slice]. Those of passes that the schedule does not run may
/// be empty. The others have one a stage, or a rank.
template <class T>
struct pass_times {
  std::vector<T> forward{};          ///< F
  std::vector<T> backward{};         ///< B; empty: the sum of the next two
  std::vector<T> backward_input{};   ///< I
  std::vector<T> backward_weight{};  ///< W
  /// An F that runs together with the B behind it (`op::with_next`), both of them, by the stage of F whatever the
  /// microbatch; empty: their sum.
  std::vector<T> overlapped{};
  std::vector<T> all_reduce{};       ///< at the end, of the gradients of every stage; empty: none
  std::vector<T> optimizer_step{};   ///< behind it, of every *rank*; empty: none
};

/// What a transfer between neighbouring stages occupies.
enum class transfer_kind : std::uint8_t {
  latency,  ///< nothing: the receiver may begin that much later
  link,     ///< the link from the sending to the receiving rank, one message after the other
  stream,   ///< a stream of each rank on which what it sends and receives follows in one order; receiving takes no time
  blocking,  ///< both ranks, which compute nothing meanwhile
};

/// The words for them in files and on the command line, the default first.
inline constexpr word<transfer_kind> transfer_kind_words[] = {{"link", transfer_kind::link},
                                                              {"latency", transfer_kind::latency},
                                                              {"stream", transfer_kind::stream},
                                                              {"blocking", transfer_kind::blocking}};

/// The name of a kind, as it is written to files.
[[nodiscard]] constexpr const char* to_string(transfer_kind kind) noexcept {
  return stagecut::name_of(transfer_kind_words, kind);
}

/// What a message takes over every boundary between stages that stand on different ranks; where a schedule has edges, over
/// every edge, in the order of `schedule::edges`, those within a rank counted.
///
/// Where both vectors are empty there are no messages; messages of no time still keep to their order where they occupy a
/// stream or the ranks.
template <class T>
struct transfer_times {
  transfer_kind kind = transfer_kind::link;  ///< what it occupies
  std::vector<T> forward{};   ///< over the boundary of stages b and b + 1, or edge b; or one for all; or empty: nothing
  std::vector<T> backward{};  ///< likewise, the gradient from b + 1 to b
};

/// How a rank spends an iteration.
template <class T>
struct rank_use {
  T busy{};     ///< computing
  T blocked{};  ///< held by transfers that block it
  T idle{};     ///< the rest of the makespan
  T first{};    ///< when its first pass begins
  T last{};     ///< when its last pass ends, or its share of the update

  /// Equal in every part.
  friend bool operator==(const rank_use&, const rank_use&) = default;
};

/// An iteration as it will run.
template <class T>
struct simulation {
  T makespan{};                                       ///< when the last op ends, the first having begun at 0
  T span{};                                           ///< the longest of any rank, from `first` to `last`
  std::vector<rank_use<T>> ranks{};                   ///< how each spends it
  std::vector<std::vector<timed_op<T>>> ops{};        ///< F, B, I, W of every rank, in its order
  std::vector<std::vector<timed_op<T>>> transfers{};  ///< what every rank sends, in its order
  std::vector<std::vector<timed_op<T>>> updates{};    ///< all-reduces and the optimizer's step of every rank
  std::vector<timed_op<T>> critical_path{};  ///< ops and transfers, one after the other, that make the makespan

  /// What share of the makespan the ranks together spend on a part, from 0 to 1: `share(&rank_use<T>::idle)`.
  [[nodiscard]] double share(T rank_use<T>::*part) const {
    double sum = 0;
    for (const rank_use<T>& each : ranks) sum += static_cast<double>(each.*part);
    const double all = static_cast<double>(makespan) * static_cast<double>(ranks.size());
    return all > 0 ? sum / all : 0;
  }

  /// Whether transfers hold up the ranks between which they pass.
  [[nodiscard]] bool blocks() const {
    for (const rank_use<T>& each : ranks) {
      if (T{} < each.blocked) return true;
    }
    return false;
  }

  /// Equal in every part.
  friend bool operator==(const simulation&, const simulation&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
