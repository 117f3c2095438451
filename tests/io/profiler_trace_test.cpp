// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/profiler_trace.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../refusal.hpp"

using doctest::Approx;
using stagecut::io::layer_ranges;
using stagecut::io::profiler_trace;
using stagecut::io::read_profiler_trace;

namespace {

const std::string evaluate = "autograd::engine::evaluate_function: ";

/// A trace as libkineto writes it: kernels of device 0, threads of process 9. Times in microseconds.
class trace {
 public:
  trace& event(const std::string& phase, const std::string& category, const std::string& name,
               const std::string& rest) {
    text_ += (text_.empty() ? "" : ",\n") + std::string(R"({"ph": ")") + phase + R"(", "cat": ")" + category +
             R"(", "name": ")" + name + "\", " + rest + "}";
    return *this;
  }

  trace& range(const std::string& name, double first, double last, int thread = 1,
               const std::string& category = "user_annotation") {
    return event("X", category, name, host(thread) + times(first, last));
  }
  trace& module(const std::string& name, double first, double last, int thread = 1) {
    return range("nn.Module: " + name, first, last, thread, "python_function");
  }

  /// @param forward_thread  0: a forward operator
  trace& op(const std::string& name, double first, double last, int thread, int sequence, int forward_thread = 0) {
    return event("X", "cpu_op", name,
                 host(thread) + times(first, last) + R"(, "args": {"External id": )" + std::to_string(++external_) +
                     R"(, "Sequence number": )" + std::to_string(sequence) + R"(, "Fwd thread id": )" +
                     std::to_string(forward_thread) + "}");
  }

  /// A kernel that a thread launches at some time.
  trace& kernel(const std::string& name, double launched, int thread, double first, double last, int stream = 7,
                const std::string& category = "kernel") {
    const std::string correlation = R"("correlation": )" + std::to_string(++correlation_);
    event("X", "cuda_runtime", "cudaLaunchKernel",
          host(thread) + times(launched, launched + 0.5) + ", \"args\": {" + correlation + "}");
    return event("X", category, name, on_stream(stream) + times(first, last) + ", \"args\": {" + correlation + "}");
  }

  trace& flow(int number, double forward, int forward_thread, double backward, int backward_thread) {
    const auto end = [&](double at, int thread) {
      return host(thread) + "\"id\": " + std::to_string(number) + ", \"ts\": " + std::to_string(at);
    };
    event("s", "fwdbwd", "fwdbwd", end(forward, forward_thread));
    return event("f", "fwdbwd", "fwdbwd", end(backward, backward_thread) + R"(, "bp": "e")");
  }

  static std::string host(int thread) { return R"("pid": 9, "tid": )" + std::to_string(thread) + ", "; }
  static std::string on_stream(int stream) { return R"("pid": 0, "tid": )" + std::to_string(stream) + ", "; }
  static std::string times(double first, double last) {
    return "\"ts\": " + std::to_string(first) + ", \"dur\": " + std::to_string(last - first);
  }

  [[nodiscard]] std::string text() const { return R"({"schemaVersion": 1, "traceEvents": [)" + text_ + "]}"; }

 private:
  std::string text_{};
  int correlation_ = 100;
  int external_ = 0;
};

layer_ranges usual() {
  layer_ranges ranges;
  ranges.add("layers.*");
  ranges.add("nn.Module: Block_*", "layers.*");
  return ranges;
}

profiler_trace read(const trace& from, const layer_ranges& ranges = usual()) {
  return read_profiler_trace(from.text(), "x", ranges);
}

/// Checks the times of runs, in microseconds.
void check_times(const std::vector<double>& seconds, const std::vector<double>& microseconds) {
  REQUIRE(seconds.size() == microseconds.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) CHECK(seconds[i] * 1e6 == Approx(microseconds[i]));
}

void check_layer(const profiler_trace& made, std::size_t layer, const std::string& name,
                 const std::vector<double>& forward, const std::vector<double>& backward) {
  CAPTURE(name);
  REQUIRE(layer < made.layers.size());
  CHECK(made.layers[layer].name == name);
  check_times(made.layers[layer].forward, forward);
  check_times(made.layers[layer].backward, backward);
}

double attributed_seconds(const profiler_trace& made) {
  double sum = 0;
  for (const auto& layer : made.layers) {
    sum = std::accumulate(layer.forward.begin(), layer.forward.end(), sum);
    sum = std::accumulate(layer.backward.begin(), layer.backward.end(), sum);
  }
  return sum;
}

}  // namespace

