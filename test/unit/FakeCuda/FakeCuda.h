//===- FakeCuda.h - How tests steer the stand-in driver ---------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library is opened like libcuda.so.1. A test opens it a second time and
// calls these, so nothing in the product knows of it.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_TEST_UNIT_FAKECUDA_FAKECUDA_H
#define FASTNORM_TEST_UNIT_FAKECUDA_FAKECUDA_H

extern "C" {

/// Forgets all failures and counts, and sets the device count to 1 and the device to one with clusters.
void fakeCudaReset();
/// From now on the exported function of this name returns the code.
void fakeCudaFail(const char *symbol, int code);
/// How often it was called since the reset.
int fakeCudaCalls(const char *symbol);
/// Contexts retained, memory, modules, streams, events, graphs and executables that are alive.
int fakeCudaLiveObjects();
void fakeCudaSetDeviceCount(int count);
/// Whether every stream says that it is of another context.
void fakeCudaSetForeignStreams(int areForeign);
/// What every address is: 1 host memory, 2 device memory; and whose.
void fakeCudaSetMemory(int type, int device);
/// The text of the error log that loading PTX leaves.
void fakeCudaSetJitLog(const char *log);
/// What the last launch had: grid, CTA, dynamic shared bytes, and the low 4 bytes of the first argument.
void fakeCudaLastLaunch(unsigned *grid, unsigned *threads, unsigned *sharedBytes, unsigned *firstArgument);
/// What the last launch had beside: CTAs per cluster, and whether it may start early.
void fakeCudaLastAttributes(unsigned *cluster, unsigned *dependent);
/// Whether the device launches clusters; it does after a reset.
void fakeCudaSetClusters(int hasClusters);
/// Whether a context is current on this thread.
int fakeCudaHasCurrentContext();
}

#endif // FASTNORM_TEST_UNIT_FAKECUDA_FAKECUDA_H
