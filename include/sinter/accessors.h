// Fields of options that can also be read and written by the accessors of XLA's messages.
//
//   sinter::GatherDimensionNumbers g;
//   g.offset_dims = {1, 2};
//   g.offset_dims(0);          // 1
//   g.offset_dims_size();      // 2
//   g.set_index_vector_dim(1);
//   g.index_vector_dim();      // 1
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinter {

// A number or an enumerator, which d.name and d.name() both read.
template <class T>
struct ValueField {
  T value{};

  constexpr ValueField() = default;
  constexpr ValueField(T v) : value(v) {}
  constexpr operator T() const { return value; }
  constexpr T operator()() const { return value; }
};

// A class, which d.name and d.name() both read.
template <class T>
requires std::is_class_v<T>
struct ValueField<T> : T {
  ValueField() = default;
  ValueField(const T& v) : T(v) {}
  ValueField(T&& v) : T(std::move(v)) {}
  using T::T;
  using T::operator=;
  const T& operator()() const { return *this; }
};

// A list, of which d.name() reads all and d.name(i) one entry.
template <class T>
struct ListField : std::vector<T> {
  using std::vector<T>::vector;
  using std::vector<T>::operator=;
  ListField() = default;
  ListField(const std::vector<T>& v) : std::vector<T>(v) {}
  ListField(std::vector<T>&& v) : std::vector<T>(std::move(v)) {}

  const ListField& operator()() const { return *this; }
  const T& operator()(int i) const { return (*this)[static_cast<size_t>(i)]; }
  // As those of protobuf's repeated fields.
  const T& Get(int i) const { return (*this)[static_cast<size_t>(i)]; }
  T* Mutable(int i) { return &(*this)[static_cast<size_t>(i)]; }
  void Add(T v) { this->push_back(std::move(v)); }
};

// The accessors of a message's field `name` that is held in the member `member`.
#define SINTER_FIELD_SETTER(T, name, member) \
  void set_##name(T v) { member = std::move(v); }
#define SINTER_LIST_ACCESSORS(T, name, member)                        \
  int name##_size() const { return static_cast<int>(member.size()); } \
  void add_##name(T v) { member.push_back(std::move(v)); }            \
  void set_##name(int i, T v) { *member.Mutable(i) = std::move(v); }  \
  void clear_##name() { member.clear(); }                             \
  ::sinter::ListField<T>* mutable_##name() { return &member; }
// Where the member has another name than the field.
#define SINTER_LIST_READERS(T, name, member)                    \
  const ::sinter::ListField<T>& name() const { return member; } \
  const T& name(int i) const { return member(i); }

}  // namespace sinter
