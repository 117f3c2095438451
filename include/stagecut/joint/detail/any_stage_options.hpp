// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A visitor that ignores stages: for concepts.
struct any_stage_visitor {
  template <class Options>
  bool operator()(std::size_t, const Options&) const {
    return true;
  }
};

/// Whether the points of a model are those of a chain: any interval is a stage, though some may have no options.
template <class Model>
inline constexpr bool is_chain = requires {
  requires Model::is_chain;
}
|| !requires(const Model& model) { model.each_stage(std::size_t{}, any_stage_visitor{}); };

/// The options of one stage of a type-erased model.
class stage_choices {
 public:
  using visitor = function_ref<void(const stage_option&)>;
  using source = function_ref<void(const stage_query&, visitor)>;

  explicit stage_choices(source ask) : ask_(ask) {}

  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    ask_(query, visitor(visit));
  }

 private:
  source ask_;
};

/// A type-erased `stage_option_model`: searches over its stages are compiled once for all models.
class any_stage_options {
 public:
  using stage_visitor = function_ref<bool(std::size_t, const stage_choices&)>;

  any_stage_options() = default;
  any_stage_options(const any_stage_options&) = delete;
  any_stage_options& operator=(const any_stage_options&) = delete;
  virtual ~any_stage_options() = default;

  /// See `stage_option_model`.
  /// @{
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual std::size_t period() const = 0;
  [[nodiscard]] virtual double least_work(std::size_t point) const = 0;
  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    show_options(query, stage_choices::visitor(visit));
  }
  template <class Visit>
  void each_stage(std::size_t last, const Visit& visit) const {
    show_stages(last, stage_visitor(visit));
  }
  template <class Visit>
  void each_stage_between(std::size_t last, double least, double most, const Visit& visit) const {
    show_stages_between(last, least, most, stage_visitor(visit));
  }
  /// @}
  /// Whether points are cut points of a chain.
  [[nodiscard]] virtual bool of_chain() const = 0;

 private:
  virtual void show_options(const stage_query& query, stage_choices::visitor visit) const = 0;
  virtual void show_stages(std::size_t last, stage_visitor visit) const = 0;
  virtual void show_stages_between(std::size_t last, double least, double most, stage_visitor visit) const = 0;
};

/// The interface of a user's model, held by reference.
template <stage_option_model Model>
class stage_options_of final : public any_stage_options {
 public:
  explicit stage_options_of(const Model& model) : model_(model) {}

  [[nodiscard]] std::size_t size() const override { return model_.size(); }
  [[nodiscard]] std::size_t period() const override { return detail::period_of(model_); }
  [[nodiscard]] double least_work(std::size_t point) const override { return detail::least_work_of(model_, point); }
  [[nodiscard]] bool of_chain() const override { return is_chain<Model>; }

 private:
  void show_options(const stage_query& query, stage_choices::visitor visit) const override {
    model_.each_option(query, visit);
  }
  void show_stages(std::size_t last, stage_visitor visit) const override {
    detail::each_stage_to(model_, last, shown_to(visit));
  }
  void show_stages_between(std::size_t last, double least, double most, stage_visitor visit) const override {
    detail::each_stage_between(model_, last, least, most, shown_to(visit));
  }

  /// Adapts a visitor to stages with the options of this model.
  static auto shown_to(stage_visitor visit) {
    return [visit](std::size_t first, const auto& options) {
      const auto ask = [&options](const stage_query& query, stage_choices::visitor show) {
        options.each_option(query, show);
      };
      return visit(first, stage_choices(ask));
    };
  }

  const Model& model_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
