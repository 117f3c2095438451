// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/check_picture.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "worked_picture.hpp"

namespace io = stagecut::io;
using stagecut::op_kind;

TEST_CASE("parts that do not belong together are refused") {
  const auto refuses = [](auto spoil) {
    auto picture = worked_picture(2, 3, 0.5);
    spoil(picture);
    CHECK_THROWS_AS(io::check_picture("as_svg", picture), stagecut::argument_error);
  };
  CHECK_NOTHROW(io::check_picture("as_svg", worked_picture(2, 3, 0.5)));
  CHECK_NOTHROW(io::check_picture("as_svg", {}));
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
  refuses([](auto& p) { p.memory_limits = {1, -1}; });
}

TEST_CASE("stages send along edges, and say to whom") {
  auto picture = worked_picture(3, 2, 0.25);
  const auto refusal = [&] {
    try {
      io::check_picture("as_x", picture);
    } catch (const stagecut::argument_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal().empty());
  picture.order.edges = {{0, 1}, {1, 2}};
  CHECK(refusal().find("has no stage to send to") != std::string::npos);  // they name none
  for (auto& rank : picture.run.transfers) {
    for (auto& op : rank) {
      const bool down = op.what.kind == stagecut::op_kind::send_forward;
      op.what.peer = static_cast<std::uint32_t>(down ? op.what.stage + 1 : op.what.stage - 1);
    }
  }
  CHECK(refusal().empty());
  picture.order.edges = {{0, 1}, {0, 2}};
  CHECK(refusal().find("picture.run = 1, has no stage to send to") != std::string::npos);
  picture.order.edges = {{0, 3}};
  CHECK(refusal().find("picture.order.edges = 3, is no stage") != std::string::npos);
}
