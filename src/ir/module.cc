#include "ir/module.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "base/text.h"

namespace sinter {
namespace {

// "add.12" -> "add": a copy of add.12 is add.13, not add.12.1.
std::string_view WithoutNumber(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
  return end > 1 && end < name.size() && name[end - 1] == '.' ? name.substr(0, end - 1) : name;
}

// Lists what the computations visited call, called ones first, without recursion.
class ComputationWalk {
 public:
  void Visit(HloComputation* root) {
    if (!root || !seen_.insert(root).second) return;
    stack_.push_back({root});
    while (!stack_.empty()) {
      Frame& f = stack_.back();
      const auto& instructions = f.computation->instructions();
      if (f.instruction == instructions.size()) {
        order_.push_back(f.computation);
        stack_.pop_back();
        continue;
      }
      const auto& called = instructions[f.instruction]->called();
      if (f.called == called.size()) {
        ++f.instruction;
        f.called = 0;
        continue;
      }
      HloComputation* next = called[f.called++];
      if (seen_.insert(next).second) stack_.push_back({next});
    }
  }
  std::vector<HloComputation*> TakeOrder() { return std::move(order_); }

 private:
  struct Frame {
    HloComputation* computation;
    size_t instruction = 0, called = 0;
  };
  std::vector<HloComputation*> order_;
  absl::flat_hash_set<const HloComputation*> seen_;
  std::vector<Frame> stack_;
};

}  // namespace

std::string HloModule::UniqueName(std::string_view stem) {
  // The count of a name: 0 where it is only taken, else the last number given to names that begin
  // with it.
  std::string name(stem);
  if (name_counts_.try_emplace(name, 0).second) return name;
  std::string base(WithoutNumber(stem));
  for (int n = name_counts_[base] + 1;; ++n) {
    name = Format("{}.{}", base, n);
    if (!name_counts_.try_emplace(name, 0).second) continue;
    name_counts_[base] = n;
    return name;
  }
}

HloComputation* HloModule::AddComputation(std::string name) {
  // Computations have names of their own: '&' occurs in no instruction's name.
  std::string unique =
      UniqueName("&" + (name.empty() ? std::string("computation") : name)).substr(1);
  computations_.push_back(std::make_unique<HloComputation>(this, std::move(unique)));
  return computations_.back().get();
}

HloComputation* HloModule::Find(std::string_view name) const {
  for (const auto& c : computations_) {
    if (c->name() == name) return c.get();
  }
  return nullptr;
}

std::vector<HloComputation*> HloModule::PostOrder() const {
  ComputationWalk walk;
  walk.Visit(entry_);
  return walk.TakeOrder();
}

std::vector<HloComputation*> HloModule::AllInOrder() const {
  ComputationWalk walk;
  for (const auto& c : computations_) {
    if (c.get() != entry_) walk.Visit(c.get());
  }
  walk.Visit(entry_);
  return walk.TakeOrder();
}

int HloModule::RemoveUnreachable() {
  std::vector<HloComputation*> order = PostOrder();
  absl::flat_hash_set<const HloComputation*> reached(order.begin(), order.end());
  return static_cast<int>(
      std::erase_if(computations_, [&](const auto& c) { return !reached.contains(c.get()); }));
}

const std::string* Find(const Annotations& annotations, std::string_view name) {
  for (const Annotation& a : annotations) {
    if (a.name == name) return &a.value;
  }
  return nullptr;
}

const Annotations& Annotated::annotations() const {
  static const Annotations none;
  return annotations_ ? *annotations_ : none;
}

void Annotated::set_annotations(Annotations annotations) {
  annotations_ =
      annotations.empty() ? nullptr : std::make_shared<const Annotations>(std::move(annotations));
}

std::unique_ptr<HloModule> HloModule::Clone() const {
  auto clone = std::make_unique<HloModule>(name_);
  clone->copy_annotations(*this);
  absl::flat_hash_map<const HloComputation*, HloComputation*> computations;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
  for (const auto& c : computations_) {
    clone->computations_.push_back(std::make_unique<HloComputation>(clone.get(), c->name()));
    computations[c.get()] = clone->computations_.back().get();
    computations[c.get()]->copy_annotations(*c);
  }
  // Operands may have been added after their users: first all instructions, then their operands.
  for (const auto& c : computations_) {
    HloComputation* to = computations[c.get()];
    for (const auto& i : c->instructions_) {
      auto copy = std::unique_ptr<HloInstruction>(new HloInstruction);
      copy->op_ = i->op_;
      copy->id_ = i->id_;
      copy->name_ = i->name_;
      copy->shape_ = i->shape_;
      copy->parent_ = to;
      copy->attrs_ = i->attrs_;
      copy->metadata_ = i->metadata_;
      copy->copy_annotations(*i);
      for (const HloComputation* called : i->called_)
        copy->called_.push_back(computations.at(called));
      copies[i.get()] = copy.get();
      to->instructions_.push_back(std::move(copy));
    }
  }
  for (const auto& c : computations_) {
    HloComputation* to = computations[c.get()];
    for (const auto& i : c->instructions_) {
      HloInstruction* copy = copies[i.get()];
      for (const HloInstruction* operand : i->operands_)
        copy->operands_.push_back(copies.at(operand));
      for (const HloInstruction* user : i->users_) copy->users_.push_back(copies.at(user));
    }
    for (const HloInstruction* p : c->parameters_)
      to->parameters_.push_back(p ? copies.at(p) : nullptr);
    to->root_ = c->root_ ? copies.at(c->root_) : nullptr;
  }
  clone->entry_ = entry_ ? computations.at(entry_) : nullptr;
  clone->aliases_ = aliases_;
  clone->replica_count_ = replica_count_;
  clone->partition_count_ = partition_count_;
  clone->next_id_ = next_id_;
  clone->name_counts_ = name_counts_;
  return clone;
}

void HloModule::PlaceDonors(absl::Span<const BufferDonor> donors) {
  const Shape& result = entry_->root()->shape();
  std::vector<const Shape*> results;
  if (result.is_tuple()) {
    for (const Shape& s : result.tuple_shapes()) results.push_back(&s);
  } else {
    results.push_back(&result);
  }
  std::vector<bool> taken(results.size());
  auto index_of = [&](size_t r) {
    return result.is_tuple() ? Dims{static_cast<int64_t>(r)} : Dims{};
  };
  for (size_t r = 0; r < results.size(); ++r) {
    for (const InputOutputAlias& a : aliases_) taken[r] = taken[r] || a.output_index == index_of(r);
  }
  std::vector<bool> given(donors.size());
  for (size_t d = 0; d < donors.size(); ++d) {
    for (const InputOutputAlias& a : aliases_) {
      given[d] = given[d] || (a.parameter == donors[d].parameter &&
                              a.parameter_index == donors[d].parameter_index);
    }
  }
  auto place = [&](auto fits) {
    for (size_t d = 0; d < donors.size(); ++d) {
      const BufferDonor& donor = donors[d];
      if (given[d] || donor.parameter < 0 || !donor.parameter_index.empty() ||
          donor.parameter >= static_cast<int64_t>(entry_->parameters().size())) {
        continue;
      }
      const Shape& s = entry_->parameter(static_cast<size_t>(donor.parameter))->shape();
      for (size_t r = 0; r < results.size() && s.is_array() && !given[d]; ++r) {
        if (taken[r] || !results[r]->is_array() || !fits(*results[r], s)) continue;
        taken[r] = given[d] = true;
        aliases_.push_back({index_of(r), donor.parameter, {}, false});
      }
    }
  };
  // What is computed in place has the shape of its operand; other results can only be written once
  // the donor is not read any more.
  place([](const Shape& to, const Shape& from) { return Shape::Compatible(to, from); });
  place([](const Shape& to, const Shape& from) {
    return to.is_static() && from.is_static() && to.packed_byte_size() == from.packed_byte_size();
  });
}

}  // namespace sinter
