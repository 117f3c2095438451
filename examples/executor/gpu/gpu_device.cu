// SPDX-License-Identifier: BSL-1.0
#include <cublas_v2.h>

#include "gpu/gpu_stream.hpp"

namespace executor {
namespace {

using std::size_t;
constexpr unsigned threads = 256;      // per block
constexpr float root = 0.7978845608F;  // sqrt(2 / pi)
constexpr float cubic = 0.044715F;

void require(cublasStatus_t result, const char* call) {
  if (result != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string(call) + ": " + cublasGetStatusName(result));
}

/// Calls `each` for every index, in one thread or one block.
template <bool blocks, class Each>
__global__ void for_each(size_t count, Each each) {
  const size_t i = blocks ? blockIdx.x : size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) each(i);
}
template <bool blocks = false, class Each>
void run(const gpu_stream& on, size_t count, Each each) {
  const auto grid = static_cast<unsigned>(blocks ? count : (count + threads - 1) / threads);
  for_each<blocks><<<grid, threads, 0, on.stream.get()>>>(count, each);
  checked(cudaGetLastError(), "cudaLaunchKernel");
}

/// The reduction of all columns, for every thread of the block.
template <class Value, class Join>
__device__ float joined(size_t columns, float start, Value value, Join join) {
  __shared__ float parts[threads];
  for (size_t c = threadIdx.x; c < columns; c += threads) start = join(start, value(c));
  __syncthreads();  // the previous call's result has been read
  parts[threadIdx.x] = start;
  for (unsigned n = threads / 2; n != 0; n /= 2) {
    __syncthreads();
    if (threadIdx.x < n) parts[threadIdx.x] = join(parts[threadIdx.x], parts[threadIdx.x + n]);
  }
  __syncthreads();
  return parts[0];
}
template <class Value>
__device__ float sum(size_t columns, Value value) {
  return joined(columns, 0, value, [](float a, float b) { return a + b; });
}

}  // namespace

