// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/detail/any_stage_options.hpp>
#include <stagecut/joint/stage_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Throws for an option that no stage can have.
inline void check_option(const stage_query& query, const stage_option& option);

/// The options of a model's stages, queried once and kept if they are few.
class known_options {
 public:
  /// 50 MB.
  static constexpr std::size_t few = std::size_t{1} << 19U;

  /// @param memory     per device: see `stage_query`
  /// @param most_kept  options
  explicit known_options(const any_stage_options& model, std::optional<double> memory, std::size_t most_kept = few)
      : model_(model), memory_(memory), most_kept_(most_kept), of_(model.size() + 1) {}

  /// Calls `visit(first, device, option)` for the stages that end at `last`, on devices before each of `devices`.
  /// @param is_possible  `is_possible(option)`, independent of other stages; if a stage has no such option, no wider
  ///                     one has
  /// @param visit        false: the option is useless with the current stages after it, and so is any of a wider stage
  ///                     on the same number of devices
  template <class Possible, class Visit>
  void each(std::size_t last, const std::vector<std::size_t>& devices, double most_time, const Possible& is_possible,
            const Visit& visit) {
    for (const std::size_t device : devices) {
      if (keeps_ && !contains(of_[last].devices, device)) keep(last, device, is_possible);
    }
    if (keeps_) {
      for (const asked& stage : of_[last].stages) {
        if (!contains(devices, stage.device)) continue;
        for (std::size_t i = stage.begin; i < stage.end; ++i) {
          static_cast<void>(visit(stage.first, stage.device, of_[last].options[i]));
        }
      }
      return;
    }
    detail::each_stage_to(model_, last, [&](std::size_t first, const auto& options) {
      bool is_useful = false;
      for (const std::size_t device : devices) {
        const stage_query query{first, last, device, most_time, memory_};
        options.each_option(query, [&](const stage_option& option) {
          check_option(query, option);
          is_useful = visit(first, device, option) || is_useful;
        });
      }
      return is_useful;
    });
  }

  /// The same for only the stage from `first` to `last`.
  template <class Visit>
  void of_stage(std::size_t first, std::size_t last, const std::vector<std::size_t>& devices, double most_time,
                const Visit& visit) {
    const auto show = [&](const auto& options) {
      for (const std::size_t device : devices) {
        const stage_query query{first, last, device, most_time, memory_};
        options.each_option(query, [&](const stage_option& option) { visit(device, option); });
      }
    };
    if (keeps_) {
      for (const asked& stage : of_[last].stages) {
        if (stage.first != first || !contains(devices, stage.device)) continue;
        for (std::size_t i = stage.begin; i < stage.end; ++i) visit(stage.device, of_[last].options[i]);
      }
    } else if (model_.of_chain()) {
      show(model_);
    } else {
      model_.each_stage(last, [&](std::size_t from, const auto& options) {
        if (from == first) show(options);
        return from > first;
      });
    }
  }

  /// The largest `value(option)` of the kept options that is at most `most`; `most` itself if not all are kept.
  template <class Value>
  [[nodiscard]] double largest(double most, const Value& value) const {
    if (!keeps_) return most;
    double found = 0;
    for (const of_last& known : of_) {
      for (const stage_option& option : known.options) {
        const double here = value(option);
        if (here <= most && here > found) found = here;
      }
    }
    return found;
  }

 private:
  struct asked {
    std::size_t first, device, begin, end;
  };
  struct of_last {
    std::vector<std::size_t> devices{};
    std::vector<asked> stages{};
    std::vector<stage_option> options{};
  };

  [[nodiscard]] static bool contains(const std::vector<std::size_t>& devices, std::size_t device) {
    for (const std::size_t each : devices) {
      if (each == device) return true;
    }
    return false;
  }

  /// Queries all options on devices before `device`; drops all if they are too many.
  template <class Possible>
  void keep(std::size_t last, std::size_t device, const Possible& is_possible) {
    of_last& known = of_[last];
    known.devices.push_back(device);
    detail::each_stage_to(model_, last, [&](std::size_t first, const auto& options) {
      const std::size_t begin = known.options.size();
      const stage_query query{first, last, device, std::numeric_limits<double>::max(), memory_};
      options.each_option(query, [&](const stage_option& option) {
        check_option(query, option);
        if (is_possible(option)) known.options.push_back(option);
      });
      known.stages.push_back({first, device, begin, known.options.size()});
      kept_ += known.options.size() - begin;
      keeps_ = kept_ <= most_kept_;
      return keeps_ && known.options.size() > begin;
    });
    if (!keeps_) of_.clear();
  }

  const any_stage_options& model_;
  std::optional<double> memory_;
  std::size_t most_kept_;
  std::vector<of_last> of_;
  std::size_t kept_ = 0;
  bool keeps_ = true;
};

inline void check_option(const stage_query& query, const stage_option& option) {
  constexpr double most = std::numeric_limits<double>::max();
  for (const double each : {option.forward, option.backward, option.time, option.message, option.all_reduce,
                            option.activations, option.resident}) {
    if (each >= 0 && each <= most) continue;
    fail(invalid_input(joined({"stage [", query.first, ", ", query.last, ")"}),
                       "an option has a time or bytes that are negative or not finite"));
  }
  if (option.replicas == 0 || option.tensor_parallel == 0) {
    fail(invalid_input(joined({"stage [", query.first, ", ", query.last, ")"}),
                       "an option has no replicas or no tensor_parallel"));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
