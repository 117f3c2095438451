// SPDX-License-Identifier: BSL-1.0
// The simulator of schedules compared with its floor, a loop with the same number of additions, additions and maxima
// over the same numbers, and with an event-driven simulation.
//
// Names: METHOD/NUMBERS/TRANSFERS/n:PASSES. Durations come in turn from a pool, so that no branch predictor learns one
// set. With links a message is a task like a pass: the counter `tasks` is their number.
//
// `lanes_REGISTERS` simulates one candidate per lane at once, compared with `makespan`, one after the other; both
// include checking all durations and filling their tables. `lanes_run` begins with filled tables, in the widest
// registers, and `lanes_limit` is its floor: for each task it reads three rows of candidates and writes one, row after
// row, all in the L1 cache. `to_makespan` is the speedup per candidate over `makespan`, timed just before.

#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/lanes.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/schedule/task_graph.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using stagecut::lanes;
using stagecut::op;
using stagecut::op_kind;
using stagecut::pass_times;
using stagecut::schedule;
using stagecut::slot_program;
using stagecut::task_graph;
using stagecut::transfer_kind;
using stagecut::transfer_times;

/// splitmix64, as a number in [0, 1).
double draw(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

/// The floor: reads all arrays sequentially, without dependencies.
template <class T>
[[gnu::noinline]] void add_add_max(const T* __restrict before, const T* __restrict source, const T* __restrict delay,
                                   const T* __restrict time, T* __restrict end, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const T ready = source[i] + delay[i];
    end[i] = (before[i] < ready ? ready : before[i]) + time[i];
  }
}

/// An event-driven simulation: a queue of the next events, and for every pass the number of pending dependencies, the
/// previous pass on its rank and a result of a neighbouring stage. What does not depend on durations is computed once,
/// and memory is reused.
template <class T>
class event_simulator {
 public:
  event_simulator(const schedule& order, bool with_transfers, transfer_kind kind) : kind_(kind), ranks_(order.ranks()) {
    const auto index = [&](const op& each, std::size_t stage) { return stage * order.microbatches + each.microbatch; };
    std::array<std::vector<std::uint32_t>, 2> of;  // the pass of a stage and microbatch, forward and backward
    for (auto& passes : of) passes.resize(order.stages() * order.microbatches);
    for (const auto& rank : order.orders) {
      for (const op& each : rank) {
        of[each.kind == op_kind::backward][index(each, each.stage)] = static_cast<std::uint32_t>(passes_.size());
        passes_.push_back({});
      }
    }
    needs_.resize(passes_.size());
    std::size_t at = 0;
    for (std::size_t r = 0; r < ranks_; ++r) {
      for (std::size_t i = 0; i < order.orders[r].size(); ++i, ++at) {
        const op& each = order.orders[r][i];
        pass& here = passes_[at];
        here.stage = static_cast<std::uint32_t>(each.stage);
        here.back = each.kind == op_kind::backward;
        if (i + 1 < order.orders[r].size()) connect(here.next, at + 1);
        if (here.back ? each.stage == 0 : each.stage + 1 == order.stages()) continue;
        const std::size_t to = here.back ? each.stage - 1 : each.stage + 1;
        connect(here.consumer, of[here.back][index(each, to)]);
        here.link = static_cast<std::uint32_t>(r * ranks_ + order.rank_of[to]);
        here.crosses = with_transfers && order.rank_of[to] != r;
      }
    }
    links_.resize(ranks_ * ranks_);
  }

