// Addresses of the walk: where a tile's elements are, and where the terms of that are computed.
#include <algorithm>

#include "base/status.h"
#include "codegen/llvm/walk.h"
#include "llvm/IR/MDBuilder.h"

namespace sinter::codegen {

using kernel::Buffer;
using kernel::Op;
using llvm::Value;

int Walk::Depth(const Value* v) const {
  const auto* i = llvm::dyn_cast<llvm::Instruction>(v);
  return i == nullptr ? 0 : depth_.lookup(i->getParent());
}

Value* Walk::AtDepth(int depth, const std::function<Value*()>& emit) {
  if (depth >= static_cast<int>(preheaders_.size())) return emit();
  llvm::IRBuilder<>::InsertPointGuard guard(b_);
  b_.SetInsertPoint(preheaders_[static_cast<size_t>(depth)]);
  return emit();
}

Value* Walk::Product(Value* a, Value* c) {
  if (ConstantOf(c) == 1) return a;
  if (ConstantOf(a) == 1) return c;
  return AtDepth(std::max(Depth(a), Depth(c)), [&] {
    Value*& term = terms_[{b_.GetInsertBlock(), a, c, -1}];
    if (term == nullptr) term = b_.CreateMul(a, c);
    return term;
  });
}

Value* Walk::Offset(Value* pointer, Value* index, int buffer, int depth) {
  if (ConstantOf(index) == 0) return pointer;
  llvm::Type* elem = Memory(kernel_.buffers[static_cast<size_t>(buffer)].elem);
  return AtDepth(depth, [&] {
    Value*& term = terms_[{b_.GetInsertBlock(), pointer, index, buffer}];
    // Not inbounds: lanes that are masked off may be outside.
    if (term == nullptr) term = b_.CreateGEP(elem, pointer, index);
    return term;
  });
}

Value* Walk::StartOf(const Op& op, const Access&) {
  return pointers_[static_cast<size_t>(op.buffer)];
}

Walk::Access Walk::Resolve(const Op& op, size_t first) {
  const Buffer& buffer = kernel_.buffers[static_cast<size_t>(op.buffer)];
  Access access;
  auto add = [&](Value*& sum, int step, Value* stride) {
    if (step == 0) return;
    Value* term = Product(b_.getInt64(static_cast<uint64_t>(static_cast<int64_t>(step))), stride);
    sum = sum == nullptr ? term : b_.CreateAdd(sum, term);
  };
  struct Term {
    int depth;
    Value* value;
  };
  std::vector<Term> terms;
  int64_t fixed = 0;
  for (size_t d = 0; d < buffer.shape.size(); d++) {
    const kernel::Value index = op.operands[first + d];
    Value* stride = Scalar(buffer.strides[d]);
    add(access.rows, op.steps[d].rows, stride);
    add(access.cols, op.steps[d].cols, stride);
    if (!type(index).is_scalar()) {
      access.gathered.push_back({index, stride});
      continue;
    }
    Value* base = Scalar(index);
    if (!base->getType()->isIntegerTy(64)) {
      base = IsUnsigned(type(index).elem) ? b_.CreateZExt(base, b_.getInt64Ty())
                                          : b_.CreateSExt(base, b_.getInt64Ty());
    }
    const auto index_constant = ConstantOf(base), stride_constant = ConstantOf(stride);
    if (index_constant && stride_constant) {
      fixed += *index_constant * *stride_constant;
      continue;
    }
    Value* term = Product(base, stride);
    terms.push_back({std::max(Depth(base), Depth(stride)), term});
  }
  access.base = StartOf(op, access);
  // Outermost first, so that the sums of outer terms leave the inner loops too.
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& c) { return a.depth < c.depth; });
  for (const Term& t : terms) access.base = Offset(access.base, t.value, op.buffer, t.depth);
  // The constant comes last: it becomes the displacement of the instruction.
  access.base =
      Offset(access.base, b_.getInt64(static_cast<uint64_t>(fixed)), op.buffer, INT32_MAX);
  return access;
}

Value* Walk::Pointer(const Op& op, const Access& access, int row, int col) {
  Value* p = access.base;
  int64_t fixed = 0;
  auto add = [&](Value* step, int count) {
    if (step == nullptr || count == 0) return;
    if (const auto constant = ConstantOf(step); constant) {
      fixed += *constant * count;
    } else {
      Value* term = Product(b_.getInt64(static_cast<uint64_t>(count)), step);
      p = Offset(p, term, op.buffer, std::max(Depth(p), Depth(term)));
    }
  };
  add(access.rows, row);
  add(access.cols, col);
  return Offset(p, b_.getInt64(static_cast<uint64_t>(fixed)), op.buffer, INT32_MAX);
}

void Walk::Tag(Value* access, int buffer) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(access);
  if (instruction == nullptr) return;
  if (own_scope_.empty()) NewScopes();
  const auto i = static_cast<size_t>(buffer);
  if (own_scope_[i] == nullptr) return;
  instruction->setMetadata(llvm::LLVMContext::MD_alias_scope, own_scope_[i]);
  instruction->setMetadata(llvm::LLVMContext::MD_noalias, other_scopes_[i]);
}

void Walk::NewScopes() {
  // Each list names all others; kernels of so many buffers are loops of kernels, which need no such
  // facts.
  constexpr size_t kMostScopes = 128;
  llvm::LLVMContext& context = b_.getContext();
  llvm::MDBuilder metadata(context);
  auto* domain = metadata.createAnonymousAliasScopeDomain();
  std::vector<llvm::Metadata*> scopes;
  absl::flat_hash_map<int, size_t> groups;
  std::vector<size_t> scope_of;
  for (const Buffer& b : kernel_.buffers) {
    size_t scope = scopes.size();
    if (b.alias_group >= 0) scope = groups.try_emplace(b.alias_group, scope).first->second;
    if (scope == scopes.size()) scopes.push_back(metadata.createAnonymousAliasScope(domain));
    scope_of.push_back(scope);
  }
  own_scope_.resize(kernel_.buffers.size());
  other_scopes_.resize(kernel_.buffers.size());
  if (scopes.size() > kMostScopes) return;
  std::vector<llvm::MDNode*> own, others;
  for (llvm::Metadata* scope : scopes) {
    std::vector<llvm::Metadata*> rest;
    for (llvm::Metadata* other : scopes)
      if (other != scope) rest.push_back(other);
    own.push_back(llvm::MDNode::get(context, {scope}));
    others.push_back(llvm::MDNode::get(context, rest));
  }
  for (size_t i = 0; i < scope_of.size(); ++i) {
    own_scope_[i] = own[scope_of[i]];
    other_scopes_[i] = others[scope_of[i]];
  }
}

}  // namespace sinter::codegen
