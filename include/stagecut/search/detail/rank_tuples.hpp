// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/lanes.hpp>
#include <stagecut/schedule/slot_program.hpp>
#include <stagecut/search/candidate_list.hpp>
#include <stagecut/search/candidate_space.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/detail/rank_program.hpp>
#include <stagecut/search/detail/system.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// Lower bounds on item, stage and boundary times over all positions, as prefix sums. Trivially copyable.
struct least_rows {
  view<const double> forward{};       ///< items
  view<const double> backward{};      ///< items
  view<const double> own_forward{};   ///< fixed times of stages
  view<const double> own_backward{};  ///< fixed times of stages
  view<const double> messages{};      ///< boundaries, in one direction

  /// The same for copies: see `memory_for`.
  template <class Memory>
  [[nodiscard]] least_rows placed(Memory& memory) const {
    return {memory(forward), memory(backward), memory(own_forward), memory(own_backward), memory(messages)};
  }
};

/// Owns the arrays of `least_rows`.
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

  /// A view of this object.
  [[nodiscard]] least_rows rows() const noexcept {
    return {forward_, backward_, own_forward_, own_backward_, messages_};
  }
  /// All passes of a microbatch of `[first, last)`, as the stages from `from` to `to`.
  [[nodiscard]] double load(std::size_t first, std::size_t last, std::size_t from, std::size_t to) const {
    return load_[last] - load_[first] + own_load_[to] - own_load_[from];
  }
  /// The time until the first microbatch reaches a stage that begins at an item.
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

class rank_bound_lanes;

/// A lower bound on the makespan, in ticks, for a rank of a loop with given stages: a cost of candidates that are the
/// first items of all its stages, followed by their ends. Trivially copyable. Generalizes `pair_bounds` to any number
/// of stages per rank: docs/makespan.md, Bounds, Every other schedule.
struct rank_bound {
  using number = double;

  stagecut::engine::tick_rows rows{};
  least_rows least{};
  slot_steps steps{};
  std::size_t rank = 0;
  std::size_t ranks = 1;

  /// See `candidate_cost`. The scratch memory holds the durations, then the slots.
  /// @{
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t room() const noexcept {
    return steps.durations + steps.slots;
  }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double operator()(candidate points, strided_view<double> room) const {
    set(points, room);
    return steps.makespan(static_cast<const double*>(room.data()), room.data() + steps.durations * room.stride(),
                          room.stride());
  }
  [[nodiscard]] rank_bound_lanes lanes() const;
  template <class Memory>
  [[nodiscard]] rank_bound placed(Memory& memory) const {
    return {detail::placed_rows(rows, memory), least.placed(memory), steps.placed(memory), rank, ranks};
  }
  /// @}

  /// Writes all durations of a `rank_program`.
  STAGECUT_HOST_DEVICE constexpr void set(candidate points, strided_view<double> times) const {
    using namespace stagecut::detail;
    const std::size_t parts = points.size() / 2;
    times[0] = 0;
    std::size_t before = 0;  // the end of the rank's previous stage, and the stage after it
    std::size_t next = 0;
    for (std::size_t j = 0; j < parts; ++j) {
      const std::size_t s = rank + j * ranks;
      const std::size_t first = points[j];
      const std::size_t last = points[parts + j];
      const std::size_t to = rank_durations * j;
      const double backward = rows.pass(engine::tick_b, s, first, last);
      const double weight = rows.pass(engine::tick_w, s, first, last);
      times[to + rank_forward] = rows.pass(engine::tick_f, s, first, last);
      times[to + rank_backward] = backward;
      times[to + rank_whole] = backward + weight;
      times[to + rank_weight] = weight;
      const double way = s == 0 ? 0 : messages(next, before, s, first);
      times[to + rank_down] =
          least.forward[first] - least.forward[before] + least.own_forward[s] - least.own_forward[next] + way;
      times[to + rank_up] =
          least.backward[first] - least.backward[before] + least.own_backward[s] - least.own_backward[next] + way;
      before = last;
      next = s + 1;
    }
    times[rank_durations * parts + 1] = turn(before, next);
  }

 private:
  /// A lower bound on the message time to stage s, cut at `first`, from the stage before `next`, cut at `before`,
  /// including all that lies between; none before stage 0.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double messages(std::size_t next, std::size_t before, std::size_t s,
                                                               std::size_t first) const {
    if (next == s) return rows.message(s - 1, first);
    const double between = least.messages[s - 1] - least.messages[next];
    return (next == 0 ? 0 : rows.message(next - 1, before)) + between + rows.message(s - 1, first);
  }
  /// Through all stages from `next` on, and back.
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double turn(std::size_t end, std::size_t next) const {
    const std::size_t items = rows.items;
    const std::size_t stages = rows.stages;
    double result = least.forward[items] - least.forward[end] + least.backward[items] - least.backward[end];
    result +=
        least.own_forward[stages] - least.own_forward[next] + least.own_backward[stages] - least.own_backward[next];
    if (next == stages) return result;
    return result + 2 * (rows.message(next - 1, end) + least.messages[stages - 1] - least.messages[next]);
  }
};

