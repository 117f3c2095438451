// SPDX-License-Identifier: BSL-1.0
// What of the library evaluates candidates on a device, one question a thread: numbers, links, objectives, prefix sums,
// constraints, a rank alone. Same bits as from the owners of the arrays here.
#include <stagecut/core/placed.hpp>
#include <stagecut/cost/all_of.hpp>
#include <stagecut/cost/at_least_one.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/kept_together.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/merged_items.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/makespan/detail/rank_relaxation.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/search/detail/rank_program.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "../gpu/device_array.hpp"

namespace {

using stagecut::view;
namespace detail = stagecut::detail;

constexpr unsigned block = 64;

template <class Question, class Answer>
__global__ void ask(Question question, std::size_t count, Answer* answers) {
  const std::size_t each = std::size_t{blockIdx.x} * block + threadIdx.x;
  if (each < count) answers[each] = question(each);
}

#if defined(PLANT_STACK_FRAME)
/// An array that is indexed at run time: for the test of stack_frames.py.
__global__ void planted(const unsigned* places, double* results) {
  double room[32];
  for (unsigned i = 0; i < 32; ++i) room[places[i]] = results[i];
  results[threadIdx.x] = room[places[threadIdx.x]];
}
#endif

/// A memory that hands out the arrays themselves, for what is asked here.
struct same_memory {
  template <class T>
  view<const T> operator()(view<const T> array) const {
    return array;
  }
};

/// All that asks, on hosts or devices.
struct answers_agree {
  bool on_device;
  bool same = true;
  std::size_t questions = 0;

  /// Looks whether a question has the answers `expected(i)`, here and on the device.
  ///
  /// @param make      `make(memory)` is the question
  /// @param expected  by what owns the arrays
  template <class Answer, class Make, class Expected>
  void check(const char* name, std::size_t count, const Make& make, const Expected& expected) {
    std::vector<Answer> here;
    for (std::size_t i = 0; i < count; ++i) here.push_back(expected(i));
    same_memory host;
    const auto question = make(host);
    static_assert(std::is_trivially_copyable_v<decltype(question)>);
    std::vector<Answer> found;
    for (std::size_t i = 0; i < count; ++i) found.push_back(question(i));
    bool agree = equal(here, found);
    if (on_device) {
      device_memory memory;
      const auto placed = make(memory);
      const device_array<Answer> room(count);
      agree = agree && memory.complete() && room.data() != nullptr;
      if (agree) ask<<<static_cast<unsigned>((count + block - 1) / block), block>>>(placed, count, room.data());
      agree = agree && started() && room.read(found) && equal(here, found);
    }
    if (!agree) std::printf("%s: not the same bits\n", name);
    same = same && agree;
    questions += count;
  }

 private:
  template <class Answer>
  static bool equal(const std::vector<Answer>& a, const std::vector<Answer>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Answer)) == 0;
  }
};

/// The `index`-th of `size` times `size` pairs.
struct pair_of {
  std::size_t first;
  std::size_t second;
  STAGECUT_HOST_DEVICE pair_of(std::size_t index, std::size_t size) : first(index / size), second(index % size) {}
};

/// An interval of the first `size - 1` items, in the order of such pairs.
struct interval_of {
  std::size_t first;
  std::size_t last;
  STAGECUT_HOST_DEVICE interval_of(std::size_t index, std::size_t size) : first(index / size), last(index % size) {
    if (first <= last) return;
    const std::size_t end = first;
    first = last;
    last = end;
  }
};

/// Everything that is done with two numbers, in one.
template <class T>
struct of_numbers {
  view<const T> numbers;

