// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stdexcept>
#include <string>

/// What the error says that `call` throws, an `Error`.
template <class Error = std::invalid_argument, class Call>
std::string refusal(const Call& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}
