//===- Attributes.td - Axes, targets and schedules -*- tablegen -*-===//
//
// Part of fastnorm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FASTNORM_IR_ATTRIBUTES_TD
#define FASTNORM_IR_ATTRIBUTES_TD

include "fastnorm/IR/Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Fastnorm_Enum<string name, string summary, list<I32EnumCase> cases> : I32Enum<name, summary, cases> {
  let cppNamespace = "::fastnorm";
}

/// An enum that ops carry: printed as a bare word.
class Fastnorm_EnumAttr<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::fastnorm";
}

def Fastnorm_AxisAttr : Fastnorm_EnumAttr<"Axis", "an axis of the kernel algebra", [
  I32EnumAttrCase<"Row", 0, "row">, I32EnumAttrCase<"Slot", 1, "slot">, I32EnumAttrCase<"Hidden", 2, "hidden">]>;

def Fastnorm_CombinerAttr : Fastnorm_EnumAttr<"Combiner", "how a reduction combines two values", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">]>;

def Fastnorm_ScheduleKind : Fastnorm_Enum<"ScheduleKind", "how the work of a kernel is laid over threads", [
  I32EnumCase<"PerElement", 0, "per_element">, I32EnumCase<"PerRow", 1, "per_row">,
  I32EnumCase<"TwoPass", 2, "two_pass">]>;

def Fastnorm_RowScope : Fastnorm_Enum<"RowScope", "the threads that share a row", [
  I32EnumCase<"Lanes", 0, "lanes">, I32EnumCase<"Cta", 1, "cta">]>;

def Fastnorm_Invariants : Fastnorm_Enum<"Invariants", "when operands that only vary along hidden are loaded", [
  I32EnumCase<"Early", 0, "early">, I32EnumCase<"Late", 1, "late">]>;

def Fastnorm_Keep : Fastnorm_Enum<"Keep", "the form in which values wait for a later phase", [
  I32EnumCase<"Packed", 0, "packed">, I32EnumCase<"Computed", 1, "computed">]>;

def Fastnorm_Stores : Fastnorm_Enum<"Stores", "the cache policy of results", [
  I32EnumCase<"Streaming", 0, "streaming">, I32EnumCase<"Cached", 1, "cached">]>;

class Fastnorm_DefaultedEnum<EnumInfo enum, string default> : EnumParameter<enum> {
  let defaultValue = default;
}

