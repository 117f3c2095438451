// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/tables/layer_ranges.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/text.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The passes at the end of a range's name.
inline constexpr named<range_pass> range_pass_words[] = {{"forward", range_pass::forward},
                                                         {"fwd", range_pass::forward},
                                                         {"backward", range_pass::backward},
                                                         {"bwd", range_pass::backward}};

/// A name without the prefix of a module in traces of PyTorch.
[[nodiscard]] inline std::string_view without_module_prefix(std::string_view name) noexcept {
  constexpr std::string_view prefix = "nn.Module: ";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

/// A number of digits alone, at most 18.
[[nodiscard]] inline std::optional<std::uint64_t> digits(std::string_view text) noexcept {
  std::uint64_t number = 0;
  if (text.empty() || text.size() > 18) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Splits the pass off the end of a range's name; the name stays as it is if it states none.
[[nodiscard]] inline std::pair<std::string_view, range_pass> split_pass(std::string_view name) noexcept {
  for (const auto& [word, pass] : range_pass_words) {
    if (!name.ends_with(word)) continue;
    const std::string_view rest = name.substr(0, name.size() - std::string_view(word).size());
    const std::size_t end = rest.find_last_not_of(" /:._-");
    if (end != rest.npos && end + 1 < rest.size()) return {rest.substr(0, end + 1), pass};
  }
  return {name, range_pass::unstated};
}

}  // namespace detail

STAGECUT_DECL void layer_ranges::add(std::string_view range, std::string_view layer) {
  const auto refuse = [](std::string_view argument, std::string_view value, std::string_view requirement) {
    detail::fail(argument_error("io::layer_ranges::add", argument, detail::in_quotes(value), requirement));
  };
  const std::string_view name = detail::without_module_prefix(range);
  if (layer.empty()) layer = name;
  if (name.empty()) refuse("range", range, "must not be empty");
  if (std::count(name.begin(), name.end(), '*') > 1) refuse("range", range, "must not have more than one *");
  if (std::count(layer.begin(), layer.end(), '*') > 1) refuse("layer", layer, "must not have more than one *");
  const std::size_t star = name.find('*');
  if (star == name.npos) {
    if (layer.find('*') != layer.npos) refuse("layer", layer, "must not have a * if its range has none");
    names_.try_emplace(std::string(name), layer);
    return;
  }
  pattern next{std::string(name.substr(0, star)), std::string(name.substr(star + 1)), std::string(layer)};
  const std::size_t plus = layer.rfind('+');
  if (layer.find('*') < plus && plus != layer.npos) {
    if (const auto added = detail::digits(layer.substr(plus + 1))) {
      next.added = *added;
      next.layer.resize(plus);
    }
  }
  patterns_.push_back(std::move(next));
}

STAGECUT_DECL std::optional<std::string> layer_ranges::layer_of(std::string_view range) const {
  if (const auto known = names_.find(range); known != names_.end()) return known->second;
  for (const pattern& each : patterns_) {
    if (range.size() <= each.before.size() + each.after.size()) continue;
    if (!range.starts_with(each.before) || !range.ends_with(each.after)) continue;
    const std::size_t size = range.size() - each.before.size() - each.after.size();
    const auto number = detail::digits(range.substr(each.before.size(), size));
    if (!number) continue;
    std::string layer = each.layer;
    if (const std::size_t star = layer.find('*'); star != layer.npos)
      layer.replace(star, 1, std::to_string(*number + each.added));
    return layer;
  }
  return std::nullopt;
}

STAGECUT_DECL std::optional<range_layer> layer_ranges::find(std::string_view range) const {
  const std::string_view name = detail::without_module_prefix(range);
  if (auto layer = layer_of(name)) return range_layer{*std::move(layer)};
  const auto [base, pass] = detail::split_pass(name);
  if (pass == range_pass::unstated) return std::nullopt;
  if (auto layer = layer_of(base)) return range_layer{*std::move(layer), pass};
  return std::nullopt;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