class gpu_device final : public device {
 public:
  explicit gpu_device(gpu_stream& on) : on_(on) {
    checked(cudaSetDevice(on.gpu), "cudaSetDevice");
    on.kept.clear();
    require(cublasCreate(&blas_), "cublasCreate");
    on.kept.emplace_back(blas_, cublasDestroy);
    require(cublasSetStream(blas_, on.stream.get()), "cublasSetStream");
    require(cublasSetMathMode(blas_, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");  // no TF32
    require(cublasSetSmCountTarget(blas_, on.multiprocessors), "cublasSetSmCountTarget");
    on.finish();
  }
  float* allocate(size_t n) override {
    const auto made = make_memory(n);
    on_.kept.push_back(made);
    return made.get();
  }
  void release(float*) noexcept override {}
  void write(float* to, const float* from, size_t n) override { read(to, from, n); }
  void read(float* to, const float* from, size_t n) override {
    copy(to, from, n, on_.stream);
    on_.finish();
  }
  mark now() override { return on_.mark(on_.stream); }
  double seconds(const mark& at) override { return on_.seconds(at); }
  void finish() override { on_.finish(); }

  void fill(float* to, size_t n, float value) override {
    run(on_, n, [=] __device__(size_t i) { to[i] = value; });
  }
  // cuBLAS uses column-major matrices, and so sees all transposed: the product of b and a.
  void multiply(transposed which, size_t rows, size_t columns, size_t inner, const float* a, const float* b, float* c,
                bool add) override {
    const bool left = which == transposed::left, right = which == transposed::right;
    const int m = static_cast<int>(columns), n = static_cast<int>(rows), k = static_cast<int>(inner);
    const float one = 1, kept = add ? 1.0F : 0.0F;
    const auto result = cublasSgemm(blas_, right ? CUBLAS_OP_T : CUBLAS_OP_N, left ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                                    &one, b, right ? k : m, a, left ? n : k, &kept, c, m);
    require(result, "cublasSgemm");
  }
  void add(size_t n, const float* x, float* y) override {
    run(on_, n, [=] __device__(size_t i) { y[i] += x[i]; });
  }
  void add_to_rows(size_t rows, size_t columns, const float* x, float* y) override {
    run(on_, rows * columns, [=] __device__(size_t i) { y[i] += x[i % columns]; });
  }
  void sum_rows(size_t rows, size_t columns, const float* x, const float* y, float* sum) override {
    run(on_, columns, [=] __device__(size_t c) {
      float all = 0;
      for (size_t i = c; i < rows * columns; i += columns) all += y == nullptr ? x[i] : x[i] * y[i];
      sum[c] += all;
    });
  }
  void gelu(size_t n, const float* x, float* y) override {
    run(on_, n,
        [=] __device__(size_t i) { y[i] = 0.5F * x[i] * (1 + tanhf(root * x[i] * (1 + cubic * x[i] * x[i]))); });
  }
  void gelu_backward(size_t n, const float* gradient, float* x) override {
    run(on_, n, [=] __device__(size_t i) {
      const float in = x[i], t = tanhf(root * in * (1 + cubic * in * in));
      x[i] = gradient[i] * 0.5F * (1 + t + in * (1 - t * t) * root * (1 + 3 * cubic * in * in));
    });
  }
  void normalize(size_t rows, size_t columns, const float* x, float* normal, float* scale) override {
    run<true>(on_, rows, [=] __device__(size_t r) {
      const float* const in = x + r * columns;
      const float mean = sum(columns, [=](size_t c) { return in[c]; }) / columns;
      const float variance = sum(columns, [=](size_t c) { return (in[c] - mean) * (in[c] - mean); }) / columns;
      const float by = 1 / sqrtf(variance + 1e-5F);
      for (size_t c = threadIdx.x; c < columns; c += threads) normal[r * columns + c] = (in[c] - mean) * by;
      if (threadIdx.x == 0) scale[r] = by;
    });
  }
  void scale_rows(size_t rows, size_t columns, const float* normal, const float* gamma, const float* beta,
                  float* y) override {
    run(on_, rows * columns, [=] __device__(size_t i) { y[i] = normal[i] * gamma[i % columns] + beta[i % columns]; });
  }
  void normalize_backward(size_t rows, size_t columns, const float* gradient, const float* gamma, const float* normal,
                          const float* scale, float* x) override {
    run<true>(on_, rows, [=] __device__(size_t r) {
      const float *const g = gradient + r * columns, *const unit = normal + r * columns;
      const float mean = sum(columns, [=](size_t c) { return g[c] * gamma[c]; }) / columns;
      const float along = sum(columns, [=](size_t c) { return g[c] * gamma[c] * unit[c]; }) / columns;
      for (size_t c = threadIdx.x; c < columns; c += threads)
        x[r * columns + c] += scale[r] * (g[c] * gamma[c] - mean - unit[c] * along);
    });
  }
  void gather(size_t rows, size_t columns, const float* ids, const float* table, float* y) override {
    run(on_, rows * columns,
        [=] __device__(size_t i) { y[i] = table[static_cast<size_t>(ids[i / columns]) * columns + i % columns]; });
  }
  void scatter_add(size_t rows, size_t columns, const float* ids, const float* x, float* table) override {
    run(on_, columns, [=] __device__(size_t c) {
      for (size_t r = 0; r < rows; ++r) table[static_cast<size_t>(ids[r]) * columns + c] += x[r * columns + c];
    });
  }
  void softmax_loss(size_t rows, size_t columns, const float* ids, float scale, float* x, float* loss) override {
    if (rows > losses_of_) losses_ = allocate(losses_of_ = rows);
    run<true>(on_, rows, [=, losses = losses_] __device__(size_t r) {
      float* const in = x + r * columns;
      const auto id = static_cast<size_t>(ids[r]);
      const float at = in[id];
      const auto larger = [](float a, float b) { return a < b ? b : a; };
      const float most = joined(
          columns, at, [=](size_t c) { return in[c]; }, larger);
      const float all = sum(columns, [=](size_t c) { return expf(in[c] - most); });
      for (size_t c = threadIdx.x; c < columns; c += threads)
        in[c] = (expf(in[c] - most) / all - (c == id ? 1.0F : 0.0F)) * scale;
      if (threadIdx.x == 0) losses[r] = logf(all) + most - at;
    });
    run<true>(on_, 1, [=, losses = losses_] __device__(size_t) {
      const float all = sum(rows, [=](size_t r) { return losses[r]; });
      if (threadIdx.x == 0) *loss = all / rows;
    });
  }
  void descend(size_t n, float rate, const float* gradients, float* parameters) override {
    run(on_, n, [=] __device__(size_t i) { parameters[i] -= rate * gradients[i]; });
  }

 private:
  gpu_stream& on_;
  cublasHandle_t blas_ = nullptr;
  float* losses_ = nullptr;  // per row
  size_t losses_of_ = 0;
};

std::unique_ptr<device> make_gpu_device(gpu_stream& on) { return std::make_unique<gpu_device>(on); }

}  // namespace executor
