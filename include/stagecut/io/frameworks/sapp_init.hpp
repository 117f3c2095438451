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

// SAPP's files of dry runs.
namespace stagecut::inline STAGECUT_ABI::io {

/// How a file of several runs is read.
struct sapp_init_options {
  /// Whether the memory of the first and the last rank is that of the last run, as SAPP's program takes it; false: of the
  /// first one, as its documentation says.
  bool ends_of_last_run = false;
  bool lenient = false;  ///< whether the layers of all ranks may be more or fewer than those of the model
  /// Whether logs tell the memory: `memory_usage` may be missing then, and `sapp_init::to_measure` is made.
  bool memory_elsewhere = false;
};

/// Seconds of the forward pass of one microbatch, where the file says them.
struct sapp_times {
  double head = 0;  ///< of what comes before the body
  double body = 0;  ///< of one of its layers
  double tail = 0;  ///< of what comes behind it

  /// Equal in every part.
  friend bool operator==(const sapp_times&, const sapp_times&) = default;
};

/// Where times are to be taken from, where the file says that: see `read_mindspore_trace`.
struct sapp_traces {
  std::string folder{};                                                    ///< of the traces
  std::size_t microbatches = 1;                                            ///< of an iteration
  std::vector<std::string> head_layers{"LlamaEmbedding"};                  ///< names of the cells before the body
  std::vector<std::string> body_layers{"LLamaDecodeLayer"};                ///< of those of the body
  std::vector<std::string> tail_layers{"lm_head-Linear", "LlamaRMSNorm"};  ///< of those behind it

  /// Equal in every part.
  friend bool operator==(const sapp_traces&, const sapp_traces&) = default;
};

/// What such a file tells.
struct sapp_init {
  std::size_t ranks = 0;          ///< of the pipeline, with one stage each
  std::size_t layers = 0;         ///< of the model's body
  stagecut::dry_runs dry_runs{};  ///< ranks of bodies run by run as the file has them, then the first and the last rank
  /// If that was asked for, all ranks of all runs, in order, with all five choices; `bytes` is 0.
  stagecut::dry_runs to_measure{};
  std::optional<sapp_times> times{};    ///< if it says times
  std::optional<sapp_traces> traces{};  ///< if it says traces
};

/// Reads a file that SAPP's pipeline balance is started with: what its ranks took in one or several dry runs of 1F1B with one
/// stage a rank, where rank i of p keeps the activations of p - i microbatches. Milliseconds and MB of 2^20 bytes become
/// seconds and bytes.
///
/// `offset` says by how many layers a rank has more than floor(`num_layer` / `pipeline_num`): 0, a list, or a list for
/// each run. `recompute`, `select_recompute` and `select_comm_recompute` say how many of them are recomputed, a count with
/// the stronger ways: true (all of them), false, a list, or one of these for each run. A setting that is no list holds in
/// every run; one that is missing is false. Choices are `none`, and of `select`, `comm`, `both` and `full` those that a
/// rank whose memory is said has run.
///
/// @param text     in the YAML that `io::detail::parse_yaml` reads, or JSON
/// @param source   what errors call the text: the name of its file
/// @param options  how it is read
/// @param limits   how much is read
/// @throws         invalid_input at `SOURCE:LINE` where it is no such YAML, else at `SOURCE#POINTER`: a member that is
///                 missing, not known or not of its type, lists that are not as long as there are ranks or runs, more layers
///                 recomputed than a rank holds, layers of all ranks that are not those of the model, the memory of a rank
///                 twice. Other sections, and other members of `profiling_config`, are left alone
///
/// O(runs ranks + n log n) for n ranks whose memory is said.
///
/// Source: the configuration of SAPP's pipeline balance, MindFormers 0b3a3b55. Deviations: there `true` fails, and layers that
/// do not come out are not noticed: see `sapp_init_options`.
[[nodiscard]] STAGECUT_DECL sapp_init read_sapp_init(std::string_view text, std::string_view source,
                                                     const sapp_init_options& options = {},
                                                     const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sapp_init.ipp>
#endif
