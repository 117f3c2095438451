// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/file.hpp>
#include <stagecut/io/json/accelerator_file.hpp>
#include <stagecut/io/json/architecture_names.hpp>
#include <stagecut/io/json/efficiencies_file.hpp>
#include <stagecut/io/json/hugging_face_config.hpp>
#include <stagecut/io/json/json_line.hpp>
#include <stagecut/io/json/parse_json.hpp>
#include <stagecut/io/json/transformer_config.hpp>
#include <stagecut/profile/devices.hpp>
#include <stagecut/profile/efficiencies.hpp>
#include <stagecut/profile/sharded_transformer.hpp>
#include <stagecut/profile/training_flops.hpp>
#include <stagecut/profile/transformer.hpp>
#include <stagecut/profile/transformer_inference.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "options/device_counts.hpp"
#include "options/did_you_mean.hpp"
#include "options/option_checks.hpp"
#include "options/quantity.hpp"

/// On or off.
inline constexpr stagecut::named<bool> switch_flags[] = {{"on", true}, {"off", false}};

/// The run of a transformer, as options of `profile transformer` and, for a configuration, of `plan`.
struct transformer_flags {
  std::string as;
  std::optional<std::size_t> sequence, microbatch, context_parallel, expert_parallel, data_parallel,
      zero;
  std::optional<bool> sequence_parallel, flash, expert_overlap, fused_experts, attention_fp8, head_fp8;
  std::optional<stagecut::transformer::module_set> recompute_modules;
  std::optional<stagecut::transformer::dispatching> dispatcher;
  std::optional<stagecut::transformer::graphing> cuda_graphs;
  std::optional<double> offload;
  std::optional<std::size_t> moment_bytes;
  std::size_t microbatches = 0;  // of an iteration, if the command knows them
  std::string constants;  // of the cost model: a file, or NAME=VALUE, ...
  std::optional<stagecut::transformer::number> precision;
  std::optional<stagecut::transformer::recomputing> recomputation;
  std::optional<stagecut::transformer::overlapping> overlap;
  std::optional<stagecut::transformer::serving_phase> phase;
  std::string weights;         // the format of --weights; empty: the configuration's
  std::optional<double> kept;  // bytes of a number of keys and values
  std::optional<std::size_t> concurrent;
  bool inference = false;
  bool variants = false;  // layers have all recomputation variants
  std::string shared_by;  // of --tensor-parallel: a number, several, or auto
  bool shards = false;    // whether layers have shardings for them
  std::size_t node = 8;   // devices per node: the limit of auto
  std::string device = "a100-80gb";
  std::vector<CLI::Option*> options, of_training;