  /// The makespan.
  T run(const pass_times<T>& times, const transfer_times<T>& transfers) {
    waits_ = needs_;
    std::fill(links_.begin(), links_.end(), T{});
    for (std::size_t i = 0; i < passes_.size(); ++i) {
      if (needs_[i] == 0) begin(i, T{}, times);
    }
    T now{};
    while (!events_.empty()) {
      const event happens = events_.top();
      events_.pop();
      now = happens.time;
      const pass& each = passes_[happens.what];
      if (happens.arrives) {
        release(each.consumer, now, times);
        continue;
      }
      if (each.next != none) release(each.next, now, times);
      if (each.consumer == none) continue;
      if (!each.crosses) {
        release(each.consumer, now, times);
        continue;
      }
      const T time = each.back ? transfers.backward[each.stage - 1] : transfers.forward[each.stage];
      T arrival = now + time;
      if (kind_ == transfer_kind::link) {
        T& link = links_[each.link];
        link = std::max(link, now) + time;
        arrival = link;
      }
      events_.push({arrival, happens.what, true});
    }
    return now;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct pass {
    std::uint32_t next = none;      // the next pass on its rank
    std::uint32_t consumer = none;  // the consumer of its result
    std::uint32_t stage = 0;
    std::uint32_t link = 0;
    bool back = false;
    bool crosses = false;  // whether the result travels
  };
  struct event {
    T time{};
    std::uint32_t what = 0;
    bool arrives = false;  // otherwise it ends

    friend bool operator>(const event& a, const event& b) { return a.time > b.time; }
  };

  /// Makes `waiting` depend on the pass that owns `link`.
  void connect(std::uint32_t& link, std::size_t waiting) {
    link = static_cast<std::uint32_t>(waiting);
    ++needs_[waiting];
  }
  void begin(std::size_t what, T now, const pass_times<T>& times) {
    const pass& each = passes_[what];
    events_.push(
        {now + (each.back ? times.backward : times.forward)[each.stage], static_cast<std::uint32_t>(what), false});
  }
  void release(std::uint32_t what, T now, const pass_times<T>& times) {
    if (--waits_[what] == 0) begin(what, now, times);
  }

  transfer_kind kind_;
  std::size_t ranks_;
  std::vector<pass> passes_;
  std::vector<std::uint8_t> needs_;  // number of dependencies of a pass
  std::vector<std::uint8_t> waits_;  // number of pending ones
  std::vector<T> links_;             // when they are free
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
};

enum class messages { none, latency, link };
constexpr std::array message_names{"none", "latency", "link"};

struct shape {
  std::size_t ranks;
  std::size_t chunks;
  std::size_t microbatches;
};
constexpr std::array shapes{shape{16, 3, 16}, shape{64, 8, 1024}, shape{16, 1, 64}, shape{8, 2, 32}, shape{16, 2, 64}};
constexpr std::size_t first_of_lanes = 2;

schedule order_of(const shape& of) {
  if (of.chunks == 1) return stagecut::one_forward_one_backward(of.ranks, of.microbatches);
  return stagecut::interleaved_one_forward_one_backward(of.ranks, of.chunks, of.microbatches);
}

template <class T>
struct durations {
  pass_times<T> passes;
  transfer_times<T> transfers;
};

/// The inputs of a benchmark, of one shape.
template <class T>
struct subject {
  subject(const shape& of, messages kind)
      : order(order_of(of)),
        options{kind == messages::latency ? transfer_kind::latency : transfer_kind::link, kind != messages::none},
        graph(order, options),
        events(order, options.with_transfers, options.transfers) {
    constexpr double unit = !std::is_integral_v<T> ? 1 : sizeof(T) == 4 ? 1e4 : 1e6;  // sums of all fit
    std::uint64_t state = 1;
    const auto fill = [&](std::vector<T>& to, std::size_t size, double least) {
      for (std::size_t i = 0; i < size; ++i) {
        to.push_back(static_cast<T>(unit * least * (1 + draw(state))));
      }
    };
    const std::size_t stages = order.stages();
    for (durations<T>& each : pool) {
      fill(each.passes.forward, stages, 1);
      fill(each.passes.backward, stages, 2);
      each.transfers.kind = options.transfers;
      if (!options.with_transfers) continue;
      fill(each.transfers.forward, stages - 1, 0.1);
      fill(each.transfers.backward, stages - 1, 0.1);
    }
    check();
  }

  /// The input of the floor: the operands of every task in sequence.
  void spread() {
    const auto tasks = graph.tasks();
    for (auto* each : {&before, &source, &delay, &time, &end}) each->resize(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      before[i] = work.ends[tasks[i].before];
      source[i] = work.ends[tasks[i].source];
      delay[i] = graph.delays().empty() ? T{} : work.table[graph.delays()[i]];
      time[i] = work.table[tasks[i].time];
    }
  }

  /// Checks that all methods agree bitwise.
  void check() {
    for (const durations<T>& each : pool) {
      const T makespan = graph.makespan(each.passes, each.transfers, work);
      if (makespan != events.run(each.passes, each.transfers)) wrong();
      if (order.microbatches > 100) break;
    }
    const durations<T>& first = pool.front();
    const T makespan = graph.makespan(first.passes, first.transfers, work);
    if (makespan != stagecut::simulate(order, first.passes, first.transfers).makespan) wrong();
    spread();
    add_add_max(before.data(), source.data(), delay.data(), time.data(), end.data(), end.size());
    if (!std::equal(end.begin(), end.end(), work.ends.begin() + 1)) wrong();
  }

