// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <stagecut/core/host_device.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/parts/wrapped.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// One of the parts of an `all_of`, which may contain several of the same type.
template <std::size_t Index, class Part>
struct numbered_part {
  Part part;
};

template <class Indices, class... Parts>
struct numbered_parts;
template <std::size_t... Index, class... Parts>
struct numbered_parts<std::index_sequence<Index...>, Parts...> : numbered_part<Index, holder<Parts>>... {
  constexpr explicit numbered_parts(holder<Parts>&&... parts)
      : numbered_part<Index, holder<Parts>>{std::move(parts)}... {}

  /// `function(PART...)`.
  template <class Function>
  constexpr decltype(auto) apply(const Function& function) const {
    return function(*static_cast<const numbered_part<Index, holder<Parts>>&>(*this).part...);
  }
};

/// The conjunction of constraints, on a device.
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

/// The conjunction of constraints: allows a stage if all of them do.
///
/// Promises what all of them promise. Evaluates them in order up to the first that rejects a stage.
template <stage_constraint... Parts>
class all_of {
 public:
  /// What it promises.
  using axioms = axiom<((hereditary | stage_invariant).bits & ... & enable_axioms<Parts>.bits)>;

  /// All of `parts`; without parts, everything is allowed. Each is copied, or referred to if given as
  /// `std::cref(part)`.
  constexpr explicit all_of(detail::holder<Parts>... parts) : parts_(std::move(parts)...) {}

  /// Whether all allow the items `[first, last)` as that stage.
  [[nodiscard]] constexpr bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return parts_.apply([=](const Parts&... part) { return (... && static_cast<bool>(part(stage, first, last))); });
  }

  /// Whether one of them is known to reject these items and all extensions at the end.
  [[nodiscard]] constexpr bool hopeless(std::size_t stage, std::size_t first, std::size_t last) const {
    return parts_.apply([=](const Parts&... part) {
      return (... || detail::hopeless(part, stage, first, last, static_cast<bool>(part(stage, first, last))));
    });
  }

  /// Why no cut into that number of stages satisfies them, from the first that knows a reason; none if none does. The
  /// conjunction may be infeasible even so.
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

  /// The same constraint on copies of the parts' data: see `memory_for`. Arguments are not checked.
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    using result = detail::placed_parts<std::index_sequence_for<Parts...>,
                                        detail::placed_t<std::remove_cvref_t<Parts>, Memory>...>;
    return parts_.apply([&](const Parts&... part) { return result{{detail::placed(part, memory)}...}; });
  }

 private:
  detail::numbered_parts<std::index_sequence_for<Parts...>, Parts...> parts_;
};

/// The type, deduced from the arguments.
template <class... Parts>
all_of(Parts...) -> all_of<detail::wrapped_t<Parts>...>;

}  // namespace stagecut::inline STAGECUT_ABI