  STAGECUT_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const pair_of pair(index, numbers.size());
    const T x = numbers[pair.first];
    const T y = numbers[pair.second];
    std::uint64_t answer =
        (stagecut::is_nan(x) ? 1U : 0U) + (stagecut::is_finite(x) ? 2U : 0U) + (stagecut::is_negative(x) ? 4U : 0U);
    mix(answer, detail::as_computed(x));
    mix(answer, detail::added(x, y));
    mix(answer, detail::difference(x, y));
    return answer;
  }

 private:
  /// NaN has other bits elsewhere.
  template <class Number>
  STAGECUT_HOST_DEVICE static void mix(std::uint64_t& answer, Number x) {
    answer *= 1099511628211U;
    if (stagecut::is_nan(x)) return;
    const auto bits = stagecut::ordered_bits(x);
    answer += bits + (stagecut::from_ordered_bits<Number>(bits) == x ? 3U : 5U);
  }
};

struct of_messages {
  stagecut::link_speed link;
  view<const double> bytes;

  STAGECUT_HOST_DEVICE double operator()(std::size_t index) const { return link(bytes[index]); }
};

template <class Cost>
struct of_stages {
  Cost cost;

  STAGECUT_HOST_DEVICE auto operator()(std::size_t index) const {
    const interval_of stage(index, cost.size() + 1);
    return cost(stage.first, stage.last) + cost.prefix(stage.first);
  }
};

/// What two stages come to, and whether they are better than all items as one.
template <class Objective, class Cost, class Value>
struct of_objective {
  Objective goal;
  Cost cost;
  struct answer {
    Value both;
    std::uint64_t better;
  };

  STAGECUT_HOST_DEVICE answer operator()(std::size_t index) const {
    const interval_of stage(index, cost.size() + 1);
    const auto one = cost(stage.first, stage.last);
    const Value both = goal(goal(cost(0, stage.first)), goal(one));
    std::uint64_t better = both < goal(cost(0, cost.size())) ? 1 : 0;
    if constexpr (requires { goal.hopeless(one, both); }) better += goal.hopeless(one, both) ? 2 : 0;
    return {both, better};
  }
};

/// Stages that constraints are checked for.
constexpr std::size_t asked_stages = 3;

template <class Constraint>
struct of_constraint {
  Constraint allowed;
  std::size_t items;

  STAGECUT_HOST_DEVICE std::uint8_t operator()(std::size_t index) const {
    const interval_of stage(index / asked_stages, items + 1);
    return allowed(index % asked_stages, stage.first, stage.last) ? 1 : 0;
  }
};

/// A rank alone, a candidate each.
struct of_rank {
  stagecut::slot_steps steps;
  view<const double> times;  ///< of all candidates, side by side
  view<const double> slots;  ///< not read elsewhere
  std::size_t candidates;

  STAGECUT_HOST_DEVICE double operator()(std::size_t index) const {
    return steps.makespan(times.data() + index, const_cast<double*>(slots.data()) + index, candidates);
  }
};

/// A cost of a user, by stage.
struct slower_by_stage {
  std::size_t items;

  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t size() const { return items; }
  STAGECUT_HOST_DEVICE std::size_t operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return (stage + 1) * (last - first);
  }
};

/// Not evenly: from 0 up to and without 1000.
double random_number(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<double>((state >> 40U) % 3000) / 3;
}

template <class T>
void check_numbers(answers_agree& agree, const char* name) {
  using limits = std::numeric_limits<T>;
  std::vector<T> numbers{T(0), T(1), T(2), T(100), limits::max(), limits::min(), limits::lowest(), T(-1), T(-3)};
  if constexpr (!limits::is_integer) {
    for (const T each : {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), limits::denorm_min(), T(-0.0)}) {
      numbers.push_back(each);
    }
  }
  const auto make = [&](auto& memory) { return of_numbers<T>{memory(view<const T>(numbers))}; };
  agree.check<std::uint64_t>(name, numbers.size() * numbers.size(), make, of_numbers<T>{numbers});
}

void check_messages(answers_agree& agree) {
  std::uint64_t state = 1;
  std::vector<double> bytes{0};
  while (bytes.size() < 100) bytes.push_back(random_number(state));
  for (const stagecut::link_speed link : {stagecut::link_speed{1e-6, 3e9}, {0.3, 0}}) {
    const auto make = [&](auto& memory) { return of_messages{link, memory(view<const double>(bytes))}; };
    agree.check<double>("link_speed", bytes.size(), make, [&](std::size_t i) { return link(bytes[i]); });
  }
}

