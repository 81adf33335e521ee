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
include "mlir/IR/TensorEncoding.td"

class Fastnorm_Enum<string name, string summary, list<I32EnumCase> cases> : I32Enum<name, summary, cases> {
  let cppNamespace = "::fastnorm";
}

/// An enum that ops carry: printed as a bare word.
class Fastnorm_EnumAttr<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::fastnorm";
}

def Fastnorm_AxisAttr : Fastnorm_EnumAttr<"Axis", "an axis of the kernel algebra", [
  I32EnumAttrCase<"Row", 0, "row">, I32EnumAttrCase<"Head", 1, "head">, I32EnumAttrCase<"Slot", 2, "slot">,
  I32EnumAttrCase<"Group", 3, "group">, I32EnumAttrCase<"Hidden", 4, "hidden">]>;

def Fastnorm_CombinerAttr : Fastnorm_EnumAttr<"Combiner", "how a reduction combines two values", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">]>;

/// A promise about the indices that are not dropped; nothing checks it.
def Fastnorm_IndexMapAttr : Fastnorm_EnumAttr<"IndexMap", "what is known of a row index", [
  I32EnumAttrCase<"Any", 0, "any">, I32EnumAttrCase<"Injective", 1, "injective">,
  I32EnumAttrCase<"Bijective", 2, "bijective">]>;

def Fastnorm_ScheduleKind : Fastnorm_Enum<"ScheduleKind", "how the work of a kernel is laid over threads", [
  I32EnumCase<"PerElement", 0, "per_element">, I32EnumCase<"PerRow", 1, "per_row">,
  I32EnumCase<"TwoPass", 2, "two_pass">]>;

def Fastnorm_RowScope : Fastnorm_Enum<"RowScope", "the threads that share a row", [
  I32EnumCase<"Lanes", 0, "lanes">, I32EnumCase<"Cta", 1, "cta">, I32EnumCase<"Cluster", 2, "cluster">,
  I32EnumCase<"Grid", 3, "grid">]>;

def Fastnorm_Invariants : Fastnorm_Enum<"Invariants", "when operands that only vary along hidden are loaded", [
  I32EnumCase<"Early", 0, "early">, I32EnumCase<"Late", 1, "late">]>;

def Fastnorm_Keep : Fastnorm_Enum<"Keep", "the form in which values wait for a later phase", [
  I32EnumCase<"Packed", 0, "packed">, I32EnumCase<"Computed", 1, "computed">]>;

def Fastnorm_Stores : Fastnorm_Enum<"Stores", "the cache policy of results", [
  I32EnumCase<"Streaming", 0, "streaming">, I32EnumCase<"Cached", 1, "cached">]>;

def Fastnorm_Copies : Fastnorm_Enum<"Copies", "who copies rows into shared memory", [
  I32EnumCase<"Bulk", 0, "bulk">, I32EnumCase<"ByThread", 1, "by_thread">]>;

def Fastnorm_Accumulate : Fastnorm_Enum<"Accumulate", "how the sums over rows of several CTAs meet", [
  I32EnumCase<"Partials", 0, "partials">, I32EnumCase<"Atomic", 1, "atomic">]>;

def Fastnorm_Accumulators : Fastnorm_Enum<"Accumulators", "where CTAs keep their sums over rows", [
  I32EnumCase<"Registers", 0, "registers">, I32EnumCase<"Shared", 1, "shared">]>;

class Fastnorm_DefaultedEnum<EnumInfo enum, string default> : EnumParameter<enum> {
  let defaultValue = default;
}