  /// Registers the options: all of them as rare ones if the model is one of many; else a few.
  void add(CLI::App& command, bool one_of_many) {
    bool rare_now = false;
    const auto keep = [&](CLI::Option* made) {
      const std::string name = made->get_name();
      const bool rare = name == "--as" || name == "--flash" || name == "--sequence-parallel" ||
                        name == "--context-parallel" || name == "--overlap" || name == "--phase" ||
                        name == "--weights" || name == "--kv" || rare_now;
      if (rare || one_of_many) made->group(rare_options);
      options.push_back(made);
      return made;
    };
    const auto trains = [&](CLI::Option* made) { of_training.push_back(keep(made)); };
    const auto number = [&](const char* name, auto& into, const char* type, const char* says, std::size_t least = 1) {
      return keep(command.add_option(name, into, says)->type_name(type)->transform(count(least)));
    };
    keep(command.add_option("--as", as, "Read config.json as of that model: llama")->type_name("MODEL"));
    keep(command.add_option("--gpu", device, "a100-80gb, h100-80gb, gb200-186gb .. or a file")
             ->type_name("NAME")
             ->check(such_as(names_of(stagecut::transformer::devices))));
    number("--sequence", sequence, "N", "Tokens of a sample");
    of_training.push_back(number("--microbatch", microbatch, "N", "Samples of a microbatch"));
    keep(add_choice(command, "--precision", precision, stagecut::transformer::precision_names, "NAME",
                    "bf16, fp16, fp32, fp8, mxfp8, nvfp4"));
    // If the model is one of many, the command has its own option for that.
    if (!one_of_many) {
      trains(add_recompute(command));
    }
    trains(add_choice(command, "--flash", flash, switch_flags, "ON", "FlashAttention, on or off"));
    keep(command.add_option("--tensor-parallel", shared_by, "Devices that share each layer: 8, auto, 1,2,4")
             ->type_name("T")
             ->check(counts_or_auto()));
    trains(add_choice(command, "--sequence-parallel", sequence_parallel, switch_flags, "ON",
                      "They share norms, too (on)"));
    of_training.push_back(number("--context-parallel", context_parallel, "C", "Devices that share a sample"));
    number("--expert-parallel", expert_parallel, "E", "Devices that share the experts");
    of_training.push_back(number("--data-parallel", data_parallel, "D", "Replicas"));
    of_training.push_back(number("--zero", zero, "STAGE", "ZeRO's stage, 0 to 3", 0));
    trains(add_choice(command, "--overlap", overlap, stagecut::transformer::overlap_names, "HOW",
                      "Its messages: recipe, none, bwd, ub"));
    rare_now = true;
    add_recipe(command, trains, number, keep);
    rare_now = false;
    if (!one_of_many) keep(command.add_flag("--inference", inference, "Forward passes alone, from kept tokens"));
    number("--concurrent", concurrent, "N", "Requests that inference runs together");
    keep(command.add_option("--weights", weights, "Of inference: int4, int8, fp8, mxfp4, nvfp4, none")
             ->type_name("FORMAT")
             ->check(one_of(weight_formats())));
    keep(add_choice(command, "--kv", kept, stagecut::transformer::cache_format_names, "FORMAT",
                    "Of its keys and values: fp8, int8"));
    keep(add_choice(command, "--phase", phase, stagecut::transformer::phase_names, "NAME",
                    "Of inference: decode (the default), prefill"));
  }

  /// Registers what recipes of experts and of 8 and 4 bits set.
  template <class Trains, class Number, class Keep>
  void add_recipe(CLI::App& command, const Trains& trains, const Number& number, const Keep& keep) {
    trains(add_modules(command));
    trains(add_choice(command, "--dispatcher", dispatcher, stagecut::transformer::dispatcher_names, "NAME",
                      "Of tokens to experts: alltoall, deepep, hybridep"));
    trains(add_choice(command, "--expert-overlap", expert_overlap, switch_flags, "ON",
                      "Hide their messages behind other microbatches"));
    trains(add_choice(command, "--fused-experts", fused_experts, switch_flags, "ON",
                      "Activation and casts in the products' kernel"));
    trains(add_choice(command, "--cuda-graphs", cuda_graphs, stagecut::transformer::graph_names, "WHICH",
                      "none, scoped (attention, routers), full"));
    trains(add_choice(command, "--attention-fp8", attention_fp8, switch_flags, "ON", "Its core with 8 bits"));
    trains(add_choice(command, "--head-fp8", head_fp8, switch_flags, "ON", "Its product in the layers' precision"));
    of_training.push_back(keep(command.add_option("--offload", offload, "Share of activations kept on the host")
                                   ->type_name("X")
                                   ->check(number_check())));
    of_training.push_back(number("--moment-bytes", moment_bytes, "N", "Of each of Adam's moments: 4, or 2"));
    keep(command.add_option("--constants", constants, "Of the cost model: a file, or gemm=0.9,launch=2e-5")
             ->type_name("FILE"));
  }

  /// The parts of a layer that the backward pass recomputes.
  CLI::Option* add_modules(CLI::App& command) {
    const auto set = [this](const std::string& names) {
      recompute_modules.emplace();
      for (const std::string_view name : split(names, names.find('+') != std::string::npos ? '+' : ',')) {
        const auto* const found = stagecut::find_name(stagecut::transformer::module_names, name);
        if (found == nullptr) {
          const auto known = names_of(stagecut::transformer::module_names);
          throw CLI::ValidationError("--recompute-modules",
                                     fmt::format("{} is none of {}{}", shown(std::string(name)), fmt::join(known, ", "),
                                                 did_you_mean(std::string(name), known)));
        }
        (*recompute_modules).*(found->value) = true;
      }
    };
    return command.add_option_function<std::string>("--recompute-modules", set, "layernorm,moe_act,mla_up_proj ..")
        ->type_name("NAMES");
  }

