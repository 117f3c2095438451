// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/detail/block.hpp>
#include <stagecut/profile/detail/block_memory.hpp>
#include <stagecut/profile/detail/microbatch.hpp>
#include <stagecut/profile/pass_terms.hpp>
#include <stagecut/profile/roofline.hpp>
#include <stagecut/profile/transformer_training.hpp>

// The layers of a transformer before they are layers of a profile. The sources are those that transformer.hpp lists.
namespace stagecut::inline STAGECUT_ABI::transformer::detail {

/// A layer: what it does, and what one device holds of it.
struct part {
  std::string name{};
  std::string kind{};
  pass_terms terms{};
  double numbers = 0;         ///< parameters without those of whole experts and of a matrix that is tied
  double expert_numbers = 0;  ///< of whole experts, which fewer replicas have
  double tied = 0;            ///< of the matrix that embedding and head share
  double activations = 0;     ///< bytes
  double workspace = 0;       ///< bytes, beside what is gathered
  double recomputed = 0;      ///< bytes
  double output = 0;          ///< bytes
};

/// Makes the parts of a model as a training runs them.
class part_maker {
 public:
  part_maker(const architecture& a, const training& r, const roofline& clock)
      : part_maker(a, r, clock, microbatch(a, r, clock)) {}

  /// Of a microbatch of one's own.
  part_maker(const architecture& a, const training& r, const roofline& clock, const microbatch& batch);

  /// A layer of the text's model, recomputed that way; those behind the last one guess further tokens.
  [[nodiscard]] part layer(std::size_t i, recomputing way) const;

  /// A layer of the tower in front.
  [[nodiscard]] part vision_layer(std::size_t i, recomputing way) const;

  /// What makes vectors of patches.
  [[nodiscard]] part patches() const;

  /// From the tower's vectors to tokens of the text.
  [[nodiscard]] part projector() const;

  /// A lookup in each table, summed; backward reads dy, reads and writes the rows of each table. The input has no gradient.
  [[nodiscard]] part embedding() const;

  /// The norm behind the layers of a decoder.
  [[nodiscard]] part norm() const;

  /// The logits (Narayanan, appendix) and their loss, which moves 22 bytes of each; once for each token that is guessed. Of
  /// BERT also the dense layer and its activation function; the pooler sees a token a sample.
  [[nodiscard]] part head() const;

  /// Bytes that a device holds for `numbers` parameters, theirs and others'.
  [[nodiscard]] double resident(double numbers, const device_group& replicas) const;

  /// Bytes of the parameters alone.
  [[nodiscard]] double parameters(double numbers, const device_group& replicas) const {
    return numbers * z_.bytes / (r_.zero == 3 ? replicas.members : 1);
  }

  /// What ZeRO spreads has to be whole while the layer runs: its parameters, and its gradients until they are summed.
  [[nodiscard]] double gathered(double numbers, const device_group& replicas) const;

  /// Words of the vocabulary on one device, padded as Megatron does.
  [[nodiscard]] double words() const noexcept { return words_; }
  /// How the microbatch is shared.
  [[nodiscard]] const microbatch& batch() const noexcept { return z_; }

 private:
  [[nodiscard]] double narrow() const { return z_.rows * static_cast<double>(a_.hidden); }
  [[nodiscard]] double gradient_bytes() const { return r_.gradient_bytes.value_or(z_.bytes); }
  // Adam's two moments, and with 16 bit also the parameters, all in fp32.
  [[nodiscard]] double state_bytes() const { return r_.state_bytes.value_or(r_.precision == number::fp32 ? 8 : 12); }

  void give_words(part& made, double others) const;

  [[nodiscard]] part of_block(const block& b, const microbatch& z, recomputing way, bool joins) const;

  // What is kept, and what is run again before the backward pass: the core of attention, or all, with its messages.
  void recompute(part& made, const kept& bytes, recomputing way) const;

  /// Adds what replicas send.
  [[nodiscard]] part finished(part made, const device_group& replicas) const;

  const architecture& a_;
  const training& r_;
  const roofline& clock_;
  microbatch z_;
  ways split_;
  double words_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::transformer::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/transformer_parts.ipp>
#endif
