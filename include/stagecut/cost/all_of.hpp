// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// One of the parts of an `all_of`, which may hold several of one type.
template <std::size_t Index, class Part>
struct numbered_part {
  Part part;
};

template <class Indices, class... Parts>
struct numbered_parts;
template <std::size_t... Index, class... Parts>
struct numbered_parts<std::index_sequence<Index...>, Parts...> : numbered_part<Index, Parts>... {
  constexpr explicit numbered_parts(Parts&&... parts) : numbered_part<Index, Parts>{std::move(parts)}... {}

  /// `function(PART...)`.
  template <class Function>
  constexpr decltype(auto) apply(const Function& function) const {
    return function(static_cast<const numbered_part<Index, Parts>&>(*this).part...);
  }
};

/// Several constraints at once, on a device.
template <class Indices, class... Parts>
struct placed_parts;
template <std::size_t... Index, class... Parts>
struct placed_parts<std::index_sequence<Index...>, Parts...> : numbered_part<Index, Parts>... {
  [[nodiscard]] STAGECUT_HOST_DEVICE bool operator()([[maybe_unused]] std::size_t stage,
                                                     [[maybe_unused]] std::size_t first,
                                                     [[maybe_unused]] std::size_t last) const {
    return (... && static_cast<bool>(static_cast<const numbered_part<Index, Parts>&>(*this).part(stage, first, last)));
  }
};

}  // namespace detail

/// The constraint that several hold at once: a stage may be what all of them allow. It holds a copy of each.
///
/// Promises what all of them promise. Whether they allow a stage, they are asked in their order up to the first that does
/// not.
template <stage_constraint... Parts>
class all_of {
 public:
  /// What it promises.
  using axioms = axiom<((hereditary | stage_invariant).bits & ... & enable_axioms<Parts>.bits)>;

  /// All of `parts`; of none of them: everything is allowed.
  constexpr explicit all_of(Parts... parts) : parts_(std::move(parts)...) {}

  /// Whether all allow the items `[first, last)` as that stage.
  [[nodiscard]] constexpr bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return parts_.apply([=](const Parts&... part) { return (... && static_cast<bool>(part(stage, first, last))); });
  }

  /// Whether one of them allows neither these items nor any more behind them, as far as it tells.
  [[nodiscard]] constexpr bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    return parts_.apply([=](const Parts&... part) {
      return (... || detail::hopeless(part, stage, first, last, static_cast<bool>(part(stage, first, last))));
    });
  }

  /// Why no cut into so many stages keeps to the first of them that can tell; none if none can. One alone may be kept
  /// to, and all together not.
  [[nodiscard]] std::optional<reason> obstacle(std::size_t items, std::size_t stages) const {
    std::optional<reason> why;
    const auto ask = [&](const auto& part) {
      if constexpr (requires { part.obstacle(items, stages); }) {
        if (!why) why = part.obstacle(items, stages);
      }
    };
    parts_.apply([&](const Parts&... part) { (ask(part), ...); });
    return why;
  }

  /// The same constraint, from copies of what the parts hold: see `memory_for`. What it is asked is not checked.
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    using result = detail::placed_parts<std::index_sequence_for<Parts...>, detail::placed_t<Parts, Memory>...>;
    return parts_.apply([&](const Parts&... part) { return result{{detail::placed(part, memory)}...}; });
  }

 private:
  detail::numbered_parts<std::index_sequence_for<Parts...>, Parts...> parts_;
};

}  // namespace stagecut::inline STAGECUT_ABI
