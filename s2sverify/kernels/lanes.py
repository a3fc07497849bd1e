"""Sums of squares in sixteen lanes: vector code whose order of summation is the same on every machine.

Numba vectorises a sum only if it may reorder it, and then the bits depend on the width of the machine's
registers. Here the order is written down as vector instructions. The module imports numba, so it is loaded
only where :mod:`s2sverify.kernels.levels` finds that it pays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numba.np import arrayobj

LANES = 16
_make_array: Any = arrayobj.make_array


def _sum_of_squares_code(typing_context: Any, array: Any, start: Any, groups: Any) -> Any:
    """Sum of squares of ``array[start : start + 16 * groups]``, as float64."""
    signature = types.float64(array, types.intp, types.intp)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = _make_array(signature.args[0])(context, builder, arguments[0])
        element = context.get_value_type(signature.args[0].dtype)
        vector, double, index = ir.VectorType(element, LANES), ir.DoubleType(), ir.IntType(64)
        first = builder.gep(source.data, [arguments[1]])
        zero = ir.Constant(vector, [0.0] * LANES)
        before = builder.block
        loop, done = builder.append_basic_block("group"), builder.append_basic_block("lanes")
        builder.cbranch(builder.icmp_signed(">", arguments[2], index(0)), loop, done)
        builder.position_at_end(loop)
        group, lanes = builder.phi(index), builder.phi(vector)
        place = builder.gep(first, [builder.mul(group, index(LANES))])
        load = builder.load(builder.bitcast(place, vector.as_pointer()))
        load.align = 1
        added = builder.fadd(lanes, builder.fmul(load, load))
        following = builder.add(group, index(1))
        for phi, start, value in ((group, index(0), following), (lanes, zero, added)):
            phi.add_incoming(start, before)
            phi.add_incoming(value, loop)
        builder.cbranch(builder.icmp_signed("<", following, arguments[2]), loop, done)
        builder.position_at_end(done)
        total = builder.phi(vector)
        total.add_incoming(zero, before)
        total.add_incoming(added, loop)
        if element != double:
            total = builder.fpext(total, ir.VectorType(double, LANES))
        width = LANES
        while width > 1:
            width //= 2
            halves = [
                builder.shuffle_vector(
                    total, total, ir.Constant(ir.VectorType(ir.IntType(32), width), part)
                )
                for part in (list(range(width)), list(range(width, 2 * width)))
            ]
            total = builder.fadd(*halves)
        return builder.extract_element(total, ir.IntType(32)(0))

    return signature, code


_sum_of_squares: Any = intrinsic(_sum_of_squares_code)


@njit(cache=True, nogil=True)
def frame_energies(x, frame, energies):  # type: ignore[no-untyped-def]
    """Write the sum of squares of consecutive frames to `energies`; see `levels.frame_energies_plain`."""
    groups = frame // 16
    for k in range(energies.size):
        start = k * frame
        energy = _sum_of_squares(x, start, groups)
        for i in range(start + groups * 16, start + frame):
            sample = np.float64(x[i])
            energy += sample * sample
        energies[k] = energy
