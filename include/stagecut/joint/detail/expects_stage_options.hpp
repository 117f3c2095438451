// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A type that would be a stage option model if its members were const.
template <class T>
concept mutable_for_stage_options =
    !stage_option_model<T> && requires(T & model, const stage_query& query, const any_option_visitor& visit) {
  model.size();
  model.each_option(query, visit);
};

/// Any other type that is not a stage option model.
template <class T>
concept no_stage_options = !stage_option_model<T> && !std::same_as<T, profile> && !mutable_for_stage_options<T>;

// Names for compiler errors about calls without a stage option model.
struct a_profile_is_no_stage_option_model_give_profile_options_of_it_and_device_choices;
struct size_and_each_option_of_a_stage_option_model_have_to_be_const;
struct a_stage_option_model_has_size_and_each_option_of_query_and_visit_as_profile_options;
struct a_stage_option_model_is_followed_by_a_hybrid_request;

/// Deleted overloads of the searches over stage options for common mistakes, explained in the first lines of a
/// compiler's message. The request is named where it may be in braces.
struct expects_stage_options {
  template <std::same_as<profile> Profile, class... Rest>
  a_profile_is_no_stage_option_model_give_profile_options_of_it_and_device_choices   //
  operator()(const Profile&, const hybrid_request&, const Rest&...) const = delete;  // profile_options(model, choices)
  template <mutable_for_stage_options Model, class... Rest>
  size_and_each_option_of_a_stage_option_model_have_to_be_const                    //
  operator()(const Model&, const hybrid_request&, const Rest&...) const = delete;  // declare its members const
  template <no_stage_options Other, class... Rest>
  a_stage_option_model_has_size_and_each_option_of_query_and_visit_as_profile_options  //
  operator()(const Other&, const hybrid_request&, const Rest&...) const = delete;  // stage_option_model: docs/hybrid.md
  template <class Model, class Other, class... Rest>
  requires(!std::convertible_to<const Other&, const hybrid_request&>)
      a_stage_option_model_is_followed_by_a_hybrid_request                    //
      operator()(const Model&, const Other&, const Rest&...) const = delete;  // (model, hybrid_request{…})
  template <class Model>
  a_stage_option_model_is_followed_by_a_hybrid_request  //
  operator()(const Model&) const = delete;              // (model, hybrid_request{…})
};

// How each optional member is called, possibly on a model that is not const, and how its address is taken.
struct ask_each_stage {
  template <class Model, class... Arguments>
  auto operator()(Model& model, const Arguments&... arguments) const -> decltype(model.each_stage(arguments...));
  template <class Model>
  auto address() const -> decltype(&Model::each_stage);
};
struct ask_each_stage_between {
  template <class Model, class... Arguments>
  auto operator()(Model& model, const Arguments&... arguments) const
      -> decltype(model.each_stage_between(arguments...));
  template <class Model>
  auto address() const -> decltype(&Model::each_stage_between);
};
struct ask_least_work {
  template <class Model, class... Arguments>
  auto operator()(Model& model, const Arguments&... arguments) const
      -> decltype(static_cast<double>(model.least_work(arguments...)));
  template <class Model>
  auto address() const -> decltype(&Model::least_work);
};
struct ask_period {
  template <class Model, class... Arguments>
  auto operator()(Model& model, const Arguments&... arguments) const
      -> decltype(static_cast<std::size_t>(model.period(arguments...)));
  template <class Model>
  auto address() const -> decltype(&Model::period);
};

/// Whether a member can be called with these arguments, possibly not const.
template <class Ask, class Model, class... Arguments>
concept called_by_search = requires(const Ask& ask, Model& model, const Arguments&... arguments) {
  ask(model, arguments...);
};

/// Whether a model has a visible or callable member of that name in another form than with these arguments.
template <class Ask, class Model, class... Arguments>
concept wrong_stage_member =
    !called_by_search<Ask, const Model, Arguments...> &&
    (requires(const Ask& ask) { ask.template address<Model>(); } || called_by_search<Ask, Model, Arguments...> ||
     called_by_search<Ask, Model> || called_by_search<Ask, Model, std::size_t> ||
     called_by_search<Ask, Model, std::size_t, std::size_t> || called_by_search<Ask, Model, any_stage_visitor> ||
     called_by_search<Ask, Model, std::size_t, any_stage_visitor> ||
     called_by_search<Ask, Model, std::size_t, std::size_t, any_stage_visitor>);

/// Fails to compile for a model with an optional member in another form, which would be silently ignored.
template <class Model>
constexpr void check_stage_members() noexcept {
  static_assert(!wrong_stage_member<ask_each_stage, Model, std::size_t, any_stage_visitor>,
                "a stage option model's each_stage has to be each_stage(last, visit) const: see stage_option_model");
  static_assert(
      !wrong_stage_member<ask_each_stage_between, Model, std::size_t, double, double, any_stage_visitor>,
      "a stage option model's each_stage_between has to be each_stage_between(last, least, most, visit) const: see "
      "stage_option_model");
  static_assert(!wrong_stage_member<ask_least_work, Model, std::size_t>,
                "a stage option model's least_work has to be least_work(point) const and a double: see "
                "stage_option_model");
  static_assert(!wrong_stage_member<ask_period, Model>,
                "a stage option model's period has to be period() const and a number: see stage_option_model");
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
