// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>

#include "work/clock.hpp"
#include "work/device.hpp"

namespace executor {

/// The host core of the current thread; products by Eigen. The order of sums depends on the shapes only.
class host_device : public device {
  using matrix = Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  using constant = Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  using row = Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>>;
  using constant_row = Eigen::Map<const Eigen::Array<float, 1, Eigen::Dynamic>>;
  static Eigen::Index at(std::size_t value) { return static_cast<Eigen::Index>(value); }
  static std::size_t number(float id) { return static_cast<std::size_t>(id); }

  static constexpr float root = 0.7978845608F;  // sqrt(2 / pi)
  static constexpr float cubic = 0.044715F;
  template <class Array>
  static auto inner(const Array& x) {
    return root * x * (1.0F + cubic * x.square());
  }

 public:
  float* allocate(std::size_t count) override { return new float[count]; }
  void release(float* data) noexcept override { delete[] data; }
  void write(float* to, const float* from, std::size_t count) override { std::memcpy(to, from, count * sizeof(float)); }
  void read(float* to, const float* from, std::size_t count) override { std::memcpy(to, from, count * sizeof(float)); }
  void fill(float* to, std::size_t count, float value) override { row(to, at(count)).setConstant(value); }
  mark now() override { return {steady_seconds(), nullptr}; }
  double seconds(const mark& when) override { return when.seconds; }
  void finish() override {}

  void multiply(transposed which, std::size_t rows, std::size_t columns, std::size_t inner, const float* a,
                const float* b, float* c, bool add) override {
    matrix out(c, at(rows), at(columns));
    if (!add) out.setZero();
    if (which == transposed::left)
      out.noalias() += constant(a, at(inner), at(rows)).transpose() * constant(b, at(inner), at(columns));
    else if (which == transposed::right)
      out.noalias() += constant(a, at(rows), at(inner)) * constant(b, at(columns), at(inner)).transpose();
    else
      out.noalias() += constant(a, at(rows), at(inner)) * constant(b, at(inner), at(columns));
  }

  void add(std::size_t count, const float* x, float* y) override { row(y, at(count)) += constant_row(x, at(count)); }

  void add_to_rows(std::size_t rows, std::size_t columns, const float* x, float* y) override {
    for (std::size_t r = 0; r < rows; ++r) add(columns, x, y + r * columns);
  }

  void sum_rows(std::size_t rows, std::size_t columns, const float* x, const float* y, float* sum) override {
    for (std::size_t r = 0; r < rows; ++r) {
      row to(sum, at(columns));
      const constant_row from(x + r * columns, at(columns));
      if (y == nullptr)
        to += from;
      else
        to += from * constant_row(y + r * columns, at(columns));
    }
  }

  void gelu(std::size_t count, const float* x, float* y) override {
    const constant_row in(x, at(count));
    row(y, at(count)) = 0.5F * in * (1.0F + inner(in).tanh());
  }

  void gelu_backward(std::size_t count, const float* gradient, float* x) override {
    row in(x, at(count));
    const Eigen::Array<float, 1, Eigen::Dynamic> slope = inner(in).tanh();
    in = constant_row(gradient, at(count)) *
         (0.5F * (1.0F + slope) + 0.5F * in * (1.0F - slope.square()) * root * (1.0F + 3.0F * cubic * in.square()));
  }

  void normalize(std::size_t rows, std::size_t columns, const float* x, float* normal, float* scale) override {
    for (std::size_t r = 0; r < rows; ++r) {
      const constant_row in(x + r * columns, at(columns));
      row out(normal + r * columns, at(columns));
      out = in - in.mean();
      scale[r] = 1.0F / std::sqrt(out.square().mean() + 1e-5F);
      out *= scale[r];
    }
  }

  void scale_rows(std::size_t rows, std::size_t columns, const float* normal, const float* gamma, const float* beta,
                  float* y) override {
    for (std::size_t r = 0; r < rows; ++r) {
      row(y + r * columns, at(columns)) =
          constant_row(normal + r * columns, at(columns)) * constant_row(gamma, at(columns)) +
          constant_row(beta, at(columns));
    }
  }

  void normalize_backward(std::size_t rows, std::size_t columns, const float* gradient, const float* gamma,
                          const float* normal, const float* scale, float* x) override {
    for (std::size_t r = 0; r < rows; ++r) {
      const constant_row unit(normal + r * columns, at(columns));
      const Eigen::Array<float, 1, Eigen::Dynamic> scaled =
          constant_row(gradient + r * columns, at(columns)) * constant_row(gamma, at(columns));
      row(x + r * columns, at(columns)) += scale[r] * (scaled - scaled.mean() - unit * (scaled * unit).mean());
    }
  }

  void gather(std::size_t rows, std::size_t columns, const float* ids, const float* table, float* y) override {
    for (std::size_t r = 0; r < rows; ++r) write(y + r * columns, table + number(ids[r]) * columns, columns);
  }

  void scatter_add(std::size_t rows, std::size_t columns, const float* ids, const float* x, float* table) override {
    for (std::size_t r = 0; r < rows; ++r) add(columns, x + r * columns, table + number(ids[r]) * columns);
  }

  void softmax_loss(std::size_t rows, std::size_t columns, const float* ids, float scale, float* x,
                    float* loss) override {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      row each(x + r * columns, at(columns));
      float& target = x[r * columns + number(ids[r])];
      const float most = each.maxCoeff();
      const float lead = most - target;
      each = (each - most).exp();
      const float all = each.sum();
      sum += std::log(all) + lead;
      each /= all;
      target -= 1;
      each *= scale;
    }
    *loss = static_cast<float>(sum / static_cast<double>(rows));
  }

  void descend(std::size_t count, float rate, const float* gradients, float* parameters) override {
    row(parameters, at(count)) -= rate * constant_row(gradients, at(count));
  }
};

/// The same for stages without computation: blocks are counted, and have memory for a message of one float.
class counting_device final : public host_device {
 public:
  float* allocate(std::size_t) override { return host_device::allocate(1); }
  void fill(float* to, std::size_t, float value) override { *to = value; }
};

/// The device of a rank on the host.
[[nodiscard]] inline std::unique_ptr<device> make_host_device(bool timed) {
  if (timed) return std::make_unique<counting_device>();
  return std::make_unique<host_device>();
}

}  // namespace executor
