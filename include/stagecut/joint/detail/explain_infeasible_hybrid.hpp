// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/detail/latency_program.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Why a model has too few points, or a machine too few devices, for the requested stages; unset: it has enough.
[[nodiscard]] inline std::optional<reason> too_few_points(std::size_t size, const hybrid_request& request);

/// Why no cut of a model satisfies a request: the lack of memory, with the least that would suffice, or the devices.
[[nodiscard]] inline reason explain_infeasible_hybrid(const any_stage_options& model, const hybrid_request& request);

/// Whether some cut of a model satisfies a request; false also if its limit was reached before one was found.
[[nodiscard]] inline bool has_hybrid(const any_stage_options& model, const hybrid_request& request);

inline std::optional<reason> too_few_points(std::size_t size, const hybrid_request& request) {
  const std::size_t stages = request.stages.value_or(1);
  if (stages > size) return reason{reason::cause::more_stages_than_layers, stages, size};
  if (stages <= request.devices) return std::nullopt;
  reason why{reason::cause::constraint};
  why.place = joined({stages, " stages need at least ", stages, " devices, and there are ", request.devices});
  return why;
}

/// Finds the least memory that would suffice.
class hybrid_shortage {
 public:
  hybrid_shortage(const any_stage_options& model, const hybrid_request& request)
      : model_(model),
        request_(request),
        any_memory_(without_memory(request)),
        rules_(any_memory_, model.period()),
        clock_(request.search),
        program_(model, rules_, {}, clock_) {}

  /// Whether a cut is found.
  [[nodiscard]] bool has_cut() { return is_feasible(request_.memory_limit.for_all()); }

  /// Why no cut is allowed.
  [[nodiscard]] reason why() {
    if (!request_.memory_limit.for_all() || !is_feasible(std::nullopt)) return explain_too_few_devices();
    reason why{reason::cause::memory};
    why.available = engine::floor_bytes(*request_.memory_limit.for_all());
    const bool is_known = bisect();
    if (is_known) why.remedy = joined({engine::whole_bytes(high_), " bytes a device would do"});
    // With buffers a layer needs more alone than next to its neighbours.
    if (const auto layer = too_large_layer(); layer && is_known && layer->second <= high_) {
      why.what = reason::cause::layer_too_large;
      why.place = joined({"layer ", layer->first});
      why.needed = engine::whole_bytes(layer->second);
      return why;
    }
    why.needed = is_known ? engine::whole_bytes(high_) : engine::whole_bytes(least_);
    if (why.needed <= why.available) why.needed = why.available + 1;  // this much is known
    why.place = is_known ? place_of_peak() : "the fullest stage";
    return why;
  }

 private:
  static hybrid_request without_memory(hybrid_request request) {
    request.memory_limit = {};
    return request;
  }

  /// Whether there is a cut with this memory; then `cut_` is one. Otherwise any cut needs at least `least_`.
  bool is_feasible(std::optional<double> bytes) {
    rules_.set_memory(bytes);
    is_over_ = !program_.run(std::numeric_limits<double>::max(), std::nullopt, 0);
    if (is_over_) return false;
    if (program_.found().empty()) {
      least_ = program_.least_refused();
      return false;
    }
    cut_ = program_.cut_of(*program_.found().begin());
    return true;
  }

  /// Narrows the least sufficient memory down to `high_`, which `cut_` needs; false: a limit was reached.
  bool bisect() {
    double low = *request_.memory_limit.for_all();
    rules_.set_memory(low);
    high_ = peak();
    if (is_feasible(low) || is_over_) return false;
    while (!is_over_ && least_ < high_) {
      const double middle = low + (high_ - low) / 2;
      const double tried = middle < least_ ? least_ : middle;
      if (is_feasible(tried)) {
        high_ = peak();
      } else if (!is_over_) {
        low = tried;
      }
    }
    return !is_over_;
  }

  /// Visits the bytes of the stages of `cut_`, from the output.
  template <class Visit>
  void each_stage(const Visit& visit) const {
    stage_label label;
    for (std::size_t s = cut_.size(); s-- > 0;) {
      visit(s, label.load, rules_.bytes(cut_[s].option, label.load));
      label = rules_.before(label, cut_[s].option);
    }
  }

  [[nodiscard]] double peak() const {
    double most = 0;
    each_stage([&](std::size_t, std::uint32_t, double bytes) { most = std::max(most, bytes); });
    return most;
  }

  [[nodiscard]] std::string place_of_peak() const {
    std::string place;
    each_stage([&](std::size_t s, std::uint32_t load, double bytes) {
      if (bytes != high_) return;
      const hybrid_stage& stage = cut_[s];
      const stage_option& option = stage.option;
      place = joined({"stage ", s, model_.of_chain() ? " (layers " : " (points ", stage.first, "-",
                      model_.of_chain() ? stage.last - 1 : stage.last, ", ", option.replicas, " replicas of ",
                      option.tensor_parallel, "): resident ", engine::whole_bytes(option.resident), " + ",
                      rules_.in_flight(option.replicas, load), " x ", engine::whole_bytes(option.activations),
                      " activations"});
    });
    return place;
  }

  /// The layer that needs most among those that alone, with one microbatch, exceed the memory, and its bytes.
  [[nodiscard]] std::optional<std::pair<std::size_t, double>> too_large_layer() const {
    std::optional<std::pair<std::size_t, double>> found;
    if (model_.of_chain()) {
      for (std::size_t i = 0; i < model_.size(); ++i) {
        std::optional<double> least;
        for (std::size_t device = 1; device <= model_.period(); ++device) {
          model_.each_option({i, i + 1, device}, [&](const stage_option& option) {
            const double here = rules_.bytes(option, 0);
            least = !least || here < *least ? here : *least;
          });
        }
        if (!least || *least <= *request_.memory_limit.for_all() || (found && found->second >= *least)) continue;
        found.emplace(i, *least);
      }
    }
    return found;
  }

  [[nodiscard]] reason explain_too_few_devices() {
    reason why{reason::cause::constraint};
    if (is_over_) return why;
    const std::string stages = request_.stages ? joined({*request_.stages, " stages"}) : "stages";
    why.place =
        joined({stages, request_.at_most ? " on at most " : " on all ", request_.devices, " devices are not possible"});
    if (request_.at_most) return why;
    any_memory_.at_most = true;
    if (is_feasible(std::nullopt)) why.remedy = "on fewer devices they are";
    return why;
  }

  const any_stage_options& model_;
  const hybrid_request& request_;
  hybrid_request any_memory_;
  hybrid_rules rules_;
  engine::search_clock clock_;
  latency_program program_;
  std::vector<hybrid_stage> cut_{};
  double high_ = 0;
  double least_ = 0;
  bool is_over_ = false;
};

inline reason explain_infeasible_hybrid(const any_stage_options& model, const hybrid_request& request) {
  hybrid_shortage shortage(model, request);
  return shortage.why();
}

inline bool has_hybrid(const any_stage_options& model, const hybrid_request& request) {
  if (too_few_points(model.size(), request)) return false;
  hybrid_shortage shortage(model, request);
  return shortage.has_cut();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
