// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/transformer_architecture.hpp>

// What one device holds and does for a layer of a transformer. The sources are those that transformer.hpp lists.
namespace stagecut::inline v0::transformer::detail {

/// A microbatch and what one device has of a layer, in numbers. Doubles: products of counts overflow integers.
struct shape {
  double bytes;       ///< of a number
  double samples;     ///< of the microbatch
  double sequence;    ///< tokens of a sample
  double tokens;      ///< of the microbatch
  double rows;        ///< those of the tokens that one device has where sequence parallelism splits them
  double hidden;      ///< width between layers
  double heads;       ///< on one device, as all widths that follow (Shoeybi, section 3)
  double query;       ///< width of the queries
  double key;         ///< width of the keys, and of the values: at least a head, then several devices have the same
  double ffn;         ///< inner width of an expert
  double vocabulary;  ///< rounded up: padded as Megatron does
  double experts;     ///< feed-forward parts, 1 where there is no choice
  double visits;      ///< experts that a token visits, 1 where there is no choice

  shape(const architecture& a, const training& r)
      : bytes(r.precision == number::fp32 ? 4 : 2),
        samples(static_cast<double>(r.microbatch)),
        sequence(static_cast<double>(r.sequence != 0 ? r.sequence : a.sequence)),
        tokens(samples * sequence),
        hidden(static_cast<double>(a.hidden)),
        experts(a.experts != 0 ? static_cast<double>(a.experts) : 1),
        visits(a.experts != 0 ? static_cast<double>(a.top_k) : 1) {
    const auto ways = static_cast<double>(r.tensor_parallel);
    const auto kv_heads = static_cast<double>(a.kv_heads != 0 ? a.kv_heads : a.heads);
    const double head_dim = a.head_dim != 0 ? static_cast<double>(a.head_dim) : hidden / static_cast<double>(a.heads);
    rows = r.sequence_parallel.value_or(true) ? tokens / ways : tokens;
    heads = static_cast<double>(a.heads) / ways;
    query = heads * head_dim;
    key = (kv_heads > ways ? kv_heads / ways : 1.0) * head_dim;
    ffn = static_cast<double>(a.ffn) / ways;
    const std::size_t rounded_up = (a.vocabulary + r.tensor_parallel - 1) / r.tensor_parallel;
    vocabulary = static_cast<double>(rounded_up);
  }
};

/// Of a norm. Like all parameters that are not of matrices cut in pieces, each device has them whole.
inline double norm_parameters(const architecture& a) {
  return (a.norm == normalization::layernorm ? 2 : 1) * static_cast<double>(a.hidden);
}

/// Of the embedding matrix, on one device.
inline double word_parameters(const shape& z) { return z.vocabulary * z.hidden; }

/// Of the embedding but for its matrix: positions, token types, BERT's norm.
inline double table_parameters(const architecture& a, const shape& z) {
  return static_cast<double>(a.positions + a.token_types) * z.hidden + (a.encoder ? norm_parameters(a) : 0);
}

/// Of a layer, on one device. Matrices whose columns are cut have their biases cut, those whose rows are, whole ones.
inline double layer_parameters(const architecture& a, const shape& z) {
  const double qkv = z.query + 2 * z.key;
  const double attention = z.hidden * qkv + (a.qkv_bias.value_or(a.biases) ? qkv : 0)  // into heads
                           + z.query * z.hidden + (a.biases ? z.hidden : 0);           // and back
  const double in = (a.gated ? 2 : 1) * z.ffn;
  const double expert = z.hidden * in + z.ffn * z.hidden + (a.biases ? in + z.hidden : 0);
  const double router = a.experts != 0 ? z.hidden * z.experts : 0;  // Shazeer, equation 4, without noise
  return attention + z.experts * expert + router + 2 * norm_parameters(a);
}

/// Of the head but for its matrix. BertForPreTraining has, all with biases: a dense layer, a norm and a bias for each
/// word to guess masked words; a dense layer (the pooler) and two outputs to guess whether sentences follow.
inline double head_parameters(const architecture& a, const shape& z) {
  if (!a.encoder) return 0;
  return 2 * (z.hidden * z.hidden + z.hidden) + norm_parameters(a) + z.vocabulary + 2 * z.hidden + 2;
}

/// What a device has to do.
struct work {
  double flops = 0;  ///< of matrix products
  double bytes = 0;  ///< moved by everything else, which waits for memory alone (Ivanov)

