// All functions of fmt that are no templates, compiled once.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format-inl.h>

namespace fmt::inline v9::detail {

// fmt declares these templates extern: its own library would hold them.
template auto dragonbox::to_decimal(float x) noexcept
    -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double x) noexcept
    -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view,
                         basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                         locale_ref);

}  // namespace fmt::inline v9::detail