template <class Objective, class Sum>
void check_objective(answers_agree& agree, const char* name, const stagecut::prefix_sums<Sum>& cost) {
  using cost_t = detail::placed_t<stagecut::prefix_sums<Sum>, same_memory>;
  using question = of_objective<Objective, cost_t, stagecut::value_t<Objective, Sum>>;
  const auto make = [&](auto& memory) { return question{{}, detail::placed(cost, memory)}; };
  const Objective goal;
  agree.check<typename question::answer>(name, (cost.size() + 1) * (cost.size() + 1), make, [&](std::size_t i) {
    const interval_of stage(i, cost.size() + 1);
    const Sum one = cost(stage.first, stage.last);
    const auto both = goal(goal(cost(0, stage.first)), goal(one));
    std::uint64_t better = both < goal(cost(0, cost.size())) ? 1 : 0;
    if constexpr (requires { goal.hopeless(one, both); }) better += goal.hopeless(one, both) ? 2 : 0;
    return typename question::answer{both, better};
  });
}

template <class Cost>
void check_cost(answers_agree& agree, const char* name, const Cost& cost) {
  const auto make = [&](auto& memory) {
    return of_stages<detail::placed_t<Cost, same_memory>>{detail::placed(cost, memory)};
  };
  const std::size_t count = (cost.size() + 1) * (cost.size() + 1);
  agree.check<stagecut::cost_t<Cost>>(name, count, make, [&](std::size_t i) {
    const interval_of stage(i, cost.size() + 1);
    return cost(stage.first, stage.last) + cost.prefix(stage.first);
  });
}

template <class Item, class Sum>
void check_sums(answers_agree& agree) {
  std::uint64_t state = 2;
  std::vector<Item> numbers;
  while (numbers.size() < 300) numbers.push_back(static_cast<Item>(random_number(state)));
  const stagecut::prefix_sums<Sum> cost(numbers);
  check_cost(agree, "prefix_sums", cost);
  check_cost(agree, "block_sums", stagecut::block_sums<Item, Sum>(numbers));
  using stagecut::bottleneck;
  using stagecut::total_cost;
  check_objective<bottleneck>(agree, "bottleneck", cost);
  check_objective<total_cost>(agree, "total", cost);
  check_objective<stagecut::cost_range>(agree, "range", cost);
  check_objective<stagecut::in_order<bottleneck, total_cost>>(agree, "in_order", cost);
}

template <class Constraint>
void check_constraint(answers_agree& agree, const char* name, const Constraint& constraint, std::size_t items) {
  const auto make = [&](auto& memory) {
    return of_constraint<detail::placed_t<Constraint, same_memory>>{detail::placed(constraint, memory), items};
  };
  agree.check<std::uint8_t>(name, asked_stages * (items + 1) * (items + 1), make, [&](std::size_t i) {
    const interval_of stage(i / asked_stages, items + 1);
    return constraint(i % asked_stages, stage.first, stage.last) ? 1 : 0;
  });
}

void check_constraints(answers_agree& agree) {
  constexpr std::size_t items = 70;
  std::uint64_t state = 3;
  std::vector<double> seconds;
  std::vector<bool> of_kind;
  std::vector<std::size_t> cut;
  for (std::size_t i = 0; i < items; ++i) {
    seconds.push_back(random_number(state));
    of_kind.push_back(seconds[i] < 200);
    if (i != 0 && seconds[i] > 700) cut.push_back(i);
  }
  const stagecut::prefix_sums<double> cost(seconds);
  const stagecut::at_most cap(cost, 9000.0);
  const stagecut::at_most caps(cost, {3000.0, 6000.0, 20000.0});
  const slower_by_stage by_stage{items};
  const stagecut::at_most slow(by_stage, std::size_t{40});
  const stagecut::at_least_one kind(of_kind);
  const stagecut::forbidden_cuts uncut(items, cut);
  const stagecut::kept_together together(items, {{3, 9}, {60, 67}});
  const stagecut::all_of all(caps, kind, uncut, together, stagecut::all_of(slow, cap));
  check_constraint(agree, "at_most one", cap, items);
  check_constraint(agree, "at_most each", caps, items);
  check_constraint(agree, "at_most of a user's cost", slow, by_stage.size());
  check_constraint(agree, "at_least_one", kind, items);
  check_constraint(agree, "forbidden_cuts", uncut, items);
  check_constraint(agree, "kept_together", together, items);
  check_constraint(agree, "all_of", all, items);
  check_constraint(agree, "a reference", detail::constraint_ref(all), items);
  check_constraint(agree, "no constraint", detail::no_constraint{}, items);
  const stagecut::cuts blocks{0, 1, 4, 20, 33, 64, 69, items};
  check_constraint(agree, "merged_constraint", stagecut::merged_constraint(uncut, blocks), blocks.stages());
}