TEST_CASE("kernels by the range around their launch, and in the backward pass by the forward operator") {
  trace from;
  from.range("layers.0", 0, 10).op("aten::mm", 1, 4, 1, 5).kernel("gemm", 2, 1, 100, 130);
  from.range("layers.1", 10, 20).op("aten::mm", 11, 14, 1, 6).kernel("gemm", 12, 1, 130, 150);
  // Another thread runs the gradients, the last layer first. Each operator is within the engine's one.
  from.op(evaluate + "MmBackward0", 30, 39, 2, 6, 1).op("MmBackward0", 31, 38, 2, 6, 1);
  from.kernel("dgrad", 32, 2, 150, 165).kernel("wgrad", 33, 2, 165, 190).kernel("add", 38.5, 2, 190, 191);
  from.op(evaluate + "MmBackward0", 40, 49, 2, 5, 1).kernel("dgrad", 42, 2, 191, 221);
  const auto made = read(from);
  REQUIRE(made.layers.size() == 2);
  check_layer(made, 0, "layers.0", {30}, {30});
  check_layer(made, 1, "layers.1", {20}, {41});
  CHECK(made.unattributed.empty());
  CHECK(made.kernels == 6);
  CHECK(made.attributed == 6);
  CHECK(made.busy * 1e6 == Approx(121));
  CHECK(made.span * 1e6 == Approx(121));
  CHECK(made.steps == 0);
  // The same as a list of events.
  const std::string text = from.text();
  const std::size_t list = text.find('[');
  CHECK(read_profiler_trace(text.substr(list, text.size() - list - 1), "x", usual()).layers == made.layers);
}

TEST_CASE("an instant counts once, and communication only where nothing hides it") {
  trace from;
  from.range("layers.0", 0, 10).kernel("a", 1, 1, 0, 10).kernel("b", 2, 1, 6, 14, 8);
  from.kernel("ncclDevKernel_AllReduce", 3, 1, 12, 30, 9);
  from.range("layers.1", 10, 20).kernel("a", 11, 1, 20, 26).kernel("Memcpy HtoD", 12, 1, 22, 32, 10, "gpu_memcpy");
  const auto made = read(from);
  // 14 of a and b, NCCL alone from 14 to 20, and from 26 to 30 it shares with the copy, which has the rest.
  check_layer(made, 0, "layers.0", {14 + 6 + 2}, {});
  check_layer(made, 1, "layers.1", {6 + 2 + 2}, {});
  CHECK(made.busy * 1e6 == Approx(32));
}

TEST_CASE("kernels of no layer, the longest first; gradients that are added up") {
  trace from;
  from.range("layers.0", 0, 10).op("aten::mm", 1, 4, 1, 5).kernel("gemm", 2, 1, 0, 10);
  from.kernel("loss", 11, 1, 10, 12).kernel("loss", 12, 1, 12, 13);
  from.op(evaluate + "MmBackward0", 20, 29, 2, 5, 1).kernel("dgrad", 21, 2, 13, 20);
  // Without a number: it follows the operator whose gradient it adds. What replicas exchange then is not the layer's.
  from.event("X", "cpu_op", evaluate + "torch::autograd::AccumulateGrad", trace::host(2) + trace::times(30, 35));
  from.kernel("add", 31, 2, 20, 24).kernel("ncclDevKernel_AllReduce", 32, 2, 24, 40, 9);
  from.range("Optimizer.step#AdamW.step", 50, 60).kernel("adam", 51, 1, 40, 45);
  from.event("X", "kernel", "lost", trace::on_stream(7) + trace::times(45, 46) + R"(, "args": {"correlation": 1})");
  from.event("X", "gpu_memset", "Memset", trace::on_stream(7) + trace::times(50, 50.5));
  const auto made = read(from);
  check_layer(made, 0, "layers.0", {10}, {7 + 4});
  CHECK(made.layers.size() == 1);
  const std::vector<std::string> names{"ncclDevKernel_AllReduce", "adam", "loss", "lost", "Memset"};
  const std::vector<double> times{16, 5, 3, 1, 0.5};
  REQUIRE(made.unattributed.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(made.unattributed[i].name == names[i]);
    CHECK(made.unattributed[i].seconds * 1e6 == Approx(times[i]));
    CHECK(made.unattributed[i].count == (names[i] == "loss" ? 2 : 1));
  }
  CHECK(made.unattributed_seconds() * 1e6 == Approx(25.5));
  CHECK(made.busy * 1e6 == Approx(46.5));
  CHECK(made.span * 1e6 == Approx(50.5));
  CHECK(made.kernels == 9);
  CHECK(made.attributed == 3);
  CHECK(made.other_ranges == std::vector<std::string>{"Optimizer.step#AdamW.step"});
}

