// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/names.hpp>

// Recomputation of layers, in SAPP's words and in ours.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The recomputation of a layer, from NONE to FULL, in the order of SAPP's files.
enum class sapp_choice : std::uint8_t { none, select, comm, both, full };

inline constexpr std::size_t sapp_choices = 5;

/// The words for them: first those that readers give, then others that mean the same.
inline constexpr named<sapp_choice> sapp_choice_names[] = {
    {"none", sapp_choice::none},  {"select", sapp_choice::select}, {"comm", sapp_choice::comm},
    {"both", sapp_choice::both},  {"full", sapp_choice::full},     {"selective", sapp_choice::select},
    {"slct", sapp_choice::select}};

/// The members for a type in SAPP's files: the bytes of such a layer, the time of its backward pass, and the share by
/// which this exceeds twice the forward pass, unless the file has one of them.
struct sapp_type {
  sapp_choice choice;
  const char* memory;       ///< the member with its activations
  const char* time;         ///< the member with the time of its backward pass
  const char* coefficient;  ///< the member with the share
  double usual;             ///< default of the share
};

/// Source: the layer files of SAPP's pipeline balance, MindFormers 0b3a3b55.
inline constexpr sapp_type sapp_types[sapp_choices] = {
    {sapp_choice::none, "memory_activation", "backward_time", "backward_coef", 0},
    {sapp_choice::select, "memory_select_rec", "select_rec_time", "select_rec_coef", 0.04},
    {sapp_choice::comm, "memory_select_comm", "select_comm_time", "select_comm_coef", 0.125},
    {sapp_choice::both, "memory_both_comm_select", "both_comm_select_time", "both_comm_select_coef", 0.165},
    {sapp_choice::full, "memory_recompute", "recompute_time", "recompute_coef", 0.5}};

/// SAPP's MB and ms.
inline constexpr double sapp_megabyte = 1048576;
inline constexpr double sapp_millisecond = 1e-3;

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
