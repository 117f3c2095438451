// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/check_architecture.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/profile/architecture.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

STAGECUT_DECL std::optional<fault> vision_fault(const vision_tower& v) {
  constexpr std::size_t most = most_of_a_count;
  const field_range ranges[] = {{"layers", v.layers, 1, 100'000},
                                {"hidden", v.hidden, 1, most},
                                {"heads", v.heads, 1, most},
                                {"ffn", v.ffn, 1, most},
                                {"inputs", v.inputs, 1, most},
                                {"positions", v.positions, 0, most},
                                {"extra_norms", v.extra_norms, 0, 100},
                                {"extra_tokens", v.extra_tokens, 0, most},
                                {"patches", v.patches, 1, most},
                                {"images", v.images, 1, 1'000'000},
                                {"window", v.window, 0, most},
                                {"merged", v.merged, 1, most},
                                {"projector_norm", v.projector_norm, 0, most},
                                {"norms", v.norms, 1, 8},
                                {"deepstack", v.deepstack, 0, 1000}};
  if (auto found = detail::first_out_of_range(ranges, "vision/")) return found;
  if (v.hidden % v.heads != 0) {
    return fault{false, "vision/heads", at_odds_text("heads", v.heads, "does not divide", "hidden", v.hidden)};
  }
  if (v.patches % v.merged != 0) {
    return fault{false, "vision/merged", at_odds_text("merged", v.merged, "does not divide", "patches", v.patches)};
  }
  for (std::size_t i = 0; i < v.full_layers.size(); ++i) {
    const std::size_t layer = v.full_layers[i];
    if (layer >= v.layers) {
      return fault{false, "vision/full_layers", joined({layer, " is not below layers = ", v.layers})};
    }
    if (i != 0 && layer <= v.full_layers[i - 1]) {
      return fault{false, "vision/full_layers", joined({layer, " stands behind ", v.full_layers[i - 1]})};
    }
  }
  for (const std::vector<std::size_t>* const widths : {&v.projector, &v.joined}) {
    for (const std::size_t width : *widths) {
      if (width != 0 && width <= most) continue;
      return fault{false, widths == &v.joined ? "vision/joined" : "vision/projector",
                   joined({width, " is not from 1 to ", most})};
    }
  }
  return std::nullopt;
}

STAGECUT_DECL std::optional<fault> latent_fault(const latent_attention& l) {
  constexpr std::size_t most = most_of_a_count;
  const field_range ranges[] = {{"query_rank", l.query_rank, 0, most},
                                {"kv_rank", l.kv_rank, 1, most},
                                {"plain_dim", l.plain_dim, 1, most},
                                {"rotary_dim", l.rotary_dim, 0, most},
                                {"value_dim", l.value_dim, 1, most}};
  return detail::first_out_of_range(ranges, "latent/");
}

STAGECUT_DECL std::optional<fault> recurrence_fault(const recurrent_mixer& m) {
  constexpr std::size_t most = most_of_a_count;
  const bool stateless = m.kind == recurrent_kind::short_convolution;
  const bool narrow = m.kind == recurrent_kind::mamba1 || m.kind == recurrent_kind::kimi_delta;
  const field_range ranges[] = {{"heads", m.heads, 1, most},
                                {"head_dim", m.head_dim, 1, most},
                                {"state", m.state, stateless ? 0U : 1U, most},
                                {"groups", m.groups, 1, most},
                                {"convolution", m.convolution, 0, 1000},
                                {"rank", m.rank, narrow ? 1U : 0U, most}};
  if (auto found = detail::first_out_of_range(ranges, "recurrence/")) return found;
  if (m.heads % m.groups == 0) return std::nullopt;
  return fault{false, "recurrence/groups", at_odds_text("groups", m.groups, "does not divide", "heads", m.heads)};
}

STAGECUT_DECL std::optional<fault> indexer_fault(const sparse_indexer& x) {
  constexpr std::size_t most = most_of_a_count;
  const field_range ranges[] = {
      {"heads", x.heads, 1, most}, {"head_dim", x.head_dim, 1, most}, {"top_k", x.top_k, 1, most}};
  return detail::first_out_of_range(ranges, "indexer/");
}

STAGECUT_DECL std::optional<fault> form_fault(const architecture& a, std::size_t i) {
  const layer_form& form = a.forms[i];
  const auto fail = [&](const char* problem) { return fault{false, "forms", joined({"layer ", i, problem})}; };
  const bool recurs = form.mixer == mixing::recurrence || form.mixer == mixing::both;
  if (recurs && !a.recurrence) return fail(" is recurrent, and the figures of \"recurrence\" are missing");
  if (form.mixer == mixing::none && form.mixer_only) return fail(" has neither a mixer nor a feed-forward part");
  for (const std::size_t count : {form.heads, form.kv_heads, form.head_dim, form.ffn, form.window, form.compression}) {
    if (count > most_of_a_count) return fail(" has a figure that is too large");
  }
  const bool own = form.heads != 0 || form.kv_heads != 0 || form.head_dim != 0;
  if (own && a.latent) return fail(" has own heads, and all have narrow keys and values");
  const std::size_t heads = form.heads != 0 ? form.heads : a.heads;
  const std::size_t kv = form.kv_heads != 0 ? form.kv_heads : a.kv_heads != 0 ? a.kv_heads : heads;
  if (own && heads % kv != 0) return fail(" has kv_heads that do not divide its heads");
  if (form.heads != 0 && form.head_dim == 0 && a.head_dim == 0 && a.hidden % form.heads != 0) {
    return fail(" has heads that do not divide hidden, and no head_dim");
  }
  if (form.shares_indexer && !a.indexer) return fail(" shares an indexer, whose figures are missing");
  return std::nullopt;
}

STAGECUT_DECL std::optional<fault> forms_fault(const architecture& a) {
  bool single = false;  // whether a layer has one part
  if (!a.forms.empty() && a.forms.size() != a.layers && a.forms.size() != a.layers + a.mtp_layers) {
    return fault{false, "forms", joined({a.forms.size(), " elements, and layers = ", a.layers})};
  }
  for (std::size_t i = 0; i < a.forms.size(); ++i) {
    if (auto found = form_fault(a, i)) return found;
    single = single || a.forms[i].mixer == mixing::none || a.forms[i].mixer_only;
  }
  if (a.norms > 1 || a.parallel || single) return std::nullopt;
  return fault{false, "norms", "1, but the two parts of a layer follow each other: parallel is false"};
}

STAGECUT_DECL std::optional<fault> out_of_range(const architecture& a) {
  constexpr std::size_t most = most_of_a_count;
  const field_range ranges[] = {{"layers", a.layers, 1, 100'000},
                                {"hidden", a.hidden, 1, most},
                                {"heads", a.heads, 1, most},
                                {"kv_heads", a.kv_heads, 0, most},
                                {"head_dim", a.head_dim, 0, most},
                                {"ffn", a.ffn, 1, most},
                                {"experts", a.experts, 0, most},
                                {"top_k", a.top_k, 0, most},
                                {"vocabulary", a.vocabulary, 1, most},
                                {"positions", a.positions, 0, most},
                                {"token_types", a.token_types, 0, most},
                                {"sequence", a.sequence, 1, most},
                                {"norms", a.norms, 1, 8},
                                {"expert_ffn", a.expert_ffn, 0, most},
                                {"shared_ffn", a.shared_ffn, 0, most},
                                {"mtp_layers", a.mtp_layers, 0, 1000},
                                {"expert_hidden", a.expert_hidden, 0, most},
                                {"router_groups", a.router_groups, 0, most},
                                {"top_groups", a.top_groups, 0, most},
                                {"value_dim", a.value_dim, 0, most},
                                {"idle_experts", a.idle_experts, 0, most},
                                {"query_rank", a.query_rank, 0, most},
                                {"output_rank", a.output_rank, 0, most},
                                {"output_groups", a.output_groups, 1, most},
                                {"streams", a.streams, 1, 1000}};
  if (auto found = detail::first_out_of_range(ranges)) return found;
  if (a.recurrence) {
    if (auto found = recurrence_fault(*a.recurrence)) return found;
  }
  if (a.latent) {
    if (auto found = latent_fault(*a.latent)) return found;
  }
  if (a.indexer) {
    if (auto found = indexer_fault(*a.indexer)) return found;
  }
  return a.vision ? vision_fault(*a.vision) : std::nullopt;
}

STAGECUT_DECL std::optional<fault> at_odds(const architecture& a) {
  const std::size_t kv = a.kv_heads != 0 ? a.kv_heads : a.heads;
  if (!a.latent && a.head_dim == 0 && a.hidden % a.heads != 0) {
    return fault{false, "heads",
                 joined({at_odds_text("heads", a.heads, "does not divide", "hidden", a.hidden), ", and no head_dim"})};
  }
  if (a.heads % kv != 0) {
    return fault{false, "kv_heads", at_odds_text("kv_heads", kv, "does not divide", "heads", a.heads)};
  }
  if (a.top_k > a.experts) {
    return fault{false, "top_k", at_odds_text("top_k", a.top_k, "is above", "experts", a.experts)};
  }
  if (a.experts != 0 && a.top_k == 0) return fault{false, "top_k", "0, but there are experts"};
  if (a.shared_gate && a.shared_ffn == 0) return fault{false, "shared_gate", "is there, but no shared_ffn"};
  if (a.experts == 0 && a.shared_ffn != 0) return fault{false, "shared_ffn", "is there, but there are no experts"};
  if (a.router_groups != 0 && (a.experts == 0 || a.experts % a.router_groups != 0)) {
    return fault{false, "router_groups",
                 at_odds_text("router_groups", a.router_groups, "does not divide", "experts", a.experts)};
  }
  if (a.top_groups > a.router_groups) {
    return fault{false, "top_groups",
                 at_odds_text("top_groups", a.top_groups, "is above", "router_groups", a.router_groups)};
  }
  if (a.top_groups != 0 && a.top_k > a.experts / a.router_groups * a.top_groups) {
    return fault{
        false, "top_k",
        joined({"top_k = ", a.top_k, " is above the experts of ", a.top_groups, " of ", a.router_groups, " groups"})};
  }
  return forms_fault(a);
}

}  // namespace detail

STAGECUT_DECL void check(const architecture& a) {
  auto fault = detail::out_of_range(a);
  if (!fault) fault = detail::at_odds(a);
  if (!fault) return;
  stagecut::detail::fail(stagecut::invalid_input(detail::joined({"architecture.", fault->field}), fault->problem));
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
