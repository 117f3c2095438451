// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/parts/pipeline_members.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/testing/check_axioms.hpp>

namespace stagecut::inline STAGECUT_ABI::testing {

/// The result of `check_pipeline_model`.
struct pipeline_model_report {
  std::string broken;         ///< the violated axiom (`pure`, `stage_invariant`, …); empty if none was found
  std::string member;         ///< the member that violates it
  std::size_t stage = 0;      ///< the stage of the violation
  interval items;             ///< the items, or the one; empty for members of a stage alone, or of a cut point
  std::size_t in_flight = 0;  ///< the number of microbatches, for memory
  std::size_t checks = 0;     ///< number of comparisons
  std::string optional;  ///< the optional members of the model, `sent, memory` for example: a misspelt one is missing

  /// Whether no violation was found.
  [[nodiscard]] explicit operator bool() const noexcept { return broken.empty(); }

  /// One line for display.
  [[nodiscard]] std::string text() const {
    using stagecut::detail::joined;
    if (broken.empty()) {
      return joined({"no axiom was found broken in ", checks,
                     " checks; optional members: ", optional.empty() ? "none" : optional});
    }
    return joined({broken, " does not hold for ", member, " at [", items.first, ", ", items.last, "), stage ", stage,
                   ", ", in_flight, " in flight"});
  }
};

namespace detail {

/// The optional members of a pipeline model, in the order of their table.
template <class Model>
[[nodiscard]] std::string optional_members() {
  namespace members = stagecut::detail;
  std::string list;
  const auto add = [&](bool there, const char* name) {
    if (there) list.append(list.empty() ? "" : ", ").append(name);
  };
  add(members::has_backward_weight<Model>, "backward_weight");
  add(members::has_backward_input<Model>, "backward_input");
  add(members::has_stage_forward<Model>, "stage_forward");
  add(members::has_stage_backward<Model>, "stage_backward");
  add(members::has_stage_backward_weight<Model>, "stage_backward_weight");
  add(members::has_sent<Model>, "sent");
  add(members::has_memory<Model>, "memory");
  add(members::has_least_memory<Model>, "least_memory");
  add(members::has_recomputed<Model>, "recomputed");
  add(members::has_recomputed_apart<Model>, "recomputed_apart");
  add(members::has_recomputes<Model>, "recomputes");
  add(members::has_splits_backward<Model>, "splits_backward");
  return list;
}

/// Queries a model for all that it knows.
template <class Model>
class pipeline_model_checker {
 public:
  pipeline_model_checker(const Model& model, std::size_t in_flight, pipeline_model_report& report)
      : model_(model), in_flight_(in_flight), items_(model.size()), report_(report) {}

  /// Checks what does not depend on the stage.
  void check_chain() {
    at(0, 0, 0);
    expect("size", "pure", static_cast<std::size_t>(model_.size()) == items_);
    if constexpr (stagecut::detail::has_splits_backward<Model>) {
      expect("splits_backward", "pure", model_.splits_backward() == model_.splits_backward());
    }
    if constexpr (sending_pipeline_model<Model>) {
      for (std::size_t cut = 1; cut < items_ && fine(); ++cut) {
        at(0, cut, cut);
        number("sent", [&] { return model_.sent(cut); });
      }
    }
  }

  /// Checks the times of stage s apart from its items.
  void check_stage(std::size_t s) {
    at(s, 0, 0);
    if constexpr (stagecut::detail::has_stage_forward<Model>) {
      number("stage_forward", [&] { return model_.stage_forward(s); });
    }
    if constexpr (stagecut::detail::has_stage_backward<Model>) {
      number("stage_backward", [&] { return model_.stage_backward(s); });
    }
    if constexpr (stagecut::detail::has_stage_backward_weight<Model>) {
      const double weight = number("stage_backward_weight", [&] { return model_.stage_backward_weight(s); });
      expect("stage_backward_weight", "part", weight <= stagecut::detail::stage_backward(model_, s));
    }
  }

  /// Checks the times of item i on stage s.
  void check_item(std::size_t s, std::size_t i) {
    at(s, i, i + 1);
    const double forward = number("forward", [&] { return model_.forward(s, i); });
    const double backward = number("backward", [&] { return model_.backward(s, i); });
    same("forward", forward, [&] { return model_.forward(0, i); });
    same("backward", backward, [&] { return model_.backward(0, i); });
    if constexpr (split_pipeline_model<Model>) {
      const double weight = number("backward_weight", [&] { return model_.backward_weight(s, i); });
      same("backward_weight", weight, [&] { return model_.backward_weight(0, i); });
      expect("backward_weight", "part", stagecut::detail::has_backward_input<Model> || weight <= backward);
    }
    if constexpr (stagecut::detail::has_backward_input<Model>) {
      const double input = number("backward_input", [&] { return model_.backward_input(s, i); });
      same("backward_input", input, [&] { return model_.backward_input(0, i); });
    }
  }

