// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// What a run is set to beside its stages, so that it is the one that was predicted: of a profile that was computed, its member
/// `computed` says it; what was measured says nothing, and then all is 1 but for what the plan chose.
struct run_settings {
  std::size_t tensor = 1;          ///< devices that share a layer's matrices
  std::size_t context = 1;         ///< that share the tokens of a sample
  std::size_t expert = 1;          ///< that share the experts, whole ones
  std::size_t data = 1;            ///< replicas
  std::size_t zero = 0;            ///< the stage of ZeRO
  std::size_t sequence = 0;        ///< tokens of a sample; 0: not known
  std::size_t samples = 0;         ///< of a microbatch; 0: not known
  std::size_t microbatches = 0;    ///< of a replica in an iteration; 0: not known
  bool experts = false;            ///< whether a token meets a part of the parameters alone
  bool sequence_parallel = false;  ///< whether the devices that share matrices share norms and dropouts, too
  bool flash = true;               ///< whether attention is FlashAttention
  std::string precision{};         ///< `bf16`, `fp16`, `fp32`, `fp8`; empty: not known
  std::string overlap{};  ///< of messages among those that share matrices: `none`, `bwd`, `ub`; empty: not known

  /// Samples of an iteration, of all replicas; 0: not known.
  [[nodiscard]] std::size_t global_batch() const noexcept { return samples * microbatches * data; }
};

/// Those that a profile was computed with.
[[nodiscard]] STAGECUT_DECL run_settings settings_of(const profile& model);

/// Those of a plan, whose first stage says what it chose.
[[nodiscard]] STAGECUT_DECL run_settings settings_of(const plan& p);

/// Why a framework does not train with these; empty: nothing is known against it.
[[nodiscard]] STAGECUT_DECL std::string settings_obstacle(const target_entry& entry, const run_settings& run);

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/run_settings.ipp>
#endif