  /// One recomputation, or all.
  CLI::Option* add_recompute(CLI::App& command) {
    const auto set = [this](const std::string& how) {
      variants = how == "auto";
      if (!variants) recomputation = stagecut::find_name(stagecut::transformer::recomputation_names, how)->value;
    };
    std::vector<std::string> known = names_of(stagecut::transformer::recomputation_names);
    known.emplace_back("auto");
    return command.add_option_function<std::string>("--recompute", set, "none, selective, full, or auto: all of them")
        ->type_name("HOW")
        ->transform(never_is_none())
        ->check(one_of(known));
  }

  /// Parses a configuration, as the given model.
  [[nodiscard]] stagecut::io::transformer_config read(const std::string& text, const std::string& source,
                                                      const stagecut::io::read_limits& limits) const {
    if (!as.empty() && !stagecut::io::is_hugging_face_family(as)) {
      const std::string families = stagecut::io::hugging_face_families();
      std::vector<std::string> known;
      for (std::string_view family : split(families, ',')) {
        known.emplace_back(family.substr(std::min(family.find_first_not_of(' '), family.size())));
      }
      throw CLI::ValidationError("--as",
                                 fmt::format("{} is none of {}{}", shown(as), families, did_you_mean(as, known)));
    }
    return stagecut::io::read_transformer_config(text, source, limits, as);
  }

  /// The words of --weights.
  [[nodiscard]] static std::vector<std::string> weight_formats() {
    std::vector<std::string> made = names_of(stagecut::transformer::weight_format_names);
    made.emplace_back("none");
    return made;
  }

  /// Rejects serving a model with weights in formats that are not known.
  void check_weights(const stagecut::io::transformer_config& from, const std::string& source) const {
    if (!inference || precision || !weights.empty() || from.quantized.empty() || from.weights.bytes != 0) return;
    throw stagecut::invalid_input(
        source, fmt::format("its weights are quantized ({}), in a way that is not known: --weights int4 states another, "
                            "--weights none takes two bytes for each parameter",
                            stagecut::visible(from.quantized)));
  }

  /// The first of them that was given; null: none.
  /// @param but_shards  ignores the tensor-parallel option
  [[nodiscard]] const CLI::Option* given(bool but_shards) const {
    for (const CLI::Option* option : options) {
      if (option->count() != 0 && !(but_shards && option->get_name() == "--tensor-parallel")) return option;
    }
    return nullptr;
  }

  /// Sets a figure, if its option was given.
  template <class Given, class Figure>
  static void set(const std::optional<Given>& given, Figure& into) {
    if (given) into = *given;
  }

  /// Applies the options to a training.
  void ask(stagecut::io::transformer_config& from) const {
    stagecut::transformer::training& r = from.training;
    for (const CLI::Option* const option : of_training) {
      if (inference && option->count() != 0)
        throw CLI::ValidationError(option->get_name(), "is of training, not of --inference");
    }
    if (from.architecture.experts == 0) refuse_experts();
    if (shards) {  // the configuration's own parallelism is planned instead
      if (data_parallel) throw CLI::ValidationError("--data-parallel", "is what --replicate sets");
      r.data_parallel = r.context_parallel = r.expert_parallel = 1;
      r.zero = 0;
    }
    if (const auto one = parse_count(shared_by); one && !shards) r.tensor_parallel = *one;
    if (shares() && inference) throw CLI::ValidationError("--tensor-parallel", "is one number where there is --inference");
    if (shares() || shards) r.tensor_parallel = 1;
    set(sequence, r.sequence);
    set(microbatch, r.microbatch);
    set(context_parallel, r.context_parallel);
    set(expert_parallel, r.expert_parallel);
    set(data_parallel, r.data_parallel);
    set(zero, r.zero);
    set(precision, r.precision);
    ask_weights(from);
    set(recomputation, r.recomputation);
    set(overlap, r.overlap);
    set(flash, r.flash);
    ask_recipe(r);
    if (variants && !r.recompute_modules.empty()) {
      throw CLI::ValidationError("--recompute-modules",
                                 "goes with one --recompute: with auto each layer chooses between none, selective and full");
    }
    const bool hides = overlap == stagecut::transformer::overlapping::bwd || overlap == stagecut::transformer::overlapping::ub;
    if (hides && r.tensor_parallel == 1 && !shares() && !shards) {
      throw CLI::ValidationError("--overlap", "has no effect without --tensor-parallel");
    }
    r.variants = r.variants || (variants && !inference);
    if (sequence_parallel) r.sequence_parallel = sequence_parallel;
    if (zero.value_or(0) != 0 && r.data_parallel == 1 && r.context_parallel == 1) {
      throw CLI::ValidationError("--zero",
                                 "needs --data-parallel or --context-parallel, the replicas that it spreads over");
    }
    const bool again = r.recomputation != stagecut::transformer::recomputing::none || r.variants;
    if (r.recomputed_share && !again && !inference) {
      throw stagecut::invalid_input("training.recomputed_share",
                                    "has no effect without recomputation: give --recompute");
    }
    if (!inference && concurrent) throw CLI::ValidationError("--concurrent", "goes with --inference");
    if (!inference && phase) throw CLI::ValidationError("--phase", "goes with --inference");
  }