class Fastnorm_Attr<string name, string attrMnemonic> : AttrDef<Fastnorm_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Fastnorm_AxesAttr : Fastnorm_Attr<"Axes", "axes"> {
  let summary = "the axes a value carries, outermost first";
  let description = [{
    A non-empty list in the order row, head, slot, group, hidden. The value's dimensions correspond to it one to one.
    `row` may repeat: leading dimensions are counted through as one row number. `head` names the innermost row dimension
    where a value varies along it alone, as a weight `[heads, hidden]` does; beside `row` it is a row dimension like any
    other. A value with `group` has one element for each run of neighbours of hidden, so it never has both.

    ```mlir
    #fastnorm.axes<row, hidden>
    #fastnorm.axes<row, row, hidden>
    #fastnorm.axes<head, hidden>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"Axis">:$axes);
  let assemblyFormat = "`<` custom<AxisList>($axes) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether the value varies along an axis.
    bool contains(Axis axis) const;
    /// Whether the axes are these, where row stands for all row dimensions, head among them.
    bool areRowsAnd(::llvm::ArrayRef<Axis> inner) const;
    /// Leading dimensions that count rows: row, and head beside or without it.
    int64_t rowDimensions() const;
    /// The same axes with row for a head beside a row: two values with equal ones lie alike.
    AxesAttr withoutHeadNames() const;
    /// The dimension of a map's result, or of a kernel's rows, that dimension `dimension` varies along: where `rows`
    /// dimensions count rows. Nothing where there is none.
    std::optional<int64_t> rowDimensionWithin(int64_t dimension, int64_t rows) const;
    /// The dimension that carries an axis (the first of several rows), or nothing.
    std::optional<int64_t> dimensionOf(Axis axis) const;
    /// These axes without one.
    AxesAttr without(Axis axis) const;
    /// "[row, hidden]"
    std::string str() const;
  }];
}

def Fastnorm_AxesArrayAttr : TypedArrayAttrBase<Fastnorm_AxesAttr, "a list of axes attributes">;

def Fastnorm_StridesAttr : AttrDef<Fastnorm_Dialect, "Strides", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "strides";
  let summary = "where the elements of an argument or result lie";
  let description = [{
    The encoding of a tensor whose rows are not side by side: elements from one neighbour to the next, for each dimension.
    The last is 1. `?` is known at run time. A stride of 0 shows the same elements again and is for arguments that are only
    read. Row dimensions must be reached by at most two strides: others must go on where the next one ends.

    ```mlir
    func.func private @heads(tensor<?x32x128xbf16, #fastnorm.strides<[5120, 128, 1]>>)
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = "`<` custom<StrideList>($strides) `>`";
  let genVerifyDecl = 1;
}

def Fastnorm_TimingAttr : Fastnorm_Attr<"Timing", "timing"> {
  let summary = "how fast a GPU answers";
  let description = [{
    What the cost model knows of a GPU beside its sizes (docs/Schedules.md). Times are of kernels that follow each other in
    a replayed graph, of operands that no cache holds.

    | parameter | unit |
    |---|---|
    | read_bandwidth | of many bytes from memory, by kernels that have enough on its way, GB/s |
    | write_bandwidth | of many bytes to memory, GB/s |
    | l2_bandwidth | of bytes that the L2 holds, read and written, GB/s |
    | multiprocessor_bandwidth | what one multiprocessor reads and writes, GB/s |
    | launch_ns | a kernel that does nothing, behind another |
    | load_ns | a CTA from its start to its stores, without what waits for anything else |
    | l2_load_ns | the same where the L2 holds what is read |
    | dependent_ns | each load that waits for what an earlier one brings: its address, or that its chunk was used |
    | round_ns | each further group of loads that the registers do not hold beside the first |
    | reduce_ns | each time the threads of a row meet |
    | cluster_ns | more for each CTA that is one of a cluster |
    | measured | whether the numbers were measured on the card, rather than modelled from another |

    ```mlir
    #fastnorm.timing<read_bandwidth = 4390, write_bandwidth = 3820, l2_bandwidth = 8700, multiprocessor_bandwidth = 114,
                     launch_ns = 730, load_ns = 500, l2_load_ns = 300, dependent_ns = 710, round_ns = 300,
                     reduce_ns = 400, cluster_ns = 540, measured = true>
    ```
  }];
  let parameters = (ins "int64_t":$read_bandwidth, "int64_t":$write_bandwidth, "int64_t":$l2_bandwidth, "int64_t":$multiprocessor_bandwidth,
    "int64_t":$launch_ns, "int64_t":$load_ns, "int64_t":$l2_load_ns, "int64_t":$dependent_ns, "int64_t":$round_ns,
    "int64_t":$reduce_ns, "int64_t":$cluster_ns, DefaultValuedParameter<"bool", "false">:$measured);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

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
    | cluster_ctas | most CTAs of a cluster, a power of two; 0 where the chip has no clusters |
    | timing | how fast it answers; without it, modelled from the bandwidth |

    ```mlir
    #fastnorm.target<name = "h200", chip = "sm_90", ptx = 78, multiprocessors = 132, registers = 65536,
                     shared_bytes = 232448, threads = 2048, ctas = 32, bandwidth = 4800, l2_bytes = 62914560,
                     cluster_ctas = 16>
    ```
  }];
  let parameters = (ins StringRefParameter<"">:$name, StringRefParameter<"">:$chip, "int64_t":$ptx,
    "int64_t":$multiprocessors, "int64_t":$registers, "int64_t":$shared_bytes, "int64_t":$threads, "int64_t":$ctas,
    "int64_t":$bandwidth, "int64_t":$l2_bytes, DefaultValuedParameter<"int64_t", "0">:$cluster_ctas,
    OptionalParameter<"::fastnorm::TimingAttr">:$timing);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether a launch may begin while the one before it drains (griddepcontrol): the chips that have clusters.
    bool supportsDependentLaunch() const { return getClusterCtas() > 0; }
  }];
}

