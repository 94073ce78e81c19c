// Values during evaluation: literals that instructions share instead of copying them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sinter/literal.h"

namespace sinter::eval {

// An array (or token), or a tuple of values. Copies are cheap: they share what they hold.
class Value {
 public:
  // The empty tuple.
  Value() = default;
  explicit Value(Literal literal) : Value(std::make_shared<const Literal>(std::move(literal))) {}
  // Shares the literal; the elements of a tuple literal keep the whole of it alive.
  explicit Value(std::shared_ptr<const Literal> literal) {
    if (!literal->shape().is_tuple()) {
      array_ = std::move(literal);
      return;
    }
    for (const Literal& element : literal->tuple()) {
      tuple_.emplace_back(std::shared_ptr<const Literal>(literal, &element));
    }
  }
  explicit Value(std::vector<Value> elements) : tuple_(std::move(elements)) {}
  // A literal that outlives the evaluation.
  static Value Borrow(const Literal& literal) {
    return Value(std::shared_ptr<const Literal>(std::shared_ptr<void>(), &literal));
  }

  bool is_array() const { return array_ != nullptr; }
  const Literal& array() const { return *array_; }
  const std::vector<Value>& tuple() const { return tuple_; }

  // The array to be changed in place if nothing else holds it, else null.
  Literal* Unshared() {
    return array_.use_count() == 1 ? const_cast<Literal*>(array_.get()) : nullptr;
  }
  std::shared_ptr<const Literal> shared() const { return array_; }

  Literal ToLiteral() const {
    if (is_array()) return *array_;
    std::vector<Literal> elements;
    for (const Value& v : tuple_) elements.push_back(v.ToLiteral());
    return Literal::Tuple(std::move(elements));
  }

 private:
  std::shared_ptr<const Literal> array_;  // null: a tuple
  std::vector<Value> tuple_;
};

}  // namespace sinter::eval
