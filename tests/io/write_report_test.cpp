// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/write_report.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "../schedule/random_schedules.hpp"
#include "worked_picture.hpp"

using nlohmann::json;
using stagecut::io::report;

namespace {

std::string data_of(const report& all) {
  std::string text;
  const auto append = [&](std::string_view part) { text += part; };
  stagecut::io::write_report_data(all, append);
  return text;
}

json read(const report& all) { return json::parse(data_of(all)); }

/// A random schedule that was simulated with messages of that kind, some of no time.
stagecut::io::pipeline_picture random_picture(random_schedules& random, stagecut::transfer_kind kind) {
  stagecut::io::pipeline_picture made;
  made.order = random.next(1 + random.up_to(1));
  stagecut::pass_times<double> times;
  stagecut::transfer_times<double> transfers;
  transfers.kind = kind;
  const auto some = [&](std::size_t least) { return static_cast<double>(least + random.up_to(7)); };
  for (std::size_t s = 0; s < made.order.stages(); ++s) {
    times.forward.push_back(some(1));
    times.backward_input.push_back(some(1));
    times.backward_weight.push_back(some(1));
    times.all_reduce.push_back(some(0));
    if (s + 1 == made.order.stages()) continue;
    transfers.forward.push_back(some(0));
    transfers.backward.push_back(some(0));
  }
  for (std::size_t r = 0; r < made.order.ranks(); ++r) times.optimizer_step.push_back(some(0));
  made.run = stagecut::simulate(made.order, times, transfers);
  made.memory = stagecut::memory_curve(made.order, made.run, {});
  return made;
}

}  // namespace

TEST_CASE("what a pass waits for ends when it starts, back to the first") {
  using stagecut::transfer_kind;
  random_schedules random(1);
  std::size_t passes = 0;
  for (int round = 0; round < 400; ++round) {
    const transfer_kind kinds[] = {transfer_kind::link, transfer_kind::latency, transfer_kind::stream,
                                   transfer_kind::blocking};
    report all;
    all.plans.push_back({random_picture(random, kinds[round % 4]), "", {}});
    const json plan = read(all).at("plans").at(0);
    std::vector<double> starts, ends;
    std::vector<std::ptrdiff_t> causes;
    for (const json& rank : plan.at("ranks")) {
      for (const double each : rank.at("start")) starts.push_back(each);
      for (const double each : rank.at("end")) ends.push_back(each);
      for (const std::ptrdiff_t each : rank.at("causes")) causes.push_back(each);
    }
    REQUIRE(starts.size() == causes.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
      CAPTURE(round);
      CAPTURE(i);
      ++passes;
      if (causes[i] < 0) {
        REQUIRE(starts[i] == 0);
        continue;
      }
      REQUIRE(static_cast<std::size_t>(causes[i]) < starts.size());
      REQUIRE(ends[static_cast<std::size_t>(causes[i])] == starts[i]);
    }
  }
  CHECK(passes > 10000);
}

TEST_CASE("a rank tells all that it does, by time, and its memory") {
  report all;
  all.title = "worked";
  all.plans.push_back({worked_picture(2, 3, 0.25), "facts", {"stages", "", {"stage", "layers"}, {{"0", "1 to 2"}}}});
  all.plans[0].picture.memory_limit = 9;
  const double end = all.plans[0].picture.run.makespan;
  all.plans[0].picture.run.updates[1] = {{{stagecut::op_kind::reduce_gradient, 1}, end - 1, end - 0.5},
                                         {{stagecut::op_kind::optimizer_step, 1}, end - 0.5, end}};
  const json plan = read(all).at("plans").at(0);
  CHECK(plan.at("makespan") == all.plans[0].picture.run.makespan);
  CHECK(plan.at("seconds") == false);
  CHECK(plan.at("chunk_of") == json::array({0, 0}));
  CHECK(plan.at("stages").at("rows") == json::array({json::array({"0", "1 to 2"})}));
  const json& first = plan.at("ranks").at(0);
  CHECK(first.at("kinds") == "FFsFssBBB");
  CHECK(first.at("microbatches") == json{0, 1, 0, 2, 1, 2, 0, 1, 2});
  CHECK(first.at("start").at(3) == 2);
  CHECK(first.at("limit") == 9);
  CHECK(first.at("busy") == all.plans[0].picture.run.ranks[0].busy);
  CHECK_FALSE(first.contains("blocked"));
  CHECK(first.at("memory").at("resident") == 3);
  CHECK(first.at("memory").at("bytes").at(1) == 4);
  const json& second = plan.at("ranks").at(1);
  CHECK(second.at("kinds").get<std::string>().substr(second.at("kinds").get<std::string>().size() - 2) == "aU");
  CHECK(second.at("stages").back() == -1);
  CHECK(second.at("microbatches").back() == -1);
}

