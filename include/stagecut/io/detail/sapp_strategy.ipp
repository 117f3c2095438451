// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/sapp_strategy.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/cost/item_sums.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/sapp_runs.hpp>
#include <stagecut/io/detail/yaml_subset.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Reads a strategy for a given number of layers and ranks.
class sapp_strategy_reader {
 public:
  sapp_strategy_reader(const json_value& root, std::size_t ranks, std::size_t layers)
      : root_(root), ranks_(ranks), layers_(layers) {}

  [[nodiscard]] sapp_strategy read() const {
    sapp_strategy result;
    const json_value offset = root_.object().at("offset");
    result.stages_per_rank = chunks_of(offset);
    const std::size_t stages = result.stages_per_rank * ranks_;
    const std::vector<double> offsets = row(offset, stages, std::vector<double>(stages, 0), true);
    const std::size_t whole = layers_ / stages;  // the base of offsets
    const auto even = static_cast<double>(whole);
    double sum = 0;
    std::vector<double> layers;
    for (const double each : offsets) {
      layers.push_back(even + each);
      sum += layers.back();
      if (layers.back() < 0)
        offset.fail("takes more layers from a stage than the ", stagecut::detail::number_text(even), " that it has");
    }
    if (sum != static_cast<double>(layers_)) {
      offset.fail("makes ", stagecut::detail::number_text(sum), " layers on ", std::to_string(stages),
                  " stages, and the model has ", std::to_string(layers_));
    }
    std::vector<double> settings[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const auto said = root_.find(names[i]);
      settings[i] = said ? row(*said, stages, layers, false) : std::vector<double>(stages, 0);
    }
    for (std::size_t s = 0; s < stages; ++s) {
      const sapp_counts counts = sapp_counts_of(layers[s], settings[0][s], settings[1][s], settings[2][s]);
      if (counts[0] < 0) root_.fail("recomputes more layers of stage ", std::to_string(s), " than it holds");
      result.layers.push_back(static_cast<std::size_t>(layers[s]));
      result.counts.emplace_back();
      for (const double count : counts) result.counts.back().push_back(static_cast<std::size_t>(count));
    }
    return result;
  }

 private:
  static constexpr const char* names[] = {"recompute", "select_recompute", "select_comm_recompute"};

  [[nodiscard]] static bool is_nested(const json_value& said) {
    return (*said).is_array() && !(*said).empty() && (*said)[0].is_array();
  }

  /// The number of lists in the first member that is a list of lists.
  [[nodiscard]] std::size_t chunks_of(const json_value& offset) const {
    std::optional<json_value> nested;
    if (is_nested(offset)) nested = offset;
    for (const char* const name : names) {
      const auto said = root_.find(name);
      if (!nested && said && is_nested(*said)) nested = said;
    }
    const auto said = root_.find("interleave_num");
    const std::size_t told = said ? said->count(1) : 0;
    if (told > 1000) said->fail("is more than 1000 chunks");
    const std::size_t chunks = nested ? nested->elements().size() : told != 0 ? told : 1;
    if (chunks > 1000) nested->fail("has more than 1000 lists");
    if (told != 0 && told != chunks) {
      nested->fail("has ", std::to_string(chunks), " lists, and \"interleave_num\" is ", std::to_string(told));
    }
    return chunks;
  }

  /// A number for each stage: 0 or false on all, true: `all` of them, a list for one stage per rank, or lists.
  [[nodiscard]] std::vector<double> row(const json_value& said, std::size_t stages, const std::vector<double>& all,
                                        bool may_be_below) const {
    if ((*said).is_boolean()) return said.flag() ? all : std::vector<double>(stages, 0);
    if ((*said).is_number()) return std::vector<double>(stages, number(said, may_be_below));
    std::vector<double> result;
    const auto add = [&](const json_value& list) {
      if (list.elements().size() != ranks_) {
        list.fail("has ", std::to_string(list.elements().size()), " elements, and there are ", std::to_string(ranks_),
                  " ranks");
      }
      for (const json_value& element : list.elements()) result.push_back(number(element, may_be_below));
    };
    if (!is_nested(said)) {
      add(said);
    } else {
      for (const json_value& element : said.elements()) add(element);
    }
    if (result.size() != stages) {
      said.fail("has numbers of ", std::to_string(result.size()), " stages, and there are ", std::to_string(stages));
    }
    return result;
  }

  [[nodiscard]] double number(const json_value& value, bool may_be_below) const {
    if (!may_be_below) return static_cast<double>(value.count());
    if (!(*value).is_number()) value.fail(value.shown(), " is not a number");
    const double number = (*value).get<double>();
    const auto most = static_cast<double>(layers_);
    if (!(number >= -most && number <= most)) value.fail(value.shown(), " is more than all layers");
    if (number != static_cast<double>(static_cast<long long>(number))) value.fail(value.shown(), " is no whole number");
    return number;
  }

  const json_value& root_;
  std::size_t ranks_;
  std::size_t layers_;
};

}  // namespace detail

STAGECUT_DECL std::vector<sapp_strategy> read_sapp_strategies(std::string_view text, std::string_view source,
                                                              std::size_t ranks, std::size_t layers,
                                                              const read_limits& limits) {
  const auto parsed = detail::parse_yaml(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  std::vector<sapp_strategy> result;
  const auto is_one = [](const detail::json_value& of) { return (*of).is_object() && (*of).contains("offset"); };
  if (!is_one(whole) && (*whole).is_object()) {
    whole.each_member([&](std::string_view name, const detail::json_value& member) {
      if (!is_one(member)) return;
      result.push_back(detail::sapp_strategy_reader(member, ranks, layers).read());
      result.back().name = name;
    });
  }
  if (result.empty()) result.push_back(detail::sapp_strategy_reader(whole, ranks, layers).read());
  return result;
}

STAGECUT_DECL sapp_strategy read_sapp_strategy(std::string_view text, std::string_view source, std::size_t ranks,
                                               std::size_t layers, const read_limits& limits) {
  const auto parsed = detail::parse_yaml(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  return detail::sapp_strategy_reader(whole, ranks, layers).read();
}

}  // namespace stagecut::inline STAGECUT_ABI::io
