// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/core/config.hpp>

// The optional members of a pipeline model. Without these checks, a member with the wrong form would be silently ignored.
namespace stagecut::inline STAGECUT_ABI::detail {

// How each member is called, with any numbers, and how its address is taken.
struct ask_backward_weight {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.backward_weight(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::backward_weight);
};
struct ask_backward_input {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.backward_input(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::backward_input);
};
struct ask_stage_forward {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.stage_forward(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::stage_forward);
};
struct ask_stage_backward {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.stage_backward(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::stage_backward);
};
struct ask_stage_backward_weight {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.stage_backward_weight(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::stage_backward_weight);
};
struct ask_sent {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.sent(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::sent);
};
struct ask_memory {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.memory(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::memory);
};
struct ask_least_memory {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.least_memory(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::least_memory);
};
struct ask_recomputed {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.recomputed(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::recomputed);
};
struct ask_recomputed_apart {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.recomputed_apart(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::recomputed_apart);
};
struct ask_recomputes {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.recomputes(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::recomputes);
};
struct ask_splits_backward {
  template <class Model, class... Numbers>
  auto operator()(Model& model, Numbers... numbers) const -> decltype(model.splits_backward(numbers...));
  template <class Model>
  auto address() const -> decltype(&Model::splits_backward);
};

/// Whether a model has that member: a const call with these numbers returns a number.
template <class Ask, class Model, class... Numbers>
concept has_member = requires(const Ask& ask, const Model& model, Numbers... numbers) {
  { ask(model, numbers...) } -> std::convertible_to<double>;
};

/// Whether it can be called with that many numbers, possibly not const.
template <class Ask, class Model, class... Numbers>
concept called_with = requires(const Ask& ask, Model& model, Numbers... numbers) {
  ask(model, numbers...);
};

/// Whether a model has a visible or callable member of that name in another form. A member that its own constraints
/// disable does not count.
template <class Ask, class Model, class... Numbers>
concept wrong_member = !has_member<Ask, Model, Numbers...> &&
                       (requires(const Ask& ask) { ask.template address<Model>(); } || called_with<Ask, Model> ||
                        called_with<Ask, Model, std::size_t> || called_with<Ask, Model, std::size_t, std::size_t> ||
                        called_with<Ask, Model, std::size_t, std::size_t, std::size_t> ||
                        called_with<Ask, Model, std::size_t, std::size_t, std::size_t, std::size_t>);

// Both checks for each member.
template <class Model>
concept has_backward_weight = has_member<ask_backward_weight, Model, std::size_t, std::size_t>;
template <class Model>
concept wrong_backward_weight = wrong_member<ask_backward_weight, Model, std::size_t, std::size_t>;
template <class Model>
concept has_backward_input = has_member<ask_backward_input, Model, std::size_t, std::size_t>;
template <class Model>
concept wrong_backward_input = wrong_member<ask_backward_input, Model, std::size_t, std::size_t>;
template <class Model>
concept has_stage_forward = has_member<ask_stage_forward, Model, std::size_t>;
template <class Model>
concept wrong_stage_forward = wrong_member<ask_stage_forward, Model, std::size_t>;
template <class Model>
concept has_stage_backward = has_member<ask_stage_backward, Model, std::size_t>;
template <class Model>
concept wrong_stage_backward = wrong_member<ask_stage_backward, Model, std::size_t>;
template <class Model>
concept has_stage_backward_weight = has_member<ask_stage_backward_weight, Model, std::size_t>;
template <class Model>
concept wrong_stage_backward_weight = wrong_member<ask_stage_backward_weight, Model, std::size_t>;
template <class Model>
concept has_sent = has_member<ask_sent, Model, std::size_t>;
template <class Model>
concept wrong_sent = wrong_member<ask_sent, Model, std::size_t>;
template <class Model>
concept has_memory = has_member<ask_memory, Model, std::size_t, std::size_t, std::size_t, std::size_t>;
template <class Model>
concept wrong_memory = wrong_member<ask_memory, Model, std::size_t, std::size_t, std::size_t, std::size_t>;
template <class Model>
concept has_least_memory = has_member<ask_least_memory, Model, std::size_t, std::size_t, std::size_t, std::size_t>;
template <class Model>
concept wrong_least_memory = wrong_member<ask_least_memory, Model, std::size_t, std::size_t, std::size_t, std::size_t>;
template <class Model>
concept has_recomputed = has_member<ask_recomputed, Model, std::size_t, std::size_t, std::size_t>;
template <class Model>
concept wrong_recomputed = wrong_member<ask_recomputed, Model, std::size_t, std::size_t, std::size_t>;
template <class Model>
concept has_recomputed_apart = has_member<ask_recomputed_apart, Model, std::size_t, std::size_t, std::size_t>;
template <class Model>
concept wrong_recomputed_apart = wrong_member<ask_recomputed_apart, Model, std::size_t, std::size_t, std::size_t>;
template <class Model>
concept has_recomputes = has_member<ask_recomputes, Model>;
template <class Model>
concept wrong_recomputes = wrong_member<ask_recomputes, Model>;
template <class Model>
concept has_splits_backward = has_member<ask_splits_backward, Model>;
template <class Model>
concept wrong_splits_backward = wrong_member<ask_splits_backward, Model>;

/// Whether a model has recomputed bytes.
template <class Model>
[[nodiscard]] constexpr bool recomputes(const Model& model) {
  if constexpr (has_recomputed<Model> && has_recomputes<Model>) return static_cast<bool>(model.recomputes());
  return has_recomputed<Model>;
}

/// Fails to compile for a model with such a member in another form.
template <class Model>
constexpr void check_pipeline_members() noexcept {
  static_assert(!wrong_backward_weight<Model>,
                "a pipeline model's backward_weight has to be backward_weight(stage, item) const and a number: see "
                "pipeline_model");
  static_assert(!wrong_backward_input<Model>,
                "a pipeline model's backward_input has to be backward_input(stage, item) const and a number: see "
                "pipeline_model");
  static_assert(
      !wrong_stage_forward<Model>,
      "a pipeline model's stage_forward has to be stage_forward(stage) const and a number: see pipeline_model");
  static_assert(
      !wrong_stage_backward<Model>,
      "a pipeline model's stage_backward has to be stage_backward(stage) const and a number: see pipeline_model");
  static_assert(!wrong_stage_backward_weight<Model>,
                "a pipeline model's stage_backward_weight has to be stage_backward_weight(stage) const and a number: "
                "see pipeline_model");
  static_assert(!wrong_sent<Model>,
                "a pipeline model's sent has to be sent(cut) const and a number: see pipeline_model");
  static_assert(!wrong_memory<Model>,
                "a pipeline model's memory has to be memory(stage, first, last, in_flight) const and a number: see "
                "pipeline_model");
  static_assert(!wrong_least_memory<Model>,
                "a pipeline model's least_memory has to be least_memory(stage, first, last, in_flight) const and a "
                "number: see pipeline_model");
  static_assert(!wrong_recomputed<Model>,
                "a pipeline model's recomputed has to be recomputed(stage, first, last) const and a number: see "
                "pipeline_model");
  static_assert(
      !wrong_recomputed_apart<Model>,
      "a pipeline model's recomputed_apart has to be recomputed_apart(stage, first, last) const and a number: "
      "see pipeline_model");
  static_assert(!wrong_recomputes<Model>,
                "a pipeline model's recomputes has to be recomputes() const and a number: see pipeline_model");
  static_assert(
      !wrong_splits_backward<Model>,
      "a pipeline model's splits_backward has to be splits_backward() const and a number: see pipeline_model");
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
