// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/dry_runs.hpp>

// SAPP's dry-run files.
namespace stagecut::inline STAGECUT_ABI::io {

/// How to read a file with several runs.
struct sapp_init_options {
  /// Whether the memory of the first and the last rank is from the last run, as in SAPP's program; false: from the first
  /// run, as in its documentation.
  bool ends_of_last_run = false;
  bool lenient = false;  ///< whether the layers of all ranks may add up to more or less than the model's
  /// Whether the memory is in logs: `memory_usage` may then be missing, and `sapp_init::to_measure` is filled.
  bool memory_elsewhere = false;
};

/// Seconds of the forward pass of one microbatch, if the file has them.
struct sapp_times {
  double head = 0;  ///< of what comes before the body
  double body = 0;  ///< of one of its layers
  double tail = 0;  ///< of what comes after it

  /// Equal in every part.
  friend bool operator==(const sapp_times&, const sapp_times&) = default;
};

/// The sources of times, if the file names them: see `read_mindspore_trace`.
struct sapp_traces {
  std::string folder{};                                                    ///< of the traces
  std::size_t microbatches = 1;                                            ///< of an iteration
  std::vector<std::string> head_layers{"LlamaEmbedding"};                  ///< names of the cells before the body
  std::vector<std::string> body_layers{"LLamaDecodeLayer"};                ///< names of the cells of the body
  std::vector<std::string> tail_layers{"lm_head-Linear", "LlamaRMSNorm"};  ///< names of the cells after the body

  /// Equal in every part.
  friend bool operator==(const sapp_traces&, const sapp_traces&) = default;
};

/// The content of such a file.
struct sapp_init {
  std::size_t ranks = 0;          ///< of the pipeline, with one stage each
  std::size_t layers = 0;         ///< of the model's body
  stagecut::dry_runs dry_runs{};  ///< body ranks, run by run in the order of the file, then the first and the last rank
  /// If requested, all ranks of all runs, in order, with all five choices; `bytes` is 0.
  stagecut::dry_runs to_measure{};
  std::optional<sapp_times> times{};    ///< if the file has times
  std::optional<sapp_traces> traces{};  ///< if the file has traces
};

/// Reads the input file of SAPP's pipeline balance: the memory of its ranks in one or several dry runs of 1F1B with one
/// stage per rank, where rank i of p keeps the activations of p - i microbatches. Milliseconds and MB of 2^20 bytes
/// become seconds and bytes.
///
/// `offset` is the number of layers of a rank beyond floor(`num_layer` / `pipeline_num`): 0, a list, or a list for each
/// run. `recompute`, `select_recompute` and `select_comm_recompute` are the numbers of recomputed layers, stronger kinds
/// included: true (all of them), false, a list, or one of these for each run. A setting that is not a list applies to
/// every run; a missing one is false. Choices are `none`, and those of `select`, `comm`, `both` and `full` that a rank
/// with known memory has run.
///
/// @param text     in the YAML that `io::detail::parse_yaml` reads, or JSON
/// @param source   the text's name in errors: its file name
/// @param options  how to read it
/// @param limits   limits on the input
/// @throws         invalid_input at `SOURCE:LINE` for invalid YAML, else at `SOURCE#POINTER`: a member that is missing,
///                 unknown or of the wrong type, lists whose length is not the number of ranks or runs, more recomputed
///                 layers than a rank holds, layers of all ranks that do not add up to the model's, the memory of a rank
///                 twice. Ignores other sections, and other members of `profiling_config`
///
/// O(runs ranks + n log n) for n ranks with known memory.
///
/// Source: the configuration of SAPP's pipeline balance, MindFormers 0b3a3b55. Deviations: there `true` fails, and
/// numbers of layers that do not add up are not detected: see `sapp_init_options`.
[[nodiscard]] STAGECUT_DECL sapp_init read_sapp_init(std::string_view text, std::string_view source,
                                                     const sapp_init_options& options = {},
                                                     const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sapp_init.ipp>
#endif