  friend work operator+(const work& x, const work& y) { return {x.flops + y.flops, x.bytes + y.bytes}; }
};

/// The work of the passes: forward; backward for the gradient of the input, and for that of the parameters.
struct passes {
  work forward;
  work input;
  work weight;

  friend passes operator+(const passes& x, const passes& y) {
    return {x.forward + y.forward, x.input + y.input, x.weight + y.weight};
  }
};

/// A product of `rows` x `inner` and `inner` x `outer`: a multiplication and an addition each, and the same again for
/// either gradient (Narayanan, appendix).
inline passes product(double rows, double inner, double outer) {
  const work once{2 * rows * inner * outer, 0};
  return {once, once, once};
}

/// An operation on `count` elements that moves so many bytes of each.
inline passes moves(double count, double forward, double backward) {
  return {{0, count * forward}, {0, count * backward}, {}};
}

/// A norm: reads x, writes y; backward reads x and dy, writes dx.
inline passes norm_work(const shape& z) { return moves(z.rows * z.hidden, 2 * z.bytes, 3 * z.bytes); }

/// Dropout: reads x, writes y and a mask of a byte; backward reads dy and the mask, writes dx.
inline passes dropout_work(const architecture& a, const shape& z, double count) {
  return a.dropout ? moves(count, 2 * z.bytes + 1, 2 * z.bytes + 1) : passes{};
}

/// The core of attention: scores of all queries with all keys of a sample, and the sum of values that they weigh. Two
/// products of `sequence` x `query` x `sequence` for each sample, not halved where a mask hides later tokens
/// (Narayanan, appendix). With scores in memory a softmax reads and writes them, backward it reads y and dy and writes
/// dx; without, the backward pass computes them again: five products where the forward has two (Dao, section 4.1).
inline passes core_work(const architecture& a, const training& r, const shape& z) {
  const double flops = 4 * z.tokens * z.sequence * z.query;
  const passes products{{flops, 0}, {(r.flash ? 2.5 : 2) * flops, 0}, {}};
  if (r.flash) return products;
  const double scores = z.heads * z.tokens * z.sequence;
  return products + moves(scores, 2 * z.bytes, 3 * z.bytes) + dropout_work(a, z, scores);
}

/// A layer of the model, without recomputation.
inline passes layer_work(const architecture& a, const training& r, const shape& z) {
  const double n = z.bytes;
  const double narrow = z.rows * z.hidden;
  const double wide = z.tokens * z.visits * z.ffn;
  const passes attention = product(z.tokens, z.hidden, z.query + 2 * z.key) + core_work(a, r, z) +
                           product(z.tokens, z.query, z.hidden) +
                           // rotation of queries and keys, there and back
                           (a.positions == 0 ? moves(z.tokens * (z.query + z.key), 2 * n, 2 * n) : passes{});
  const passes forward = product(z.tokens * z.visits, z.hidden, (a.gated ? 3 : 2) * z.ffn) +
                         // x to y; or x and its gate to y: backward from two or three to one or two
                         moves(wide, (a.gated ? 3 : 2) * n, (a.gated ? 5 : 3) * n);
  // The sum of a part and what went around it reads two, writes one; its gradients are summed likewise.
  const passes around = norm_work(z) + dropout_work(a, z, narrow) + moves(narrow, 3 * n, 3 * n);
  passes all = attention + forward + around + around;
  if (a.experts != 0) {
    // A token is copied to each of its experts; what they make of it is weighed and summed, whose backward pass reads
    // dy and each y (for the gradient of its weight), writes each dy.
    all = all + product(z.rows, z.hidden, z.experts) + moves(narrow * z.visits, 2 * n, n) + moves(narrow, 0, n) +
          moves(narrow * z.visits, n, 2 * n) + moves(narrow, n, n);
  }
  return all;
}

/// A lookup in each table, summed; backward reads dy, reads and writes the rows of each table. The input has no
/// gradient.
inline passes embedding_work(const architecture& a, const shape& z) {
  const double tables = 1 + (a.positions != 0 ? 1 : 0) + (a.token_types != 0 ? 1 : 0);
  const double count = z.rows * z.hidden;
  const passes all = moves(count, (tables + 1) * z.bytes, 3 * tables * z.bytes) + dropout_work(a, z, count) +
                     (a.encoder ? norm_work(z) : passes{});
  return {all.forward, {}, all.input};
}

/// The logits (Narayanan, appendix) and their loss: reads them, writes the probabilities as fp32 (Korthikanti, 4.3),
/// backward the other way. Of BERT also the dense layer and its activation function; the pooler sees a token a sample.
inline passes head_work(const architecture& a, const shape& z) {
  const passes logits =
      product(z.tokens, z.hidden, z.vocabulary) + moves(z.tokens * z.vocabulary, z.bytes + 4, z.bytes + 4);
  if (!a.encoder) return logits;
  return logits + product(z.rows, z.hidden, z.hidden) + moves(z.rows * z.hidden, 2 * z.bytes, 3 * z.bytes) +
         norm_work(z) + product(z.samples, z.hidden, z.hidden + 2);
}

/// Bytes that a layer keeps for its backward pass.
struct kept {
  double input;  ///< what it was given; all that full recomputation keeps, 2sbh (Korthikanti, section 5)
  double core;   ///< the core of attention, which selective recomputation drops
  double rest;   ///< of everything else, the input among it
};

/// Tensor by tensor: 34sbh + 5as^2b for GPT (Korthikanti, equations 1 to 4), with s tokens of b samples, a heads, width
/// h. Left out as there: what norms keep of a token, two numbers.
inline kept layer_activations(const architecture& a, const training& r, const shape& z) {
  const double n = z.bytes;
  const double narrow = z.rows * z.hidden;  // cut by sequence parallelism, and gathered again for the backward pass
  double whole = 4 * n * narrow;       // inputs: of both norms, of queries, keys and values, of the feed-forward part
  if (a.dropout) whole += 2 * narrow;  // masks of a byte
  if (a.experts != 0) {
    whole += 2 * z.visits * n * narrow;  // copies of tokens that experts get, and what they return, to be weighed
    whole += 4 * z.rows * z.experts;     // probabilities of the router, fp32
  }
  const double split = n * z.tokens * (z.query + 2 * z.key)  // queries, keys, values: cut by tensor parallelism, as
                       + n * z.tokens * z.query              // the input of the projection behind the heads,
                       + (a.gated ? 3 : 2) * n * z.tokens * z.visits * z.ffn;  // (gate,) activation's input and output
  const double scores = z.heads * z.tokens * z.sequence;
  const double core = r.flash     ? 4 * z.heads * z.tokens  // logarithms of the sums of exponentials (Dao, 3.1.1)
                      : a.dropout ? (2 * n + 1) * scores    // softmax, mask, dropout
                                  : n * scores;             // softmax
  return {n * narrow, core, whole + split};
}

/// Bytes that a head keeps: its input and the probabilities in fp32 (Korthikanti, section 4.3); of BERT also the inputs
/// of the activation function, of the norm and of the product, and the pooler's output.
inline double head_activations(const architecture& a, const shape& z) {
  const double narrow = z.bytes * z.rows * z.hidden;
  return (a.encoder ? 4 * narrow + z.bytes * z.samples * z.hidden : narrow) + 4 * z.tokens * z.vocabulary;
}

}  // namespace stagecut::inline v0::transformer::detail
