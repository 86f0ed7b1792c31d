// The least recently used plan makes room for a new one.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/plan_cache.hpp"

#include <functional>
#include <iterator>
#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace stridewise {
namespace {

class Hash {
 public:
  template <class T>
  Hash& add(const T& value) {
    // Boost's way to combine: golden ratio, and shifts that spread low bits.
    value_ ^= std::hash<T>{}(value) + 0x9e3779b97f4a7c15 + (value_ << 6) +
              (value_ >> 2);
    return *this;
  }
  Hash& add(const Layout& layout) {
    add(layout.element_bits()).add(layout.size_bits());
    if (layout.plain()) add(layout.base_offset());
    for (const Dim& dim : layout.shape()) add(dim.name).add(dim.extent);
    for (const BoundTerm& term : layout.terms()) {
      add(term.dim).add(term.bias).add(term.div).add(term.mod);
      add(term.flat_stride);
    }
    return *this;
  }
  Hash& add(const PlanOptions& options) {
    add(static_cast<int>(options.fill)).add(static_cast<int>(options.stores));
    add(options.machine);
    if (options.values) {
      const Values& values = *options.values;
      add(values.src.name).add(values.dst.name);
      add(values.quantisation.scale).add(values.quantisation.zero_point);
    }
    return *this;
  }
  [[nodiscard]] std::size_t value() const { return value_; }

 private:
  std::size_t value_ = 0;
};

}  // namespace

class PlanCache::State {
 public:
  explicit State(std::size_t capacity) : capacity_(capacity) {}

  Result<Plan> get(const Layout& src, const Layout& dst,
                   const PlanOptions& options) {
    const std::size_t hash = Hash().add(src).add(dst).add(options).value();
    {
      const std::scoped_lock lock(mutex_);
      if (const Entry* entry = find(hash, src, dst, options)) {
        return entry->plan;
      }
    }
    Result<Plan> plan = Plan::make(src, dst, options);
    if (!plan || capacity_ == 0) return plan;
    const std::scoped_lock lock(mutex_);
    // Another thread may have been as quick.
    if (find(hash, src, dst, options) == nullptr) {
      // What may fail comes first: an entry is in both or in neither.
      std::list<Entry> entry;
      entry.push_front({hash, src, dst, options, *plan});
      index_.emplace(hash, entry.begin());
      if (entries_.size() == capacity_) drop_oldest();
      entries_.splice(entries_.begin(), entry);
    }
    return plan;
  }

  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return entries_.size();
  }

  void clear() {
    const std::scoped_lock lock(mutex_);
    index_.clear();
    entries_.clear();
  }

 private:
  struct Entry {
    std::size_t hash;
    Layout src, dst;
    PlanOptions options;
    Plan plan;
  };

  // And makes it the newest.
  const Entry* find(std::size_t hash, const Layout& src, const Layout& dst,
                    const PlanOptions& options) {
    const auto [begin, end] = index_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      const Entry& entry = *at->second;
      if (entry.options == options && entry.src == src && entry.dst == dst) {
        entries_.splice(entries_.begin(), entries_, at->second);
        return &entry;
      }
    }
    return nullptr;
  }

  void drop_oldest() {
    const auto oldest = std::prev(entries_.end());
    const auto [begin, end] = index_.equal_range(oldest->hash);
    for (auto at = begin; at != end; ++at) {
      if (at->second == oldest) {
        index_.erase(at);
        break;
      }
    }
    entries_.erase(oldest);
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // the newest first
  std::unordered_multimap<std::size_t, std::list<Entry>::iterator> index_;
};

PlanCache::PlanCache(std::size_t capacity)
    : state_(std::make_unique<State>(capacity)) {}
PlanCache::~PlanCache() = default;

Result<Plan> PlanCache::get(const Layout& src, const Layout& dst,
                            const PlanOptions& options) {
  return state_->get(src, dst, options);
}
std::size_t PlanCache::size() const { return state_->size(); }
void PlanCache::clear() { state_->clear(); }

}  // namespace stridewise
