// All of the library but the thread pool (threads.hpp) and the vendors' own
// helper functions (vendor/*.hpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stridewise/advise.hpp"
#include "stridewise/catalogue.hpp"
#include "stridewise/dialect.hpp"
#include "stridewise/diff.hpp"
#include "stridewise/draw.hpp"
#include "stridewise/element.hpp"
#include "stridewise/emit.hpp"
#include "stridewise/explain.hpp"
#include "stridewise/infer.hpp"
#include "stridewise/io.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/network.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/offsets.hpp"
#include "stridewise/parallel.hpp"
#include "stridewise/plan_cache.hpp"
#include "stridewise/reorder.hpp"
#include "stridewise/result.hpp"
#include "stridewise/suggest.hpp"
#include "stridewise/values.hpp"
#include "stridewise/version.hpp"
