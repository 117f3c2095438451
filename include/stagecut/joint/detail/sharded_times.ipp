// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/sharded_times.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/joint/detail/sharding_paths.hpp>
#include <stagecut/joint/sharded_layer.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Explains why no sharding of layers has so few bytes.
[[nodiscard]] inline reason why_not_sharded(view<const sharded_layer> layers, std::size_t tensor_parallel, double most) {
  double least = 0;
  for (std::size_t i = layers.size(); i-- > 0;) {
    bool any = false;
    for (const sharding kind : {sharding::column, sharding::row, sharding::split}) {
      any = any || stagecut::may_be(layers[i], kind, tensor_parallel);
    }
    least = layers[i].parameters / static_cast<double>(any ? tensor_parallel : 1) + least;
  }
  const std::size_t needed = engine::whole_bytes(least);
  return {reason::cause::memory, needed, engine::floor_bytes(most),
          joined({"a stage of ", layers.size(), layers.size() == 1 ? " layer on " : " layers on ", tensor_parallel,
                  tensor_parallel == 1 ? " device" : " devices"}),
          joined({"its parameters fit into ", bytes_text(needed)})};
}

}  // namespace detail

STAGECUT_DECL outcome<sharded_stage> shard_fn::operator()(view<const sharded_layer> layers, std::size_t tensor_parallel,
                                                          const link_speed& link, double input,
                                                          std::optional<double> most_parameters) const {
  detail::check_sharded("shard", layers, tensor_parallel, link, input);
  if (most_parameters && (is_nan(*most_parameters) || is_negative(*most_parameters))) {
    detail::fail(argument_error("shard", "most_parameters", std::to_string(*most_parameters), "must not be negative"));
  }
  detail::sharding_paths paths(layers, tensor_parallel, link, input, most_parameters, most_parameters.has_value());
  paths.start(layers.size());
  for (std::size_t i = layers.size(); i-- > 0;) paths.widen(i);
  if (paths.whole(0).empty()) {
    return outcome<sharded_stage>::infeasible(detail::why_not_sharded(layers, tensor_parallel, *most_parameters));
  }
  const detail::sharding_path& best = paths.whole(0)[0];
  return outcome<sharded_stage>::optimal({detail::figures_of(best), paths.kinds(0, best)});
}

STAGECUT_DECL sharded_intervals::sharded_intervals(std::vector<sharded_layer> layers, std::size_t tensor_parallel,
                                                   const link_speed& link, double input, bool all)
    : layers_(std::move(layers)), ways_(tensor_parallel), link_(link), input_(input), all_(all) {
  detail::check_sharded("sharded_intervals", layers_, tensor_parallel, link, input);
  detail::sharding_paths paths(layers_, tensor_parallel, link, input, {}, all);
  ends_.push_back(0);
  for (std::size_t last = 1; last <= layers_.size(); ++last) {
    paths.start(last);
    for (std::size_t first = last; first-- > 0;) {
      paths.widen(first);
      for (const auto& path : paths.whole(first)) choices_.push_back(detail::figures_of(path));
      ends_.push_back(choices_.size());
    }
  }
}

STAGECUT_DECL view<const sharded_figures> sharded_intervals::choices(std::size_t first,
                                                                     std::size_t last) const noexcept {
  const std::size_t place = (last - 1) * last / 2 + (last - 1 - first);
  return view<const sharded_figures>(choices_).slice(ends_[place], ends_[place + 1]);
}

STAGECUT_DECL std::vector<sharding> sharded_intervals::kinds(std::size_t first, std::size_t last,
                                                             std::size_t choice) const {
  const view<const sharded_layer> part = view<const sharded_layer>(layers_).slice(first, last);
  detail::sharding_paths paths(part, ways_, link_, first == 0 ? input_ : layers_[first - 1].output, {}, all_);
  paths.start(part.size());
  for (std::size_t i = part.size(); i-- > 0;) paths.widen(i);
  return paths.kinds(0, paths.whole(0)[choice]);
}

}  // namespace stagecut::inline STAGECUT_ABI
