// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/pipeline_picture.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include "worked_picture.hpp"

namespace io = stagecut::io;
using stagecut::op_kind;

TEST_CASE("a picture is called as it is titled, or as its schedule") {
  auto picture = worked_picture(2, 3);
  CHECK(io::detail::title_of(picture) == "gpipe");
  picture.title = "mine";
  CHECK(io::detail::title_of(picture) == "mine");
  CHECK(io::detail::title_of({}) == "schedule");
}

TEST_CASE("chunks count the stages before on the same rank") {
  stagecut::schedule order;
  order.orders.resize(2);
  order.rank_of = stagecut::v_placement(2);
  CHECK(io::detail::chunks_of_stages(order) == std::vector<std::size_t>{0, 0, 1, 1});
  CHECK(io::detail::most_chunks(order) == 2);
  CHECK(io::detail::most_chunks({}) == 1);
  CHECK(io::detail::receiver(order, {op_kind::send_forward, 0}) == 1);
  CHECK(io::detail::receiver(order, {op_kind::send_backward, 3}) == 1);
  CHECK(io::detail::microbatch_text(order, {op_kind::forward, 0, 12, 1}) == "12");
  order.slices = 2;
  CHECK(io::detail::microbatch_text(order, {op_kind::forward, 0, 12, 1}) == "12:1");
}

TEST_CASE("the idle share is that of all ranks together") {
  const auto picture = worked_picture(4, 8);
  CHECK(picture.run.makespan == 33);
  CHECK(io::detail::share(picture.run, &stagecut::rank_use<double>::idle) == doctest::Approx(9.0 / 33));
  CHECK(io::detail::share({}, &stagecut::rank_use<double>::idle) == 0);
  CHECK(!io::detail::blocks(picture.run));
}

TEST_CASE("parts that do not belong together are refused") {
  const auto refuses = [](auto spoil) {
    auto picture = worked_picture(2, 3, 0.5);
    spoil(picture);
    CHECK_THROWS_AS(io::detail::check_picture("as_svg", picture), stagecut::argument_error);
  };
  CHECK_NOTHROW(io::detail::check_picture("as_svg", worked_picture(2, 3, 0.5)));
  CHECK_NOTHROW(io::detail::check_picture("as_svg", {}));
  refuses([](auto& p) { p.run.ops.pop_back(); });
  refuses([](auto& p) { p.run.ranks.pop_back(); });
  refuses([](auto& p) { p.run.transfers.pop_back(); });
  refuses([](auto& p) { p.memory.pop_back(); });
  refuses([](auto& p) { p.order.rank_of[0] = 2; });
  refuses([](auto& p) { p.run.ops[0][0].what.stage = 2; });
  refuses([](auto& p) { p.run.ops[0][0].what.microbatch = 3; });
  refuses([](auto& p) { p.run.ops[0][0].what.slice = 1; });
  refuses([](auto& p) { p.run.ops[0][0].what.kind = op_kind::optimizer_step; });
  refuses([](auto& p) { p.run.ops[0][0].start = -1; });
  refuses([](auto& p) { p.run.ops[0][0].end = std::numeric_limits<double>::quiet_NaN(); });
  refuses([](auto& p) { p.run.updates[0].push_back({{op_kind::optimizer_step, 0}, 0, 1e9}); });
  refuses([](auto& p) { p.run.transfers[0][0].what.kind = op_kind::receive_forward; });
  refuses([](auto& p) { p.run.transfers[0][0].what.stage = 1; });
  refuses([](auto& p) { p.run.transfers[0][0].what.peer = 1; });
  refuses([](auto& p) { p.order.edges = {{0, 2}}; });
  refuses([](auto& p) { p.order.edges = {{0, 1}}; });  // along which messages name their other end
  refuses([](auto& p) { p.run.makespan = std::numeric_limits<double>::infinity(); });
  refuses([](auto& p) { p.memory[0].curve[0].activations = std::numeric_limits<double>::quiet_NaN(); });
  refuses([](auto& p) { p.memory[0].resident = -1; });
  refuses([](auto& p) { p.memory_limit = -1; });
}

TEST_CASE("stages send along edges, and say to whom") {
  auto picture = worked_picture(3, 2, 0.25);
  const auto refusal = [&] {
    try {
      stagecut::io::detail::check_picture("as_x", picture);
    } catch (const stagecut::argument_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal().empty());
  picture.order.edges = {{0, 1}, {1, 2}};
  CHECK(refusal().find("has no stage to send to") != std::string::npos);  // they name none
  for (auto& rank : picture.run.transfers) {
    for (auto& each : rank) {
      const bool down = each.what.kind == stagecut::op_kind::send_forward;
      each.what.peer = static_cast<std::uint32_t>(down ? each.what.stage + 1 : each.what.stage - 1);
    }
  }
  CHECK(refusal().empty());
  picture.order.edges = {{0, 1}, {0, 2}};
  CHECK(refusal().find("picture.run = 1, has no stage to send to") != std::string::npos);
  picture.order.edges = {{0, 3}};
  CHECK(refusal().find("picture.order.edges = 3, is no stage") != std::string::npos);
}