TEST_CASE("two steps of two microbatches: a run is a microbatch") {
  trace from;
  int sequence = 40;
  for (int step = 0; step < 2; ++step) {
    const double at = 1000.0 * step;
    from.range("ProfilerStep#" + std::to_string(5 + step), at, at + 900);
    for (int microbatch = 0; microbatch < 2; ++microbatch) {
      const double begin = at + 100 * microbatch;
      const double slower = 10 * step + microbatch;
      from.module("Model_0", begin, begin + 50).module("Block_0", begin + 1, begin + 40);
      from.module("Linear_3", begin + 2, begin + 39).op("aten::mm", begin + 3, begin + 5, 1, ++sequence);
      from.kernel("gemm", begin + 4, 1, begin + 10, begin + 20 + slower);
      from.op("MmBackward0", begin + 60, begin + 70, 2, sequence, 1);
      from.kernel("gemm", begin + 61, 2, begin + 60, begin + 80 + slower);
    }
  }
  const auto made = read(from);
  CHECK(made.steps == 2);
  CHECK(made.layers.size() == 1);
  check_layer(made, 0, "layers.0", {10, 11, 20, 21}, {20, 21, 30, 31});
  CHECK(made.other_ranges == std::vector<std::string>{"nn.Module: Model_0", "nn.Module: Linear_3"});
  // The innermost range with a layer.
  layer_ranges inner = usual();
  inner.add("Linear_3", "projection");
  check_layer(read(from, inner), 0, "projection", {10, 11, 20, 21}, {20, 21, 30, 31});
  CHECK(read(from, inner).layers.size() == 1);
  // A range of the same layer within it is the same run.
  layer_ranges same = usual();
  same.add("Linear_3", "layers.0");
  CHECK(read(from, same).layers == made.layers);
  // Without any layers all is of none.
  const auto none = read(from, {});
  CHECK(none.layers.empty());
  CHECK(none.other_ranges.size() == 3);
  CHECK(none.unattributed_seconds() == Approx(none.busy));
}

TEST_CASE("flows link the passes where numbers are ambiguous") {
  // Threads 1 and 3 count for themselves: operator 5 of either runs in another layer.
  trace from;
  from.range("layers.0", 0, 10).op("aten::mm", 1, 4, 1, 5).kernel("gemm", 2, 1, 0, 10);
  from.range("layers.1", 5, 15, 3).op("aten::mm", 6, 9, 3, 5).kernel("gemm", 7, 3, 10, 30);
  // The flow ends at the inner operator; the engine's own is found by the thread that the flow tells.
  const std::string linked = evaluate + "MmBackward0";
  from.op(linked, 20, 29, 2, 5, 1).op("MmBackward0", 21, 28, 2, 5, 1).kernel("dgrad", 22, 2, 30, 33);
  from.kernel("add", 28.5, 2, 33, 34);
  from.op(linked, 30, 39, 2, 5, 2).op("MmBackward0", 31, 38, 2, 5, 2).kernel("dgrad", 32, 2, 34, 39);
  const auto by_number = read(from);
  check_layer(by_number, 0, "layers.0", {10}, {});
  check_layer(by_number, 1, "layers.1", {20}, {9});  // the last operator with that number
  from.flow(1, 1, 1, 21, 2).flow(2, 6, 3, 31, 2);
  const auto by_flow = read(from);
  check_layer(by_flow, 0, "layers.0", {10}, {4});
  check_layer(by_flow, 1, "layers.1", {20}, {5});
  // The last operator with a number need not be the one with a gradient.
  trace late;
  late.range("layers.0", 0, 10).op("aten::mm", 1, 4, 1, 5).kernel("gemm", 2, 1, 0, 10);
  late.range("layers.1", 10, 20).op("aten::detach", 11, 12, 1, 5).kernel("gemm", 13, 1, 10, 20);
  late.op("MmBackward0", 30, 40, 2, 5, 1).kernel("dgrad", 32, 2, 20, 26);
  check_layer(read(late), 1, "layers.1", {10}, {6});
  late.flow(1, 1, 1, 30, 2);
  check_layer(read(late), 0, "layers.0", {10}, {6});
  // A flow whose forward operator the trace lacks.
  trace cut;
  cut.range("layers.0", 0, 10).op("aten::mm", 1, 4, 1, 5).kernel("gemm", 2, 1, 0, 10);
  cut.op("MmBackward0", 21, 28, 2, 9, 1).kernel("dgrad", 22, 2, 30, 33).flow(1, -5, 1, 21, 2);
  check_layer(read(cut), 0, "layers.0", {10}, {});
  CHECK(read(cut).unattributed.size() == 1);
}

