// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/op.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/json_parse.hpp>
#include <stagecut/io/pipeline_picture.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline v0::io {

namespace detail {

/// Writes the events of some pictures.
class trace_writer {
 public:
  [[nodiscard]] std::string text() && {
    return joined("{\"displayTimeUnit\":\"ms\", \"traceEvents\":[", events_, "\n]}\n");
  }

  /// @param first   the process of rank 0
  /// @param prefix  before the ranks' names
  void add(const pipeline_picture& picture, std::size_t first, std::string_view prefix) {
    const nanoseconds time{picture.seconds ? 1e9 : 1e3};
    for (std::size_t r = 0; r < picture.order.ranks(); ++r) {
      const std::string rank = std::to_string(first + r);
      name_process(rank, joined(prefix, "rank ", std::to_string(r)));
      for (const auto& each : of_rank(picture.run.ops, r)) complete(picture, rank, compute, each, time);
      for (const auto& each : of_rank(picture.run.updates, r)) complete(picture, rank, update, each, time);
      sends(picture, r, rank, time);
      if (!picture.memory.empty()) count_memory(picture.memory[r], rank, time);
    }
    flows(picture, first, time);
  }

 private:
  enum track : std::size_t { compute, send, update, more };

  /// Times are written in microseconds, rounded to nanoseconds.
  struct nanoseconds {
    double factor;
    [[nodiscard]] double operator()(double time) const { return std::round(time * factor); }
  };