  /// Rejects options of experts for a model that has none.
  void refuse_experts() const {
    for (const CLI::Option* const option : options) {
      const std::string name = option->get_name();
      const bool of_experts = name == "--dispatcher" || name == "--expert-overlap" || name == "--fused-experts";
      if (of_experts && option->count() != 0) throw CLI::ValidationError(name, "is of experts, which the model does not have");
    }
  }

  /// Applies the options of recipes.
  /// Sets how inference stores weights: as asked, else as the configuration says, unless a precision was asked for.
  void ask_weights(stagecut::io::transformer_config& from) const {
    if (!inference && (!weights.empty() || kept)) {
      throw CLI::ValidationError(weights.empty() ? "--kv" : "--weights", "goes with --inference");
    }
    if (weights == "none" || (weights.empty() && precision)) from.weights = {};
    const auto* const known = stagecut::find_name(stagecut::transformer::weight_format_names, weights);
    if (known != nullptr) from.weights.bytes = known->value;
  }

  void ask_recipe(stagecut::transformer::training& r) const {
    set(recompute_modules, r.recompute_modules);
    set(dispatcher, r.dispatcher);
    set(expert_overlap, r.expert_overlap);
    set(fused_experts, r.fused_experts);
    set(cuda_graphs, r.cuda_graphs);
    set(attention_fp8, r.attention_fp8);
    set(head_fp8, r.head_fp8);
    set(offload, r.offload);
    if (r.microbatches == 0) r.microbatches = microbatches;
    if (moment_bytes && *moment_bytes != 2 && *moment_bytes != 4) {
      throw CLI::ValidationError("--moment-bytes", fmt::format("{} is neither 4 nor 2", *moment_bytes));
    }
    const std::size_t copies = r.precision == stagecut::transformer::number::fp32 ? 0 : 4;  // of the parameters, wide
    if (moment_bytes) r.state_bytes = static_cast<double>(copies + 2 * *moment_bytes);
  }

  /// The device: a known one, or one from a file, whose name goes to `name`.
  [[nodiscard]] stagecut::transformer::device chosen_device(std::string& name,
                                                            const stagecut::io::read_limits& limits) const {
    name = device;
    if (const auto* const known = stagecut::find_name(stagecut::transformer::devices, device)) return *known;
    std::error_code none;
    const bool looks_like_one = device.find_first_of("./") != std::string::npos;
    if (!looks_like_one && !std::filesystem::exists(device, none)) {
      const auto known = names_of(stagecut::transformer::devices);
      throw CLI::ValidationError("--gpu", fmt::format("{} is none of {}, and no file{}", shown(device),
                                                      fmt::join(known, ", "), did_you_mean(device, known)));
    }
    const auto read = stagecut::io::read_accelerator(stagecut::io::file_text(device, limits), device, limits);
    if (!read.name.empty()) name = read.name;
    check_units("--gpu", shown(device) + ": ", read.figures);
    return read.figures;
  }

