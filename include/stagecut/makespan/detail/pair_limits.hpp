// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/makespan/detail/pair_bounds.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// How long the second of a rank's two stages may be. Paths that are learned say it soon, and the whole list of the rank is
/// asked now and then, as often as that taught something of late; so some stages may be left that are too long.
class pair_limits {
 public:
  /// Lowers `widest` to the last second stage for which no bound known is above `most`. False: there is none from `least` on.
  ///
  /// @param end      `end(width)`, the node behind u with a second stage so wide; bounds do not fall with the width
  /// @param widest   at first the widest there may be
  /// @param choices  is raised by how much was looked at
  template <class End>
  bool narrow(pair_bounds& bounds, const engine::layered_graph::node& u, const End& end, double most, std::size_t least,
              std::size_t& widest, std::size_t& choices) {
    const auto above = [&](std::size_t width) {
      ++choices;
      return bounds.above(u, end(width), most);
    };
    for (;;) {
      if (widest < least) return false;
      if (above(widest)) {  // bisection for the first one that is
        std::size_t low = least;
        while (low < widest) {
          const std::size_t middle = low + (widest - low) / 2;
          if (above(middle)) {
            widest = middle;
          } else {
            low = middle + 1;
          }
        }
        if (widest == least) return false;
        --widest;
      }
      if (!asked(bounds, u, end(widest), most, choices)) return true;
    }
  }

  /// Whether a bound known for one edge is above `most`, be that so for wider second stages or not.
  bool above(pair_bounds& bounds, const engine::layered_graph::node& u, const engine::layered_graph::node& v,
             double most, std::size_t& choices) {
    return bounds.above(u, v, most) || asked(bounds, u, v, most, choices);
  }

 private:
  /// Whether the whole list was asked, and is above.
  bool asked(pair_bounds& bounds, const engine::layered_graph::node& u, const engine::layered_graph::node& v,
             double most, std::size_t& choices) {
    if (++unasked_ < pause_) return false;
    unasked_ = 0;
    choices += 16;
    const bool is = bounds.learn(u, v, most);
    if (is) {
      pause_ = pause_ > 1 ? pause_ / 2 : 1;
    } else if (++in_vain_ == 16) {
      in_vain_ = 0;
      pause_ = pause_ < 256 ? 2 * pause_ : pause_;
    }
    return is;
  }

  std::size_t unasked_ = 0;  // times, one after the other
  std::size_t pause_ = 1;    // at how many of them the whole list is asked
  std::size_t in_vain_ = 0;  // how often it taught nothing
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