/// A rank as a slot program, against the rank by itself.
void check_rank(answers_agree& agree, const char* name, const stagecut::schedule& order, std::size_t rank) {
  using namespace stagecut::search::detail;
  constexpr std::size_t candidates = 100;
  const std::size_t count = order.stages() / order.ranks();
  const rank_program program(order, rank);
  const stagecut::slot_steps steps = program.steps();
  std::uint64_t state = 4;
  const auto whole = [&] { return static_cast<double>(static_cast<int>(random_number(state))); };
  std::vector<detail::rank_part> parts(candidates * count);
  for (detail::rank_part& each : parts) each = {whole(), whole(), whole(), whole(), whole()};
  std::vector<double> times(candidates * steps.durations);
  for (std::size_t i = 0; i < candidates; ++i) {
    const auto time = [&](std::size_t place) -> double& { return times[place * candidates + i]; };
    for (std::size_t p = 0; p < count; ++p) {
      const detail::rank_part& each = parts[p * candidates + i];
      const std::size_t to = rank_durations * p;
      time(to + rank_forward) = each.forward;
      time(to + rank_backward) = each.backward;
      time(to + rank_whole) = each.backward + each.weight;
      time(to + rank_weight) = each.weight;
      time(to + rank_down) = each.down;
      time(to + rank_up) = each.up;
    }
    time(rank_durations * count + 1) = static_cast<double>(i);
  }
  std::vector<double> slots(candidates * steps.slots);  // are written
  const auto make = [&](auto& memory) {
    return of_rank{steps.placed(memory), memory(view<const double>(times)), memory(view<const double>(slots)), candidates};
  };
  detail::rank_relaxation alone(order, rank);
  std::vector<detail::rank_part> own(count);
  agree.check<double>(name, candidates, make, [&](std::size_t i) {
    for (std::size_t p = 0; p < count; ++p) own[p] = parts[p * candidates + i];
    const auto ends = alone(own, static_cast<double>(i));
    const double leaves = ends.leaving + own[0].up;
    return ends.any < leaves ? leaves : ends.any;
  });
}

}  // namespace

int main() {
  int devices = 0;
  answers_agree agree{cudaGetDeviceCount(&devices) == cudaSuccess && devices != 0};
  check_numbers<double>(agree, "double");
  check_numbers<float>(agree, "float");
  check_numbers<std::int8_t>(agree, "int8_t");
  check_numbers<std::int32_t>(agree, "int32_t");
  check_numbers<std::int64_t>(agree, "int64_t");
  check_numbers<std::uint64_t>(agree, "uint64_t");
  check_messages(agree);
  check_sums<double, double>(agree);
  check_sums<float, double>(agree);
  check_sums<std::int32_t, std::int64_t>(agree);
  check_constraints(agree);
  check_rank(agree, "interleaved", stagecut::interleaved_one_forward_one_backward(4, 3, 8), 1);
  check_rank(agree, "zero bubble", stagecut::zb_h1(4, 8), 2);
  if (agree.same && !agree.on_device) {
    std::printf("skipped: no device\n");
    return 77;
  }
  std::printf("%zu questions, host and device: %s\n", agree.questions,
              agree.same ? "the same bits" : "NOT the same bits");
  return agree.same ? 0 : 1;
}
