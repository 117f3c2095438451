// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The exit statuses of the program.
enum exit_status { planned = 0, other_failure = 1, bad_input = 2, infeasible = 3, unknown = 4 };

/// The meaning of a status for users.
struct status_meaning {
  exit_status status;
  const char* means;
  const char* of;  // the commands that return it; empty: all
};
inline constexpr status_meaning status_meanings[] = {
    {planned, "What was asked for is done: a plan, a page, an answer.", ""},
    {other_failure, "The output could not be written, memory was not enough, or anything else.", ""},
    {other_failure, "A value in the plan does not hold.", "verify"},
    {bad_input, "Bad input or usage, or a plan that the format cannot express.", ""},
    {infeasible, "No plan exists.", "plan, sweep"},
    {unknown, "No plan was found: the search was ended before there was one.", "plan, sweep"}};
