// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/detail/search_limits.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/orders/detail/order_heads.hpp>
#include <stagecut/orders/detail/order_polish.hpp>
#include <stagecut/orders/detail/order_proof.hpp>
#include <stagecut/orders/detail/order_search.hpp>
#include <stagecut/orders/detail/order_ticks.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/detail/words_of_schedule.hpp>
#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>
#include <stagecut/schedule/task_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The words of a starting schedule.
/// @throws argument_error if it has other ranks, stages or microbatches, or exceeds the memory
[[nodiscard]] inline order_names words_of_start(const schedule_problem& of, const schedule& start);

/// Synthesizes a schedule for a problem: bound, named schedules, search, proof, search.
class order_maker {
 public:
  /// @param transfers  the resource that messages occupy; `latency` if there are none
  /// @param tick       length of a tick in the unit of the times; for progress reports
  order_maker(const schedule_problem& of, const synthesis_request& request, transfer_kind transfers, double tick)
      : of_(of),
        limits_(request.search),
        seed_(request.search.seed),
        transfers_(transfers),
        tick_(tick),
        search_(of, request.search.seed, stop_) {}

  order_maker(const order_maker&) = delete;
  order_maker& operator=(const order_maker&) = delete;

  /// Takes a starting schedule.
  void take(order_names words);

  void make();

  /// In ticks; the makespan with the actual kind of messages.
  /// @{
  [[nodiscard]] std::int64_t makespan() const noexcept { return makespan_; }
  [[nodiscard]] std::int64_t bound() const noexcept { return bound_; }
  /// @}
  [[nodiscard]] const order_names& words() const noexcept { return words_; }
  [[nodiscard]] std::size_t looked_at() const noexcept { return search_.looked_at() + polished_; }

 private:
  /// Takes the best schedule found, polished for messages that occupy more than a link.
  void finish();

  static constexpr std::size_t all_rounds = std::numeric_limits<std::size_t>::max();

  /// Whether messages occupy a resource that `order_run` does not model. Messages of zero time do as well: they keep
  /// their order.
  [[nodiscard]] bool occupies() const noexcept {
    return transfers_ == transfer_kind::stream || transfers_ == transfer_kind::blocking;
  }

  /// The work that a proof may do: with a node limit, the passes of that many schedules.
  [[nodiscard]] std::size_t proof_work() const noexcept;

  [[nodiscard]] bool over(std::size_t looked_at);

  /// The makespan of the best schedule so far, with the actual messages; `never`: none known.
  [[nodiscard]] std::int64_t found() const noexcept { return occupies() ? makespan_ : search_.makespan(); }

  void tell(double seconds);

  /// Polishes under the actual kind of messages.
  void settle_messages();

  [[nodiscard]] std::int64_t time_of(const order_names& words) const;

  const schedule_problem& of_;
  const search_options& limits_;
  std::uint64_t seed_;
  transfer_kind transfers_;
  double tick_;
  double began_ = seconds_now();
  double told_ = 0;  // the time of the last progress report, and its makespan
  std::int64_t told_makespan_ = order_search::never;
  double until_ = 1;  // the usable share of the limits
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
  order_names words_{};
  order_names taken_{};  // if messages occupy more: the best schedule taken, and its makespan
  std::int64_t taken_time_ = 0;
  std::size_t polished_ = 0;
};

inline order_names words_of_start(const schedule_problem& of, const schedule& start) {
  check_schedule(start);
  std::optional<order_names> words = words_of(of, start);
  if (!words) refuse_order("start", "{…}", "must be of these ranks, stages and microbatches, with passes one by one");
  word_rules allowed(of);
  for (std::size_t r = 0; r < of.ranks; ++r) {
    if (!allowed(r, (*words)[r])) refuse_order("start", "{…}", joined({"must keep to the memory of rank ", r}));
  }
  return *std::move(words);
}

inline void order_maker::take(order_names words) {
  if (occupies()) {
    const std::int64_t time = time_of(words);
    if (taken_.empty() || time < taken_time_) {
      taken_ = words;
      taken_time_ = time;
    }
  }
  search_.take(std::move(words));
}

