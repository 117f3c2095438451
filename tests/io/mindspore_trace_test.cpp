// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/mindspore_trace.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../refusal.hpp"

using doctest::Approx;
using stagecut::io::read_mindspore_trace;
using stagecut::io::sapp_traces;

namespace {

const sapp_traces two{"", 2, {"Embedding"}, {"Decoder"}, {"Norm", "lm_head-Linear"}};

/// An event of the process of scopes.
std::string scope(const std::string& name, int level, double first, double microseconds) {
  return ", {\"name\": \"" + name + "\", \"pid\": 7, \"tid\": " + std::to_string(level) +
         ", \"ts\": " + std::to_string(first) + ", \"dur\": " + std::to_string(microseconds) + "}";
}

/// A step of 1000 from `first` on: two microbatches, each with an embedding and two decoders, and its gradients.
std::string step(double first, double slower = 1) {
  std::string text =
      ", {\"name\": \"Default/MatMul-op1\", \"pid\": 1, \"tid\": 2, \"ts\": \"" + std::to_string(first) + "\"}";
  for (const double begin : {first, first + 100}) {
    text += scope("Default", 0, begin, 90);
    text += scope("1-Embedding", 1, begin, 10 * slower);
    text += scope("2-Decoder", 1, begin + 20, 20 * slower);
    text += scope("3-Decoder", 1, begin + 40, 30 * slower);
  }
  text += scope("Gradients", 0, first + 300, 500);
  text += scope("Default", 1, first + 300, 500);
  text += scope("3-Decoder", 2, first + 300, 60);
  return text;
}

const std::string process = R"({"name": "process_name", "ph": "M", "pid": 7, "args": {"name": "Scope Layer"}})";

std::string refused(const std::string& text) {
  return refusal<stagecut::invalid_input>([&] { return read_mindspore_trace(text, "x", two); });
}

}  // namespace

TEST_CASE("forward passes of the steps that count") {
  // Six begin: the first two are left out, and the last one, whose end is unknown, ends what counts.
  std::string text = "[" + process;
  for (int i = 0; i < 6; ++i) text += step(1000.0 * i, i < 2 ? 1.5 : 1);
  text += "]";
  const auto made = read_mindspore_trace(text, "x", two);
  CHECK(made.steps == 3);
  CHECK(made.layers == 2);
  REQUIRE(made.head);
  REQUIRE(made.body);
  CHECK(!made.tail);
  CHECK(*made.head == Approx(10e-6));
  CHECK(*made.body == Approx(25e-6));  // the mean of 20 and 30
  CHECK(read_mindspore_trace("{\"traceEvents\": " + text + "}", "x", two) == made);
}

TEST_CASE("of a few steps, what there is") {
  const std::string one = "[" + process + step(0) + "]";
  CHECK(read_mindspore_trace(one, "x", two).steps == 1);
  CHECK(*read_mindspore_trace(one, "x", two).head == Approx(10e-6));
  CHECK(read_mindspore_trace("[" + process + step(0) + step(1000, 2) + "]", "x", two).head == Approx(10e-6));
  // Of three the second counts, of four the third.
  const std::string three = "[" + process + step(0, 2) + step(1000) + step(2000, 3) + "]";
  CHECK(*read_mindspore_trace(three, "x", two).body == Approx(25e-6));
  const std::string four = "[" + process + step(0, 2) + step(1000, 2) + step(2000) + step(3000, 3) + "]";
  CHECK(*read_mindspore_trace(four, "x", two).body == Approx(25e-6));
  CHECK(read_mindspore_trace(four, "x", two).steps == 1);
}

TEST_CASE("the last rank, whose process of scopes is told by an event, or is 3") {
  const std::string product = R"({"name": "MatMul-op1", "pid": 1, "tid": 1, "ts": 0})";
  const std::string cells =
      R"(, {"name": "Default", "pid": 3, "tid": "0", "ts": 0, "dur": 100},
         {"name": "norm-Norm", "pid": 3, "tid": 1, "ts": 10, "dur": "20"},
         {"name": "lm_head-Linear", "pid": 3, "tid": 1, "ts": 30, "dur": 40},
         {"name": "lm_head-Linear", "pid": 4, "tid": 1, "ts": 30, "dur": 40},
         {"name": "lm_head-Linear", "pid": 3, "tid": 1, "ts": 90, "dur": 40}])";
  const auto made = read_mindspore_trace("[" + product + cells, "x", two);
  CHECK(made == stagecut::io::mindspore_times{{}, {}, made.tail, 0, 1});
  CHECK(*made.tail == Approx(30e-6));  // 20 and 40 of two microbatches; one more lies outside of the scope
  CHECK(read_mindspore_trace(R"([{"name": "Scope Layer", "pid": 3}, )" + product + cells, "x", two) == made);
}

TEST_CASE("what is wrong is refused at its place") {
  CHECK(refused("") == "x:1: no JSON: the text ends too early");
  CHECK(refused("{}") == "x: \"traceEvents\" is missing");
  CHECK(refused("[3]") == "x#/0: 3 is no object");
  CHECK(refused("[]") == "x: has no event \"...MatMul-op...\", which marks the steps");
  const std::string product = R"([{"name": "MatMul-op1", "ts": 0})";
  CHECK(refused(product + "]") == "x: has no event \"Default\" of a forward pass among its scopes");
  const std::string scope = R"(, {"name": "Default", "pid": 3, "tid": 0, "ts": 0, "dur": 9})";
  CHECK(refused(product + scope + "]") == "x: has none of the cells in a forward pass of a step that counts");
  CHECK(refused(R"([{"name": "MatMul-op1"}])") == "x#/0: \"ts\" is missing");
  CHECK(refused(R"([{"name": "MatMul-op1", "ts": "now"}])") == "x#/0/ts: \"now\" is not a number");
  CHECK(refused(product + R"(, {"name": "Default", "pid": 3, "tid": 0, "ts": 0, "dur": -9}])") ==
        "x#/1/dur: -9 is negative");
  CHECK(refused(product + scope + R"(, {"name": "1-Decoder", "pid": 3, "dur": 1}])") == "x#/2: \"ts\" is missing");
  CHECK(refusal([] {
          return read_mindspore_trace("[]", "x", {"", 0});
        }) == "stagecut::io::read_mindspore_trace: cells.microbatches = 0, must be at least 1");
}
