// SPDX-License-Identifier: BSL-1.0
#include "search/search_helpers.cpp"
