// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/graphs/vertex_ids.hpp>

#include <set>
#include <string>
#include <vector>

#include <stagecut/io/detail/graph_plan.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The `id` of a layer in its file, an integer or a text; empty if there is none.
[[nodiscard]] inline std::string kept_id(const layer& each) {
  if (each.unknown_fields.empty()) return {};
  const json fields = read_json(each.unknown_fields, unknown_depth({.depth = most_depth_written})).value;
  if (!fields.is_object()) return {};
  const auto found = fields.find("id");
  if (found == fields.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_integer() ? found->dump() : std::string();
}

}  // namespace detail

STAGECUT_DECL std::vector<std::string> vertex_ids(const profile& model) {
  std::vector<std::string> ids;
  std::set<std::string> known;
  for (const auto& layer : model.layers) {
    ids.push_back(detail::kept_id(layer));
    if (ids.back().empty() || !known.insert(ids.back()).second) return detail::unique_names(model);
  }
  return ids;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