  /// Rejects figures of a device, from an option and a place there, in units of a million or more. 0 is none.
  static void check_units(const char* option, const std::string& place, const stagecut::transformer::device& on) {
    const struct {
      const char* name;
      double value, least;
      const char* unit;
      const char* such_as;
    } figures[] = {{"gemm", on.gemm > 0 ? on.gemm : on.sustained, 1e9, "FLOP/s", "312e12 for 312 tera"},
                   {"bandwidth", on.bandwidth, 1e8, "bytes/s", "8e12 for 8 tera"},
                   {"memory", on.memory, 1e6, "bytes", "80e9 for 80 giga"},
                   {"link", on.link, 1e6, "bytes/s", "900e9 for 900 giga"},
                   {"network", on.network, 1e6, "bytes/s", "50e9 for 50 giga"},
                   {"host_link", on.host_link, 1e6, "bytes/s", "63e9 for 63 giga"},
                   {"exponentials", on.exponentials, 1e9, "a second", "5e12 for 5 tera"}};
    for (const auto& figure : figures) {
      if (!(figure.value > 0) || figure.value >= figure.least) continue;
      throw CLI::ValidationError(option, fmt::format("{}{} is {:.6g} {}: write {}", place, figure.name, figure.value, figure.unit,
                                                     figure.such_as));
    }
  }

  /// The constants of the cost model, with those that are given.
  [[nodiscard]] stagecut::transformer::efficiencies asked_constants(const stagecut::io::read_limits& limits) const {
    using namespace stagecut::transformer;
    efficiencies made = inference ? serving_efficiencies : efficiencies{};
    if (constants.empty()) return made;
    if (constants.find('=') == std::string::npos) {
      if (stagecut::find_name(efficiency_names, constants) != nullptr) {
        throw CLI::ValidationError("--constants", fmt::format("{} is not NAME=NUMBER", shown(constants)));
      }
      return stagecut::io::read_efficiencies(stagecut::io::file_text(constants, limits), constants, limits, made);
    }
    nlohmann::ordered_json given = nlohmann::ordered_json::object();
    for (const std::string_view each : split(constants, ',')) {
      const std::size_t equals = each.find('=');
      const std::optional<double> value =
          equals == each.npos ? std::nullopt : parse_number(std::string(each.substr(equals + 1)));
      if (!value) throw CLI::ValidationError("--constants", fmt::format("{} is not NAME=NUMBER", shown(std::string(each))));
      const std::string name(each.substr(0, equals));
      if (given.contains(name)) throw CLI::ValidationError("--constants", fmt::format("has {} twice", shown(name)));
      given[name] = *value;
    }
    return stagecut::io::read_efficiencies(given.dump(), "--constants", limits, made);
  }

  /// Drops the sustained rates of a device in favour of shares that differ from the usual ones.
  void take_shares(stagecut::transformer::device& on, const stagecut::transformer::efficiencies& reached) const {
    using namespace stagecut::transformer;
    const efficiencies usual = inference ? serving_efficiencies : efficiencies{};
    if (reached.link != usual.link) on.sustained_link = 0;
    if (reached.memory != usual.memory) on.sustained_bandwidth = 0;
  }

  /// The requested profile; reports errors of the training or the device in terms of the option.
  [[nodiscard]] stagecut::profile profiled(const stagecut::io::transformer_config& from,
                                           const stagecut::transformer::device& on,
                                           const stagecut::transformer::efficiencies& reached) const {
    const stagecut::transformer::architecture& of = from.architecture;
    const stagecut::transformer::training& how = from.training;
    try {
      if (shares()) return stagecut::transformer::sharded_profile(of, how, on, reached, ways(of, how));
      if (!inference) return stagecut::transformer::profile(of, how, on, reached);
      return stagecut::transformer::inference_profile(of, served(from), serving_phase(), on, reached);
    } catch (const stagecut::invalid_input& error) {
      throw named(error);
    }
  }

  /// Whether layers have shardings to choose from.
  [[nodiscard]] bool shares() const { return !shared_by.empty() && (shards || !parse_count(shared_by)); }

  /// The tensor-parallel degrees; for auto, the possible powers of 2.
  [[nodiscard]] std::vector<std::size_t> ways(const stagecut::transformer::architecture& of,
                                              const stagecut::transformer::training& how) const {
    const std::vector<std::size_t> all = counts_of(shared_by, node);
    return shared_by == "auto" ? stagecut::transformer::possible_ways(of, how, all) : all;
  }

