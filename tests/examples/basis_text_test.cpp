// SPDX-License-Identifier: BSL-1.0
#include "output/basis_text.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace {

/// What the times of a profile rest on that was computed so.
std::string basis(const std::string& computed, bool inference = false) {
  stagecut::profile model;
  model.inference = inference;
  model.unknown_fields = R"({"computed": {)" + computed + "}}";
  return basis_text(model);
}

/// The same of a model on a device.
std::string basis_of(const std::string& kind, const std::string& precision, const std::string& device) {
  const std::string experts =
      kind == "dense" ? R"("parameters": 9, "active_parameters": 9)" : R"("parameters": 9, "active_parameters": 2)";
  const std::string hybrid = kind == "hybrid" ? R"(, "hybrid": true)" : "";
  return basis(fmt::format(R"({}{}, "precision": "{}", "device": "{}")", experts, hybrid, precision, device));
}

}  // namespace

TEST_CASE("times that were computed say how far they were from published runs of their kind") {
  for (const auto& row : all_validated_runs) {
    CAPTURE(row.kind);
    CAPTURE(row.device);
    const std::string fitted = row.fitted == 0          ? "the constants fitted to others"
                               : row.fitted != row.runs ? fmt::format("the constants fitted to {} of them", row.fitted)
                               : row.runs == 1          ? "the constants fitted to it"
                                                        : "the constants fitted to them";
    const std::string errors =
        row.runs == 1
            ? fmt::format("1 published run of its kind on this device, {}: {:.1f} % off", fitted, row.median)
            : fmt::format("{} published runs of its kind on this device, {}: {:.1f} % off in the median, {:.0f} % at most", row.runs,
                          fitted, row.median, row.worst);
    CHECK(basis_of(row.kind, row.precision, row.device) == "times computed, not measured; " + errors);
  }
  const auto of_16_bits = std::find_if(std::begin(all_validated_runs), std::end(all_validated_runs),
                                       [](const auto& row) { return std::string(row.precision) == "bf16"; });
  REQUIRE(of_16_bits != std::end(all_validated_runs));
  CHECK(basis_of(of_16_bits->kind, "fp16", of_16_bits->device) ==
        basis_of(of_16_bits->kind, "bf16", of_16_bits->device));
}

TEST_CASE("times of other kinds, precisions and devices say that they are not validated") {
  CHECK(basis_of("dense", "fp32", "a100-80gb") ==
        "times computed, not measured; not validated for dense models in fp32 on a100-80gb");
  CHECK(basis_of("experts", "bf16", "mi300x-192gb") ==
        "times computed, not measured; not validated for mixtures of experts in bf16 on mi300x-192gb");
  CHECK(basis_of("hybrid", "nvfp4", "own") ==
        "times computed, not measured; not validated for hybrids of Mamba and experts in nvfp4 on own");
  CHECK(basis(R"("device": 3)") == "times computed, not measured; not validated for dense models in bf16 on this device");
  CHECK(basis("").empty());  // nothing was computed
  CHECK(basis_text({}).empty());
}

TEST_CASE("times with other constants, or figures of the device, do not claim the errors of published runs") {
  CHECK(basis(R"("device": "a100-80gb", "efficiency": {"gemm": 0.5})") ==
        "times computed, not measured; with other constants than those of the published runs");
  CHECK(basis(R"("device": "a100-80gb", "efficiency": {"gemm": 0.87})").find("published runs of its kind") != std::string::npos);
  CHECK(basis(R"("device": "a100-80gb", "other_figures": true)") ==
        "times computed, not measured; not validated with these figures of the device");
}

TEST_CASE("measured times, and times of serving, say so") {
  CHECK(basis(R"("measured": true)") == "times measured, the rest computed");
  CHECK(basis(R"("device": "a100-80gb")", true) == "times computed, not measured; serving is not validated");
}

TEST_CASE("the table of published runs has each kind, precision and device once") {
  for (const auto& row : all_validated_runs) {
    CHECK(row.runs > 0);
    CHECK(row.fitted >= 0);
    CHECK(row.fitted <= row.runs);
    CHECK(row.worst >= row.median);
    CHECK(std::count_if(std::begin(all_validated_runs), std::end(all_validated_runs), [&](const auto& other) {
            return std::string(other.kind) == row.kind && std::string(other.precision) == row.precision &&
                   std::string(other.device) == row.device;
          }) == 1);
  }
}
