// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/operator_links.hpp>
#include <stagecut/graph/detail/stage_simulator.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The sums of `make_stage_pipeline` for stages between which elements move. A stage keeps its number while its place
/// among the others may change.
class moving_stages {
 public:
  /// @pre `make_stage_pipeline` takes the assignment, which parts no element
  moving_stages(const operator_graph& graph, const operator_links& links, const contraction& elements,
                view<const std::size_t> stage_of, std::size_t stages);

  [[nodiscard]] std::size_t stages() const noexcept { return k_; }
  [[nodiscard]] view<const std::size_t> stage_of() const noexcept { return stage_of_; }
  [[nodiscard]] std::size_t stage_of_element(std::size_t e) const noexcept {
    return stage_of_[elements_->operators_of(e)[0]];
  }
  /// Elements of a stage.
  [[nodiscard]] std::size_t members(std::size_t s) const noexcept { return members_[s]; }
  /// Whether a may not stand behind b.
  [[nodiscard]] bool before(std::size_t a, std::size_t b) const noexcept { return before_[a * k_ + b] != 0; }
  /// Bytes that stay on a stage, and those of a microbatch.
  [[nodiscard]] double resident(std::size_t s) const noexcept { return sums_.resident[s]; }
  [[nodiscard]] double activations(std::size_t s) const noexcept { return sums_.activations[s]; }

  /// Puts an element on another stage.
  void move(std::size_t element, std::size_t to);

  /// Sums as they were, so that moves there and back leave no rounding behind.
  struct sums {
    std::vector<double> forward{}, backward{}, resident{}, activations{};
    std::vector<double> down{};      ///< a * k + b: outputs of operators of the forward pass
    std::vector<double> up{};        ///< likewise, of the backward pass
    std::vector<double> gradient{};  ///< from b back to a: gradients of outputs
  };
  void save(sums& to) const { to = sums_; }
  /// @pre all moves since `save` were taken back
  void restore(const sums& from) { sums_ = from; }

  /// Lets a simulator hold the stages in an order in which none stands before one that must be `before` it.
  void load(stage_simulator& to, view<const std::size_t> order) const;

 private:
  /// What is left of a sum from which all was taken may have rounded below 0.
  static double positive(double sum) noexcept { return sum < 0 ? 0 : sum; }

  void add_weight(std::size_t v, std::size_t s);

  void take_weight(std::size_t v, std::size_t s);

  /// The part that one operator has in what two stages send; `sign` 1: more, -1: less.
  void send(std::size_t u, std::size_t from, std::size_t to, std::uint32_t taken, std::uint32_t returned, int sign);

  /// Edges from an operator to consumers on a stage.
  void join(bool back, std::size_t from, std::size_t to, std::uint32_t taken, std::uint32_t returned, int sign);

  /// One consumer v of u more on a stage, or one less.
  void count(std::size_t u, std::size_t v, std::size_t s, int sign);

  void move_operator(std::size_t v, std::size_t to);

  const operator_graph* graph_;
  const operator_links* links_;
  const contraction* elements_;
  std::size_t k_;
  std::vector<std::size_t> stage_of_;
  std::vector<std::uint32_t> taken_;     // of every operator, consumers on each stage
  std::vector<std::uint32_t> returned_;  // of those, for an operator of the forward pass, which are of it, too
  std::vector<std::uint32_t> holders_;   // of all shared parameters, operators on each stage
  std::vector<std::int64_t> before_;     // edges that keep stages in order
  std::vector<std::int64_t> mixed_;      // edges from the forward to the backward pass
  std::vector<std::size_t> members_;
  sums sums_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/moving_stages.ipp>
#endif
