// SPDX-License-Identifier: BSL-1.0
// For builds without Thrust.
#include "search/search_system.hpp"

#include <memory>
#include <stdexcept>

std::unique_ptr<search_helpers> make_search_helpers(search_system where) {
  if (where == search_system::off) return nullptr;
  throw std::invalid_argument("this program was built without Thrust");
}