/// Evaluates such candidates in lanes.
class rank_bound_lanes {
 public:
  static constexpr std::size_t width = stagecut::lanes<double>::width;

  explicit rank_bound_lanes(const rank_bound& bound) : bound_(bound), lanes_(bound.steps) {}

  void set(std::size_t lane, candidate points) {
    bound_.set(points, strided_view<double>(&lanes_.time(0, lane), bound_.steps.durations, width));
  }
  [[nodiscard]] view<const double> costs() { return lanes_.run(); }

 private:
  const rank_bound& bound_;
  stagecut::lanes<double> lanes_;
};

inline rank_bound_lanes rank_bound::lanes() const { return rank_bound_lanes(*this); }

/// Cuts for a loop of ranks as paths: a node holds the first items of all stages of a rank, an edge chooses those of
/// the next rank, and a path begins at the cut points between the rounds of the loop and ends at them, each a round
/// later. The bound of an edge is the bound of its rank alone, with all of its stages in order. So the smallest
/// bottleneck of a path is a bound for all cuts: docs/makespan.md, Bounds, Every other schedule.
template <class Policy>
class rank_tuples {
 public:
  rank_tuples(const Policy& policy, const stagecut::engine::cut_problem& problem)
      : policy_(policy),
        problem_(problem),
        ranks_(problem.order.ranks()),
        parts_(ranks_ == 0 ? 0 : problem.order.stages() / ranks_),
        items_(problem.chain.items),
        bits_(static_cast<unsigned>(std::bit_width(items_))),
        passes_(static_cast<double>(problem.order.microbatches * problem.order.slices)),
        times_(problem.chain) {}

  /// Whether nodes fit into 64 bits, and there are few enough path beginnings.
  [[nodiscard]] bool fits() {
    const schedule& order = problem_.order;
    if (ranks_ < 2 || order.rank_of != loop_placement(ranks_, parts_) || items_ < order.stages()) return false;
    if (parts_ * bits_ + begin_bits > 64 || order.microbatches * order.slices * 3 * parts_ >= 0x7FFF) return false;
    for (std::size_t r = 0; r < ranks_; ++r) programs_.emplace_back(order, r);
    std::vector<std::uint32_t> begin{0};
    return add_begins(begin);
  }

  /// The smallest bottleneck of a path if it is at most `most`; otherwise `most + 1`, as all bounds are whole; none if
  /// the time limit `end` or `stop` ended the search.
  [[nodiscard]] std::optional<double> least(double most, double end, const function_ref<bool()>& stop = {}) {
    least_ = most + 1;
    end_ = end;
    stop_ = stop;
    std::size_t width = 1;
    for (std::size_t from = 0; from < begins_.size(); from += width, width = std::min(2 * width, most_begins)) {
      width = std::min(width, begins_.size() - from);
      if (!follow(from, width)) return std::nullopt;
    }
    return least_;
  }

 private:
  /// A node, with the largest bound on the best path to it.
  struct node {
    std::uint64_t key;  ///< the index of the path's beginning, then the points
    double value;
    friend bool operator<(const node& a, const node& b) {
      return a.key < b.key || (a.key == b.key && a.value < b.value);
    }
  };
  /// The positions where the rounds begin, and where the last one ends.
  using rounds = std::vector<std::uint32_t>;

  static constexpr unsigned begin_bits = 20;
  static constexpr std::size_t most_begins = 256;  // at once

  /// Adds all beginnings with this prefix, and sorts them: similar rounds give a short path soon. False: too many.
  bool add_begins(rounds& begin) {
    if (begin.size() == parts_) {
      begin.push_back(static_cast<std::uint32_t>(items_));
      double most = 0;
      for (std::size_t j = 0; j < parts_; ++j) {
        const double here = times_.load(begin[j], begin[j + 1], j * ranks_, (j + 1) * ranks_);
        most = most < here ? here : most;
      }
      begins_.emplace_back(most, begin);
      begin.pop_back();
      return begins_.size() < (std::size_t{1} << begin_bits);
    }
    const std::size_t behind = (parts_ - begin.size()) * ranks_;
    for (std::size_t next = begin.back() + ranks_; next + behind <= items_; ++next) {
      begin.push_back(static_cast<std::uint32_t>(next));
      const bool few = add_begins(begin);
      begin.pop_back();
      if (!few) return false;
    }
    if (begin.size() == 1) std::sort(begins_.begin(), begins_.end());
    return true;
  }

