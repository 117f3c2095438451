// SPDX-License-Identifier: BSL-1.0
#include "output/predicted_rates.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace {

/// Two stages, 8 microbatches of 2 samples of 100 tokens in 4 seconds.
stagecut::plan trained(const std::string& more) {
  stagecut::plan made;
  made.stages.resize(2);
  made.stages[1].device = 1;
  made.devices = 2;
  made.schedule = {"1f1b", 8, {}, 0};
  made.makespan = 4;
  made.profile.unknown_fields = R"({"computed": {"sequence": 100, "microbatch": 2, "flops": 10, "peak": 1000)" + more + "}}";
  return made;
}

}  // namespace

TEST_CASE("tokens a second of all GPUs and of each, and the share of the peak") {
  const auto rates = rates_of(trained(""));
  REQUIRE(rates);
  CHECK(rates->tokens == 8 * 2 * 100 / 4.0);
  CHECK(rates->gpus == 2);
  CHECK(*rates->utilisation == 10.0 * 400 / (2 * 1000));
  CHECK(rates_text(trained("")) ==
        "400 tokens/s, 200 for each of 2 GPUs, MFU 200.0 % (times computed, not measured; not "
        "validated for dense models in bf16 on this device; no GPU exceeds its peak: times and peak contradict each "
        "other)");
  const auto told = rates_json(trained(""));
  CHECK((told["tokens_per_second"] == 400.0 && told["tokens_per_second_per_gpu"] == 200.0 && told["gpus"] == 2 && told["mfu"] == 2.0));
}

TEST_CASE("the peak of devices of other speeds is as much higher") {
  auto fast = trained("");
  fast.speeds = {8, 2};
  CHECK(*rates_of(fast)->utilisation == 10.0 * 400 / (10 * 1000));
  CHECK(rates_of(fast)->basis == basis_text(fast.profile));
  for (auto& stage : fast.stages) stage.replicas = 2, stage.tensor_parallel = 2;
  CHECK(*rates_of(fast)->utilisation == 10.0 * 400 / (4 * 10 * 1000));
}

TEST_CASE("replicas and GPUs that share a stage count, several stages of a rank once") {
  const auto wide = rates_of(trained(R"(, "data_parallel": 4, "tensor_parallel": 8, "context_parallel": 2)"));
  CHECK(wide->gpus == 2 * 4 * 8 * 2);
  CHECK(wide->tokens == 4 * 400.0);
  auto chunks = trained("");
  chunks.stages.resize(4);
  chunks.stages[3].device = 1;
  CHECK(rates_of(chunks)->gpus == 2);
  auto replicas = trained("");
  for (auto& stage : replicas.stages) stage.replicas = 3, stage.tensor_parallel = 2;
  CHECK(rates_of(replicas)->gpus == 12);
  CHECK(rates_of(replicas)->tokens == 400);
  replicas.own_microbatches = true;
  CHECK(rates_of(replicas)->tokens == 1200);
}

TEST_CASE("large rates have all their digits, and where no token is known there is no rate") {
  auto fast = trained("");
  fast.makespan = 0.004;
  CHECK(rates_text(fast).starts_with("400000 tokens/s, 200000 for each of 2 GPUs"));
  auto none = trained("");
  none.makespan.reset();
  CHECK_FALSE(rates_of(none));
  none = trained("");
  none.profile.unknown_fields = "";
  CHECK_FALSE(rates_of(none));
  CHECK(rates_text(none).empty());
  CHECK(rates_json(none).is_null());
  none = trained("");
  none.edges = {{0, 1, 8}};
  CHECK_FALSE(rates_of(none));
}
