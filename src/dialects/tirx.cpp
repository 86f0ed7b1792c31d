// TVM TIRx: S[sizes : strides] of the tensor's elements in logical order, R[...] of
// copies, an offset; a stride may belong to an axis, as in 4@laneid. ComposeLayout
// xors the place: TVM's Data Layout guide.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "dialects/read.hpp"
#include "notation/cursor.hpp"

namespace stridewise::dialects {
namespace {

constexpr std::string_view compose = "ComposeLayout(";
constexpr std::string_view memory_axis = "m";
constexpr std::size_t max_iters = 64;

struct Iter {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
  std::string axis = std::string(memory_axis);
};

class TirxReader {
 public:
  TirxReader(std::string_view text, KnownDims known)
      : cursor_(text), known_(known) {}

  Result<DialectText> run() {
    if (auto read = read_all(); !read) return unexpected(read.error());
    if (!cursor_.at_end()) return cursor_.error("expected the end");
    return build();
  }

 private:
  Result<void> read_all() {
    const bool composed = cursor_.accept(compose);
    if (composed) {
      for (std::int64_t* number :
           {&swizzle_.base, &swizzle_.bits, &swizzle_.shift}) {
        const Result<std::int64_t> read = cursor_.number("a number of bits");
        if (!read) return unexpected(read.error());
        if (*read > 62) return cursor_.error("a place has up to 62 bits");
        *number = *read;
        if (!cursor_.accept(',')) return cursor_.error("expected ','");
      }
    }
    if (auto shard = read_iters('S', shard_); !shard) return shard;
    while (cursor_.accept('+')) {
      if (cursor_.peek() == 'R') {
        if (auto copies = read_iters('R', copies_); !copies) return copies;
        continue;
      }
      Iter offset;
      if (auto read = read_stride(offset); !read) return read;
      offsets_.push_back(offset);
    }
    if (composed && !cursor_.accept(')')) return cursor_.error("expected ')'");
    const auto in_memory = [](const Iter& iter) {
      return iter.axis == memory_axis;
    };
    if (swizzle_.bits > 0 && (std::ranges::any_of(copies_, in_memory) ||
                              std::ranges::any_of(offsets_, in_memory))) {
      return cursor_.error_at(0, ErrorCode::unsupported,
                              "copies or an offset of a memory that is xored");
    }
    return {};
  }

  // S[(8,2):(4@laneid,1)], S[8:1], S[8,2]: the last has natural strides.
  Result<void> read_iters(char mark, std::vector<Iter>& iters) {
    if (!cursor_.accept(mark) || !cursor_.accept('[')) {
      return cursor_.error(fmt::format("expected {}[sizes : strides]", mark));
    }
    const std::size_t first = iters.size();
    const bool tuple = cursor_.accept('(');
    do {
      if (tuple && cursor_.peek() == ')') break;
      const Result<std::int64_t> size = cursor_.number("a size");
      if (!size) return unexpected(size.error());
      if (*size < 1) return cursor_.error("a size is 1 or more");
      if (iters.size() >= max_iters) return cursor_.error("too many sizes");
      iters.push_back({*size});
    } while (cursor_.accept(','));
    if (tuple && !cursor_.accept(')')) return cursor_.error("expected ')'");
    if (!cursor_.accept(':')) {
      std::int64_t stride = 1;
      for (std::size_t k = iters.size(); k-- > first;) {
        iters[k].stride = stride;
        const Checked next = mul(stride, iters[k].extent);
        if (!next) return cursor_.error("the sizes overflow 64 bits");
        stride = *next;
      }
    } else if (auto strides = read_strides(iters, first); !strides) {
      return strides;
    }
    if (!cursor_.accept(']')) return cursor_.error("expected ']'");
    return {};
  }

  Result<void> read_strides(std::vector<Iter>& iters, std::size_t first) {
    const bool tuple = cursor_.accept('(');
    for (std::size_t k = first; k < iters.size(); ++k) {
      if (k > first && !cursor_.accept(',')) {
        return cursor_.error("there must be as many strides as sizes");
      }
      if (auto read = read_stride(iters[k]); !read) return read;
    }
    if (tuple) cursor_.accept(',');
    if (tuple && !cursor_.accept(')')) {
      return cursor_.error("there must be as many strides as sizes");
    }
    return {};
  }

