// SPDX-License-Identifier: BSL-1.0
#include <cublas_v2.h>

#include "gpu/gpu_device.hpp"
#include "gpu/gpu_stream.hpp"

namespace executor {

inline void checked(cublasStatus_t result, const char* call) {
  if (result != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string(call) + ": " + cublasGetStatusName(result));
}

constexpr unsigned threads = 256;  // of a block
constexpr float root = 0.7978845608F;  // sqrt(2 / pi)
constexpr float cubic = 0.044715F;

template <class Each>
__global__ void for_each(std::size_t count, Each each) {
  const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) each(i);
}
template <class Each>
void run_each(std::size_t count, cudaStream_t on, Each each) {
  if (count == 0) return;
  for_each<<<static_cast<unsigned>((count + threads - 1) / threads), threads, 0, on>>>(count, each);
  checked(cudaGetLastError(), "cudaLaunchKernel");
}

/// Joins the values of all columns, for all threads of the block. @{
template <class Value, class Join>
__device__ float over_columns(std::size_t columns, float start, Value value, Join join) {
  __shared__ float parts[threads];
  for (std::size_t c = threadIdx.x; c < columns; c += threads) start = join(start, value(c));
  __syncthreads();  // what the call before has left there is read
  parts[threadIdx.x] = start;
  for (unsigned n = threads / 2; n != 0; n /= 2) {
    __syncthreads();
    if (threadIdx.x < n) parts[threadIdx.x] = join(parts[threadIdx.x], parts[threadIdx.x + n]);
  }
  __syncthreads();
  return parts[0];
}
template <class Value>
__device__ float sum(std::size_t columns, Value value) {
  return over_columns(columns, 0, value, [](float a, float b) { return a + b; });
}  // @}

// A block for every row.
__global__ void normalize_row(std::size_t columns, const float* x, float* normal, float* scale) {
  x += blockIdx.x * columns, normal += blockIdx.x * columns;
  const float mean = sum(columns, [=](std::size_t c) { return x[c]; }) / columns;
  const float variance = sum(columns, [=](std::size_t c) { return (x[c] - mean) * (x[c] - mean); }) / columns;
  const float by = 1 / sqrtf(variance + 1e-5F);
  for (std::size_t c = threadIdx.x; c < columns; c += threads) normal[c] = (x[c] - mean) * by;
  if (threadIdx.x == 0) scale[blockIdx.x] = by;
}
__global__ void normalize_row_backward(std::size_t columns, const float* gradient, const float* gamma,
                                       const float* normal, const float* scale, float* x) {
  x += blockIdx.x * columns, normal += blockIdx.x * columns, gradient += blockIdx.x * columns;
  const float mean = sum(columns, [=](std::size_t c) { return gradient[c] * gamma[c]; }) / columns;
  const float along = sum(columns, [=](std::size_t c) { return gradient[c] * gamma[c] * normal[c]; }) / columns;
  for (std::size_t c = threadIdx.x; c < columns; c += threads) {
    x[c] += scale[blockIdx.x] * (gradient[c] * gamma[c] - mean - normal[c] * along);
  }
}
__global__ void softmax_row(std::size_t columns, const float* ids, float scale, float* x, float* losses) {
  x += blockIdx.x * columns;
  const auto id = static_cast<std::size_t>(ids[blockIdx.x]);
  const float target = x[id];
  const float most = over_columns(
      columns, target, [=](std::size_t c) { return x[c]; }, [](float a, float b) { return fmaxf(a, b); });
  const float all = sum(columns, [=](std::size_t c) { return expf(x[c] - most); });
  for (std::size_t c = threadIdx.x; c < columns; c += threads) {
    x[c] = (expf(x[c] - most) / all - (c == id ? 1.0F : 0.0F)) * scale;
  }
  if (threadIdx.x == 0) losses[blockIdx.x] = logf(all) + most - target;
}
__global__ void average(std::size_t count, const float* x, float* result) {
  const float all = sum(count, [=](std::size_t i) { return x[i]; });
  if (threadIdx.x == 0) *result = all / count;
}

