#ifndef SHOP_RING_HPP
#define SHOP_RING_HPP
// Ring buffers for every type.

#include <vector>

SHOP_BEGIN_NAMESPACE
namespace shop::rings {

/// A ring of things.
template <typename T, SHOP_ENABLE_IF(sizeof(T) > 1)>
class SHOP_API Ring final : public Base<T> {
  public:
    Ring(int size) : size_(size) {}
    ~Ring() override;
    virtual int put(const T& thing, bool force = false) const noexcept;
    static constexpr int limit = 3;
    bool operator==(const Ring& other) const = default;
    explicit operator bool() const;
    using value_type = T;
    enum class Mode : int { Read = 1, Write };
    template <class U> void convert(U value);
  protected:
    void hook();
  private:
    int size_;
};

SHOP_API SHOP_NOEXCEPT auto make(int size) -> Ring<int>;
using Bytes = Ring<char>;
template <typename T> concept Small = sizeof(T) < 4;
namespace { int unseen; }
template <> struct hash<Ring<int>> { };
union Word { int whole; char parts[4]; };
inline namespace v1 { void inlined(); }
}  // namespace shop::rings

int shop::rings::Ring<int>::put(const int& thing, bool force) const noexcept { return 0; }
SHOP_END_NAMESPACE
#endif
