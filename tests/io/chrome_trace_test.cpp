// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/chrome_trace.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sliced.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "worked_picture.hpp"

using nlohmann::json;
using stagecut::op_kind;

namespace {

std::vector<json> events(const std::vector<stagecut::io::pipeline_picture>& pictures, const std::string& phase) {
  std::vector<json> result;
  const json trace = json::parse(stagecut::io::as_chrome_trace(pictures));
  for (const json& event : trace.at("traceEvents")) {
    if (event["ph"] == phase) result.push_back(event);
  }
  return result;
}

}  // namespace

TEST_CASE("the durations of a process are the busy time of its rank") {
  auto picture = worked_picture(4, 8, 0.25);
  picture.run.updates[0] = {{{op_kind::optimizer_step, 0}, 33, 34}};
  for (const bool seconds : {false, true}) {
    picture.seconds = seconds;
    std::map<std::size_t, double> busy;
    for (const json& event : events({picture}, "X")) {
      if (event["tid"] == 0) busy[event["pid"].get<std::size_t>()] += event["dur"].get<double>();
    }
    REQUIRE(busy.size() == 4);
    for (const auto& [rank, time] : busy) {
      CHECK(time == doctest::Approx(picture.run.ranks[rank].busy * (seconds ? 1e6 : 1)));
    }
  }
}

TEST_CASE("an op is an event with its kind, stage and microbatch") {
  auto picture = worked_picture(2, 3, 0.25);
  picture.run.updates[1] = {{{op_kind::reduce_gradient, 1}, 9, 10}};
  std::map<std::string, json> named;
  for (const json& event : events({picture}, "X"))
    named[event["name"].get<std::string>() + "/" + event["pid"].dump()] = event;
  CHECK(named.size() == 12 + 6 + 1);
  const json& forward = named.at("F2/1");
  CHECK(forward["ts"] == 3.25);
  CHECK(forward["dur"] == 1);
  CHECK(forward["tid"] == 0);
  CHECK(forward["cat"] == "forward");
  CHECK(forward["args"] == json{{"stage", 1}, {"microbatch", 2}});
  CHECK(named.at("SEND_B0/1")["tid"] == 1);
  CHECK(named.at("REDUCE_GRAD/1")["tid"] == 2);
}

TEST_CASE("every arrow leads from an op to the one that waits for it") {
  const auto picture = worked_picture(4, 8, 0.25);
  std::map<std::size_t, json> begun;
  for (const json& event : events({picture}, "s")) begun[event["id"].get<std::size_t>()] = event;
  const auto ended = events({picture}, "f");
  CHECK(ended.size() == 2 * 3 * 8);
  REQUIRE(begun.size() == ended.size());
  const auto op_at = [&](const json& end) -> const stagecut::timed_op<double>* {
    for (const auto& op : picture.run.ops[end["pid"].get<std::size_t>()]) {
      if (std::abs(op.start - end["ts"].get<double>()) < 1e-9) return &op;
    }
    return nullptr;
  };
  for (const json& end : ended) {
    const auto* const from = op_at(begun.at(end["id"].get<std::size_t>()));
    const auto* const to = op_at(end);
    REQUIRE(from != nullptr);
    REQUIRE(to != nullptr);
    CHECK(end["bp"] == "e");
    CHECK(from->what.kind == to->what.kind);
    CHECK(from->what.microbatch == to->what.microbatch);
    CHECK(to->what.stage == from->what.stage + (to->what.kind == op_kind::forward ? 1 : std::size_t(-1)));
  }
}

TEST_CASE("arrows go along the edges of stages, each with a number of its own") {
  stagecut::io::pipeline_picture picture;
  picture.order = stagecut::gpipe(4, 2);
  picture.order.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  picture.run = stagecut::simulate(stagecut::gpipe(4, 2), stagecut::pass_times<double>{{1, 1, 1, 1}, {1, 1, 1, 1}});
  std::map<std::size_t, std::vector<std::size_t>> processes;
  for (const char* phase : {"s", "f"}) {
    for (const json& event : events({picture, picture}, phase)) {
      processes[event["id"].get<std::size_t>()].push_back(event["pid"].get<std::size_t>());
    }
  }
  CHECK(processes.size() == 2 * 4 * 2 * 2);  // pictures, edges, microbatches, ways
  std::map<std::string, int> arrows;
  for (const auto& [id, both] : processes) {
    REQUIRE(both.size() == 2);
    ++arrows[std::to_string(both[0]) + ">" + std::to_string(both[1])];
  }
  CHECK(arrows.size() == 16);
  for (const char* each : {"0>1", "0>2", "1>3", "2>3", "1>0", "2>0", "3>1", "3>2", "4>6", "7>5"}) CHECK(arrows[each] == 2);
}