  [[nodiscard]] static std::string microseconds(double nanoseconds) {
    std::array<char, 400> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), nanoseconds / 1000, std::chars_format::fixed, 3);
    return {digits.data(), end.ptr};
  }

  [[nodiscard]] static std::string quoted_json(std::string_view text) {
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
  }

  template <class... Parts>
  void event(const Parts&... parts) {
    events_ += events_.empty() ? "\n{" : ",\n{";
    (events_.append(std::string_view(parts)), ...);
    events_ += '}';
  }

  void name_process(const std::string& rank, const std::string& name) {
    event(R"("name":"process_name","ph":"M","pid":)", rank, R"(,"args":{"name":)", quoted_json(name), "}");
    event(R"("name":"process_sort_index","ph":"M","pid":)", rank, R"(,"args":{"sort_index":)", rank, "}");
    name_thread(rank, compute, "compute");
    name_thread(rank, send, "send");
    name_thread(rank, update, "update");
  }

  void name_thread(const std::string& rank, std::size_t thread, std::string_view name) {
    event(R"("name":"thread_name","ph":"M","pid":)", rank, R"(,"tid":)", std::to_string(thread), R"(,"args":{"name":")",
          name, "\"}");
  }

  /// Messages that are under way at once stand on threads of their own: a viewer drops what overlaps on one.
  void sends(const pipeline_picture& picture, std::size_t r, const std::string& rank, nanoseconds time) {
    std::vector<double> free;  // of every thread, since when
    for (const auto& each : of_rank(picture.run.transfers, r)) {
      std::size_t lane = 0;
      while (lane < free.size() && free[lane] > time(each.start)) ++lane;
      if (lane == free.size()) free.push_back(0);
      const std::size_t thread = lane == 0 ? send : more + lane - 1;
      if (lane != 0 && free[lane] == 0) name_thread(rank, thread, joined("send ", std::to_string(lane + 1)));
      free[lane] = time(each.end);
      complete(picture, rank, thread, each, time);
    }
  }

  void complete(const pipeline_picture& picture, const std::string& rank, std::size_t on, const timed_op<double>& each,
                nanoseconds time) {
    const op& what = each.what;
    const double start = time(each.start);
    std::string name = to_string(what.kind);
    std::string part;
    if (is_compute(what.kind) || is_transfer(what.kind)) {
      name += microbatch_text(picture.order, what);
      part = joined(R"(,"microbatch":)", std::to_string(what.microbatch), R"(,"slice":)", std::to_string(what.slice));
    }
    event(R"("name":")", name, R"(","cat":")", kind_name(what.kind), R"(","ph":"X","pid":)", rank, R"(,"tid":)",
          std::to_string(on), R"(,"ts":)", microseconds(start), R"(,"dur":)", microseconds(time(each.end) - start),
          R"(,"args":{"stage":)", std::to_string(what.stage), part, R"(,"kind":")", to_string(what.kind), "\"}");
  }

  void count_memory(const rank_memory<double>& memory, const std::string& rank, nanoseconds time) {
    const std::string resident = figure_text(memory.resident);
    for (const auto& point : memory.curve) {
      event(R"("name":"memory","ph":"C","pid":)", rank, R"(,"ts":)", microseconds(time(point.time)),
            R"(,"args":{"resident":)", resident, R"(,"activations":)", figure_text(point.activations), "}");
    }
  }

  [[nodiscard]] static std::string figure_text(double value) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
  }

  /// Arrows from every op to the one on another rank that waits for what it has made.
  void flows(const pipeline_picture& picture, std::size_t first, nanoseconds time) {
    const stagecut::schedule& order = picture.order;
    const auto index = [&](std::size_t stage, const op& each) {
      return (stage * order.microbatches + each.microbatch) * order.slices + each.slice;
    };
    const auto back = [](op_kind kind) { return kind == op_kind::backward || kind == op_kind::backward_input; };
    std::array<std::vector<const timed_op<double>*>, 2> made;  // F, and B or I
    made.fill(std::vector<const timed_op<double>*>(order.stages() * order.microbatches * order.slices));
    for (const auto& rank : picture.run.ops) {
      for (const auto& each : rank) {
        if (each.what.kind != op_kind::backward_weight)
          made[back(each.what.kind)][index(each.what.stage, each.what)] = &each;
      }
    }
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      for (const auto& each : of_rank(picture.run.ops, r)) {
        const op& what = each.what;
        const bool backwards = back(what.kind);
        if (what.kind == op_kind::backward_weight || what.stage == (backwards ? order.stages() - 1 : 0)) continue;
        const std::size_t source = backwards ? what.stage + 1 : what.stage - 1;
        const timed_op<double>* const from = made[backwards][index(source, what)];
        if (from == nullptr || order.rank_of[source] == r) continue;
        flow(backwards ? "gradient" : "activations", first + order.rank_of[source], time(from->start), "s\"");
        flow(backwards ? "gradient" : "activations", first + r, time(each.start), "f\", \"bp\":\"e\"");
        ++flows_;
      }
    }
  }

  void flow(std::string_view name, std::size_t rank, double time, std::string_view phase) {
    event(R"("name":")", name, R"(","cat":"transfer","ph":")", phase, R"(,"id":)", std::to_string(flows_), R"(,"pid":)",
          std::to_string(rank), R"(,"tid":0,"ts":)", microseconds(time));
  }

  std::string events_{};
  std::size_t flows_ = 0;
};

}  // namespace detail

/// Pipelines as a trace for Perfetto or for Chrome: a process a rank, with a thread each for what it computes, what
/// it sends and its updates, and more for messages that are under way at once; arrows from every pass to the one on
/// another rank that waits for it; and its memory.
///
/// Times without a unit are written as microseconds. With several pictures, the ranks of the next follow those of the
/// one before, and the titles stand in their names.
///
/// @throws  argument_error if the parts of a picture do not belong together, or for a makespan from 1e280 on
///
/// Format: Trace Event Format, JSON object form.
[[nodiscard]] inline std::string as_chrome_trace(view<const pipeline_picture> pictures) {
  for (const pipeline_picture& each : pictures) {
    detail::check_picture("as_chrome_trace", each);
    if (each.run.makespan < 1e280) continue;
    detail::fail(
        argument_error("io::as_chrome_trace", "run.makespan", "1e280 or more", "is too long for microseconds"));
  }
  detail::trace_writer writer;
  std::size_t first = 0;
  for (const pipeline_picture& each : pictures) {
    writer.add(each, first, pictures.size() > 1 ? detail::joined(detail::title_of(each), " ") : "");
    first += each.order.ranks();
  }
  return std::move(writer).text();
}

}  // namespace stagecut::inline v0::io
