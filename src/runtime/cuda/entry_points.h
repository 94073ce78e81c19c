// The entry points of the CUDA driver that are used, one row each: name as it is called here,
// symbol in the driver, parameters. All return CUresult. Each may be missing in an old driver,
// which is then refused as a whole; but one without those of captures makes no graphs of exchanges.
#pragma once

#include "runtime/cuda/abi.h"

// clang-format off
#define SINTER_CUDA_ENTRY_POINTS(X) \
  X(Init, "cuInit", unsigned flags) \
  X(DriverGetVersion, "cuDriverGetVersion", int* version) \
  X(GetErrorName, "cuGetErrorName", Result result, const char** name) \
  X(GetErrorString, "cuGetErrorString", Result result, const char** text) \
  X(DeviceGetCount, "cuDeviceGetCount", int* count) \
  X(DeviceGet, "cuDeviceGet", DeviceId* device, int ordinal) \
  X(DeviceGetName, "cuDeviceGetName", char* name, int bytes, DeviceId device) \
  X(DeviceGetAttribute, "cuDeviceGetAttribute", int* value, DeviceAttribute attribute, DeviceId device) \
  X(DeviceCanAccessPeer, "cuDeviceCanAccessPeer", int* can, DeviceId device, DeviceId peer) \
  X(DeviceTotalMem, "cuDeviceTotalMem_v2", size_t* bytes, DeviceId device) \
  X(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", ContextHandle* context, DeviceId device) \
  X(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", DeviceId device) \
  X(CtxPushCurrent, "cuCtxPushCurrent_v2", ContextHandle context) \
  X(CtxPopCurrent, "cuCtxPopCurrent_v2", ContextHandle* context) \
  X(CtxGetDevice, "cuCtxGetDevice", DeviceId* device) \
  X(StreamCreate, "cuStreamCreate", StreamHandle* stream, unsigned flags) \
  X(StreamDestroy, "cuStreamDestroy_v2", StreamHandle stream) \
  X(StreamSynchronize, "cuStreamSynchronize", StreamHandle stream) \
  X(StreamWaitEvent, "cuStreamWaitEvent", StreamHandle stream, EventHandle event, unsigned flags) \
  X(EventCreate, "cuEventCreate", EventHandle* event, unsigned flags) \
  X(EventDestroy, "cuEventDestroy_v2", EventHandle event) \
  X(EventRecord, "cuEventRecord", EventHandle event, StreamHandle stream) \
  X(EventQuery, "cuEventQuery", EventHandle event) \
  X(EventSynchronize, "cuEventSynchronize", EventHandle event) \
  X(EventElapsedTime, "cuEventElapsedTime", float* milliseconds, EventHandle start, EventHandle end) \
  X(MemPoolCreate, "cuMemPoolCreate", PoolHandle* pool, const PoolProperties* properties) \
  X(MemPoolDestroy, "cuMemPoolDestroy", PoolHandle pool) \
  X(MemPoolSetAttribute, "cuMemPoolSetAttribute", PoolHandle pool, PoolAttribute attribute, void* value) \
  X(MemPoolGetAttribute, "cuMemPoolGetAttribute", PoolHandle pool, PoolAttribute attribute, void* value) \
  X(MemPoolSetAccess, "cuMemPoolSetAccess", PoolHandle pool, const PoolAccess* accesses, size_t count) \
  X(MemPoolTrimTo, "cuMemPoolTrimTo", PoolHandle pool, size_t bytes) \
  X(MemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", DevicePointer* data, size_t bytes, PoolHandle pool, StreamHandle stream) \
  X(MemFreeAsync, "cuMemFreeAsync", DevicePointer data, StreamHandle stream) \
  X(MemGetInfo, "cuMemGetInfo_v2", size_t* free, size_t* total) \
  X(MemHostAlloc, "cuMemHostAlloc", void** data, size_t bytes, unsigned flags) \
  X(MemFreeHost, "cuMemFreeHost", void* data) \
  X(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", DevicePointer to, const void* from, size_t bytes, StreamHandle stream) \
  X(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", void* to, DevicePointer from, size_t bytes, StreamHandle stream) \
  X(MemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream) \
  X(MemcpyPeerAsync, "cuMemcpyPeerAsync", DevicePointer to, ContextHandle to_context, DevicePointer from, ContextHandle from_context, size_t bytes, StreamHandle stream) \
  X(MemsetD8Async, "cuMemsetD8Async", DevicePointer to, unsigned char value, size_t count, StreamHandle stream) \
  X(MemsetD32Async, "cuMemsetD32Async", DevicePointer to, unsigned value, size_t count, StreamHandle stream) \
  X(PointerGetAttribute, "cuPointerGetAttribute", void* value, PointerAttribute attribute, DevicePointer data) \
  X(LinkCreate, "cuLinkCreate_v2", unsigned count, JitOption* options, void** values, LinkHandle* link) \
  X(LinkAddData, "cuLinkAddData_v2", LinkHandle link, int type, void* data, size_t bytes, const char* name, unsigned count, JitOption* options, void** values) \
  X(LinkComplete, "cuLinkComplete", LinkHandle link, void** cubin, size_t* bytes) \
  X(LinkDestroy, "cuLinkDestroy", LinkHandle link) \
  X(ModuleLoadData, "cuModuleLoadData", ModuleHandle* module, const void* image) \
  X(ModuleUnload, "cuModuleUnload", ModuleHandle module) \
  X(ModuleGetFunction, "cuModuleGetFunction", FunctionHandle* function, ModuleHandle module, const char* name) \
  X(FuncGetAttribute, "cuFuncGetAttribute", int* value, FunctionAttribute attribute, FunctionHandle function) \
  X(FuncSetAttribute, "cuFuncSetAttribute", FunctionHandle function, FunctionAttribute attribute, int value) \
  X(LaunchKernel, "cuLaunchKernel", FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, StreamHandle stream, void** parameters, void** extra) \
  X(GraphCreate, "cuGraphCreate", GraphHandle* graph, unsigned flags) \
  X(GraphDestroy, "cuGraphDestroy", GraphHandle graph) \
  X(GraphAddKernelNode, "cuGraphAddKernelNode_v2", GraphNodeHandle* node, GraphHandle graph, const GraphNodeHandle* after, size_t count, const KernelNodeParameters* parameters) \
  X(GraphAddMemcpyNode, "cuGraphAddMemcpyNode", GraphNodeHandle* node, GraphHandle graph, const GraphNodeHandle* after, size_t count, const CopyParameters* parameters, ContextHandle context) \
  X(GraphInstantiate, "cuGraphInstantiateWithFlags", GraphExecHandle* exec, GraphHandle graph, unsigned long long flags) \
  X(GraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams_v2", GraphExecHandle exec, GraphNodeHandle node, const KernelNodeParameters* parameters) \
  X(GraphExecMemcpyNodeSetParams, "cuGraphExecMemcpyNodeSetParams", GraphExecHandle exec, GraphNodeHandle node, const CopyParameters* parameters, ContextHandle context) \
  X(GraphLaunch, "cuGraphLaunch", GraphExecHandle exec, StreamHandle stream) \
  X(GraphExecDestroy, "cuGraphExecDestroy", GraphExecHandle exec)

#define SINTER_CUDA_CAPTURE_ENTRY_POINTS(X) \
  X(StreamBeginCapture, "cuStreamBeginCapture_v2", StreamHandle stream, int mode) \
  X(StreamEndCapture, "cuStreamEndCapture", StreamHandle stream, GraphHandle* graph) \
  X(StreamGetCaptureInfo, "cuStreamGetCaptureInfo_v2", StreamHandle stream, int* status, uint64_t* id, GraphHandle* graph, const GraphNodeHandle** last, size_t* count)
// clang-format on
