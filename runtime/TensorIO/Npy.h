//===- Npy.h - Tensors in .npy files ----------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's format, versions 1 to 3: f32 as '<f4', i32 as '<i4', i64 as '<i8'.
// NumPy has no bf16: it is written as '<V2', two opaque bytes, which is what
// ml_dtypes writes; '|V2' and '<u2' (raw bits) are read as bf16, too.
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_RUNTIME_TENSORIO_NPY_H
#define FASTNORM_RUNTIME_TENSORIO_NPY_H

#include "fastnorm/Support/HostTensor.h"
#include "fastnorm/Support/Result.h"

#include <string>

namespace fastnorm {

Result<HostTensor> readNpy(const std::string &path);

/// Writes beside `path` and renames, so that no partial file is ever seen under that name.
Status writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace fastnorm

#endif // FASTNORM_RUNTIME_TENSORIO_NPY_H
