//===- Npy.h - Tensors in .npy files ----------------------------*- C++ -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's format, versions 1 to 3: f32 as '<f4', f16 as '<f2', i8 as '|i1',
// i32 as '<i4', i64 as '<i8'. NumPy has neither bf16 nor f8E4M3FN: they are
// written as '<V2' and '|V1', opaque bytes, as ml_dtypes does; '|V2', '<V1' and
// raw bits, '<u2' and '|u1', are read as them, too.
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
