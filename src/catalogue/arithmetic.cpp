// SPDX-License-Identifier: Apache-2.0
#include "catalogue/arithmetic.hpp"

#include "base/checked.hpp"
#include "notation/cursor.hpp"

namespace stridewise {
namespace {

// Recursive descent over two levels of precedence, as deep as parentheses may nest.
// NOLINTBEGIN(misc-no-recursion)
class Evaluator {
 public:
  Evaluator(std::string_view text, const NamedNumbers& values)
      : cursor_(text), values_(values) {}

  Result<std::int64_t> run() {
    Result<std::int64_t> value = sum();
    if (value && !cursor_.at_end()) return cursor_.error("expected the end");
    return value;
  }

 private:
  Result<std::int64_t> sum() {
    Result<std::int64_t> left = product();
    while (left && (cursor_.peek() == '+' || cursor_.peek() == '-')) {
      const bool plus = cursor_.accept('+') || !cursor_.accept('-');
      const Result<std::int64_t> right = product();
      if (!right) return right;
      left = checked(add(*left, plus ? Checked(*right) : mul(*right, -1)));
    }
    return left;
  }

  Result<std::int64_t> product() {
    Result<std::int64_t> left = atom();
    for (;;) {
      const char op = cursor_.peek();
      if (!left || (op != '*' && op != '/' && op != '%')) return left;
      cursor_.accept(op);
      const Result<std::int64_t> right = atom();
      if (!right) return right;
      if (op == '*') {
        left = checked(mul(*left, *right));
      } else if (*right <= 0) {
        return cursor_.error_at(cursor_.position(), ErrorCode::invalid_value,
                                "division by a number that is not positive");
      } else {
        left = op == '/' ? floor_div(*left, *right) : floor_mod(*left, *right);
      }
    }
  }

  Result<std::int64_t> atom() {
    if (cursor_.accept('(')) {
      if (++depth_ > max_depth) {
        return cursor_.error("parentheses nest too deeply");
      }
      Result<std::int64_t> value = sum();
      --depth_;
      if (value && !cursor_.accept(')')) return cursor_.error("expected ')'");
      return value;
    }
    if (!cursor_.at_name()) return cursor_.number("a number");
    const std::string_view name = cursor_.name();
    const auto found = values_.find(name);
    if (found == values_.end()) {
      return cursor_.error_at(cursor_.position() - name.size(),
                              ErrorCode::unknown_name,
                              "'" + std::string(name) + "' has no value");
    }
    return found->second;
  }

  Result<std::int64_t> checked(Checked value) {
    if (!value) {
      return cursor_.error_at(0, ErrorCode::overflow, "overflows 64 bits");
    }
    return *value;
  }

  static constexpr int max_depth = 64;

  Cursor cursor_;
  const NamedNumbers& values_;
  int depth_ = 0;
};
// NOLINTEND(misc-no-recursion)

}  // namespace

Result<std::int64_t> evaluate(std::string_view text,
                              const NamedNumbers& values) {
  return Evaluator(text, values).run();
}

}  // namespace stridewise