  [[noreturn]] static void wrong() {
    std::fputs("the methods do not agree\n", stderr);
    std::exit(1);
  }

  schedule order;
  stagecut::task_options options;
  task_graph graph;
  stagecut::simulation_workspace<T> work;
  event_simulator<T> events;
  std::array<durations<T>, 16> pool;
  std::vector<T> before, source, delay, time, end;
};

/// Keeps the subject of the last call.
template <class T>
subject<T>& subject_of(std::size_t which, messages kind) {
  static struct {
    std::size_t which = shapes.size();
    messages kind = messages::none;
    std::unique_ptr<subject<T>> made;
  } now;
  if (now.which != which || now.kind != kind) {
    now.made.reset();
    now.made = std::make_unique<subject<T>>(shapes[which], kind);
    now.which = which;
    now.kind = kind;
  }
  return *now.made;
}

/// Runs `solve(the subject, durations from its pool)`.
template <class T, class Solve>
void measure(benchmark::State& state, std::size_t which, messages kind, Solve solve) {
  subject<T>& from = subject_of<T>(which, kind);
  std::size_t i = 0;
  for (auto _ : state) {
    const T result = solve(from, from.pool[i]);
    benchmark::DoNotOptimize(static_cast<const T&>(result));  // by reference, 1.7.1 corrupts doubles
    i = i + 1 == from.pool.size() ? 0 : i + 1;
  }
  state.counters["tasks"] = static_cast<double>(from.graph.tasks().size());
  state.counters["items_per_second"] =
      benchmark::Counter(static_cast<double>(from.graph.tasks().size()), benchmark::Counter::kIsIterationInvariantRate);
}

/// The floor of lanes: reads three rows and writes one per task, without dependencies.
template <class T>
class max_and_add {
 public:
  T run(std::size_t tasks) {
    for (std::size_t left = tasks; left > 0; left -= std::min(left, rows)) pass(std::min(left, rows));
    return end_[0][0];
  }

 private:
  typedef T row __attribute__((vector_size(64)));  // NOLINT(modernize-use-using): g++ wants it here
  static constexpr std::size_t rows = 64;

  [[gnu::noinline]] void pass(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      end_[i] = (before_[i] < source_[i] ? source_[i] : before_[i]) + time_[i];
    }
  }

  row before_[rows]{};
  row source_[rows]{};
  row time_[rows]{};
  row end_[rows]{};
};

/// Lanes, with one candidate each.
template <class T>
struct group {
  explicit group(const subject<T>& from, stagecut::lane_registers registers)
      : program(from.graph), all(program, registers) {}

  /// Checks the durations of all candidates, from `first` in the pool on, and sets them.
  void fill(const subject<T>& from, std::size_t first) {
    for (std::size_t l = 0; l < all.width; ++l) {
      const durations<T>& each = from.pool[(first + l) % from.pool.size()];
      from.graph.fill(each.passes, each.transfers, table);
      all.set(l, table);
    }
  }

  void check(subject<T>& from) {
    fill(from, 0);
    const auto found = all.run();
    for (std::size_t l = 0; l < all.width; ++l) {
      const durations<T>& each = from.pool[l % from.pool.size()];
      if (found[l] != from.graph.makespan(each.passes, each.transfers, from.work)) from.wrong();
    }
  }

  slot_program program;
  lanes<T> all;
  max_and_add<T> floor;
  std::vector<T> table;
};

/// CPU seconds of this process, since others may run at the same time.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Per candidate with `makespan`.
template <class T>
double seconds_of_makespan(subject<T>& from) {
  constexpr int rounds = 100;
  const double begin = seconds();
  for (int round = 0; round < rounds; ++round) {
    for (const durations<T>& each : from.pool) {
      const T result = from.graph.makespan(each.passes, each.transfers, from.work);
      benchmark::DoNotOptimize(static_cast<const T&>(result));
    }
  }
  return (seconds() - begin) / static_cast<double>(rounds * from.pool.size());
}