TEST_CASE("names end no element of the page, and places of the skeleton are filled once") {
  const std::string bad = "</script><img src=x onerror=alert(1)>{{data}}{{script}} & \xff";
  report all;
  all.title = bad;
  all.figures = {{bad, bad}};
  all.table = {bad, bad, {bad}, {{bad}}};
  all.layers = {{bad, 1}, {bad, 2}};
  all.cuts = {{bad, bad, {1}}};
  all.lines = {{bad, bad, true}, {"megatron", "--x", false}};
  all.prices = {{bad, "", {bad}, {}}};
  all.points = {{bad, bad, 1, 2, true, {}}};
  CHECK(data_of(all).find('<') == std::string::npos);
  const json data = read(all);
  CHECK(data.at("cuts").at("rows").at(0).at("cuts") == json{0, 1, 2});
  CHECK(data.at("lines").at(0).contains("refused"));
  CHECK(data.at("lines").at(1).at("text") == "--x");
  CHECK(data.at("scatter").at("points").at(0).at("memory") == 2);
  const std::string shown = data.at("title");
  CHECK(shown.substr(0, shown.size() - 3) == bad.substr(0, bad.size() - 1));  // U+FFFD takes three bytes

  std::string page;
  const auto append = [&](std::string_view part) { page += part; };
  stagecut::io::write_report(all, {"<a>{{title}}<b>{{style}}<c>{{data}}<d>{{script}}<e>", "STYLE", "SCRIPT"}, append);
  CHECK(page.find("<a>&lt;/script&gt;") == 0);
  CHECK(page.find("<b>STYLE<c>{\"title\":") != std::string::npos);
  CHECK(page.substr(page.size() - 13) == "}<d>SCRIPT<e>");
}

TEST_CASE("a report without parts has a title alone") {
  report all;
  all.title = "empty";
  CHECK(data_of(all) == R"({"title":"empty"})");
}

TEST_CASE("what no page can show is refused before anything is written") {
  const auto refused = [](const report& all, std::string_view text, std::string_view skeleton = "{{title}}{{style}}{{data}}{{script}}") {
    CAPTURE(text);
    bool written = false;
    const auto note = [&](std::string_view) { written = true; };
    CHECK_THROWS_WITH_AS(stagecut::io::write_report(all, {skeleton, "", ""}, note), doctest::Contains(std::string(text).c_str()),
                         stagecut::argument_error);
    CHECK_FALSE(written);
  };
  report all;
  refused(all, "{{data}}", "{{title}}{{style}}{{script}}{{data");
  all.layers = {{"a", -1}};
  refused(all, "layers");
  all.layers = {{"a", 1}};
  all.cuts = {{"", "", {2}}};
  refused(all, "cuts");
  all.cuts.clear();
  all.points.resize(1);
  all.points[0].time = std::numeric_limits<double>::infinity();
  refused(all, "points");
  all.points[0].time = 0;
  all.points[0].plan.emplace();
  all.points[0].plan->picture = worked_picture(2, 2);
  all.points[0].plan->picture.run.ranks.clear();
  refused(all, "run.ranks.size()");
}
