// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/pictures/chrome_trace.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/part_writer.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/pictures/check_picture.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Writes the events of several pictures.
class trace_writer {
 public:
  explicit trace_writer(function_ref<void(std::string_view)> write) : out_(write) {
    out_.put(R"({"displayTimeUnit":"ms", "traceEvents":[)");
  }

  /// @param first   the process of rank 0
  /// @param prefix  before the ranks' names
  void add(const pipeline_picture& picture, std::size_t first, std::string_view prefix) {
    const nanoseconds time{picture.seconds ? 1e9 : 1e3};
    const stagecut::detail::stage_links links(picture.order);
    for (std::size_t r = 0; r < picture.order.ranks(); ++r) {
      const std::size_t process = first + r;
      name_process(process, joined({prefix, "rank ", r}));
      for (const auto& op : of_rank(picture.run.ops, r)) {
        complete(picture, process, compute, op, time);
        flows(picture.order, links, process, op.what, time(op.start));
      }
      for (const auto& each : of_rank(picture.run.updates, r)) complete(picture, process, update, each, time);
      sends(picture, r, process, time);
      if (!picture.memory.empty()) count_memory(picture.memory[r], process, time);
    }
    const std::size_t arrows = links.chain() ? picture.order.stages() : picture.order.edges.size();
    flows_ += 2 * arrows * picture.order.microbatches * picture.order.slices;
  }

  /// Ends the text.
  void finish() {
    out_.put("\n]}\n");
    out_.finish();
  }

 private:
  enum track : std::size_t { compute, send, update, more };

  /// Times are written in microseconds, rounded to nanoseconds.
  struct nanoseconds {
    double factor;
    [[nodiscard]] double operator()(double time) const { return std::round(time * factor); }
  };

  template <class... Parts>
  void event(const Parts&... parts) {
    out_.put(any_ ? ",\n{" : "\n{", parts..., "}");
    any_ = true;
  }

  void name_process(std::size_t process, const std::string& name) {
    const std::string text = json(name).dump(-1, ' ', false, json::error_handler_t::replace);
    event(R"("name":"process_name","ph":"M","pid":)", process, R"(,"args":{"name":)", text, "}");
    event(R"("name":"process_sort_index","ph":"M","pid":)", process, R"(,"args":{"sort_index":)", process, "}");
    name_thread(process, compute, "compute");
    name_thread(process, send, "send");
    name_thread(process, update, "update");
  }

  void name_thread(std::size_t process, std::size_t thread, std::string_view name) {
    event(R"("name":"thread_name","ph":"M","pid":)", process, R"(,"tid":)", thread, R"(,"args":{"name":")", name,
          "\"}");
  }

  /// Concurrent messages are on separate threads: a viewer drops events that overlap on one.
  void sends(const pipeline_picture& picture, std::size_t r, std::size_t process, nanoseconds time) {
    std::vector<double> free;  // of every thread, since when it is free
    for (const auto& op : of_rank(picture.run.transfers, r)) {
      std::size_t lane = 0;
      while (lane < free.size() && free[lane] > time(op.start)) ++lane;
      if (lane == free.size()) free.push_back(0);
      const std::size_t thread = lane == 0 ? send : more + lane - 1;
      if (lane != 0 && free[lane] == 0) name_thread(process, thread, joined({"send ", lane + 1}));
      free[lane] = time(op.end);
      complete(picture, process, thread, op, time);
    }
  }

  /// An op: its name holds its kind and its microbatch.
  void complete(const pipeline_picture& picture, std::size_t process, std::size_t on, const timed_op<double>& each,
                nanoseconds time) {
    const op& what = each.what;
    const trace_time start{time(each.start)};
    const trace_time length{time(each.end) - start.nanoseconds};
    const bool sliced = picture.order.slices > 1;
    out_.put(any_ ? ",\n" : "\n", R"({"name":")", to_string(what.kind));
    any_ = true;
    const bool of_microbatch = has_microbatch(what.kind);
    if (of_microbatch) out_.put(what.microbatch);
    if (of_microbatch && sliced) out_.put(":", what.slice);
    out_.put(R"(","cat":")", kind_name(what.kind), R"(","ph":"X","pid":)", process, R"(,"tid":)", on, R"(,"ts":)",
             start, R"(,"dur":)", length, R"(,"args":{"stage":)", what.stage);
    if (of_microbatch) out_.put(R"(,"microbatch":)", what.microbatch);
    if (of_microbatch && sliced) out_.put(R"(,"slice":)", what.slice);
    out_.put("}}");
  }

  void count_memory(const rank_memory<double>& memory, std::size_t process, nanoseconds time) {
    for (const auto& point : memory.curve) {
      event(R"("name":"memory","ph":"C","pid":)", process, R"(,"ts":)", trace_time{time(point.time)},
            R"(,"args":{"resident":)", memory.resident, R"(,"activations":)", point.activations, "}");
    }
  }

  /// The ends, on a rank, of arrows from every op to those on other ranks that wait for its output. An arrow has the
  /// number of the waiting op; if that waits for several ops, the number of the edge.
  void flows(const stagecut::schedule& order, const stagecut::detail::stage_links& links, std::size_t process,
             const op& what, double start) {
    if (what.kind == op_kind::backward_weight) return;
    const bool backwards = what.kind != op_kind::forward;
    const auto end = [&](std::size_t arrow, std::string_view phase) {
      const std::size_t number = (arrow * order.microbatches + what.microbatch) * order.slices + what.slice;
      event(R"("name":")", backwards ? "gradient" : "activations", R"(","cat":"transfer","ph":")", phase, R"(,"id":)",
            flows_ + 2 * number + (backwards ? 1U : 0U), R"(,"pid":)", process, R"(,"tid":0,"ts":)", trace_time{start});
    };
    for (const auto& to : links.of(what.stage, !backwards)) {
      if (order.rank_of[to.stage] != order.rank_of[what.stage]) end(links.chain() ? to.stage : to.edge, "s\"");
    }
    for (const auto& from : links.of(what.stage, backwards)) {
      if (order.rank_of[from.stage] == order.rank_of[what.stage]) continue;
      end(links.chain() ? what.stage : from.edge, "f\",\"bp\":\"e\"");
    }
  }

  part_writer out_;
  bool any_ = false;
  std::size_t flows_ = 0;  // number of arrows in the previous pictures
};

}  // namespace detail

STAGECUT_DECL void write_chrome_trace(view<const pipeline_picture> pictures,
                                      function_ref<void(std::string_view)> write) {
  for (const pipeline_picture& picture : pictures) {
    check_picture("as_chrome_trace", picture);
    if (picture.run.makespan < 1e280) continue;
    detail::fail(
        argument_error("io::as_chrome_trace", "run.makespan", "1e280 or more", "is too long for microseconds"));
  }
  detail::trace_writer writer(write);
  std::size_t first = 0;
  for (const pipeline_picture& picture : pictures) {
    writer.add(picture, first, pictures.size() > 1 ? detail::joined({title_of(picture), " "}) : "");
    first += picture.order.ranks();
  }
  writer.finish();
}

STAGECUT_DECL std::string as_chrome_trace(view<const pipeline_picture> pictures) {
  std::string text;
  const auto append = [&text](std::string_view part) { text += part; };
  write_chrome_trace(pictures, append);
  return text;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
