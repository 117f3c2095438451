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

/// A fault to inject into a run, for tests of failures: for example `kill` before `1B0`, on the rank that runs that op.
struct fault_request {
  std::string kind{};  ///< throw, hang, kill; empty: none
  std::string at{};    ///< the op, in a schedule's notation
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(fault_request, kind, at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(hold_times, forward, backward, backward_input, backward_weight, kept)

/// All inputs of a rank, the same for every rank, in threads or processes.
struct run_setup {
  stagecut::schedule order{};       ///< with sends and receives
  model_config model{};             ///< the computation of its stages
  std::vector<std::size_t> cuts{};  ///< stage s has the layers [cuts[s], cuts[s + 1]); empty: `hold` is set
  std::vector<hold_times> hold{};   ///< at [stage * microbatches + k], for stages without computation
  std::vector<double> delays{};     ///< message times in seconds per boundary between stages; empty: the actual times
  std::size_t iterations = 1;       ///< measured iterations, each run alone
  std::size_t warm_up = 0;          ///< iterations before them
  float rate = 0.01F;               ///< of the gradient descent after each
  double timeout = 30;              ///< limit for waiting for a message, in seconds
  bool poison = false;              ///< whether memory is initialized to NaN
  bool collect = true;              ///< whether to return losses and gradients of the last iteration
  fault_request fault{};            ///< for tests

  [[nodiscard]] bool timed() const { return !hold.empty(); }
  /// Floats of a message between stages.
  [[nodiscard]] std::size_t message_floats() const { return timed() ? 1 : model.tokens * model.width; }
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(run_setup, order, model, cuts, hold, delays, iterations, warm_up, rate, timeout, poison,
                                   collect, fault)

}  // namespace executor
