// The plan of a conversion in words, and the code of a layout.
// SPDX-License-Identifier: Apache-2.0
#include "reply.hpp"
#include "stridewise/emit.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::explorer {

Reply plan(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  if (!subject->to) {
    return fail(ErrorCode::mismatch, "a conversion needs a second layout");
  }
  const Result<Plan> made = Plan::make(subject->layout, *subject->to);
  if (!made) return unexpected(made.error());
  return Json{{"text", made->to_string()},
              {"bytes_read", count(made->bytes_read())},
              {"bytes_written", count(made->bytes_written())}};
}

Reply code(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  const auto language = parse_emit_language(
      request.has("language") ? request.text("language") : "c");
  if (!language) return unexpected(language.error());
  const auto emitted = emit(subject->layout, {.language = *language});
  if (!emitted) return unexpected(emitted.error());
  return Json{{"code", emitted->code}};
}

}  // namespace stridewise::explorer