  /// The serving settings of a training.
  [[nodiscard]] stagecut::transformer::serving served(const stagecut::io::transformer_config& from) const {
    const stagecut::transformer::training& how = from.training;
    return {how.sequence,        concurrent.value_or(1), how.precision,   how.tensor_parallel,
            how.expert_parallel, from.weights,           kept.value_or(0)};
  }

  [[nodiscard]] stagecut::transformer::serving_phase serving_phase() const {
    return phase.value_or(stagecut::transformer::serving_phase::decode);
  }

  /// An error of a training, a serving or a device, in terms of the option that sets the field.
  [[nodiscard]] stagecut::invalid_input named(const stagecut::invalid_input& error) const {
    const std::string& place = error.place();
    const std::string_view problem = std::string_view(error.what()).substr(place.size() + 2);
    const std::size_t dot = place.find('.');
    if (place.starts_with("device.")) return {"--gpu", fmt::format("{}: {}", place.substr(dot + 1), problem)};
    if (!place.starts_with("training.") && !place.starts_with("serving.")) return error;
    std::string option = "--" + place.substr(dot + 1);
    std::replace(option.begin(), option.end(), '_', '-');
    const auto is_it = [&](const CLI::Option* each) { return each->get_name() == option; };
    if (std::none_of(options.begin(), options.end(), is_it)) return error;  // only from a configuration
    return {option, problem};
  }

  /// Rejects a configuration from the library diffusers, by fields that only these have.
  static void refuse_diffusers(const std::string& text, const std::string& file) {
    const auto figures = nlohmann::json::parse(text, nullptr, false);
    if (!figures.is_object() || (!figures.contains("_diffusers_version") && !figures.contains("_class_name"))) return;
    const auto name = figures.find("_class_name");
    const std::string model = name != figures.end() && name->is_string() ? name->get<std::string>() : "a model";
    throw stagecut::invalid_input(file, fmt::format("is a configuration of diffusers, of {}: nothing is computed from these; "
                                                    "examples/pytorch/profile.py measures the model",
                                                    stagecut::visible(model)));
  }

  /// The profile of a model whose configuration is in that file; nothing if it is another file. Configurations are
  /// small, and a stream cannot be inspected.
  [[nodiscard]] std::optional<stagecut::profile> profile_of(const std::string& file,
                                                            const stagecut::io::read_limits& limits) const {
    constexpr std::uintmax_t most = 1U << 20U;
    std::error_code none;
    const bool small = std::filesystem::is_regular_file(file, none) && std::filesystem::file_size(file, none) <= most;
    const std::string text = small && !none ? stagecut::io::file_text(file, limits) : std::string();
    if (text.empty() || !stagecut::io::is_transformer_config(text, limits)) {
      refuse_diffusers(text, file);
      if (const CLI::Option* const one = given(shares())) {
        const bool shared = one->get_name() == "--tensor-parallel";
        throw CLI::ValidationError(one->get_name(), fmt::format("goes with a config.json{}: {} has its own figures",
                                                                shared ? ", or with --replicate" : "", file));
      }
      return std::nullopt;
    }
    stagecut::io::transformer_config from = read(text, file, limits);
    check_weights(from, file);
    ask(from);
    std::string name;
    stagecut::transformer::device on = chosen_device(name, limits);
    const stagecut::transformer::efficiencies reached = asked_constants(limits);
    take_shares(on, reached);
    stagecut::profile made = profiled(from, on, reached);
    made.unknown_fields = nlohmann::ordered_json{{"computed", computed(from, on, name, reached)}}.dump();
    return made;
  }

  /// Whether a device has the figures of the known one with that name.
  static bool is_known(stagecut::transformer::device on, const std::string& name) {
    const auto* const known = stagecut::find_name(stagecut::transformer::devices, name);
    if (known == nullptr) return false;
    on.name = known->name;
    return on == *known;
  }

