// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

namespace executor {

/// Which of the factors of a product is transposed.
enum class transposed { neither, left, right };

/// What a rank computes on: a core of the host, a GPU, or some multiprocessors of one.
///
/// Matrices are float32, row by row. Everything but `read`, `finish` and `seconds` may return before it is done, and is done
/// in the order of the calls. A device is used by one thread.
class device {
 public:
  /// A point in the order of the calls.
  struct mark {
    double seconds = 0;     ///< on a host: when it was reached
    void* event = nullptr;  ///< on a GPU: what tells that later
  };

  device() = default;
  device(const device&) = delete;
  device& operator=(const device&) = delete;
  virtual ~device() = default;

  /// Memory for so many floats.
  /// @{
  virtual float* allocate(std::size_t count) = 0;
  virtual void release(float* data) noexcept = 0;
  /// @}
  /// From the host's memory, and to it.
  /// @{
  virtual void write(float* to, const float* from, std::size_t count) = 0;
  virtual void read(float* to, const float* from, std::size_t count) = 0;
  /// @}
  virtual void fill(float* to, std::size_t count, float value) = 0;

  /// The end of all that was called before.
  virtual mark now() = 0;
  /// When a mark was reached, on a clock that all ranks share.
  virtual double seconds(const mark& at) = 0;
  /// Waits for all that was called before. It alone tells of what failed on the way.
  virtual void finish() = 0;

  /// c = a b, or c += a b: c is rows x columns, and `inner` is what is summed over.
  virtual void multiply(transposed which, std::size_t rows, std::size_t columns, std::size_t inner, const float* a,
                        const float* b, float* c, bool add) = 0;
  /// y += x
  virtual void add(std::size_t count, const float* x, float* y) = 0;
  /// Every row of y += x.
  virtual void add_to_rows(std::size_t rows, std::size_t columns, const float* x, float* y) = 0;
  /// sum += the sum of the rows of x, or of the products x y where there is a y.
  virtual void sum_rows(std::size_t rows, std::size_t columns, const float* x, const float* y, float* sum) = 0;
  /// y = GELU(x), by its approximation with tanh.
  virtual void gelu(std::size_t count, const float* x, float* y) = 0;
  /// x = gradient * GELU'(x)
  virtual void gelu_backward(std::size_t count, const float* gradient, float* x) = 0;
  /// Every row of x with mean 0 and variance 1; `scale` is what each was multiplied by.
  virtual void normalize(std::size_t rows, std::size_t columns, const float* x, float* normal, float* scale) = 0;
  /// y = normal * gamma + beta, row by row.
  virtual void scale_rows(std::size_t rows, std::size_t columns, const float* normal, const float* gamma,
                          const float* beta, float* y) = 0;
  /// x += the gradient of `normalize`'s input, where `gradient` is that of the scaled rows.
  virtual void normalize_backward(std::size_t rows, std::size_t columns, const float* gradient, const float* gamma,
                                  const float* normal, const float* scale, float* x) = 0;
  /// Row r of y = row ids[r] of the table. Numbers are floats, exact below 2^24.
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
