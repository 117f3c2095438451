// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

#include "work/model.hpp"
#include "work/stage.hpp"

namespace executor {

/// A fault that a run is to have, to see how it ends: `kill` before `1B0`, say, on whichever rank runs that op.
struct fault_request {
  std::string kind{};  ///< throw, hang, kill; empty: none
  std::string at{};    ///< the op, as a schedule writes it
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(fault_request, kind, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(hold_times, forward, backward, backward_weight, kept)

/// All that a rank has to know to run: the same for every rank, whether they are threads or processes.
struct run_setup {
  stagecut::schedule order{};       ///< with sends and receipts
  model_config model{};             ///< what its stages compute
  std::vector<std::size_t> cuts{};  ///< stage s has the layers [cuts[s], cuts[s + 1]); none: `hold` is there
  std::vector<hold_times> hold{};   ///< at [stage * microbatches + k], of stages that compute nothing
  std::vector<double> delays{};     ///< seconds of messages over every boundary between stages; none: as they take
  std::size_t iterations = 1;       ///< that are measured, each alone
  std::size_t warm_up = 0;          ///< and before
  float rate = 0.01F;               ///< of the descent at the end of each
  double timeout = 30;              ///< seconds that a message may be waited for
  bool poison = false;              ///< whether memory is handed out full of NaN
  bool collect = true;              ///< whether losses and gradients of the last iteration are wanted
  fault_request fault{};            ///< for tests

  [[nodiscard]] bool timed() const { return !hold.empty(); }
  /// Floats of a message between stages.
  [[nodiscard]] std::size_t message_floats() const { return timed() ? 1 : model.tokens * model.width; }
};

/// As JSON, the order of ops as PyTorch's text.
inline void to_json(nlohmann::json& to, const run_setup& of) {
  using namespace stagecut::io;
  to = {{"order", as_torch_schedule(of.order, torch_format::compute_comms, torch_backward::as_given)},
        {"model", of.model},
        {"cuts", of.cuts},
        {"hold", of.hold},
        {"delays", of.delays},
        {"iterations", of.iterations},
        {"warm_up", of.warm_up},
        {"rate", of.rate},
        {"timeout", of.timeout},
        {"poison", of.poison},
        {"collect", of.collect},
        {"fault", of.fault}};
}

/// Read back by the processes that `to_json` was written for.
inline void from_json(const nlohmann::json& from, run_setup& to) {
  to.order = stagecut::io::parse_torch_schedule(from.at("order").get<std::string>(), "order");
  from.at("model").get_to(to.model);
  from.at("cuts").get_to(to.cuts);
  from.at("hold").get_to(to.hold);
  from.at("delays").get_to(to.delays);
  from.at("iterations").get_to(to.iterations);
  from.at("warm_up").get_to(to.warm_up);
  from.at("rate").get_to(to.rate);
  from.at("timeout").get_to(to.timeout);
  from.at("poison").get_to(to.poison);
  from.at("collect").get_to(to.collect);
  from.at("fault").get_to(to.fault);
}

}  // namespace executor