TEST_CASE("recomputation is of the backward pass, and of the run that it recomputes") {
  // Both layers are recomputed together when the first gradient needs what they kept.
  trace from;
  int sequence = 7;
  for (const double begin : {0.0, 1000.0}) {
    const double slower = begin / 1000;
    from.module("Block_0", begin, begin + 10).op("aten::mm", begin + 1, begin + 4, 1, ++sequence);
    from.kernel("gemm", begin + 2, 1, begin + 100, begin + 110);
    from.module("Block_1", begin + 10, begin + 20).op("aten::mm", begin + 11, begin + 14, 1, ++sequence);
    from.kernel("gemm", begin + 12, 1, begin + 110, begin + 120);
    from.op(evaluate + "MmBackward0", begin + 30, begin + 60, 2, sequence, 1);
    from.module("Block_0", begin + 31, begin + 40, 2).op("aten::mm", begin + 32, begin + 34, 2, 1);
    from.kernel("gemm", begin + 33, 2, begin + 130, begin + 140 + slower);
    from.module("Block_1", begin + 41, begin + 50, 2).op("aten::mm", begin + 42, begin + 44, 2, 2);
    from.kernel("gemm", begin + 43, 2, begin + 150, begin + 160 + slower);
    from.kernel("dgrad", begin + 51, 2, begin + 170, begin + 190);
    from.op(evaluate + "MmBackward0", begin + 60, begin + 70, 2, sequence - 1, 1);
    from.kernel("dgrad", begin + 61, 2, begin + 200, begin + 220);
  }
  const auto made = read(from);
  check_layer(made, 0, "layers.0", {10, 10}, {30, 31});
  check_layer(made, 1, "layers.1", {10, 10}, {30, 31});
  CHECK(made.layers.size() == 2);
}

TEST_CASE("recomputation by an operator whose gradients have operators of their own") {
  trace from;
  for (int m = 0; m < 2; ++m) {
    const double begin = 200 * m;
    from.op("CheckpointFunction", begin, begin + 10, 1, 5 + m).module("Block_0", begin + 1, begin + 9);
    from.kernel("gemm", begin + 2, 1, begin + 100, begin + 110);
    from.op("CheckpointFunctionBackward", begin + 20, begin + 50, 2, 5 + m, 1);
    from.module("Block_0", begin + 21, begin + 30, 2).op("aten::mm", begin + 22, begin + 24, 2, 1 + m);
    from.kernel("gemm", begin + 23, 2, begin + 120, begin + 130);
    from.op(evaluate + "MmBackward0", begin + 31, begin + 40, 2, 1 + m, 2);
    from.kernel("dgrad", begin + 32, 2, begin + 130, begin + 150 + m);
  }
  // One whose forward pass the trace lacks is a run of its own.
  from.op("CheckpointFunctionBackward", 60, 80, 2, 99, 1).module("Block_3", 61, 70, 2).kernel("gemm", 62, 2, 160, 165);
  const auto made = read(from);
  check_layer(made, 0, "layers.0", {10, 10}, {30, 31});
  check_layer(made, 1, "layers.3", {}, {5});
}

