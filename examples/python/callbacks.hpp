// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/search_options.hpp>
#include <stagecut/plan/sweep_options.hpp>

#include <nanobind/nanobind.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

namespace nb = nanobind;

/// Calls back to Python, at most ten times a second: an exception there ends the search, and is raised then.
class callbacks {
 public:
  callbacks(nb::object progress, nb::object stop) : progress_(std::move(progress)), stop_(std::move(stop)) {}

  void tell(const stagecut::search_progress& now) {
    call([&](nb::dict& state) {
      state["seconds"] = now.seconds;
      state["makespan"] = now.value;
      state["bound"] = now.bound;
      state["nodes"] = now.nodes;
    });
  }

  void tell(const stagecut::sweep_progress& now) {
    call([&](nb::dict& state) {
      state["seconds"] = now.seconds;
      state["done"] = now.done;
      state["dominated"] = now.dominated;
      state["rows"] = now.rows;
    });
  }

  /// Whether to stop, because of Python's answer or Ctrl-C. Any thread may ask.
  bool asked() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failed_ || stopped_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - latest_ < std::chrono::milliseconds(100)) return false;
    latest_ = now;
    const nb::gil_scoped_acquire held;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      stopped_ = !stop_.is_none() && nb::cast<bool>(nb::bool_(stop_()));
    } catch (nb::python_error& error) {
      failed_.emplace(std::move(error));
    }
    return failed_ || stopped_;
  }

  [[nodiscard]] bool failed() const { return failed_.has_value(); }
  /// Raises the stored exception.
  void raise() {
    if (failed_) throw std::move(*failed_);
  }

 private:
  /// Calls `progress` with what `fill` puts into a dictionary.
  template <class Fill>
  void call(const Fill& fill) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (progress_.is_none() || failed_) return;
    const nb::gil_scoped_acquire held;
    try {
      nb::dict state;
      fill(state);
      progress_(state);
    } catch (nb::python_error& error) {
      failed_.emplace(std::move(error));
    }
  }

  std::mutex mutex_;  // taken before the interpreter's lock
  nb::object progress_, stop_;
  std::optional<nb::python_error> failed_;
  std::chrono::steady_clock::time_point latest_ = std::chrono::steady_clock::now();
  bool stopped_ = false;
};
