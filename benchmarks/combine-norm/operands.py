"""What combine + residual + rms_norm works on: rotating sets out of one pool of random numbers, so that a point of the sweep
costs no time to fill."""

import torch

EPS = 1e-6
# Bytes of all sets of a point at least: more than three times the L2 of any card we know.
ROTATED_BYTES = 420e6
MOST_SETS = 48


class Pool:
    """Random bf16 numbers and space for results."""

    def __init__(self, elements, result_elements):
        self.values = torch.empty(elements, dtype=torch.bfloat16, device="cuda").normal_()
        self.results = torch.empty(result_elements, dtype=torch.bfloat16, device="cuda")


class Operands:
    def __init__(self, pool, rows, top_k, hidden):
        self.rows, self.top_k, self.hidden = rows, top_k, hidden
        # Rows of experts, the residual and the result.
        self.byte_count = 2 * rows * hidden * (top_k + 2) + 12 * rows * top_k + 4 * hidden
        per_set = rows * hidden * (top_k + 1)
        wanted = max(2, min(MOST_SETS, -(-int(ROTATED_BYTES) // self.byte_count)))
        count = max(1, min(wanted, pool.values.numel() // per_set, pool.results.numel() // (rows * hidden)))
        self.weight = torch.randn(hidden, device="cuda") * 0.1
        self.sets = []
        for index in range(count):
            values = pool.values[index * per_set :][:per_set].view(-1, hidden)
            result = pool.results[index * rows * hidden :][: rows * hidden].view(rows, hidden)
            self.sets.append(
                {
                    "expert_rows": values[: rows * top_k],
                    "residual": values[rows * top_k :],
                    "row_index": torch.randperm(rows * top_k, device="cuda").view(rows, top_k),
                    "gate": torch.rand(rows, top_k, device="cuda"),
                    "weight": self.weight,
                    "y": result,
                }
            )


def block(expert_rows, row_index, gate, residual, weight):
    """The graph, as people write it in torch."""
    h = (expert_rows[row_index].float() * gate.unsqueeze(-1)).sum(1).bfloat16()
    s = residual + h
    wide = s.float()
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + EPS) * (1 + weight)).bfloat16()


def error(arrays, rows):
    """The largest difference from torch in the first and the last rows, in parts of a value and of the root mean square."""
    worst = 0.0
    for part in (slice(0, rows), slice(-rows, None)):
        taken = {key: arrays[key][part] for key in ("row_index", "gate", "residual")}
        expected = block(arrays["expert_rows"], **taken, weight=arrays["weight"]).float()
        difference = (arrays["y"][part].float() - expected).abs() / (expected.abs() + expected.square().mean().sqrt())
        worst = max(worst, difference.max().nan_to_num(nan=float("inf")).item())
    return worst
