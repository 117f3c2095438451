// SPDX-License-Identifier: BSL-1.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include "gpu/gpu_machine.hpp"
#include "ranks/threads.hpp"
#include "work/host_device.hpp"

namespace {

using executor::device;
using matrices = std::vector<std::vector<float>>;

/// The norm of the difference, as a part of the norm; infinite where it is not a number.
double distance(const std::vector<float>& got, const std::vector<float>& wanted) {
  if (got.size() != wanted.size()) return std::numeric_limits<double>::infinity();
  double apart = 0;
  double norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    apart += std::pow(static_cast<double>(got[i]) - static_cast<double>(wanted[i]), 2);
    norm += std::pow(static_cast<double>(wanted[i]), 2);
  }
  const double result = apart == 0 ? 0 : std::sqrt(apart / norm);
  return std::isnan(result) ? std::numeric_limits<double>::infinity() : result;
}

std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> values;
  std::vector<float> result(count);
  for (float& each : result) each = values(random);
  return result;
}

/// Whole numbers below `end`, as ids are; with many that are equal.
std::vector<float> random_ids(std::size_t count, unsigned end) {
  std::mt19937 random(7);
  std::vector<float> result(count);
  for (float& each : result) each = static_cast<float>(random() % end);
  return result;
}

using calls = std::function<void(device&, const std::vector<float*>&)>;

/// What a device makes of some matrices.
matrices outcome(device& on, matrices data, const calls& call) {
  std::vector<float*> places;
  for (const auto& each : data) {
    places.push_back(on.allocate(each.size()));
    on.write(places.back(), each.data(), each.size());
  }
  call(on, places);
  on.finish();
  for (std::size_t i = 0; i < data.size(); ++i) {
    on.read(data[i].data(), places[i], data[i].size());
    on.release(places[i]);
  }
  return data;
}

/// A GPU alone, as a run of one rank has it.
struct one_gpu {
  executor::gpu_machines machines = executor::make_gpu_machines(1);
  std::vector<executor::inbox> boxes{1};
  executor::run_setup setup{};
  executor::rank_machine machine{};

  one_gpu() {
    setup.order = stagecut::lower_transfers(stagecut::make_schedule("gpipe", {.ranks = 1, .microbatches = 1}));
    machine = machines.make(setup, 0, boxes);
  }
};

/// How far what a GPU makes of some matrices is from what the host makes of them; infinite if that changes nothing.
double from_host(const matrices& data, const calls& call) {
  executor::host_device host;
  one_gpu gpu;
  const matrices wanted = outcome(host, data, call);
  const matrices got = outcome(*gpu.machine.on, data, call);
  if (wanted == data) return std::numeric_limits<double>::infinity();
  double furthest = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double here = distance(got[i], wanted[i]);
    if (!(here <= furthest)) furthest = here;
  }
  return furthest;
}

/// A run of a model on `ranks` ranks; every layer is wider than a block of threads, and none a multiple of one.
executor::run_setup model_run(const std::string& schedule, std::size_t ranks, std::size_t chunks, unsigned seed) {
  executor::run_setup result;
  result.order = stagecut::lower_transfers(
      stagecut::make_schedule(schedule, {.ranks = ranks, .stages_per_rank = chunks, .microbatches = 8}));
  result.model = {.tokens = 33,
                  .width = 260,
                  .words = 700,
                  .hidden = {300, 270, 520, 260, 410, 290, 330},
                  .microbatches = 8,
                  .seed = seed};
  const std::size_t stages = result.order.stages();
  for (std::size_t s = 0; s <= stages; ++s) result.cuts.push_back(s * result.model.layers() / stages);
  result.iterations = 2;
  result.warm_up = 1;
  result.poison = true;
  return result;
}