  /// Follows the paths from some beginnings. False if time runs out.
  [[nodiscard]] bool follow(std::size_t from, std::size_t count) {
    from_ = from;
    nodes_.clear();
    for (std::size_t i = 0; i < count; ++i) nodes_.push_back({key_of(i, begins_[from + i].second.data()), 0});
    for (rank_ = 0; rank_ < ranks_ && !nodes_.empty(); ++rank_) {
      next_.clear();
      begin_edges();
      for (const node& each : nodes_) {
        if (stagecut::detail::seconds_now() >= end_ || (stop_ && stop_())) return false;
        if (each.value >= least_) continue;
        unpack(each);
        choose(0, 0, 0);
        if (values_.size() >= system_t<Policy>::chunk) take_edges();
      }
      take_edges();
      std::sort(next_.begin(), next_.end());
      const auto same = [](const node& a, const node& b) { return a.key == b.key; };
      next_.erase(std::unique(next_.begin(), next_.end(), same), next_.end());
      nodes_.swap(next_);
    }
    for (const node& each : nodes_) least_ = each.value < least_ ? each.value : least_;
    return true;
  }

  /// Chooses the ends of the node's stages from j on; `load` is the time of the previous ones, `left` the rest of their
  /// rounds.
  void choose(std::size_t j, double load, double left) {
    if (j == parts_) {
      if (too_much(left)) return;
      edges_.add(view<const std::uint32_t>(points_));
      values_.push_back({key_of(begin_, points_.data() + parts_), value_});
      return;
    }
    const std::size_t s = rank_ + j * ranks_;
    const rounds& begin = begins_[from_ + begin_].second;
    const std::size_t first = points_[j];
    const std::size_t highest = begin[j + 1] - (ranks_ - 1 - rank_);
    const auto behind = [&](std::size_t last) {
      return left + times_.load(last, begin[j + 1], s + 1, (j + 1) * ranks_);
    };
    std::size_t last = rank_ + 1 == ranks_ ? highest : first + 1;
    if (j + 1 == parts_) {
      last = stagecut::detail::gallop(last, highest, last, [&](std::size_t i) { return !too_much(behind(i)); });
    }
    for (; last <= highest; ++last) {
      const double here = load + problem_.chain.load(s, first, last);
      if (lead_ + passes_ * here >= least_) return;
      points_[parts_ + j] = static_cast<std::uint32_t>(last);
      choose(j + 1, here, behind(last));
    }
  }

  /// Whether the later ranks cannot run that much in time.
  [[nodiscard]] bool too_much(double left) const { return left * passes_ * (1 - 0x1p-40) > rest_; }

  void begin_edges() {
    rest_ = 0;
    for (std::size_t r = rank_ + 1; r < ranks_; ++r) rest_ += least_ - times_.lead(r, r);
    edges_ = candidate_list(2 * parts_);
    values_.clear();
  }

  /// Bounds the edges, and advances to the nodes that they lead to.
  void take_edges() {
    using system = system_t<Policy>;
    if (values_.empty()) return;
    const rank_bound bound{problem_.chain.rows(), times_.rows(), programs_[rank_].steps(), rank_, ranks_};
    typename system::template evaluation<candidate_list, rank_bound> evaluate(edges_, bound);
    typename system::template array<double> costs(values_.size());
    evaluate(policy_, 0, values_.size(), costs.data());
    system::wait(policy_);
    const std::vector<double> bounds = system::read(costs, values_.size());
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      const double value = values_[i].value < bounds[i] ? bounds[i] : values_[i].value;
      if (value < least_) next_.push_back({values_[i].key, value});
    }
    begin_edges();
  }

  [[nodiscard]] std::uint64_t key_of(std::size_t begin, const std::uint32_t* points) const {
    std::uint64_t key = begin;
    for (std::size_t j = 0; j < parts_; ++j) key = key << bits_ | points[j];
    return key;
  }
  void unpack(const node& from) {
    points_.resize(2 * parts_);
    std::uint64_t key = from.key;
    for (std::size_t j = parts_; j-- > 0; key >>= bits_) {
      points_[j] = static_cast<std::uint32_t>(key & ((std::uint64_t{1} << bits_) - 1));
    }
    begin_ = static_cast<std::size_t>(key);
    value_ = from.value;
    lead_ = times_.lead(rank_, points_[0]);
  }

  const Policy& policy_;
  const stagecut::engine::cut_problem& problem_;
  std::size_t ranks_;
  std::size_t parts_;  // stages per rank
  std::size_t items_;
  unsigned bits_;  // per point
  double passes_;
  least_times times_;
  std::vector<rank_program> programs_{};  // per rank
  std::vector<std::pair<double, rounds>> begins_{};
  double least_ = 0;  // paths with bounds below it are wanted
  double end_ = 0;    // time limit
  function_ref<bool()> stop_{};
  std::size_t from_ = 0;  // first of the current beginnings
  std::size_t rank_ = 0;
  double rest_ = 0;            // the most that the later ranks can take
  std::vector<node> nodes_{};  // of the current rank
  std::vector<node> next_{};   // of the next rank
  candidate_list edges_{1};    // to be bounded
  std::vector<node> values_{};           // per edge, its target node, with the value of its source
  std::vector<std::uint32_t> points_{};  // of the current edge; its beginning, value and lead
  std::size_t begin_ = 0;
  double value_ = 0;
  double lead_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
