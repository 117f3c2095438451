// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/file_schema.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/io/detail/json_layer.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Appends the members of `fields`, an empty text or a JSON object.
inline void add_unknown(const std::string& fields, const std::string& place, view<const std::string_view> known,
                        std::vector<unknown_member>& to) {
  if (fields.empty()) return;
  const json parsed = parse_json(fields, joined({place, "/unknown_fields"}), {.depth = 1000});
  if (!parsed.is_object()) return;
  for (const auto& [name, value] : parsed.items()) to.push_back({place + json_step(name), name, known});
}

/// The names in a list of keys without the last, which is a former name.
template <std::size_t n>
[[nodiscard]] view<const std::string_view> present_names(const std::array<std::string_view, n>& keys) {
  return view<const std::string_view>(keys.data(), n - 1);
}

inline void add_unknown(const profile& model, const std::string& place, std::vector<unknown_member>& to) {
  add_unknown(model.unknown_fields, place, view<const std::string_view>(profile_keys), to);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer& each = model.layers[i];
    const std::string at = joined({place, "/layers/", i});
    add_unknown(each.unknown_fields, at, view<const std::string_view>(layer_keys), to);
    for (const auto& [key, variants] :
         {std::pair("/recomputations/", &each.recomputations), std::pair("/shardings/", &each.shardings)}) {
      for (std::size_t v = 0; v < variants->size(); ++v) {
        add_unknown((*variants)[v].unknown_fields, joined({at, key, v}), present_names(variant_keys), to);
      }
    }
  }
}

}  // namespace detail

STAGECUT_DECL std::string_view schema_of(std::string_view text) {
  constexpr std::string_view key = "\"schema\"";
  const auto skip = [&](std::size_t from) { return std::min(text.find_first_not_of(" \t\r\n", from), text.size()); };
  const std::size_t begin = skip(text.starts_with("\xEF\xBB\xBF") ? 3 : 0);  // a byte order mark
  if (begin == text.size() || text[begin] != '{') return {};
  for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    const std::size_t colon = skip(at + key.size());
    if (colon == text.size() || text[colon] != ':') continue;
    const std::string_view value = text.substr(skip(colon + 1));
    const std::string_view name = value.substr(0, 1) == "\"" ? value.substr(1, value.find('"', 1) - 1) : std::string_view();
    return name.starts_with("stagecut-") ? name : std::string_view();
  }
  return {};
}

STAGECUT_DECL bool is_former_schema(std::string_view schema) {
  return schema != detail::profile_schema && schema != detail::plan_schema &&
         (detail::is_profile_schema(schema) || detail::is_plan_schema(schema));
}

STAGECUT_DECL std::vector<unknown_member> unknown_members(const profile& model) {
  std::vector<unknown_member> result;
  detail::add_unknown(model, "", result);
  return result;
}

STAGECUT_DECL std::vector<unknown_member> unknown_members(const plan& made) {
  std::vector<unknown_member> result;
  detail::add_unknown(made.unknown_fields, "", detail::present_names(detail::plan_keys), result);
  detail::add_unknown(made.profile, "/profile", result);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