  Result<void> read_stride(Iter& iter) {
    const Result<std::int64_t> stride = cursor_.number("a stride");
    if (!stride) return unexpected(stride.error());
    iter.stride = *stride;
    if (!mul(iter.stride, iter.extent)) {
      return cursor_.error("the stride overflows 64 bits");
    }
    if (!cursor_.accept('@')) return {};
    iter.axis = cursor_.name_here();
    if (iter.axis.empty()) return cursor_.error("expected an axis: 4@laneid");
    return {};
  }

  // Digits of the index in logical order, slowest first.
  Result<DialectText> build() {
    DialectText made;
    Expression& expression = made.expression;
    if (known_.size() > 1) {
      made.dims.assign(known_.begin(), known_.end());
      Body body;
      for (const std::string& dim : made.dims) {
        body.terms.push_back({.digit = {.dim = dim}});
      }
      while (std::ranges::find(known_, flat_) != known_.end()) flat_ += "_";
      expression.fused.push_back({flat_, std::move(body)});
    } else {
      made = of_rank(1, known_);
    }
    const std::string of = known_.size() > 1 ? flat_ : made.dims.front();
    std::int64_t div = 1;
    std::vector<Leaf> leaves(shard_.size());
    for (std::size_t k = shard_.size(); k-- > 0;) {
      const Iter& iter = shard_[k];
      leaves[k] = {of, div, k == 0 ? 0 : iter.extent, iter.extent, iter.stride};
      const Checked next = mul(div, iter.extent);
      if (!next) return fail(ErrorCode::overflow, "the sizes overflow 64 bits");
      div = *next;
    }
    made.elements = div;
    std::vector<std::string> names = axis_names();
    for (const std::string& name : names) {
      if (auto axis = add_axis(expression, name, leaves); !axis) {
        return unexpected(axis.error());
      }
    }
    // The memory of one axis needs no name.
    if (names.size() == 1 && names.front() == memory_axis) {
      expression.axes.front().name.clear();
    }
    return made;
  }

  // In order of appearance; memory is the fastest.
  [[nodiscard]] std::vector<std::string> axis_names() const {
    std::vector<std::string> names;
    for (const auto* iters : {&shard_, &copies_, &offsets_}) {
      for (const Iter& iter : *iters) {
        if (std::ranges::find(names, iter.axis) == names.end()) {
          names.push_back(iter.axis);
        }
      }
    }
    const auto memory = std::ranges::find(names, memory_axis);
    if (memory != names.end()) std::rotate(memory, memory + 1, names.end());
    return names;
  }

  Result<void> add_axis(Expression& expression, const std::string& name,
                        const std::vector<Leaf>& leaves) {
    std::vector<Leaf> own;
    for (std::size_t k = 0; k < shard_.size(); ++k) {
      const bool here = shard_[k].axis == name;
      if (here && (leaves[k].extent > 1 || shard_.size() == 1)) {
        own.push_back(leaves[k]);
      }
    }
    Result<std::vector<Term>> terms =
        swizzled(own, name == memory_axis ? swizzle_ : Swizzle{});
    if (!terms) return unexpected(terms.error());
    Axis axis{.name = name, .terms = *std::move(terms)};
    for (const Iter& copies : copies_) {
      if (copies.axis != name || copies.extent == 1) continue;
      axis.terms.push_back({.stride = {Step::Kind::exact, copies.stride},
                            .copies = copies.extent});
    }
    for (const Iter& offset : offsets_) {
      if (offset.axis != name) continue;
      const Checked base = add(axis.base, offset.stride);
      if (!base || *base > largest) {
        return fail(ErrorCode::overflow, "the offsets overflow 64 bits");
      }
      axis.base = *base;
    }
    expression.axes.push_back(std::move(axis));
    return {};
  }

  Cursor cursor_;
  KnownDims known_;
  Swizzle swizzle_;
  std::string flat_ = "flat";  // the index in logical order
  std::vector<Iter> shard_, copies_, offsets_;
};

}  // namespace

Reading read_tirx(std::string_view text, KnownDims known) {
  if (!text.starts_with("S[") && !text.starts_with(compose)) {
    return std::nullopt;
  }
  return TirxReader(text, known).run();
}

}  // namespace stridewise::dialects
