// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/profile/profile.hpp>

// The machine that a profile names, in JSON.
namespace stagecut::inline STAGECUT_ABI::io::detail {

inline stated_machine read_machine(const json_value& value) {
  stated_machine machine;
  if (const auto devices = value.find("devices")) machine.devices = devices->count(1);
  if (const auto cpus = value.find("cpus")) machine.cpus = cpus->count();
  if (const auto memory = value.find("memory")) machine.memory = memory->amount();
  const auto latency = value.find("latency");
  const auto bandwidth = value.find("bandwidth");
  if (latency || bandwidth) {
    machine.link = {latency ? latency->amount() : 0, bandwidth ? bandwidth->amount() : 0};
  }
  if (const auto buffers = value.find("buffers")) machine.buffers = buffers->flag();
  value.only({"devices", "cpus", "memory", "latency", "bandwidth", "buffers"});
  return machine;
}

/// Omits unset fields.
inline json machine_json(const stated_machine& machine, const std::string& place) {
  json_object object(place);
  if (machine.devices != 0) object.set("devices", machine.devices);
  if (machine.cpus != 0) object.set("cpus", machine.cpus);
  object.amount("memory", machine.memory);
  if (machine.link) {
    object.amount("latency", machine.link->latency);
    object.amount("bandwidth", machine.link->bandwidth);
  }
  if (!machine.buffers) object.set("buffers", false);
  return object.members();
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
