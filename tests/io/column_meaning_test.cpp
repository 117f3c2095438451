// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/column_meaning.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace io = stagecut::io::detail;
using io::column;

namespace {

/// What a name means: our name, and what 1 becomes where it has a unit.
std::string meaning(std::string_view name) {
  const io::column_meaning what = io::meaning_of(name);
  std::string text(io::column_name(what.what));
  if (what.counts) text += " counts";
  if (what.ambiguous) text += "?";
  return what.unit.word.empty() ? text : text + " " + std::string(what.unit.word);
}

}  // namespace

TEST_CASE("our own names") {
  for (int i = 0; i < static_cast<int>(column::unknown); ++i) {
    const std::string name(io::column_name(static_cast<column>(i)));
    CHECK(meaning(name) == name);
  }
}

TEST_CASE("times") {
  for (const char* const name : {"fwd", "FORWARD", "forward_time", "time_forward", "Fwd Latency", "forward-pass",
                                 "mean fwd time", "forward_compute_time"}) {
    CHECK(meaning(name) == "forward");
  }
  CHECK(meaning("forward_ms") == "forward ms");
  CHECK(meaning("fwd (us)") == "forward us");
  CHECK(meaning("bwd[ns]") == "backward ns");
  CHECK(meaning("backward_seconds") == "backward seconds");
  CHECK(meaning("Time of backward in ms") == "backward ms");
  CHECK(meaning("bwd_input_ms") == "backward_input ms");
  CHECK(meaning("dgrad") == "backward_input");
  CHECK(meaning("backward weight grad time") == "backward_weight");
  CHECK(meaning("bwd_weights") == "backward_weight");
  CHECK(meaning("wgrad_us") == "backward_weight us");
  CHECK(meaning("latency_ms") == "time ms");
  CHECK(meaning("Duration") == "time");
}

TEST_CASE("bytes") {
  CHECK(meaning("mem_mb") == "activations mb");
  CHECK(meaning("Memory") == "activations");
  CHECK(meaning("activation_memory (MiB)") == "activations mib");
  CHECK(meaning("act_kb") == "activations kb");
  CHECK(meaning("params") == "parameters");
  CHECK(meaning("parameter_bytes") == "parameters bytes");
  CHECK(meaning("weights_mb") == "parameters mb");
  CHECK(meaning("weight_size") == "parameters");
  CHECK(meaning("weight_mb") == "parameters mb");
  CHECK(meaning("param_size_b") == "parameters b");
  CHECK(meaning("output_kb") == "output kb");
  CHECK(meaning("Output Activations [GiB]") == "output gib");
  CHECK(meaning("workspace_size") == "workspace");
  CHECK(meaning("resident TB") == "resident tb");
  for (const char* const name :
       {"parameter_count", "num_params", "params_count", "n_params", "#params", "Param #", "number of parameters"}) {
    CHECK(meaning(name) == "parameters counts");
  }
  CHECK(meaning("params (M)") == "parameters counts m");
  CHECK(meaning("params_k") == "parameters counts k");
  CHECK(meaning("num_params_b") == "parameters counts b");
  CHECK(io::meaning_of("num_params_b").unit(2) == 2e9);
  CHECK(meaning("params (B)") == "parameters? b");
}

TEST_CASE("names and kinds") {
  for (const char* const name : {"layer", "Layer Name", "module", "op", "operator", "op_name"})
    CHECK(meaning(name) == "name");
  for (const char* const name : {"type", "op_type", "Layer (type)", "Kind"}) CHECK(meaning(name) == "kind");
  CHECK(io::meaning_of("Name").calls_it_name);
  CHECK(!io::meaning_of("layer_name").calls_it_name);
  CHECK(!io::meaning_of("type").calls_it_name);
}

TEST_CASE("what is none of ours, also where some words are") {
  for (const char* const name : {"",
                                 "x",
                                 "s",
                                 "k",
                                 "ms",
                                 "mb",
                                 "bytes",
                                 "size",
                                 "weight",
                                 "forward_mb",
                                 "forward_bytes",
                                 "memory_ms",
                                 "output_shape",
                                 "forward_memory",
                                 "forward_backward",
                                 "forward_ms_us",
                                 "peak memory",
                                 "std fwd",
                                 "params_ms",
                                 "param_count_gb",
                                 "backward_params",
                                 "layers (M)",
                                 "count",
                                 "activation_count",
                                 "bytes per parameter",
                                 "mean",
                                 "input",
                                 "fwdms",
                                 "forward %",
                                 "forward (%)",
                                 "% of memory",
                                 "memory ($)",
                                 "output+activations",
                                 "forward (\xE2\x82\xAC)"}) {
    CHECK_MESSAGE(io::meaning_of(name).what == column::unknown, name);
  }
}
