// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <type_traits>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

template <class Signature>
class function_ref;

/// Refers to a function object that takes `Arguments` and returns `Result`, or to none. Non-owning: the function object
/// must outlive it, so temporaries are rejected.
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  using may_be_empty = void;  ///< what is made of an empty one is empty

  /// None.
  constexpr function_ref() noexcept = default;

  /// @param function  must outlive this object
  template <class Function>
  requires(
      !std::same_as<std::remove_const_t<Function>, function_ref> && std::is_object_v<Function> &&
      std::is_invocable_r_v<
          Result, Function&,
          Arguments...>) constexpr function_ref(Function& function) noexcept  // NOLINT(google-explicit-constructor)
      : object_(static_cast<const void*>(__builtin_addressof(function))), call_(&called<Function>) {
    if constexpr (requires { typename Function::may_be_empty; }) {  // a callback
      if (!function) call_ = nullptr;
    }
  }

  /// A temporary would be destroyed before the call.
  template <class Function>
  requires(!std::same_as<Function, function_ref> && !std::is_lvalue_reference_v<Function>)
      function_ref(const Function&&)
  = delete;

  /// Whether there is a function.
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return call_ != nullptr; }

  /// Calls it.
  /// @pre there is one
  constexpr Result operator()(Arguments... values) const { return call_(object_, values...); }

 private:
  // Of a lambda there would be three functions for each `Function`.
  template <class Function>
  static constexpr Result called(const void* object, Arguments... values) {
    return static_cast<Result>((*static_cast<Function*>(const_cast<void*>(object)))(values...));
  }

  const void* object_ = nullptr;
  Result (*call_)(const void*, Arguments...) = nullptr;
};

}  // namespace stagecut::inline STAGECUT_ABI
