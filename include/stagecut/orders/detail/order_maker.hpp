// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/orders/detail/order_search.hpp>
#include <stagecut/orders/detail/word_problem.hpp>
#include <stagecut/orders/order_request.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The words of an order to begin with.
/// @throws argument_error if it is of other ranks, stages or microbatches, or does not keep to the memory
[[nodiscard]] STAGECUT_DECL order_words words_of_start(const word_problem& of, const schedule& start);

/// Makes an order of a problem: bound, named schedules, search, proof, search.
class order_maker {
 public:
  /// @param transfers  what messages occupy; `latency` where there are none
  /// @param tick       in the unit of the times, of which progress is told
  order_maker(const word_problem& of, const order_request& request, transfer_kind transfers, double tick)
      : of_(of),
        limits_(request.limits),
        seed_(request.seed),
        transfers_(transfers),
        tick_(tick),
        search_(of, request.seed, stop_) {}

  order_maker(const order_maker&) = delete;
  order_maker& operator=(const order_maker&) = delete;

  /// Takes an order to begin with.
  void take(order_words words);

  void make();

  /// In ticks; the makespan with messages as they are.
  /// @{
  [[nodiscard]] std::int64_t makespan() const noexcept { return makespan_; }
  [[nodiscard]] std::int64_t bound() const noexcept { return bound_; }
  /// @}
  [[nodiscard]] const order_words& words() const noexcept { return words_; }
  [[nodiscard]] std::size_t looked_at() const noexcept { return search_.looked_at() + polished_; }

 private:
  /// Takes the best that was found, polished for messages that occupy more than a link.
  void finish();

  static constexpr std::size_t all_rounds = std::numeric_limits<std::size_t>::max();

  /// Whether messages occupy what `order_run` does not know of. Those of no time do, too: they keep to their order.
  [[nodiscard]] bool occupies() const noexcept {
    return transfers_ == transfer_kind::stream || transfers_ == transfer_kind::blocking;
  }

  /// Where orders are counted, a proof may look at as many passes as they have.
  [[nodiscard]] std::size_t proof_work() const noexcept;

  [[nodiscard]] bool over(std::size_t looked_at);

  /// The makespan of the best order so far, messages as they are; `never`: nothing is known of one.
  [[nodiscard]] std::int64_t found() const noexcept { return occupies() ? makespan_ : search_.makespan(); }

  void tell(double seconds);

  /// Polishes under the kind of messages that will run it.
  void settle_messages();

  [[nodiscard]] std::int64_t time_of(const order_words& words) const;

  const word_problem& of_;
  const search_limits& limits_;
  std::uint64_t seed_;
  transfer_kind transfers_;
  double tick_;
  double began_ = seconds_now();
  double told_ = 0;  // when progress was told, and of which makespan
  std::int64_t told_makespan_ = order_search::never;
  double until_ = 1;  // the share of the limits that may be used
  struct search_stop {
    order_maker* maker;
    bool operator()(std::size_t looked_at) const { return maker->over(looked_at); }
  } stop_{this};
  struct proof_stop {
    order_maker* maker;
    bool operator()() const { return maker->over(0); }
  } stop_proof_{this};
  order_search search_;
  std::int64_t bound_ = 0;
  std::int64_t makespan_ = order_search::never;
  order_words words_{};
  order_words taken_{};  // where messages occupy more: the best that was taken, and when it ends
  std::int64_t taken_time_ = 0;
  std::size_t polished_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/orders/detail/order_maker.ipp>
#endif