  /// Settings that are not the usual ones, and those of experts.
  static void add_run(nlohmann::ordered_json& made, const stagecut::transformer::training& r, bool experts) {
    using namespace stagecut::transformer;
    if (!r.recompute_modules.empty()) {
      for (const auto& [name, field] : module_names) {
        if (r.recompute_modules.*field) made["recompute_modules"].push_back(name);
      }
    }
    made["cuda_graphs"] = stagecut::name_of(graph_names, r.cuda_graphs);
    if (r.offload != 0) made["offload"] = r.offload;
    if (r.attention_fp8) made["attention_fp8"] = true;
    if (r.head_fp8) made["head_fp8"] = true;
    const double usual = r.precision == number::fp32 ? 8 : 12;
    if (r.state_bytes.value_or(usual) != usual) made["state_bytes"] = *r.state_bytes;
    if (!experts) return;
    made["dispatcher"] = stagecut::name_of(dispatcher_names, r.dispatcher);
    made["expert_overlap"] = r.expert_overlap;
    if (r.expert_overlap && r.microbatches != 0) made["microbatches"] = r.microbatches;
    made["fused_experts"] = r.fused_experts;
  }

  /// The source of a profile, for later readers.
  [[nodiscard]] nlohmann::ordered_json computed(const stagecut::io::transformer_config& from,
                                                const stagecut::transformer::device& on, const std::string& name,
                                                const stagecut::transformer::efficiencies& reached) const {
    using namespace stagecut::transformer;
    using stagecut::io::json_number;
    const training& r = from.training;
    const parameter_count numbers = count_parameters(from.architecture);
    nlohmann::ordered_json made = {{"source", from.architecture.source},
                                   {"parameters", json_number(numbers.total)},
                                   {"active_parameters", json_number(numbers.active)}};
    if (numbers.further != 0) made["further_parameters"] = json_number(numbers.further);
    if (const auto& mixer = from.architecture.recurrence) {
      if (mixer->kind == recurrent_kind::mamba2) made["hybrid"] = true;
      if (mixer->kind != recurrent_kind::mamba2) {
        made["mixers"] = stagecut::name_of(stagecut::io::recurrent_names, mixer->kind);
      }
    }
    if (from.architecture.indexer) made["mixers"] = "sparse_attention";
    if (numbers.vision != 0) made["vision_parameters"] = json_number(numbers.vision);
    made["sequence"] = r.sequence != 0 ? r.sequence : from.architecture.sequence;
    if (inference) {
      made["inference"] = stagecut::name_of(phase_names, serving_phase());
      made["concurrent"] = concurrent.value_or(1);
      if (from.weights.bytes != 0) {
        made["weights"] = weights.empty() ? from.quantized.empty() ? "stored" : from.quantized : weights;
        made["weight_bytes"] = json_number(from.weights.bytes);
      }
      if (kept) made["cached_bytes"] = json_number(*kept);
    } else {
      made["microbatch"] = r.microbatch;
      made["recomputation"] = stagecut::name_of(recomputation_names, r.recomputation);
      made["sequence_parallel"] = r.sequence_parallel.value_or(true);
      made["flash"] = r.flash;
      made["context_parallel"] = r.context_parallel;
      made["data_parallel"] = r.data_parallel;
      made["zero"] = r.zero;
      made["overlap"] = stagecut::name_of(overlap_names, overlap_of(from.architecture, r));
      add_run(made, r, from.architecture.experts != 0);
      made["flops"] = json_number(training_flops(from.architecture, r.sequence));
    }
    made["precision"] = stagecut::name_of(precision_names, r.precision);
    made["tensor_parallel"] = r.tensor_parallel;
    made["expert_parallel"] = r.expert_parallel;
    made["device"] = name;
    made["peak"] = json_number(stagecut::transformer::peak_flops(on, r.precision));
    made["gemm"] = json_number(on.gemm);
    made["bandwidth"] = json_number(on.bandwidth);
    made["memory"] = json_number(on.memory);
    for (const auto& [key, value] : {std::pair("sustained", on.sustained),
                                     {"sustained_fp8", on.sustained_fp8},
                                     {"sustained_fp4", on.sustained_fp4},
                                     {"sustained_bandwidth", on.sustained_bandwidth},
                                     {"sustained_link", on.sustained_link},
                                     {"exponentials", on.exponentials},
                                     {"dispatch_sms", on.dispatch_sms}}) {
      if (value > 0) made[key] = json_number(value);
    }
    made["link"] = json_number(on.link);
    made["network"] = json_number(on.network);
    for (const auto& [key, field] : efficiency_names) made["efficiency"][key] = json_number(reached.*field);
    if (!is_known(on, name)) made["other_figures"] = true;
    return made;
  }
};
