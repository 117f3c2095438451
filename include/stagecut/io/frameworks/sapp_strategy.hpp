// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The layers of every stage and their recomputation, in the format of SAPP and `as_sapp`.
struct sapp_strategy {
  std::string name{};                 ///< its key in the file; empty: the file has only one
  std::size_t stages_per_rank = 1;    ///< stages per rank
  std::vector<std::size_t> layers{};  ///< of every stage, in the order of the model
  /// For every stage, the number of layers with `none`, `select`, `comm`, `both` and `full`.
  std::vector<std::vector<std::size_t>> counts{};

  /// Equal in every part.
  friend bool operator==(const sapp_strategy&, const sapp_strategy&) = default;
};

/// Reads a strategy: `offset`, `recompute`, `select_recompute`, `select_comm_recompute`, each a list of lists, with a row
/// for each stage of a rank and a column for each rank; a list, for one stage per rank; or 0, false or true for all
/// stages. A count includes the stronger kinds. Ignores other members.
///
/// `interleave_num` is the number of stages per rank, if no list determines it.
///
/// @param text    in the YAML that `io::detail::parse_yaml` reads, or JSON
/// @param source  the text's name in errors: its file name
/// @param ranks   of the pipeline, at least 1
/// @param layers  of the model's body
/// @param limits  limits on the input
/// @throws        invalid_input at `SOURCE:LINE` for invalid YAML, else at `SOURCE#POINTER`: no `offset`, lists of
///                another length, invalid numbers of layers, layers that do not add up to the model's, more recomputed
///                layers than a stage holds
///
/// Source: the strategies of SAPP's pipeline balance: the input of its option `-manual`, and its output.
[[nodiscard]] STAGECUT_DECL sapp_strategy read_sapp_strategy(std::string_view text, std::string_view source,
                                                             std::size_t ranks, std::size_t layers,
                                                             const read_limits& limits = {});

/// Reads a file of strategies, `manual1:` and further ones, each an object for `read_sapp_strategy`, with any number of
/// stages per rank; or the strategy of a file that has only one. In the order of the file.
///
/// @throws  as `read_sapp_strategy`
[[nodiscard]] STAGECUT_DECL std::vector<sapp_strategy> read_sapp_strategies(std::string_view text,
                                                                            std::string_view source, std::size_t ranks,
                                                                            std::size_t layers,
                                                                            const read_limits& limits = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sapp_strategy.ipp>
#endif
