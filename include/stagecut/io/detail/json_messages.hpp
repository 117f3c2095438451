// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_stages.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/plan_edges.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/simulation.hpp>

// The speeds of a plan's devices and of the links between them, in JSON.
namespace stagecut::inline STAGECUT_ABI::io::detail {

inline std::vector<double> read_speeds(const json_value& value) {
  std::vector<double> speeds;
  for (const json_value& element : value.elements()) speeds.push_back(element.amount());
  if (speeds.empty()) value.fail("holds no speed");
  return speeds;
}

inline message_model read_messages(const json_value& value) {
  message_model messages;
  messages.kind = to_string(value.at("kind").one_of(transfer_kind_names));
  const json_value links = value.at("links");
  for (const json_value& link : links.elements()) {
    messages.links.push_back({link.at("latency").amount(), link.at("bandwidth").amount()});
    link.only({"latency", "bandwidth"});
  }
  if (messages.links.empty()) links.fail("holds no link");
  value.only({"kind", "links"});
  return messages;
}

/// A list of amounts, called `place` in errors.
inline json amounts_json(const char* place, const std::vector<double>& amounts) {
  json result = json::array();
  for (std::size_t d = 0; d < amounts.size(); ++d) {
    const std::string key = std::to_string(d);
    json_object object(place);
    object.amount(key, amounts[d]);
    result.push_back(object.members()[key]);
  }
  return result;
}

inline json messages_json(const message_model& messages) {
  json_object object("plan#/messages");
  object.text("kind", messages.kind);
  json links = json::array();
  for (std::size_t b = 0; b < messages.links.size(); ++b) {
    json_object link(joined({"plan#/messages/links/", b}));
    link.amount("latency", messages.links[b].latency);
    link.amount("bandwidth", messages.links[b].bandwidth);
    links.push_back(link.members());
  }
  object.set("links", links);
  return object.members();
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