class gpu_device final : public device {
 public:
  explicit gpu_device(gpu_stream& on) : on_(on), stream_(on.stream.get()) {
    checked(cudaSetDevice(on.gpu), "cudaSetDevice");
    on.kept.clear();
    checked(cublasCreate(&blas_), "cublasCreate");
    on.kept.emplace_back(blas_, [](cublasHandle_t of) { cublasDestroy(of); });
    checked(cublasSetStream(blas_, stream_), "cublasSetStream");
    checked(cublasSetMathMode(blas_, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");  // no TF32
    checked(cublasSetSmCountTarget(blas_, on.multiprocessors), "cublasSetSmCountTarget");
    on.restart();
  }

  float* allocate(std::size_t count) override {
    const auto made = make_memory(count);
    on_.kept.push_back(made);
    return made.get();
  }
  void release(float*) noexcept override {}
  void write(float* to, const float* from, std::size_t count) override { read(to, from, count); }
  void read(float* to, const float* from, std::size_t count) override {
    copy(to, from, count, stream_);
    on_.wait();
  }
  mark now() override { return on_.mark(stream_); }
  double seconds(const mark& at) override { return gpu_stream::seconds(at); }
  void finish() override { on_.restart(); }

  void fill(float* to, std::size_t count, float value) override {
    run_each(count, stream_, [=] __device__(std::size_t i) { to[i] = value; });
  }
  // cuBLAS takes matrices column by column, so that it sees all transposed: the product of these is that of b and a.
  void multiply(transposed which, std::size_t rows, std::size_t columns, std::size_t inner, const float* a,
                const float* b, float* c, bool add) override {
    const bool left = which == transposed::left, right = which == transposed::right;
    const int m = static_cast<int>(columns), n = static_cast<int>(rows), k = static_cast<int>(inner);
    const float one = 1, kept = add ? 1.0F : 0.0F;
    checked(cublasSgemm(blas_, right ? CUBLAS_OP_T : CUBLAS_OP_N, left ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &one, b,
                        right ? k : m, a, left ? n : k, &kept, c, m),
            "cublasSgemm");
  }
  void add(std::size_t count, const float* x, float* y) override {
    run_each(count, stream_, [=] __device__(std::size_t i) { y[i] += x[i]; });
  }
  void add_to_rows(std::size_t rows, std::size_t columns, const float* x, float* y) override {
    run_each(rows * columns, stream_, [=] __device__(std::size_t i) { y[i] += x[i % columns]; });
  }
  void sum_rows(std::size_t rows, std::size_t columns, const float* x, const float* y, float* sum) override {
    run_each(columns, stream_, [=] __device__(std::size_t c) {
      float all = 0;
      for (std::size_t i = c; i < rows * columns; i += columns) all += y == nullptr ? x[i] : x[i] * y[i];
      sum[c] += all;
    });
  }
  void gelu(std::size_t count, const float* x, float* y) override {
    run_each(count, stream_, [=] __device__(std::size_t i) {
      y[i] = 0.5F * x[i] * (1 + tanhf(root * x[i] * (1 + cubic * x[i] * x[i])));
    });
  }
  void gelu_backward(std::size_t count, const float* gradient, float* x) override {
    run_each(count, stream_, [=] __device__(std::size_t i) {
      const float in = x[i], slope = tanhf(root * in * (1 + cubic * in * in));
      x[i] = gradient[i] *
             (0.5F * (1 + slope) + 0.5F * in * (1 - slope * slope) * root * (1 + 3 * cubic * in * in));
    });
  }
  void normalize(std::size_t rows, std::size_t columns, const float* x, float* normal, float* scale) override {
    normalize_row<<<static_cast<unsigned>(rows), threads, 0, stream_>>>(columns, x, normal, scale);
    checked(cudaGetLastError(), "cudaLaunchKernel");
  }
  void scale_rows(std::size_t rows, std::size_t columns, const float* normal, const float* gamma, const float* beta,
                  float* y) override {
    run_each(rows * columns, stream_, [=] __device__(std::size_t i) {
      y[i] = normal[i] * gamma[i % columns] + beta[i % columns];
    });
  }
  void normalize_backward(std::size_t rows, std::size_t columns, const float* gradient, const float* gamma,
                          const float* normal, const float* scale, float* x) override {
    normalize_row_backward<<<static_cast<unsigned>(rows), threads, 0, stream_>>>(columns, gradient, gamma, normal,
                                                                                 scale, x);
    checked(cudaGetLastError(), "cudaLaunchKernel");
  }
  void gather(std::size_t rows, std::size_t columns, const float* ids, const float* table, float* y) override {
    run_each(rows * columns, stream_, [=] __device__(std::size_t i) {
      y[i] = table[static_cast<std::size_t>(ids[i / columns]) * columns + i % columns];
    });
  }
  void scatter_add(std::size_t rows, std::size_t columns, const float* ids, const float* x, float* table) override {
    run_each(columns, stream_, [=] __device__(std::size_t c) {
      for (std::size_t r = 0; r < rows; ++r) table[static_cast<std::size_t>(ids[r]) * columns + c] += x[r * columns + c];
    });
  }
  void softmax_loss(std::size_t rows, std::size_t columns, const float* ids, float scale, float* x,
                    float* loss) override {
    if (rows > losses_of_) losses_ = allocate(losses_of_ = rows);
    softmax_row<<<static_cast<unsigned>(rows), threads, 0, stream_>>>(columns, ids, scale, x, losses_);
    average<<<1, threads, 0, stream_>>>(rows, losses_, loss);
    checked(cudaGetLastError(), "cudaLaunchKernel");
  }
  void descend(std::size_t count, float rate, const float* gradients, float* parameters) override {
    run_each(count, stream_, [=] __device__(std::size_t i) { parameters[i] -= rate * gradients[i]; });
  }

 private:
  gpu_stream& on_;
  cudaStream_t stream_;
  cublasHandle_t blas_ = nullptr;
  float* losses_ = nullptr;  // of every row
  std::size_t losses_of_ = 0;
};

std::unique_ptr<device> make_gpu_device(gpu_stream& on) { return std::make_unique<gpu_device>(on); }

}  // namespace executor
