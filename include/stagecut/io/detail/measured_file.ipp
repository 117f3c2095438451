// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/measured_file.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/take_measured.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Rejects two layers with the same name, at the second. O(n log n).
inline void refuse_same_names(const json_value& layers, const std::vector<measured_layer>& read) {
  std::vector<std::size_t> order(read.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return read[a].name == read[b].name ? a < b : read[a].name < read[b].name;
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::string& name = read[order[i]].name;
    if (name != read[order[i - 1]].name) continue;
    layers.elements()[order[i]].fail_at("/name", stagecut::detail::in_quotes(name), " is another layer's name too");
  }
}

}  // namespace detail

STAGECUT_DECL measured_file read_measured(std::string_view text, std::string_view source, const read_limits& limits) {
  const auto parsed = detail::parse_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  measured_file made;
  const auto time = [](const detail::json_value& value) {
    const double seconds = value.amount();
    if (!(seconds > 0)) value.fail("is not above 0");
    return seconds;
  };
  if (const auto layers = whole.object().find("layers")) {
    for (const detail::json_value& layer : layers->elements()) {
      measured_layer& next = made.layers.emplace_back();
      next.name = layer.at("name").text();
      if (const auto forward = layer.find("forward")) next.forward = time(*forward);
      if (const auto backward = layer.find("backward")) next.backward = time(*backward);
      if (!next.forward && !next.backward) layer.fail("has neither forward nor backward");
    }
    detail::refuse_same_names(*layers, made.layers);
  }
  if (const auto iterations = whole.find("iterations")) {
    for (const detail::json_value& iteration : iterations->elements()) {
      iteration.object().only({"devices", "stages_per_rank", "chunks", "microbatches", "schedule", "seconds"});
      measured_iteration& next = made.iterations.emplace_back();
      next.devices = iteration.at("devices").count(1);
      next.microbatches = iteration.at("microbatches").count(1);
      const auto former = iteration.find("chunks");  // its name before 0.2
      const auto now = iteration.find("stages_per_rank");
      if (former && now) former->fail("is the former name of \"stages_per_rank\", which stands next to it");
      if (now || former) next.stages_per_rank = (now ? *now : *former).count(1);
      if (const auto schedule = iteration.find("schedule")) {
        next.schedule = schedule->text();
        if (stagecut::find_schedule(next.schedule) == nullptr) {
          schedule->fail(schedule->shown(), " is none of ", stagecut::list_names(stagecut::schedules));
        }
      }
      next.seconds = time(iteration.at("seconds"));
    }
  }
  if (made.layers.empty() && made.iterations.empty()) whole.fail("has neither layers nor iterations");
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
