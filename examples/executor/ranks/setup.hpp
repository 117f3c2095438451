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

namespace stagecut {

/// A schedule as PyTorch's text, with transfers.
inline void to_json(nlohmann::json& to, const schedule& of) {
  to =
      io::as_torch_schedule(of, io::torch_format::compute_comms, io::torch_backward::as_given, io::torch_version::v2_9);
}
inline void from_json(const nlohmann::json& from, schedule& to) {
  to = io::parse_torch_schedule(from.get<std::string>(), "order");
}

}  // namespace stagecut

namespace executor {

/// A fault that a run is to have, to see how it ends: `kill` before `1B0`, say, on whichever rank runs that op.
struct fault_request {
  std::string kind{};  ///< throw, hang, kill; empty: none
  std::string at{};    ///< the op, as a schedule writes it
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(fault_request, kind, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(hold_times, forward, backward, backward_input, backward_weight, kept)

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

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(run_setup, order, model, cuts, hold, delays, iterations, warm_up, rate, timeout, poison,
                                   collect, fault)

}  // namespace executor
