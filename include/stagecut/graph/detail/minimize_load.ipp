// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/minimize_load.hpp>

#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/detail/graph_solver.hpp>
#include <stagecut/graph/detail/operator_path.hpp>
#include <stagecut/graph/load_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_load_request(const load_request& request, std::string_view function) {
  if (request.devices == 0) fail(argument_error(function, "devices", "0", "must be at least 1"));
  if (request.method == graph_method::communication) {
    fail(argument_error(function, "method", "communication", "is for minimize_communication"));
  }
  if (request.method == graph_method::modules) {
    fail(argument_error(function, "method", "modules", "is of module trees: see partition_modules"));
  }
  if (request.search.time_limit && !(*request.search.time_limit >= 0)) {
    fail(argument_error(function, "search.time_limit", std::to_string(*request.search.time_limit),
                        "must not be negative"));
  }
  check_load_options(function, request.load, request.devices + request.cpus);
}

}  // namespace detail

STAGECUT_INSTANCE(outcome<graph_partition>);

STAGECUT_DECL outcome<graph_partition> minimize_load_fn::operator()(const operator_graph& graph,
                                                                    const load_request& request) const {
  detail::check_load_request(request);
  if (auto found = detail::least_load_of_path(graph, request)) return *std::move(found);
  return detail::recorded(request, [&](const load_request& asked) { return detail::graph_solver(graph, asked).run(); });
}

}  // namespace stagecut::inline STAGECUT_ABI
