// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/accelerator_file.hpp>

#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/accelerator.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL accelerator_file read_accelerator(std::string_view text, std::string_view source,
                                                const read_limits& limits) {
  const auto parsed = detail::parse_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  whole.object().only({"name",
                       "flops",
                       "gemm",
                       "gemm_fp8",
                       "flops_fp32",
                       "bandwidth",
                       "memory",
                       "link",
                       "pair",
                       "domain",
                       "network",
                       "power_limited",
                       "flops_fp8",
                       "flops_fp4",
                       "gemm_fp4",
                       "sustained",
                       "sustained_fp8",
                       "sustained_fp4",
                       "sustained_bandwidth",
                       "sustained_link",
                       "exponentials",
                       "sinks",
                       "dispatch_sms",
                       "host_link",
                       "used",
                       "sources",
                       "note"});
  accelerator_file made;
  transformer::device& on = made.figures;
  on.name = {};
  if (const auto name = whole.find("name")) made.name = name->text();
  const auto read = [&](const char* key, double& into) {
    if (const auto found = whole.find(key)) into = found->amount();
  };
  on.gemm = whole.find("sustained") && !whole.find("gemm") ? 0 : whole.at("gemm").amount();
  on.bandwidth = whole.at("bandwidth").amount();
  on.memory = whole.at("memory").amount();
  on.sustained_bandwidth = on.sustained_link = on.exponentials = on.host_link =
      0;  // unknown, unlike those of the default
  read("sustained", on.sustained);
  on.flops = on.gemm > 0 ? on.gemm : on.sustained;
  on.flops_fp32 = on.flops / 16;
  if (!whole.find("link")) {
    on.domain = 1;
    for (const char* const other : {"domain", "pair"}) {
      if (const auto found = whole.find(other)) found->fail("goes with \"link\", the rate in a domain");
    }
  }
  read("flops", on.flops);
  read("gemm_fp8", on.gemm_fp8);
  read("flops_fp32", on.flops_fp32);
  read("link", on.link);
  read("pair", on.pair);
  read("network", on.network);
  read("flops_fp8", on.flops_fp8);
  read("flops_fp4", on.flops_fp4);
  read("gemm_fp4", on.gemm_fp4);
  read("sustained_fp8", on.sustained_fp8);
  read("sustained_fp4", on.sustained_fp4);
  read("sustained_bandwidth", on.sustained_bandwidth);
  read("sustained_link", on.sustained_link);
  read("exponentials", on.exponentials);
  read("sinks", on.sinks);
  read("dispatch_sms", on.dispatch_sms);
  read("host_link", on.host_link);
  if (const auto used = whole.find("used")) on.used = used->count(1);
  if (!whole.find("link")) on.link = on.network;  // no message stays within a domain: only network cards limit them
  if (const auto domain = whole.find("domain")) on.domain = domain->count(1);
  if (const auto limited = whole.find("power_limited")) on.power_limited = limited->flag();
  try {
    transformer::check(on);
  } catch (const invalid_input& error) {
    stagecut::detail::fail(invalid_input(stagecut::detail::joined({source, "#/", error.place().substr(7)}),
                                         std::string_view(error.what()).substr(error.place().size() + 2)));
  }
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
