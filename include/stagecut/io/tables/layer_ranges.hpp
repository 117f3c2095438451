// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The pass that the name of a range states.
enum class range_pass : std::uint8_t {
  unstated,  ///< `layers.3`
  forward,   ///< `layers.3 forward`
  backward   ///< `layers.3 backward`
};

/// A layer that a range of a profiler stands for.
struct range_layer {
  std::string layer{};                     ///< name of the layer
  range_pass pass = range_pass::unstated;  ///< the pass in the range's name

  /// Equal in every part.
  friend bool operator==(const range_layer&, const range_layer&) = default;
};

/// Which ranges of a profiler are layers: NVTX ranges, `record_function` of PyTorch, its modules.
///
/// Names are compared without the prefix `nn.Module: ` of PyTorch's profiler. A range may end in a pass: `forward`, `fwd`,
/// `backward`, `bwd`, after a space or one of `/:._-`.
class layer_ranges {
 public:
  /// Adds ranges.
  ///
  /// @param range  their name; one `*` in it stands for a number: `LlamaDecoderLayer_*`
  /// @param layer  the layer's name; `*` in it becomes the same number, plus N if the name ends with `+N`:
  ///               `layers.*+8`; empty: the name of the range
  /// @throws       argument_error for no name, a name with several `*`, and a layer with `*` for ranges without
  STAGECUT_DECL void add(std::string_view range, std::string_view layer = "");

  /// The layer of a range; none if the range is no layer. Names without `*` take precedence over those with, earlier ones
  /// over later ones; the whole name over the name without its pass. O(log(names) + patterns).
  [[nodiscard]] STAGECUT_DECL std::optional<range_layer> find(std::string_view range) const;

  /// Whether there are none.
  [[nodiscard]] bool empty() const noexcept { return names_.empty() && patterns_.empty(); }

 private:
  struct pattern {
    std::string before{}, after{};  // the number in the range's name
    std::string layer{};
    std::uint64_t added = 0;  // to the number in the layer's name
  };

  [[nodiscard]] std::optional<std::string> layer_of(std::string_view range) const;

  std::map<std::string, std::string, std::less<>> names_{};
  std::vector<pattern> patterns_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/layer_ranges.ipp>
#endif