TEST_CASE("ranges that state the pass") {
  trace from;
  for (const double begin : {0.0, 1000.0}) {
    from.range("layers.0 forward", begin, begin + 10).kernel("gemm", begin + 1, 1, begin, begin + 10);
    from.range("layers.0 backward", begin + 20, begin + 40, 2);
    from.kernel("dgrad", begin + 21, 2, begin + 20, begin + 45 + begin / 1000);
  }
  check_layer(read(from), 0, "layers.0", {10, 10}, {25, 26});
  // With operators within, all of a microbatch is one run.
  trace both;
  for (int m = 0; m < 2; ++m) {
    const double begin = 100 * m;
    both.range("layers.0 fwd", begin, begin + 10).op("aten::mm", begin + 1, begin + 3, 1, 5 + m);
    both.kernel("gemm", begin + 2, 1, begin, begin + 10);
    both.range("layers.0 bwd", begin + 20, begin + 40, 2).kernel("hook", begin + 21, 2, begin + 20, begin + 22);
    both.op("MmBackward0", begin + 25, begin + 30, 2, 5 + m, 1).kernel("dgrad", begin + 26, 2, begin + 30, begin + 40);
  }
  check_layer(read(both), 0, "layers.0", {10, 10}, {12, 12});
  // A backward range without a forward one.
  trace alone;
  alone.range("layers.0 bwd", 0, 10, 2).kernel("dgrad", 1, 2, 0, 4);
  check_layer(read(alone), 0, "layers.0", {}, {4});
}

TEST_CASE("kernels whose launch is not recorded are found by their operator") {
  trace from;
  from.range("layers.0", 0, 10).op("aten::mm", 1, 4, 1, 5);  // External id 1
  from.event("X", "kernel", "gemm", trace::on_stream(7) + trace::times(0, 9) + R"(, "args": {"External id": 1})");
  check_layer(read(from), 0, "layers.0", {9}, {});
}

TEST_CASE("launches at the edge of ranges, and times as texts") {
  trace from;
  from.range("layers.0", 0, 10).range("layers.1", 10, 20);
  from.kernel("a", 0, 1, 0, 1).kernel("b", 10, 1, 1, 3).kernel("c", 20, 1, 3, 7);
  from.event("X", "kernel", "text", trace::on_stream(7) + R"("ts": "8.5", "dur": "1")");
  const auto made = read(from);
  check_layer(made, 0, "layers.0", {1}, {});
  check_layer(made, 1, "layers.1", {6}, {});
  CHECK(made.unattributed_seconds() * 1e6 == Approx(1));
}

TEST_CASE("ranges that begin together, and one where another ends") {
  layer_ranges ranges = usual();
  ranges.add("projection");
  trace from;
  from.range("projection", 0, 5).range("layers.0", 0, 10);
  from.kernel("inner", 2, 1, 0, 3).kernel("outer", 7, 1, 3, 10);
  const auto made = read(from, ranges);
  check_layer(made, 0, "projection", {3}, {});
  check_layer(made, 1, "layers.0", {7}, {});
  // Both in one run, if they are of the same layer.
  layer_ranges same = usual();
  same.add("projection", "layers.0");
  check_layer(read(from, same), 0, "layers.0", {10}, {});
  // A thread that runs both passes.
  trace next;
  next.op("MmBackward0", 0, 10, 1, 5, 1).range("layers.0", 10, 20).kernel("gemm", 12, 1, 0, 4);
  check_layer(read(next), 0, "layers.0", {4}, {});
}

TEST_CASE("several devices have their own time") {
  trace from;
  from.range("layers.0", 0, 10).kernel("a", 1, 1, 0, 10);
  from.event("X", "kernel", "b", R"("pid": 1, "tid": 7, "ts": 5, "dur": 10)");
  const auto made = read(from);
  check_layer(made, 0, "layers.0", {10}, {});
  CHECK(made.busy * 1e6 == Approx(20));
  CHECK(made.span * 1e6 == Approx(20));
}

