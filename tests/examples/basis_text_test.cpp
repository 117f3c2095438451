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
    CHECK(basis_of(row.kind, row.precision, row.device) ==
          fmt::format("times computed, not measured; {} published {} of its kind on this device: {:.1f} % off in the "
                      "median, {:.0f} % at most",
                      row.runs, row.runs == 1 ? "run" : "runs", row.median, row.worst));
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
  CHECK(basis("") == "times computed, not measured; not validated for dense models in bf16 on this device");
}

TEST_CASE("measured times, and times of serving, say so") {
  CHECK(basis(R"("measured": true)") == "times measured, the rest computed");
  CHECK(basis(R"("device": "a100-80gb")", true) == "times computed, not measured; serving is not validated");
}

TEST_CASE("the table of published runs has each kind, precision and device once") {
  for (const auto& row : all_validated_runs) {
    CHECK(row.runs > 0);
    CHECK(row.worst >= row.median);
    CHECK(std::count_if(std::begin(all_validated_runs), std::end(all_validated_runs), [&](const auto& other) {
            return std::string(other.kind) == row.kind && std::string(other.precision) == row.precision &&
                   std::string(other.device) == row.device;
          }) == 1);
  }
}
