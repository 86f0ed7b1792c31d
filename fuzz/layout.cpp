// Any text as a layout: parsing is exact, binding never overflows, and what
// binds and is small obeys the laws.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/catalogue.hpp"
#include "stridewise/notation.hpp"

namespace {

using namespace stridewise;

void require(bool truth) {
  if (!truth) std::abort();
}

// Every bit of a small memory: what is found there lies there, and each bit of each
// element is found once, beside its copies.
void check_laws(const Layout& memory) {
  if (!memory.valid() || memory.size_bits() > 32768) return;
  std::vector<Layout> tensors;
  std::size_t most_dims = 0;
  for (const Tensor& tensor : memory.tensors()) {
    const Result<Layout> one = memory.part(tensor.name);
    require(one.has_value());
    tensors.push_back(*one);
    most_dims = std::max(most_dims, tensor.shape.size());
  }
  std::vector<std::int64_t> found(tensors.size(), 0);
  std::vector<std::int64_t> index(most_dims);
  for (std::int64_t bit = 0; bit < memory.size_bits(); ++bit) {
    const Found here = memory.find(bit, index);
    if (here.place != Place::element) continue;
    require(!here.more);
    if (here.copy != 0) continue;
    const auto tensor = static_cast<std::size_t>(here.tensor);
    const std::span own(index.data(), tensors[tensor].shape().size());
    require(tensors[tensor].bit_of(own, here.bit) == bit);
    ++found[tensor];
  }
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const Tensor& tensor = memory.tensors()[t];
    require(found[t] == tensor.elements * tensor.element_bits);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const Result<Expression> expression = parse_expression(text)) {
    const Result<Expression> again = parse_expression(print(*expression));
    require(again && *again == *expression);
  }
  (void)parse_shape(text);
  (void)parse_window(text);
  const Result<LayoutSource> source = resolve_layout(text);
  if (!source) {
    require(!source.error().to_string().empty());
    return 0;
  }
  Shape shape;
  std::int64_t extent = 1;
  for (const std::string& dim : dims_of(*source)) {
    shape.push_back({dim, extent % 4 + 1});
    ++extent;
  }
  Binding binding;
  for (const std::string& table : source->expression.tables()) {
    binding.tables[table] = {2, 0, 3, 1};
  }
  for (const std::int64_t bits : {4, 8, 32}) {
    binding.element_bits = bits;
    if (const Result<Layout> layout = source->bind(shape, binding)) {
      check_laws(*layout);
    }
  }
  for (Dim& dim : shape) dim.extent = std::int64_t{1} << 62;
  (void)source->bind(shape, binding);
  return 0;
}
