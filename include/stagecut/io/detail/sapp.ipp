// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/sapp.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/io/detail/sapp_choices.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL std::string as_sapp(const plan& p) {
  const bool sliced = p.schedule.slices > 1 && p.schedule.name == entry_of(schedule_kind::sliced).name;
  plan whole = p;  // MindFormers slices the sequences of 1F1B
  if (sliced) {
    whole.schedule.name = entry_of(schedule_kind::one_forward_one_backward).name;
    whole.schedule.slices = 1;
  }
  const std::string_view format = detail::check_target("as_sapp", framework::sapp, whole).name;
  const auto decoders = detail::decoders_of_stages(p);
  std::size_t share = 0;
  for (const std::size_t count : decoders) share += count;
  share /= decoders.size();

  std::vector<long long> offset;
  std::vector<long long> full(decoders.size());
  std::vector<long long> select(decoders.size());
  std::vector<long long> comm(decoders.size());
  for (const std::size_t count : decoders)
    offset.push_back(static_cast<long long>(count) - static_cast<long long>(share));
  const auto stages = p.cuts.assignment();
  const stagecut::detail::target_kinds kinds(entry_of(framework::sapp), p.profile);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const layer& each = p.profile.layers[i];
    const bool chosen = i < p.choices.size() && !p.choices[i].recomputation.empty();
    std::string recomputation = chosen ? p.choices[i].recomputation : each.recomputation.get();
    if (!chosen && p.memory.checkpoint == "always" && kinds.is_decoder(i)) recomputation = "full";
    if (recomputation.empty() || recomputation == "none") continue;
    const auto* const known = stagecut::find_name(detail::sapp_choice_names, recomputation);
    if (known == nullptr) {
      detail::refuse(format, detail::joined({detail::layer_text(each), ": recomputation ",
                                             detail::in_quotes(recomputation), " is not known to it"}));
    }
    if (!kinds.is_decoder(i)) {
      detail::refuse(format, detail::joined({detail::layer_text(each), " is recomputed, and it counts only decoders"}));
    }
    const detail::sapp_choice choice = known->value;
    full[stages[i]] += choice == detail::sapp_choice::full ? 1 : 0;
    select[stages[i]] += choice != detail::sapp_choice::comm ? 1 : 0;
    comm[stages[i]] += choice != detail::sapp_choice::select ? 1 : 0;
  }

  const auto rows = [&](const std::vector<long long>& numbers) {
    const auto row = [&](std::size_t chunk) {
      const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(chunk * p.devices);
      return detail::list_text(std::vector<long long>(first, first + static_cast<std::ptrdiff_t>(p.devices)));
    };
    return detail::joined({"[", detail::sequence_text(p.stages_per_rank, ", ", row), "]"});
  };
  return detail::joined({"offset: ", rows(offset), "\nrecompute: ", rows(full), "\nselect_recompute: ", rows(select),
                         "\nselect_comm_recompute: ", rows(comm),
                         sliced ? detail::joined({"\nseq_split_num: ", p.schedule.slices}) : std::string()});
}

}  // namespace stagecut::inline STAGECUT_ABI::io