/// Runs `solve(subject, group, index in the pool)`.
template <class T, class Solve>
void measure_lanes(benchmark::State& state, std::size_t which, messages kind, stagecut::lane_registers registers,
                   Solve solve) {
  subject<T>& from = subject_of<T>(which, kind);
  group<T> candidates(from, registers);
  candidates.check(from);
  const double makespan = seconds_of_makespan(from);
  std::size_t i = 0;
  const double begin = seconds();
  for (auto _ : state) {
    const T result = solve(from, candidates, i);
    benchmark::DoNotOptimize(static_cast<const T&>(result));
    i = i + 1 == from.pool.size() ? 0 : i + 1;
  }
  const double taken = seconds() - begin;
  const auto tasks = static_cast<double>(from.graph.tasks().size());
  const auto width = static_cast<double>(lanes<T>::width);
  const auto rate = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["tasks"] = tasks;
  state.counters["candidates_per_second"] = benchmark::Counter(width, rate);
  state.counters["items_per_second"] = benchmark::Counter(width * tasks, rate);
  state.counters["to_makespan"] = makespan * width * static_cast<double>(state.iterations()) / taken;
}

template <class T>
void register_lanes(const char* numbers, std::size_t which, messages kind) {
  using stagecut::lane_registers;
  const shape& of = shapes[which];
  const std::string rest = std::string("/") + numbers + "/" + message_names[static_cast<std::size_t>(kind)] +
                           "/n:" + std::to_string(2 * of.ranks * of.chunks * of.microbatches);
  const auto add = [&](const char* method, lane_registers registers, auto solve) {
    benchmark::RegisterBenchmark((method + rest).c_str(), [=](benchmark::State& state) {
      measure_lanes<T>(state, which, kind, registers, solve);
    });
  };
  benchmark::RegisterBenchmark(("makespan" + rest).c_str(), [=](benchmark::State& state) {
    measure<T>(state, which, kind,
               [](subject<T>& s, const durations<T>& d) { return s.graph.makespan(d.passes, d.transfers, s.work); });
  });
  const lane_registers widest = stagecut::widest_lane_registers();
  constexpr std::array names{"lanes_plain", "lanes_256", "lanes_512"};
  for (const auto each : {lane_registers::plain, lane_registers::bits_256, lane_registers::bits_512}) {
    if (each > widest) break;
    add(names[static_cast<std::size_t>(each)], each, [](const subject<T>& s, group<T>& g, std::size_t i) {
      g.fill(s, i);
      return g.all.run()[0];
    });
  }
  add("lanes_run", stagecut::fastest_lane_registers(),
      [](const subject<T>&, group<T>& g, std::size_t) { return g.all.run()[0]; });
  add("lanes_limit", widest,
      [](const subject<T>& s, group<T>& g, std::size_t) { return g.floor.run(s.graph.tasks().size()); });
}

template <class T>
void register_of(const char* numbers, std::size_t which, messages kind) {
  const shape& of = shapes[which];
  const std::size_t passes = 2 * of.ranks * of.chunks * of.microbatches;
  const auto add = [&](const char* method, auto solve) {
    const std::string name = std::string(method) + "/" + numbers + "/" + message_names[static_cast<std::size_t>(kind)] +
                             "/n:" + std::to_string(passes);
    auto* const bench = benchmark::RegisterBenchmark(
        name.c_str(), [=](benchmark::State& state) { measure<T>(state, which, kind, solve); });
    if (passes >= 1'000'000) bench->Unit(benchmark::kMillisecond);
  };
  add("limit", [](subject<T>& s, const durations<T>&) {
    add_add_max(s.before.data(), s.source.data(), s.delay.data(), s.time.data(), s.end.data(), s.end.size());
    return s.end.back();
  });
  add("makespan", [](subject<T>& s, const durations<T>& d) { return s.graph.makespan(d.passes, d.transfers, s.work); });
  add("events", [](subject<T>& s, const durations<T>& d) { return s.events.run(d.passes, d.transfers); });
  add("events_anew", [](subject<T>& s, const durations<T>& d) {
    return event_simulator<T>(s.order, s.options.with_transfers, s.options.transfers).run(d.passes, d.transfers);
  });
  add("compile",
      [](subject<T>& s, const durations<T>&) { return static_cast<T>(task_graph(s.order, s.options).tasks().size()); });
  add("simulate",
      [](subject<T>& s, const durations<T>& d) { return stagecut::simulate(s.order, d.passes, d.transfers).makespan; });
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (std::size_t which = 0; which < shapes.size(); ++which) {
    for (const messages kind : {messages::none, messages::latency, messages::link}) {
      if (which >= first_of_lanes) {
        register_lanes<double>("double", which, kind);
        register_lanes<float>("float", which, kind);
        register_lanes<std::int64_t>("int64", which, kind);
        register_lanes<std::int32_t>("int32", which, kind);
        continue;
      }
      register_of<double>("double", which, kind);
      register_of<std::int64_t>("int64", which, kind);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