TEST_CASE("the times of layers and of no layer add up to the busy time") {
  std::mt19937 random(3);
  const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
  for (int round = 0; round < 200; ++round) {
    trace from;
    for (int i = 0; i < 30; ++i) {
      const double first = below(100);
      const double last = first + below(40);
      const int thread = 1 + below(3);
      const std::string layer = "layers." + std::to_string(below(3));
      switch (below(6)) {
        case 0: from.range(layer, first, last, thread); break;
        case 1: from.range(layer + (below(2) == 0 ? " forward" : " backward"), first, last, thread); break;
        case 2: from.op("aten::mm", first, last, thread, below(8)); break;
        case 3: from.op(evaluate + "AccumulateGrad", first, last, thread, below(8), 1 + below(3)); break;
        case 4: from.flow(i, below(100), 1 + below(3), below(100), 1 + below(3)); break;
        default: from.kernel(below(3) == 0 ? "nccl" : "gemm", below(100), thread, first, last, below(4));
      }
    }
    from.kernel("gemm", 1, 1, 0, 1);
    const auto made = read(from);
    CHECK(attributed_seconds(made) + made.unattributed_seconds() == Approx(made.busy).epsilon(1e-9));
    std::size_t others = 0;
    for (const auto& kernels : made.unattributed) others += kernels.count;
    CHECK(made.attributed + others == made.kernels);
    CHECK(made.busy <= made.span);
    for (const auto& layer : made.layers) CHECK((!layer.forward.empty() || !layer.backward.empty()));
  }
}

TEST_CASE("what is wrong is refused at its place") {
  const auto refused = [](const std::string& text, const stagecut::io::read_limits& limits = {}) {
    return refusal<stagecut::invalid_input>([&] { return read_profiler_trace(text, "x", usual(), limits); });
  };
  CHECK(refused("\x1f\x8b\x08") == "x: is compressed by gzip, which is not read: decompress it first");
  CHECK(refused("") == "x:1: no JSON: the text ends too early");
  CHECK(refused("{}") == "x: \"traceEvents\" is missing");
  CHECK(refused(R"({"traceEvents": 3})") == "x#/traceEvents: 3 is no array");
  CHECK(refused(R"({"traceEvents": [3]})") == "x#/traceEvents/0: 3 is no object");
  const std::string none = "x: has no kernels: record the trace with ProfilerActivity.CUDA, too";
  CHECK(refused("[]") == none);
  CHECK(refused(R"([{"ph": "X", "cat": "cpu_op", "name": "aten::mm"}])") == none);
  const auto kernel = [](const std::string& rest) {
    return R"([{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7)" + rest + "}]";
  };
  CHECK(refused(kernel("")) == "x#/0: \"dur\" is missing");
  CHECK(refused(kernel(R"(, "dur": 1)")) == "x#/0: \"ts\" is missing");
  CHECK(refused(kernel(R"(, "dur": -1, "ts": 0)")) == "x#/0/dur: -1 is negative");
  CHECK(refused(kernel(R"(, "dur": 1, "ts": "now")")) == "x#/0/ts: \"now\" is not a number");
  CHECK(refused(R"([{"ph": "X", "cat": "user_annotation", "name": "layers.0", "ts": 1}])") ==
        "x#/0: \"dur\" is missing");
  CHECK(refused(R"([{"ph": "s", "cat": "fwdbwd", "id": 1}])") == "x#/0: \"ts\" is missing");
  CHECK(refused(R"([{"ph": "X", "cat": "kernel", "ts": -1e308, "dur": 0},
                    {"ph": "X", "cat": "kernel", "ts": 1.7e308, "dur": 0}])") ==
        "x: has kernels so far apart that times are out of range");
  CHECK(refused("[]", {.bytes = 1}).starts_with("x: "));
  CHECK(refused("[[[]]]", {.depth = 2}).starts_with("x#/0"));
  // Events of other kinds need nothing.
  CHECK(read_profiler_trace(R"([{"ph": "M"}, {"ph": "X", "cat": "Trace"}, {"ph": "s", "cat": "ac2g"}, {},
                                {"ph": "s", "cat": "fwdbwd"}, {"ph": "X", "cat": "kernel", "ts": 0, "dur": 1}])",
                            "x", usual())
            .kernels == 1);
}
