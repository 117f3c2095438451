// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The layers of every stage and how they are run, as SAPP writes it, and `as_sapp` does.
struct sapp_strategy {
  std::string name{};                 ///< of the member that says it; empty: the file says one
  std::size_t chunks = 1;             ///< stages of every rank
  std::vector<std::size_t> layers{};  ///< of every stage, in the order of the model
  /// Of every stage how many layers are run as `none`, `select`, `comm`, `both` and `full`.
  std::vector<std::vector<std::size_t>> counts{};

  /// Equal in every part.
  friend bool operator==(const sapp_strategy&, const sapp_strategy&) = default;
};

/// Reads a strategy: `offset`, `recompute`, `select_recompute`, `select_comm_recompute`, each a list of lists, a row for
/// every chunk and a column for every rank; a list, for one chunk; or 0, false or true of all stages. A count holds those
/// of the stronger ways as well. Other members are left alone.
///
/// `interleave_num` is the number of chunks, where lists do not tell it.
///
/// @param text    in the YAML that `io::detail::parse_yaml` reads, or JSON
/// @param source  what errors call the text: the name of its file
/// @param ranks   of the pipeline, at least 1
/// @param layers  of the model's body
/// @param limits  how much is read
/// @throws        invalid_input at `SOURCE:LINE` where it is no such YAML, else at `SOURCE#POINTER`: no `offset`, lists of
///                another length, numbers that are none of layers, layers that are not those of the model, more recomputed
///                than a stage holds
///
/// Source: the strategies of SAPP's pipeline balance, what its option `-manual` reads and what it prints.
[[nodiscard]] STAGECUT_DECL sapp_strategy read_sapp_strategy(std::string_view text, std::string_view source,
                                                             std::size_t ranks, std::size_t layers,
                                                             const read_limits& limits = {});

/// Reads a file of strategies, `manual1:` and further ones, each an object as `read_sapp_strategy` reads it, of any number of
/// chunks; or the one of a file that is one. In the order of the file.
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
