// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/json_line.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/schedule/makespan_parts.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// An explanation as JSON, for programs.
class explain_document {
 public:
  explain_document(const stagecut::plan& made, const stagecut::plan_explanation& explanation)
      : made_(made), explanation_(explanation) {}

  [[nodiscard]] std::string text() const {
    json devices = json::array();
    for (const auto& device : explanation_.devices) devices.push_back(parts(device));
    const json whole = {{"makespan", number(explanation_.makespan)},
                        {"mean", parts(explanation_.parts)},
                        {"devices", std::move(devices)},
                        {"critical_path", path()},
                        {"one_per_cent_less", less()},
                        {"memory", memory()},
                        {"cut_proved", explanation_.cut_proved},
                        {"changes", changes()},
                        {"all_changes", explanation_.all_changes}};
    return whole.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  }

 private:
  using json = nlohmann::ordered_json;

  [[nodiscard]] static json number(double value) { return stagecut::io::json_number(value); }
  [[nodiscard]] static json numbers(const std::vector<double>& values) {
    json list = json::array();
    for (const double value : values) list.push_back(number(value));
    return list;
  }

  [[nodiscard]] static json parts(const stagecut::makespan_parts& of) {
    return {{"work", number(of.work)},
            {"idle",
             {{"schedule", number(of.schedule)},
              {"imbalance", number(of.imbalance)},
              {"transfers", number(of.transfers)},
              {"update", number(of.update)}}}};
  }

  [[nodiscard]] json path() const {
    json stages = json::array();
    for (const auto& stage : explanation_.path.stages) {
      stages.push_back({{"forward", number(stage.forward)},
                        {"backward", number(stage.backward)},
                        {"backward_input", number(stage.backward_input)},
                        {"backward_weight", number(stage.backward_weight)},
                        {"update", number(stage.update)}});
    }
    return {{"stages", std::move(stages)}, {"messages", numbers(explanation_.path.messages)}};
  }

  [[nodiscard]] json less() const {
    if (!explanation_.less.unknown.empty()) return {{"unknown", explanation_.less.unknown}};
    json layers = json::array();
    for (std::size_t i = 0; i < explanation_.less.layers.size(); ++i) {
      layers.push_back({{"name", made_.profile.layers[i].name}, {"saves", number(explanation_.less.layers[i])}});
    }
    return {{"layers", std::move(layers)},
            {"devices", numbers(explanation_.less.devices)},
            {"links", numbers(explanation_.less.links)},
            {"all_links", number(explanation_.less.all_links)},
            {"update", number(explanation_.less.update)}};
  }

  [[nodiscard]] json memory() const {
    const auto& price = explanation_.memory;
    if (!price.unknown.empty()) return {{"unknown", price.unknown}};
    return {{"as_is", number(price.as_is)},
            {"more", number(price.more)},
            {"less", price.less ? number(*price.less) : json()},
            {"proved", price.proved}};
  }

  [[nodiscard]] json changes() const {
    json list = json::array();
    for (const auto& change : explanation_.changes) {
      json one = {{"change", to_string(change.kind)}};
      if (change.kind == stagecut::change_kind::boundary) one["boundary"] = change.index;
      if (change.kind == stagecut::change_kind::device) one["device"] = change.index;
      if (change.kind == stagecut::change_kind::group) one["group"] = change.index;
      one["cuts"] = std::vector<std::size_t>(change.cuts.points().begin(), change.cuts.points().end());
      one["schedule"] = change.schedule;
      one["microbatches"] = change.microbatches;
      one["makespan"] = number(change.makespan);
      one["saved"] = number(change.saved);
      list.push_back(std::move(one));
    }
    return list;
  }

  const stagecut::plan& made_;
  const stagecut::plan_explanation& explanation_;
};