void check_equal(const std::vector<executor::rank_result>& got, const executor::gradients& wanted) {
  std::size_t layers = 0;
  for (const auto& rank : got) {
    if (!rank.computed.losses.empty()) CHECK(distance(rank.computed.losses, wanted.losses) <= 1e-5);
    for (std::size_t i = 0; i < rank.computed.layers.size(); ++i) {
      if (rank.computed.layers[i].empty()) continue;
      CAPTURE(i);
      CHECK(distance(rank.computed.layers[i], wanted.layers.at(i)) <= 1e-5);
      ++layers;
    }
  }
  CHECK(layers == wanted.layers.size());
}

/// Checks that no op begins before its inputs are there, by the ranks' shared clock, and that no ops of a rank overlap.
void check_times(const std::vector<executor::rank_result>& got) {
  constexpr double slack = 1e-4;  // bases of different ranks
  for (const auto& rank : got) {
    for (const auto& iteration : rank.iterations) {
      double last = 0;
      for (const auto& op : iteration.ops) {
        CHECK(op.start >= last);
        CHECK(op.end >= op.start);
        last = op.end;
      }
      for (const auto& op : iteration.received) CHECK(op.end >= op.start - slack);
    }
  }
}

}  // namespace

TEST_CASE("every primitive of a GPU computes what the host does") {
  using executor::transposed;
  constexpr std::size_t rows = 37;
  constexpr std::size_t columns = 300;
  constexpr std::size_t inner = 129;
  const auto a = random_floats(rows * inner, 1);
  const auto b = random_floats(inner * columns, 2);
  const auto x = random_floats(rows * columns, 3);
  const auto y = random_floats(rows * columns, 4);
  const auto row = random_floats(columns, 5);
  const auto other_row = random_floats(columns, 6);
  const auto scale = random_floats(rows, 8);
  const auto ids = random_ids(rows, 11);
  const auto table = random_floats(11 * columns, 9);
  for (const auto which : {transposed::neither, transposed::left, transposed::right}) {
    for (const bool add : {false, true}) {
      CAPTURE(static_cast<int>(which));
      CAPTURE(add);
      const auto multiply = [=](device& on, const auto& at) {
        on.multiply(which, rows, columns, inner, at[0], at[1], at[2], add);
      };
      CHECK(from_host({a, b, x}, multiply) <= 1e-5);
    }
  }
  const auto alike = [&](const char* what, const matrices& data, const calls& call) {
    CAPTURE(what);
    CHECK(from_host(data, call) <= 1e-5);
  };
  constexpr std::size_t count = rows * columns;
  alike("fill", {x}, [](device& on, const auto& at) { on.fill(at[0], count - 1, 0.5F); });
  alike("add", {x, y}, [](device& on, const auto& at) { on.add(count, at[0], at[1]); });
  alike("add_to_rows", {row, y}, [](device& on, const auto& at) { on.add_to_rows(rows, columns, at[0], at[1]); });
  alike("sum_rows", {x, row}, [](device& on, const auto& at) { on.sum_rows(rows, columns, at[0], nullptr, at[1]); });
  alike("sum_rows", {x, y, row}, [](device& on, const auto& at) { on.sum_rows(rows, columns, at[0], at[1], at[2]); });
  alike("gelu", {x, y}, [](device& on, const auto& at) { on.gelu(count, at[0], at[1]); });
  alike("gelu_backward", {x, y}, [](device& on, const auto& at) { on.gelu_backward(count, at[0], at[1]); });
  alike("normalize", {x, y, scale},
        [](device& on, const auto& at) { on.normalize(rows, columns, at[0], at[1], at[2]); });
  alike("scale_rows", {x, row, other_row, y},
        [](device& on, const auto& at) { on.scale_rows(rows, columns, at[0], at[1], at[2], at[3]); });
  alike("normalize_backward", {x, row, y, scale, random_floats(count, 10)},
        [](device& on, const auto& at) { on.normalize_backward(rows, columns, at[0], at[1], at[2], at[3], at[4]); });
  alike("gather", {ids, table, x}, [](device& on, const auto& at) { on.gather(rows, columns, at[0], at[1], at[2]); });
  alike("scatter_add", {ids, x, table},
        [](device& on, const auto& at) { on.scatter_add(rows, columns, at[0], at[1], at[2]); });
  alike("softmax_loss", {ids, x, {0}},
        [](device& on, const auto& at) { on.softmax_loss(rows, columns, at[0], 0.25F, at[1], at[2]); });
  alike("descend", {x, y}, [](device& on, const auto& at) { on.descend(count, 0.1F, at[0], at[1]); });
}