inline void order_maker::make() {
  // Finds some schedule first, whatever the time limit.
  search_.begin();
  detail::named_words(of_, [&](order_names words) {
    take(std::move(words));
    return !over(0);
  });
  until_ = 0.3;
  if (over(0)) return finish();
  order_heads heads(of_, precedence_of(of_));
  heads.settle(stop_proof_);
  bound_ = heads.bound();
  // A schedule near the bound is soon proved optimal, or shown to be improvable; far from the bound, search comes
  // first.
  for (const std::size_t rounds : {std::size_t{1}, all_rounds}) {
    until_ = 0.5;
    search_.look(bound_, rounds);
    if (search_.makespan() == order_search::never) break;
    if (rounds != all_rounds && search_.makespan() - bound_ > bound_ / 32) continue;
    until_ = rounds == all_rounds ? 0.7 : 0.4;
    bound_ = raised_bound(heads, bound_, search_.makespan(), proof_work(), stop_proof_);
  }
  until_ = occupies() ? 0.8 : 1;
  if (search_.makespan() != order_search::never) search_.look(bound_, all_rounds);
  finish();
}

inline void order_maker::finish() {
  if (search_.makespan() == order_search::never) return;
  words_ = search_.words();
  if (occupies())
    settle_messages();
  else
    makespan_ = search_.makespan();
  if (found() < told_makespan_) tell(seconds_now() - began_);
}

inline std::size_t order_maker::proof_work() const noexcept {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const std::size_t passes = of_.kinds() * of_.stages() * of_.microbatches;
  if (!limits_.node_limit || *limits_.node_limit > most / passes) return most;
  return *limits_.node_limit * passes;
}

inline bool order_maker::over(std::size_t looked_at) {
  const double seconds = seconds_now() - began_;
  if (seconds > told_ + 0.1 || found() < told_makespan_) tell(seconds);
  return is_over(limits_, static_cast<double>(looked_at), seconds, until_);
}

inline void order_maker::tell(double seconds) {
  told_ = seconds;
  told_makespan_ = found();
  if (!limits_.progress) return;
  search_progress now;
  now.seconds = seconds;
  if (found() != order_search::never) now.value = static_cast<double>(found()) * tick_;
  now.bound = static_cast<double>(bound_) * tick_;
  now.nodes = looked_at();
  limits_.progress(now);
}

inline void order_maker::settle_messages() {
  until_ = 1;
  if (!taken_.empty() && taken_time_ < time_of(words_)) words_ = taken_;
  const auto exact = [&](const order_names& words) { return time_of(words); };
  order_polish within(of_, words_, exact);
  random_bits random(seed_, 1, 0);
  const auto stop = [&] {
    makespan_ = within.best();
    return makespan_ <= bound_ || over(search_.looked_at() + 16 * ++polished_);
  };
  for (std::size_t round = 0; !stop(); ++round) {
    within.anneal(1024, search_.period() / (std::int64_t{50} << (round % 3)), random, stop);
  }
  words_ = within.words();
  makespan_ = within.best();
}

inline std::int64_t order_maker::time_of(const order_names& words) const {
  pass_times<std::int64_t> times;
  transfer_times<std::int64_t> messages{
      transfers_, {of_.down.begin(), of_.down.end() - 1}, {of_.up.begin(), of_.up.end() - 1}};
  for (std::size_t s = 0; s < of_.stages(); ++s) {
    times.forward.push_back(of_.time[forward_of(s)]);
    (of_.split ? times.backward_input : times.backward).push_back(of_.time[backward_of(s)]);
    if (of_.split) times.backward_weight.push_back(of_.time[weight_of(s)]);
  }
  times.all_reduce = of_.all_reduce;
  times.optimizer_step = of_.step;
  const schedule order = schedule_of(of_, words);
  const task_graph graph(order, detail::options_of(order, times, messages));
  simulation_workspace<std::int64_t> workspace;
  return graph.makespan(times, messages, workspace);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
