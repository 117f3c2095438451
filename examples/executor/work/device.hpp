// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace executor {

/// The transposed factor of a product.
enum class transposed { neither, left, right };

/// The compute device of a rank: a core of the host, a GPU, or some multiprocessors of one.
///
/// Matrices are float32, row-major. All calls except `read`, `finish` and `seconds` may be asynchronous, and execute in
/// order. A device is used by one thread.
class device {
 public:
  /// A point in the order of the calls.
  struct mark {
    double seconds = 0;     ///< on a host: the time when it was reached
    void* event = nullptr;  ///< on a GPU: gives the time later
  };

  device() = default;
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  virtual ~device() = default;

  /// Memory for `count` floats.
  /// @{
  virtual float* allocate(std::size_t count) = 0;
  virtual void release(float* data) noexcept = 0;
  /// @}
  /// Copies from the host's memory, and to it.
  /// @{
  virtual void write(float* to, const float* from, std::size_t count) = 0;
  virtual void read(float* to, const float* from, std::size_t count) = 0;
  /// @}
  virtual void fill(float* to, std::size_t count, float value) = 0;

  /// Marks the end of all previous calls.
  virtual mark now() = 0;
  /// The time when a mark was reached, on a clock shared by all ranks.
  virtual double seconds(const mark& at) = 0;
  /// Waits for all previous calls. Only this reports their failures.
  virtual void finish() = 0;

  /// c = a b, or c += a b: c is rows x columns, and `inner` is the summed dimension.
  virtual void multiply(transposed which, std::size_t rows, std::size_t columns, std::size_t inner, const float* a,
                        const float* b, float* c, bool add) = 0;
  /// y += x
  virtual void add(std::size_t count, const float* x, float* y) = 0;
  /// Every row of y += x.
  virtual void add_to_rows(std::size_t rows, std::size_t columns, const float* x, float* y) = 0;
  /// sum += the sum of the rows of x, or of the products x y if y is given.
  virtual void sum_rows(std::size_t rows, std::size_t columns, const float* x, const float* y, float* sum) = 0;
  /// y = GELU(x), approximated with tanh.
  virtual void gelu(std::size_t count, const float* x, float* y) = 0;
  /// x = gradient * GELU'(x)
  virtual void gelu_backward(std::size_t count, const float* gradient, float* x) = 0;
  /// Normalizes every row of x to mean 0 and variance 1; `scale` holds the factors.
  virtual void normalize(std::size_t rows, std::size_t columns, const float* x, float* normal, float* scale) = 0;
  /// y = normal * gamma + beta, row by row.
  virtual void scale_rows(std::size_t rows, std::size_t columns, const float* normal, const float* gamma,
                          const float* beta, float* y) = 0;
  /// x += the gradient of `normalize`'s input, given the `gradient` of the scaled rows.
  virtual void normalize_backward(std::size_t rows, std::size_t columns, const float* gradient, const float* gamma,
                                  const float* normal, const float* scale, float* x) = 0;
  /// Row r of y = row ids[r] of the table. Ids are floats, exact below 2^24.
  virtual void gather(std::size_t rows, std::size_t columns, const float* ids, const float* table, float* y) = 0;
  /// Row ids[r] of the table += row r of x.
  virtual void scatter_add(std::size_t rows, std::size_t columns, const float* ids, const float* x, float* table) = 0;
  /// loss = the mean cross entropy of the rows' softmax; x = its gradient, times `scale`.
  virtual void softmax_loss(std::size_t rows, std::size_t columns, const float* ids, float scale, float* x,
                            float* loss) = 0;
  /// parameters -= rate * gradients
  virtual void descend(std::size_t count, float rate, const float* gradients, float* parameters) = 0;
};

}  // namespace executor