TEST_CASE("marks are in the order of the calls, on the host's clock, and hold behind finish") {
  one_gpu gpu;
  device& on = *gpu.machine.on;
  float* const data = on.allocate(1 << 20U);
  for (int turn = 0; turn < 3; ++turn) {
    on.finish();
    const double before = executor::steady_seconds();
    std::vector<device::mark> marks;
    for (int i = 0; i < 20; ++i) {
      on.fill(data, 1 << 20U, 1);
      marks.push_back(on.now());
    }
    on.finish();
    const double after = executor::steady_seconds();
    CHECK(on.seconds(marks.front()) >= before - 1e-3);
    CHECK(on.seconds(marks.back()) <= after + 1e-3);
    for (std::size_t i = 1; i < marks.size(); ++i) CHECK(on.seconds(marks[i - 1]) < on.seconds(marks[i]));
  }
}

TEST_CASE("a model's gradients on one GPU are those of the host") {
  for (const unsigned seed : {1, 2, 3}) {
    const auto setup = model_run("gpipe", 1, 1, seed);
    const auto wanted = executor::run_threads(setup);
    const auto machines = executor::make_gpu_machines(1);
    MESSAGE(machines.text);
    const auto got = executor::run_threads(setup, machines.make);
    check_equal(got, wanted.at(0).computed);
    CHECK(got.at(0).peak_bytes == wanted.at(0).peak_bytes);
  }
}

TEST_CASE("pipelines of four ranks on one GPU compute what one rank on the host does") {
  const auto wanted = executor::run_threads(model_run("gpipe", 1, 1, 1)).at(0).computed;
  struct row {
    const char* schedule;
    std::size_t chunks;
  };
  struct way {
    std::vector<std::size_t> parts;
    bool self_nccl;
  };
  for (const auto& [parts, self_nccl] : {way{{}, false}, way{{32, 16, 16, 8}, false}, way{{}, true}}) {
    executor::gpu_machines machines;
    try {
      machines = executor::make_gpu_machines(4, {.multiprocessors = parts, .self_nccl = self_nccl});
    } catch (const std::runtime_error& error) {
      REQUIRE_FALSE(parts.empty());
      MESSAGE("left out: ", error.what());  // too few multiprocessors
      continue;
    }
    MESSAGE(machines.text);
    for (const auto& [schedule, chunks] : {row{"gpipe", 1}, row{"1f1b", 1}, row{"zb-h1", 1}, row{"interleaved", 2}}) {
      CAPTURE(schedule);
      CAPTURE(self_nccl);
      try {
        const auto got = executor::run_threads(model_run(schedule, 4, chunks, 1), machines.make);
        check_equal(got, wanted);
        check_times(got);
      } catch (const executor::rank_failed& error) {
        const bool without = std::string(error.what()).find("built without NCCL") != std::string::npos;
        if (!self_nccl || !without) throw;
        MESSAGE("left out: ", error.what());
      }
    }
  }
}

TEST_CASE("a rank that throws on a GPU is named with its op, and the others end with it") {
  auto setup = model_run("1f1b", 4, 1, 1);
  setup.timeout = 10;
  setup.fault = {.kind = "throw", .at = "1B0"};
  const auto machines = executor::make_gpu_machines(4);
  const double start = executor::steady_seconds();
  CHECK_THROWS_WITH_AS(static_cast<void>(executor::run_threads(setup, machines.make)),
                       "rank 1, 1B0: a fault that was asked for", executor::rank_failed);
  CHECK(executor::steady_seconds() - start < 3 * setup.timeout);
}

int main(int count, char** words) {
  if (executor::gpu_count() == 0) {
    std::puts("skipped: there is no GPU");
    return 77;
  }
  return doctest::Context(count, words).run();
}
