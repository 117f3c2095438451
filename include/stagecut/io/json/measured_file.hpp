// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/take_measured.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// An iteration that was timed: the model cut into as many layers each.
struct measured_iteration {
  std::size_t devices = 1;        ///< ranks of the pipeline
  std::size_t chunks = 1;         ///< stages of each
  std::size_t microbatches = 1;   ///< of the iteration
  std::string schedule = "1f1b";  ///< one of `schedules`
  double seconds = 0;             ///< above 0

  /// Equal in every part.
  friend bool operator==(const measured_iteration&, const measured_iteration&) = default;
};

/// What was measured of a model on a device.
struct measured_file {
  std::vector<measured_layer> layers{};          ///< some of its layers
  std::vector<measured_iteration> iterations{};  ///< whole iterations
};

namespace detail {

/// Refuses two layers of one name, at the second of them. O(n log n).
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

/// Reads what was measured: a JSON object with `layers`, objects of `name`, `forward`, `backward`, and `iterations`,
/// objects of `devices`, `chunks`, `microbatches`, `schedule`, `seconds`; one of both at least. Other members of a
/// layer are left alone: a profile will do.
///
/// @param source  what errors call the text: the name of its file
/// @param limits  how much is read
/// @throws        invalid_input at `SOURCE:LINE` where it is no JSON, else at `SOURCE#POINTER`: a member that is
///                missing or not of its type, times that are not above 0, two layers of a name,
///                a schedule that is none
[[nodiscard]] inline measured_file read_measured(std::string_view text, std::string_view source,
                                                 const read_limits& limits = {}) {
  const auto parsed = detail::parse_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  measured_file made;
  const auto time = [](const detail::json_value& value) {
    const double seconds = value.amount();
    if (!(seconds > 0)) value.fail("is not above 0");
    return seconds;
  };
  if (const auto layers = whole.object().find("layers")) {
    for (const detail::json_value& each : layers->elements()) {
      measured_layer& next = made.layers.emplace_back();
      next.name = each.at("name").text();
      if (const auto forward = each.find("forward")) next.forward = time(*forward);
      if (const auto backward = each.find("backward")) next.backward = time(*backward);
      if (!next.forward && !next.backward) each.fail("has neither forward nor backward");
    }
    detail::refuse_same_names(*layers, made.layers);
  }
  if (const auto iterations = whole.find("iterations")) {
    for (const detail::json_value& each : iterations->elements()) {
      each.object().only({"devices", "chunks", "microbatches", "schedule", "seconds"});
      measured_iteration& next = made.iterations.emplace_back();
      next.devices = each.at("devices").count(1);
      next.microbatches = each.at("microbatches").count(1);
      if (const auto chunks = each.find("chunks")) next.chunks = chunks->count(1);
      if (const auto schedule = each.find("schedule")) {
        next.schedule = schedule->text();
        if (stagecut::find_schedule(next.schedule) == nullptr) {
          schedule->fail(schedule->shown(), " is none of ", stagecut::list_names(stagecut::schedules));
        }
      }
      next.seconds = time(each.at("seconds"));
    }
  }
  if (made.layers.empty() && made.iterations.empty()) whole.fail("has neither layers nor iterations");
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
