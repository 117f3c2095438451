// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/topology.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

/// Small profiles and requests whose times are whole or halves, so that no sum is rounded, and all of their cuts.
namespace random_requests {

using points = std::vector<std::size_t>;

class dice {
 public:
  explicit dice(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] std::size_t up_to(std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most)(random_);
  }
  [[nodiscard]] double whole(std::size_t most) { return static_cast<double>(up_to(most)); }

  [[nodiscard]] stagecut::profile profile(std::size_t layers) {
    stagecut::profile model;
    dice more = *this;                      // what it draws changes nothing else
    const bool apart = more.up_to(2) == 0;  // the gradients take another time apart
    for (std::size_t i = 0; i < layers; ++i) {
      stagecut::layer each;
      each.name = "l";
      each.forward = 1 + whole(8);
      each.backward_weight = whole(8);
      each.backward_input = whole(8);
      each.backward = apart ? more.whole(12) : *each.backward_weight + *each.backward_input;
      each.output = 8 * whole(4);
      if (i > 0 && up_to(9) == 0) {
        auto& before = model.layers.back().group;
        if (before.empty()) before = "group " + std::to_string(i);
        each.group = before;
      }
      model.layers.push_back(each);
    }
    return model;
  }

  [[nodiscard]] std::vector<double> speeds(std::size_t devices) {
    std::vector<double> result;
    for (std::size_t d = 0; d < devices; ++d) result.push_back(up_to(2) == 0 ? 0.5 : 1 + whole(1));
    return result;
  }

  [[nodiscard]] stagecut::link_speed link() { return {whole(3), up_to(3) == 0 ? 0.0 : 8.0}; }

  /// Links of one kind or another, or none.
  void add_links(stagecut::plan_request& request) {
    const std::size_t stages = request.devices * request.stages_per_rank;
    request.transfers = static_cast<stagecut::transfer_kind>(up_to(3));
    switch (up_to(3)) {
      case 0: return;
      case 1: request.links = {link()}; return;
      case 2: request.topology = stagecut::topology({2, 1 + request.devices / 2}, {link(), link()}); return;
      default:
        for (std::size_t b = 0; b + 1 < stages; ++b) request.links.push_back(link());
    }
  }

  void add_rules(stagecut::plan_request& request, std::size_t layers) {
    for (std::size_t i = up_to(2); i-- > 0 && layers > 1;) request.forbidden_cuts.push_back(1 + up_to(layers - 2));
    for (std::size_t i = up_to(1); i-- > 0;) {
      const std::size_t first = up_to(layers - 1);
      const std::size_t last = first + 1 + up_to(2);
      request.kept_together.push_back({first, last < layers ? last : layers});
    }
  }

 private:
  std::mt19937 random_;
};

/// Whether a request lets the layers be cut there.
[[nodiscard]] inline bool may_cut(const stagecut::profile& model, const stagecut::plan_request& request,
                                  std::size_t cut) {
  const auto& before = model.layers[cut - 1].group;
  if (!before.empty() && before == model.layers[cut].group) return false;
  for (const std::size_t each : request.forbidden_cuts) {
    if (each == cut) return false;
  }
  for (const auto& each : request.kept_together) {
    if (each.first < cut && cut < each.last) return false;
  }
  return true;
}

/// Calls `use(points)` with every cut that a request lets be, in lexicographic order.
inline void each_cut(const stagecut::profile& model, const stagecut::plan_request& request,
                     const std::function<void(const points&)>& use) {
  const std::size_t n = model.layers.size();
  const std::size_t stages = request.devices * request.stages_per_rank;
  points cut{0};
  const std::function<void()> extend = [&] {
    if (cut.size() == stages) {
      if (cut.back() == n) return;
      cut.push_back(n);
      use(cut);
      cut.pop_back();
      return;
    }
    for (std::size_t next = cut.back() + 1; next < n; ++next) {
      if (!may_cut(model, request, next)) continue;
      cut.push_back(next);
      extend();
      cut.pop_back();
    }
  };
  extend();
}

/// The time of a message over the boundary behind stage s, cut there, between these devices.
[[nodiscard]] inline double message(const stagecut::profile& model, const stagecut::plan_request& request,
                                    std::size_t s, std::size_t cut, std::size_t from, std::size_t to) {
  if (from == to) return 0;
  stagecut::link_speed over;
  if (request.topology) {
    over = request.topology->link(from, to);
  } else if (!request.links.empty()) {
    over = request.links[request.links.size() == 1 ? 0 : s];
  }
  return over.latency + (over.bandwidth == 0 ? 0 : model.layers[cut - 1].output / over.bandwidth);
}

}  // namespace random_requests
