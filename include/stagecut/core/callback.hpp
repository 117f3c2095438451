// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

template <class Signature>
class callback;

/// Owns a function object that takes `Arguments` and returns `Result`, or is empty. Copies share the function object, so a
/// request that has one may be copied and returned; `std::ref` makes it refer to a function object that the caller owns.
///
/// Smaller than `std::function`, whose header is longer than all others of a request. Copies may be made and destroyed by
/// several threads at once.
template <class Result, class... Arguments>
class callback<Result(Arguments...)> {
 public:
  using may_be_empty = void;  ///< what is made of an empty one is empty

  /// Empty.
  constexpr callback() noexcept = default;

  /// @param function  copied or moved from; a null pointer to a function makes an empty callback
  template <class Function>
  requires(!std::same_as<std::remove_cvref_t<Function>, callback> &&
           std::is_constructible_v<std::decay_t<Function>, Function> &&
           std::is_invocable_r_v<Result, std::decay_t<Function>&, Arguments...>)
      callback(Function&& function) {  // NOLINT(google-explicit-constructor)
    using stored_t = std::decay_t<Function>;
    if constexpr (std::is_pointer_v<stored_t>) {
      const stored_t pointer = function;
      if (pointer != nullptr) held_ = new stored<stored_t>(pointer);
    } else {
      if constexpr (requires { typename stored_t::may_be_empty; }) {  // a function_ref
        if (!function) return;
      }
      held_ = new stored<stored_t>(std::forward<Function>(function));
    }
  }

  /// The same function object.
  /// @{
  callback(const callback& other) noexcept : held_(other.held_) {
    if (held_ != nullptr) __atomic_add_fetch(&held_->owners, 1, __ATOMIC_RELAXED);
  }
  callback(callback&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  callback& operator=(callback other) noexcept {
    std::swap(held_, other.held_);
    return *this;
  }
  /// @}

  constexpr ~callback() {
    if (held_ != nullptr && __atomic_sub_fetch(&held_->owners, 1, __ATOMIC_ACQ_REL) == 0) delete held_;
  }

  /// Whether there is a function object.
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return held_ != nullptr; }

  /// Calls it.
  /// @pre there is one
  Result operator()(Arguments... values) const { return held_->call(std::forward<Arguments>(values)...); }

 private:
  struct holder {
    virtual ~holder() = default;
    virtual Result call(Arguments... values) = 0;
    unsigned long owners = 1;
  };
  template <class Function>
  struct stored final : holder {
    template <class Given>
    explicit stored(Given&& given) : function(std::forward<Given>(given)) {}
    Result call(Arguments... values) override {
      return static_cast<Result>(function(std::forward<Arguments>(values)...));
    }
    Function function;
  };

  holder* held_ = nullptr;
};

}  // namespace stagecut::inline STAGECUT_ABI
