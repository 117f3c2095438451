// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/svg_boxes.hpp>

#include <doctest/doctest.h>

#include <map>

#include "worked_picture.hpp"

namespace io = stagecut::io::detail;
using stagecut::op_kind;

TEST_CASE("every op has its box, from start to end") {
  const auto picture = worked_picture(3, 4);
  const io::timeline_place place{10, 500, picture.run.makespan, 20, 26, 4};
  const auto chunks = stagecut::chunks_of_stages(picture.order);
  for (std::size_t r = 0; r < 3; ++r) {
    const auto boxes = io::op_boxes(picture.run, place, chunks, r);
    REQUIRE(boxes.size() == 8);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const auto& each = picture.run.ops[r][i];
      CHECK(boxes[i].first == 10 + 500 * (each.start / picture.run.makespan));
      CHECK(boxes[i].last == 10 + 500 * (each.end / picture.run.makespan));
      CHECK(boxes[i].top == 20 + 30.0 * static_cast<double>(r));
      CHECK(boxes[i].bottom == boxes[i].top + 26);
      CHECK(boxes[i].whole == &each);
    }
  }
  CHECK(io::shortest_op(picture.run) == 1);
  CHECK(!io::is_crowded(picture.run, place));
}

TEST_CASE("ops that run together share the row, and updates lie below what is computed meanwhile") {
  auto picture = worked_picture(1, 1);
  auto& ops = picture.run.ops[0];
  ops[0].what.with_next = true;
  ops[0].end = ops[1].end = 2, ops[1].start = 0;
  picture.run.updates[0] = {{{op_kind::reduce_gradient, 0}, 1, 2}, {{op_kind::optimizer_step, 0}, 2, 3}};
  const std::vector<std::size_t> chunks{0};
  const auto boxes = io::op_boxes(picture.run, {0, 300, 3, 0, 20, 0}, chunks, 0);
  REQUIRE(boxes.size() == 4);
  CHECK(boxes[0].bottom == 10);
  CHECK(boxes[1].top == 10);
  CHECK(boxes[1].bottom == 20);
  CHECK(boxes[2].top == 14);
  CHECK(boxes[3].top == 0);
  CHECK(boxes[3].kind == op_kind::optimizer_step);
}

TEST_CASE("boxes of a crowd cover as much as its ops, and stay in the row") {
  const auto picture = worked_picture(2, 2000);
  const io::timeline_place place{0, 1000, picture.run.makespan, 0, 10, 0};
  REQUIRE(io::is_crowded(picture.run, place));
  const std::vector<std::size_t> chunks{0, 0};
  const auto boxes = io::crowded_boxes(picture.run, place, chunks, 0);
  CHECK(boxes.size() < 600);
  std::map<op_kind, double> area;
  for (const auto& box : boxes) {
    area[box.kind] += (box.last - box.first) * (box.bottom - box.top);
    CHECK(box.top >= 0);
    CHECK(box.bottom <= 10 + 1e-9);
    CHECK(box.last > box.first);
  }
  CHECK(area[op_kind::forward] == doctest::Approx(10 * place.x(2000)));
  CHECK(area[op_kind::backward] == doctest::Approx(10 * place.x(4000)));
}

TEST_CASE("a crowd of pairs that run together fills the row once") {
  auto picture = worked_picture(1, 2);
  auto& ops = picture.run.ops[0];
  ops.clear();
  for (std::size_t k = 0; k < 3000; ++k) {
    const auto start = static_cast<double>(k);
    ops.push_back({{op_kind::forward, 0, 0, 0, true}, start, start + 1});
    ops.push_back({{op_kind::backward, 0, 0}, start, start + 1});
  }
  const std::vector<std::size_t> chunks{0};
  double area = 0;
  for (const auto& box : io::crowded_boxes(picture.run, {0, 1000, 3000, 0, 10, 0}, chunks, 0)) {
    area += (box.last - box.first) * (box.bottom - box.top);
    CHECK(box.bottom <= 10 + 1e-9);
  }
  CHECK(area == doctest::Approx(10000));
}