class Fastnorm_Attr<string name, string attrMnemonic> : AttrDef<Fastnorm_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Fastnorm_AxesAttr : Fastnorm_Attr<"Axes", "axes"> {
  let summary = "the axes a value carries, outermost first";
  let description = [{
    A strictly ascending, non-empty list in the order row, slot, hidden. The value's dimensions correspond to it one to
    one.

    ```mlir
    #fastnorm.axes<row, hidden>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"Axis">:$axes);
  let assemblyFormat = "`<` custom<AxisList>($axes) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether the value varies along an axis.
    bool contains(Axis axis) const;
    /// The dimension that carries an axis, or nothing.
    std::optional<int64_t> dimensionOf(Axis axis) const;
    /// These axes without one.
    AxesAttr without(Axis axis) const;
    /// "[row, hidden]"
    std::string str() const;
  }];
}

def Fastnorm_AxesArrayAttr : TypedArrayAttrBase<Fastnorm_AxesAttr, "a list of axes attributes">;

def Fastnorm_TargetAttr : Fastnorm_Attr<"Target", "target"> {
  let summary = "the hardware that is compiled for";
  let description = [{
    Everything passes may know of a GPU. `KnownTargets` holds these as text, with the source of each number.

    | parameter | unit |
    |---|---|
    | name | what people call it: `h200` |
    | chip | the LLVM processor: `sm_90` |
    | ptx | PTX version times ten that emitted text declares: 78 |
    | multiprocessors | count |
    | registers | 32-bit registers per multiprocessor |
    | shared_bytes | shared memory one CTA may have, bytes |
    | threads | resident threads per multiprocessor, at least 1024 |
    | ctas | resident CTAs per multiprocessor |
    | bandwidth | datasheet global memory bandwidth, GB/s |
    | l2_bytes | L2 cache, bytes |

    ```mlir
    #fastnorm.target<name = "h200", chip = "sm_90", ptx = 78, multiprocessors = 132, registers = 65536,
                     shared_bytes = 232448, threads = 2048, ctas = 32, bandwidth = 4800, l2_bytes = 62914560>
    ```
  }];
  let parameters = (ins StringRefParameter<"">:$name, StringRefParameter<"">:$chip, "int64_t":$ptx,
    "int64_t":$multiprocessors, "int64_t":$registers, "int64_t":$shared_bytes, "int64_t":$threads, "int64_t":$ctas,
    "int64_t":$bandwidth, "int64_t":$l2_bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Fastnorm_ScheduleAttr : Fastnorm_Attr<"Schedule", "schedule"> {
  let summary = "everything a kernel needs beside its body";
  let description = [{
    Written by `fastnorm-select-schedule`, or by a person, whose word wins; read by the conversion, which obeys it.

    | parameter | meaning |
    |---|---|
    | kind | `per_element`: no row reduction; `per_row`: a row stays in registers between its phases; `two_pass`: one sweep over column chunks per phase, re-reading; legal for every hidden |
    | scope | who shares a row: `lanes`, 1 to 32 neighbouring lanes (a power of two), or `cta`, the whole CTA |
    | threads_per_row | threads that share a row; for `per_element`, neighbouring threads along hidden |
    | rows_per_cta | rows one CTA works on side by side; 1 when the scope is `cta` |
    | vector_width | elements a thread loads from a row at once |
    | vectors_per_thread | vectors each thread owns of a row; for `two_pass` and `per_element`, of a column chunk |
    | vectors_in_flight | vectors of a thread whose loads are issued before the first of them is used |
    | slots_in_flight | slots of a gather whose loads are issued before the first of them is used |
    | min_ctas | CTAs per multiprocessor that registers must leave room for (`.minnctapersm`) |
    | invariants | `[hidden]` operands are loaded `early`, before the first reduction, or `late`, two vectors ahead of their use |
    | keep | values that cross a phase wait `packed` in their storage type, or `computed`, as f32 |
    | stores | `streaming` (evict first) or `cached` |

    Threads per CTA are threads_per_row times rows_per_cta. A column chunk is threads_per_row times vector_width times
    vectors_per_thread elements.

    ```mlir
    #fastnorm.schedule<kind = per_row, scope = cta, threads_per_row = 384, vector_width = 8, vectors_per_thread = 1,
                       slots_in_flight = 8, min_ctas = 3>
    ```
  }];
  let parameters = (ins
    EnumParameter<Fastnorm_ScheduleKind>:$kind,
    EnumParameter<Fastnorm_RowScope>:$scope,
    "int64_t":$threads_per_row,
    DefaultValuedParameter<"int64_t", "1">:$rows_per_cta,
    "int64_t":$vector_width,
    "int64_t":$vectors_per_thread,
    DefaultValuedParameter<"int64_t", "1">:$vectors_in_flight,
    DefaultValuedParameter<"int64_t", "1">:$slots_in_flight,
    DefaultValuedParameter<"int64_t", "1">:$min_ctas,
    Fastnorm_DefaultedEnum<Fastnorm_Invariants, "::fastnorm::Invariants::Early">:$invariants,
    Fastnorm_DefaultedEnum<Fastnorm_Keep, "::fastnorm::Keep::Packed">:$keep,
    Fastnorm_DefaultedEnum<Fastnorm_Stores, "::fastnorm::Stores::Streaming">:$stores);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getThreads() const { return getThreadsPerRow() * getRowsPerCta(); }
    /// Elements of a row that the threads of a row cover at once.
    int64_t getColumnChunk() const { return getThreadsPerRow() * getVectorWidth() * getVectorsPerThread(); }
  }];
}

#endif // FASTNORM_IR_ATTRIBUTES_TD