TEST_CASE("ranks have names, and the ranks of several pictures processes of their own") {
  auto first = worked_picture(2, 2);
  auto second = worked_picture(3, 2);
  first.title = "a \"quoted\"\n\xff title";
  std::map<std::size_t, std::string> names;
  for (const json& event : events({first, second}, "M")) {
    if (event["name"] == "process_name")
      names[event["pid"].get<std::size_t>()] = event["args"]["name"].get<std::string>();
  }
  REQUIRE(names.size() == 5);
  CHECK(names[1] == R"(a "quoted"\u000a\xff title rank 1)");
  CHECK(names[4] == "gpipe rank 2");
  std::size_t threads = 0;
  for (const json& event : events({first}, "M")) {
    if (event["name"] == "process_name" && event["pid"] == 0) CHECK(event["args"]["name"] == "rank 0");
    threads += event["name"] == "thread_name" ? 1 : 0;
  }
  CHECK(threads == 6);
}

TEST_CASE("memory is a counter of every rank, if it is known") {
  auto picture = worked_picture(2, 3);
  double most = 0;
  for (const json& event : events({picture}, "C")) {
    CHECK(event["args"]["resident"] == 3);
    most = std::max(most, event["args"]["activations"].get<double>());
  }
  CHECK(most == 3);
  picture.memory.clear();
  CHECK(events({picture}, "C").empty());
  CHECK(events({}, "X").empty());
  picture.run.ops.pop_back();
  CHECK_THROWS_AS(static_cast<void>(events({picture}, "X")), stagecut::argument_error);
}

TEST_CASE("messages under way at once stand on threads of their own, and none overlap on one") {
  for (const auto kind : {stagecut::transfer_kind::latency, stagecut::transfer_kind::link}) {
    const stagecut::pass_times<double> passes{.forward = {1, 1, 1}, .backward = {2, 2, 2}};
    stagecut::io::pipeline_picture picture;
    picture.order = stagecut::one_forward_one_backward(3, 4);
    picture.run = stagecut::simulate(picture.order, passes, {kind, {3}, {3}});
    const auto trace = nlohmann::json::parse(stagecut::io::as_chrome_trace(std::vector{picture}));
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> tracks;
    std::map<std::pair<int, int>, int> names;
    for (const auto& event : trace["traceEvents"]) {
      if (event["ph"] == "M" && event["name"] == "thread_name") ++names[{event["pid"], event["tid"]}];
      if (event["ph"] != "X") continue;
      const double start = event["ts"].get<double>();
      tracks[{event["pid"], event["tid"]}].emplace_back(start, start + event["dur"].get<double>());
    }
    std::size_t sends = 0;
    for (auto& [track, spans] : tracks) {
      CHECK(names[track] == 1);
      std::sort(spans.begin(), spans.end());
      for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i].first >= spans[i - 1].second - 1e-9);
      if (track.second == 1 || track.second > 2) sends += spans.size();
    }
    CHECK(sends == 16);
    CHECK(tracks.count({1, 3}) == 1);  // rank 1 sends both ways
  }
  stagecut::io::pipeline_picture endless;
  endless.order = stagecut::gpipe(1, 1);
  endless.run = stagecut::simulate(endless.order, stagecut::pass_times<double>{.forward = {1e300}, .backward = {1}});
  CHECK_THROWS_WITH_AS((void)stagecut::io::as_chrome_trace(std::vector{endless}), doctest::Contains("run.makespan"),
                       stagecut::argument_error);
}

namespace {

/// The makespan of an iteration of `forward` and twice that, with messages, memory and updates: all kinds of events.
stagecut::io::pipeline_picture full_picture(const stagecut::schedule& order, double forward) {
  stagecut::pass_times<double> passes;
  for (auto* each : {&passes.forward, &passes.backward_input, &passes.backward_weight})
    each->assign(order.stages(), forward);
  passes.all_reduce.assign(order.stages(), forward / 7);
  passes.optimizer_step.assign(order.ranks(), forward / 3);
  stagecut::io::pipeline_picture picture;
  picture.title = std::string(60, 'x');
  picture.order = order;
  picture.run = stagecut::simulate(order, passes, {stagecut::transfer_kind::link, {forward / 9}, {forward / 11}});
  stagecut::stage_bytes bytes;
  bytes.resident.assign(order.stages(), 17179869184.0);
  bytes.activations.assign(order.stages(), 1234567890.0);
  picture.memory = stagecut::memory_curve(order, picture.run, bytes);
  return picture;
}

}  // namespace