  /// Checks the memory of `[first, last)` on stage s, and that no extension needs less than `least_memory`.
  void check_memory(std::size_t s, std::size_t first, std::size_t last) {
    if constexpr (memory_pipeline_model<Model>) {
      double before = 0;
      for (std::size_t k = 0; k <= in_flight_ && fine(); ++k) {
        at(s, first, last, k);
        const double bytes = number("memory", [&] { return model_.memory(s, first, last, k); });
        expect("memory", "monotone", k == 0 || before <= bytes);
        before = bytes;
        if constexpr (stagecut::detail::has_least_memory<Model>) {
          const double least = number("least_memory", [&] { return model_.least_memory(s, first, last, k); });
          for (std::size_t end = last; end <= items_; ++end) {
            expect("least_memory", "least", least <= static_cast<double>(model_.memory(s, first, end, k)));
          }
        }
      }
    }
    if constexpr (stagecut::detail::has_recomputed<Model>) check_recomputed(s, first, last);
  }

  /// Checks the recomputed bytes of `[first, last)`, and that if an extension has fewer, its memory is larger by as much.
  void check_recomputed(std::size_t s, std::size_t first, std::size_t last) {
    at(s, first, last);
    const double bytes = number("recomputed", [&] { return model_.recomputed(s, first, last); });
    const double apart = recomputed_apart(s, first, last);
    for (std::size_t end = last; end <= items_ && fine(); ++end) {
      const double lacks = bytes - static_cast<double>(model_.recomputed(s, first, end));
      const char* const member = stagecut::detail::has_recomputed_apart<Model> ? "recomputed_apart" : "recomputed";
      expect(member, "least", lacks + apart <= recomputed_apart(s, first, end));
      if constexpr (stagecut::detail::has_least_memory<Model>) {
        const double least = static_cast<double>(model_.least_memory(s, first, last, std::size_t{1}));
        expect("recomputed", "least",
               least + lacks <= static_cast<double>(model_.memory(s, first, end, std::size_t{1})));
      } else {
        expect("recomputed", "least", lacks <= 0);
      }
    }
  }

  /// The further recomputed bytes of a split backward pass; 0 if the model has none.
  [[nodiscard]] double recomputed_apart(std::size_t s, std::size_t first, std::size_t last) {
    if constexpr (stagecut::detail::has_recomputed_apart<Model>) {
      return number("recomputed_apart", [&] { return model_.recomputed_apart(s, first, last); });
    } else {
      return 0;
    }
  }

  /// Whether no violation was found so far.
  [[nodiscard]] bool fine() const { return report_.broken.empty(); }

 private:
  void at(std::size_t stage, std::size_t first, std::size_t last, std::size_t in_flight = 0) {
    if (!fine()) return;
    report_.stage = stage;
    report_.items = {first, last};
    report_.in_flight = in_flight;
  }

  void expect(std::string_view member, std::string_view axiom, bool holds) {
    ++report_.checks;
    if (holds || !fine()) return;
    report_.broken = axiom;
    report_.member = member;
  }

  /// Queries a time or bytes twice.
  template <class Ask>
  double number(std::string_view member, const Ask& ask) {
    const auto value = static_cast<double>(ask());
    expect(member, "finite", is_finite(value));
    expect(member, "not_negative", !is_negative(value));
    expect(member, "pure", static_cast<double>(ask()) == value);
    return value;
  }

  /// If the model promises that items take the same time on every stage.
  template <class Ask>
  void same(std::string_view member, double value, const Ask& ask) {
    if constexpr (promises<Model, stage_invariant>) {
      expect(member, "stage_invariant", static_cast<double>(ask()) == value);
    }
  }

  const Model& model_;
  std::size_t in_flight_;
  std::size_t items_;
  pipeline_model_report& report_;
};

}  // namespace detail

/// Searches for a broken promise of a pipeline model.
///
/// | axiom | requirement that is violated |
/// |---|---|
/// | `pure` | equal calls return equal results |
/// | `finite`, `not_negative` | for all times and bytes; NaN is not finite |
/// | `part` | the gradient of the weights is at most the whole backward pass, for an item and for a stage |
/// | `stage_invariant` | if promised: an item takes the same time on every stage |
/// | `monotone` | memory does not decrease in the microbatches in flight |
/// | `least` | no stage with the same start that reaches as far or further has less memory than `least_memory`, or less `recomputed` |
///
/// @param model      the model to check
/// @param stages     number of stages k to check
/// @param in_flight  largest number of microbatches in flight to check memory with
/// @param intervals  number of stages to check memory for; all of them if the chain has no more
/// @return           the first violation with its position, or none; and the model's optional members
/// @throws           whatever the model throws
///
/// Checks all items on all stages. Deterministic. O(k n + in_flight · intervals) calls of the model, times n for a model
/// with `least_memory`.
template <pipeline_model Model>
[[nodiscard]] pipeline_model_report check_pipeline_model(const Model& model, std::size_t stages = 4,
                                                         std::size_t in_flight = 4, std::size_t intervals = 10'000) {
  stagecut::detail::check_pipeline_members<Model>();
  pipeline_model_report report;
  report.optional = detail::optional_members<Model>();
  detail::pipeline_model_checker<Model> checker(model, in_flight, report);
  checker.check_chain();
  const std::size_t items = model.size();
  for (std::size_t s = 0; s < stages && checker.fine(); ++s) {
    checker.check_stage(s);
    for (std::size_t i = 0; i < items && checker.fine(); ++i) checker.check_item(s, i);
    if (!checker.fine() || !memory_pipeline_model<Model>) continue;
    detail::for_intervals(items, intervals / stages + 1, [&](std::size_t first, std::size_t last) {
      if (first < last) checker.check_memory(s, first, last);
      return checker.fine();
    });
  }
  return report;
}

}  // namespace stagecut::inline STAGECUT_ABI::testing