def Fastnorm_RangeAttr : Fastnorm_Attr<"Range", "range"> {
  let summary = "values of a symbol that a function serves";
  let description = [{
    From low to high, both included; a high of `*` is no limit. `fastnorm.ranges` on a function holds these.

    ```mlir
    #fastnorm.range<"rows", 67, *>
    ```
  }];
  let parameters = (ins StringRefParameter<"">:$symbol, "int64_t":$low, "int64_t":$high);
  let assemblyFormat = "`<` $symbol `,` $low `,` custom<RangeEnd>($high) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool contains(int64_t value) const { return getLow() <= value && value <= getHigh(); }
  }];
}

def Fastnorm_ScheduleAttr : Fastnorm_Attr<"Schedule", "schedule"> {
  let summary = "everything a kernel needs beside its body";
  let description = [{
    Written by `fastnorm-select-schedule`, or by a person, whose word wins; read by the conversion, which obeys it.

    | parameter | meaning |
    |---|---|
    | kind | `per_element`: no row reduction; `per_row`: a row stays in registers between its phases; `two_pass`: one sweep over column chunks per phase, re-reading; legal for every hidden. Persistent CTAs sweep over *tiles* of rows_per_cta rows: a *reduction pass* per row reduction, whose sums stay in shared memory, then an *output pass* that has everything else |
    | scope | who shares a row: `lanes`, 1 to 32 neighbouring lanes (a power of two); `cta`, the whole CTA; `cluster`, the CTAs of a cluster, whose sums meet in distributed shared memory; `grid`, CTAs whose sums meet in global memory, one launch per phase, each reading its columns again |
    | threads_per_row | threads of a CTA that share a row; for `per_element`, neighbouring threads along hidden |
    | rows_per_cta | rows one CTA works on side by side; more than 1 only for `lanes` and `per_element`, and for persistent CTAs, whose threads then form as many *row groups*; for `two_pass` of persistent CTAs the rows of a tile at most, 1 to 1024: with fewer rows tiles are as high as spreads them over all CTAs |
    | ctas_per_row | CTAs that share a row, each a contiguous part of its columns: for `cluster` 2, 4, 8 or 16, for `grid` 2 to 1024, else 1 |
    | vector_width | elements a thread loads from a row at once |
    | vectors_per_thread | vectors each thread owns of a row; for `two_pass` and `per_element`, of a column chunk |
    | vectors_in_flight | vectors of a thread whose loads are issued before the first of them is used |
    | slots_in_flight | slots of a gather whose loads are issued before the first of them is used |
    | min_ctas | CTAs per multiprocessor that registers must leave room for (`.minnctapersm`) |
    | invariants | `[hidden]` operands are loaded `early`, before the first reduction, or `late`, two vectors ahead of their use |
    | keep | values that cross a phase wait `packed` in their storage type, or `computed`, as f32 |
    | stores | `streaming` (evict first) or `cached` |
    | persistent_ctas | CTAs of the grid at most, each of which walks over many rows; 0: a CTA works on its rows only. A kernel that reduces over rows needs them: each thread adds up its columns in registers, and a second launch adds up what the CTAs leave |
    | stages | of persistent CTAs: rows of each row group that are on their way into shared memory by asynchronous copies, 2 to 8; 0: loads go to registers |
    | copies | of stages: `bulk`, one thread copies the row of an input at once (`cp.async.bulk`); `by_thread`, each thread copies the vectors that it reads (`cp.async`) |
    | finalize_width | of a kernel that reduces over rows: 16-byte pieces of columns that a warp of the second launch adds up side by side, a power of two up to 32 |
    | accumulate | of a kernel that reduces over rows: each CTA leaves its sums as `partials`, which another launch adds up in a fixed order, or adds them right to the result, `atomic`, in any order: the last bits differ from run to run. Atomic needs f32 results that are a sum and nothing more, but for an old sum of f32 that it is added to; a launch before sets them to zero, or to the old sum |
    | accumulators | of a kernel that reduces over rows: CTAs keep the sums of their columns in `registers`, or in `shared` memory. With `two_pass`, registers hold those of a tile's column chunk, which are then added to what the CTA has left of the tiles before |
    | dependent_launch | the launch begins while the one before it in the graph drains, and waits for it before its first access; of a graph's first kernel it asks nothing |

    Persistent CTAs of scope `grid` keep their columns in each launch, whatever hidden is, and walk over the rows once per
    phase.

    Row groups take the rows in turn: of c clusters (or CTAs), each of g groups, group j of cluster i works on rows
    (k · g + j) · c + i for k = 0, 1, …; with scope `lanes` a CTA takes rows_per_cta neighbouring rows at a time.

    Threads per CTA are threads_per_row times rows_per_cta, and threads_per_row for `two_pass`. A column chunk, the columns of a row that a CTA holds at a
    time, is threads_per_row times vector_width times vectors_per_thread elements.

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
    DefaultValuedParameter<"int64_t", "1">:$ctas_per_row,
    "int64_t":$vector_width,
    "int64_t":$vectors_per_thread,
    DefaultValuedParameter<"int64_t", "1">:$vectors_in_flight,
    DefaultValuedParameter<"int64_t", "1">:$slots_in_flight,
    DefaultValuedParameter<"int64_t", "1">:$min_ctas,
    Fastnorm_DefaultedEnum<Fastnorm_Invariants, "::fastnorm::Invariants::Early">:$invariants,
    Fastnorm_DefaultedEnum<Fastnorm_Keep, "::fastnorm::Keep::Packed">:$keep,
    Fastnorm_DefaultedEnum<Fastnorm_Stores, "::fastnorm::Stores::Streaming">:$stores,
    DefaultValuedParameter<"int64_t", "0">:$persistent_ctas,
    DefaultValuedParameter<"int64_t", "0">:$stages,
    Fastnorm_DefaultedEnum<Fastnorm_Copies, "::fastnorm::Copies::Bulk">:$copies,
    DefaultValuedParameter<"int64_t", "8">:$finalize_width,
    Fastnorm_DefaultedEnum<Fastnorm_Accumulate, "::fastnorm::Accumulate::Partials">:$accumulate,
    Fastnorm_DefaultedEnum<Fastnorm_Accumulators, "::fastnorm::Accumulators::Registers">:$accumulators,
    DefaultValuedParameter<"bool", "false">:$dependent_launch);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getThreads() const { return getThreadsPerRow() * getRowsAtOnce(); }
    /// Rows that a CTA has threads for.
    int64_t getRowsAtOnce() const { return getKind() == ScheduleKind::TwoPass ? 1 : getRowsPerCta(); }
    /// Elements of a row that one CTA's threads cover at once.
    int64_t getColumnChunk() const { return getThreadsPerRow() * getVectorWidth() * getVectorsPerThread(); }
    /// Whether a CTA walks over many rows.
    bool isPersistent() const { return getPersistentCtas() > 0; }
    /// Whether persistent CTAs read tiles of rows again in each phase.
    bool hasTiles() const { return getKind() == ScheduleKind::TwoPass && isPersistent(); }
    /// That of a warp with a row to itself, which takes its columns as a sweep of this one does.
    ScheduleAttr ofWarps() const;
    static constexpr int64_t kMostStages = 8;
    /// Named barriers of a CTA beside the one of all its threads: a row group has one.
    static constexpr int64_t kMostRowGroups = 15;
    /// Whether a CTA is several groups of threads, each with a row of its own and barriers of its own.
    bool hasRowGroups() const { return getScope() != RowScope::Lanes && isPersistent() && getRowsAtOnce() > 1; }
    /// Whether CTAs add their sums over rows right to the results.
    bool addsAtomically() const { return getAccumulate() == Accumulate::Atomic; }
    /// Whether sums over rows wait in shared memory.
    bool sumsInSharedMemory() const { return getAccumulators() == Accumulators::Shared; }
    /// CTAs of a cluster; 1 without clusters.
    int64_t getClusterCtas() const { return getScope() == RowScope::Cluster ? getCtasPerRow() : 1; }
  }];
}

#endif // FASTNORM_IR_ATTRIBUTES_TD
