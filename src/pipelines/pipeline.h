// The passes for a target, in order.
#pragma once

#include "pass/pass.h"
#include "passes/fusion/fusion.h"
#include "passes/partition/partition.h"
#include "target/target.h"

namespace sinter {

// `log`, if it is not null, is told fusion's decisions, and must outlive the pipeline.
Pipeline MakePipeline(const TargetInfo& target = {}, FusionLog* log = nullptr);

// Before it, for modules of several partitions: what each of them runs (passes/partition). The log,
// if it is not null, must outlive the pipeline.
Pipeline MakePartitionPipeline(PartitionOptions options = {}, PartitionLog* log = nullptr);

// Less work for the same results, in the operations that a module came with: for those who read
// what became of a program. Nothing in it depends on a target.
Pipeline MakeSimplifyPipeline();

}  // namespace sinter