TEST_CASE("an event takes at most 150 bytes, whatever the schedule, its times and its name") {
  std::vector<stagecut::io::pipeline_picture> pictures;
  for (const double forward : {1e-9 / 3, 1e-3 / 3, 1.0 / 3, 1e3 / 3}) {
    pictures.push_back(full_picture(stagecut::gpipe(3, 200), forward));
    pictures.push_back(full_picture(stagecut::one_forward_one_backward(100, 8), forward));
    pictures.push_back(full_picture(stagecut::sliced_one_forward_one_backward(2, 20, 5), forward));
  }
  for (const auto& picture : pictures) {
    const std::vector<stagecut::io::pipeline_picture> two{picture, pictures[0]};
    for (const auto& shown : {std::vector{picture}, two}) {
      const std::string text = stagecut::io::as_chrome_trace(shown);
      const std::size_t number = json::parse(text).at("traceEvents").size();
      CHECK(text.size() <= 150 * number);
      std::string_view rest = text;
      std::size_t longest = 0;
      for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
        if (rest.substr(0, end).find("process_name") == rest.npos) longest = std::max(longest, end + 1);
        rest.remove_prefix(end + 1);
      }
      CHECK(longest <= 150);
      CHECK(longest > 100);
    }
  }
}

TEST_CASE("times are read back as the nanoseconds that they are") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const double start = std::ldexp(static_cast<double>(random() % 1000003), static_cast<int>(random() % 60) - 40);
    const double length = std::ldexp(static_cast<double>(random() % 1009), static_cast<int>(random() % 60) - 40);
    stagecut::io::pipeline_picture picture;
    picture.order = stagecut::gpipe(1, 1);
    picture.run.ops = {{{{op_kind::forward}, start, start + length}}};
    picture.run.ranks.resize(1);
    picture.run.makespan = start + length;
    const json each = events({picture}, "X").at(0);
    const double from = std::round(start * 1e9);
    REQUIRE(each["ts"].get<double>() == from / 1000);
    REQUIRE(each["dur"].get<double>() == (std::round((start + length) * 1e9) - from) / 1000);
  }
}

TEST_CASE("slices are told where there are several") {
  const auto picture = full_picture(stagecut::sliced_one_forward_one_backward(2, 3, 2), 1);
  std::map<std::string, int> named;
  for (const json& event : events({picture}, "X")) {
    if (!event["args"].contains("microbatch")) continue;
    const auto part = event["args"];
    const std::string name = event["name"];
    CHECK(name.ends_with(part["microbatch"].dump() + ":" + part["slice"].dump()));
    ++named[name];
  }
  CHECK(named["F2:1"] == 2);
}

TEST_CASE("the parts are the text, none of them large, and none of pictures that are refused") {
  const std::vector pictures{full_picture(stagecut::gpipe(3, 1000), 1)};
  std::string text;
  std::size_t largest = 0;
  const auto append = [&](std::string_view part) {
    text += part;
    largest = std::max(largest, part.size());
  };
  stagecut::io::write_chrome_trace(pictures, append);
  CHECK(text == stagecut::io::as_chrome_trace(pictures));
  CHECK(largest <= 16384);
  CHECK(largest < text.size());
  auto second = pictures[0];
  second.run.ops.pop_back();
  text.clear();
  CHECK_THROWS_AS(stagecut::io::write_chrome_trace(std::vector{pictures[0], second}, append), stagecut::argument_error);
  CHECK(text.empty());
}

TEST_CASE("arrows go along the edges of stages, one an edge and microbatch each way") {
  stagecut::schedule order = stagecut::one_forward_one_backward(4, 3);
  order.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  const auto picture = full_picture(order, 1);
  std::map<std::pair<std::string, std::size_t>, int> begun;
  for (const json& event : events({picture, picture}, "s")) ++begun[{event["name"], event["id"]}];
  CHECK(begun.size() == 2 * 2 * 4 * 3);
  for (const json& event : events({picture, picture}, "f")) --begun[{event["name"], event["id"]}];
  CHECK(begun.size() == 2 * 2 * 4 * 3);
  for (const auto& [arrow, left] : begun) CHECK(left == 0);
}
