// All functions of fmt that are no templates, compiled once, and those templates that its
// headers leave to its library.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
