// SPDX-License-Identifier: BSL-1.0
#include "allocations.hpp"

#include <cstdlib>
#include <new>

#include <malloc.h>

std::size_t allocations = 0;
std::size_t allocated_bytes = 0;
std::size_t most_allocated_bytes = 0;

namespace {

void* counted_allocation(std::size_t size, std::size_t alignment) {
  ++allocations;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  allocated_bytes += malloc_usable_size(memory);
  if (allocated_bytes > most_allocated_bytes) most_allocated_bytes = allocated_bytes;
  return memory;
}

void counted_release(void* memory) noexcept {
  if (memory != nullptr) allocated_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return counted_allocation(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted_allocation(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { counted_release(memory); }
void operator delete(void* memory, std::size_t) noexcept { counted_release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { counted_release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { counted_release(memory); }
