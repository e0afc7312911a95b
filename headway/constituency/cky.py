"""CKY with a beam: build the forest of all trees of a sentence under a grammar, without unlikely items.

    item(A, i, j)  =  max over A → B C, i < k < j  of  score(A → B C) + item(B, i, k) + item(C, k, j)

and then unary rules in each cell, in the grammar's order. An item is dropped if its score, including the log frequency
of its symbol, is worse than the best one of its cell by more than the beam. The cost is O(n³ · rules), but far less
with a beam: rules are tried in the order of their scores until not even the best right child would be within the beam.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from headway.constituency.forest import END, LEFT, PARENT, RIGHT, RULE, START, SYMBOL, Floats, Forest, Ints
from headway.constituency.grammar import RuleTable
from headway.kernel import kernel
from headway.support.interrupts import interruptibly, stop_flag


class Leaves(NamedTuple):
    """The possible tags of the words of a sentence.

    Parameters
    ----------
    starts : (words + 1,) int64
        The start of each word's leaves.
    tags : (leaves,) int32
    scores : (leaves,) float64
    """

    starts: npt.NDArray[np.int64]
    tags: Ints
    scores: Floats


@kernel
def _grown(rows: Ints) -> Ints:
    fresh = np.empty((2 * len(rows), rows.shape[1]), dtype=np.int32)
    for row in range(len(rows)):
        for column in range(rows.shape[1]):
            fresh[row, column] = rows[row, column]
    return fresh


def fill_chart(leaves: Leaves, table: RuleTable, beam: float) -> Forest:
    """Return the forest of all trees within the beam; if there is no tree, its last item has no edge.

    A long sentence takes seconds, so signals are handled in the meantime.
    """
    stop = stop_flag()
    return interruptibly(lambda: _fill_chart(leaves, table, beam, stop), stop)


@kernel
def _fill_chart(leaves: Leaves, table: RuleTable, beam: float, stop: npt.NDArray[np.int64]) -> Forest:
    length, size = len(leaves.starts) - 1, len(table.order)
    cells = np.zeros((length + 1, length + 1, 2), dtype=np.int64)  # the first item, and the one after the last
    items, edges = np.empty((1024, 4), dtype=np.int32), np.empty((4096, 4), dtype=np.int32)
    found = np.empty((4096, 4), dtype=np.int32)  # the edges of a cell, by symbols: parent, left, right, rule
    values = np.empty(1024)
    scores, item_count, edge_count = np.empty(4096), 0, 0
    best = np.full(size, -np.inf)
    slots = np.full(size, -1, dtype=np.int32)
    binary = len(table.binary)
    gains = table.scores[:binary] + table.prior[table.binary[:, 0]]
    highest_in = np.full((length + 1, length + 1), -np.inf)  # the value of the best item of each cell
    for width in range(1, length + 1):
        for start in range(length - width + 1):
            if stop[0] != 0:  # the forest is no longer needed
                break
            end = start + width
            count, highest = 0, -np.inf
            if width == 1:
                for leaf in range(leaves.starts[start], leaves.starts[end]):
                    tag = leaves.tags[leaf]
                    best[tag] = leaves.scores[leaf]
                    highest = max(highest, best[tag] + table.prior[tag])
                    found[count, PARENT], found[count, LEFT], found[count, RIGHT] = tag, -1, -1
                    found[count, RULE] = -1
                    count += 1
            for middle in range(start + 1, end):
                for item in range(cells[middle, end, 0], cells[middle, end, 1]):
                    slots[items[item, SYMBOL]] = item
                for left in range(cells[start, middle, 0], cells[start, middle, 1]):
                    symbol, most = items[left, SYMBOL], values[left] + highest_in[middle, end]
                    for rule in range(table.binary_starts[symbol], table.binary_starts[symbol + 1]):
                        if most + gains[rule] < highest - beam:  # all following rules are worse
                            break
                        right = slots[table.binary[rule, 2]]
                        if right < 0:
                            continue
                        parent = table.binary[rule, 0]
                        value = table.scores[rule] + values[left] + values[right]
                        if value + table.prior[parent] < highest - beam:
                            continue
                        highest = max(highest, value + table.prior[parent])
                        best[parent] = max(best[parent], value)
                        if count == len(found):
                            found = _grown(found)
                        found[count, PARENT], found[count, LEFT], found[count, RIGHT] = parent, left, right
                        found[count, RULE] = rule
                        count += 1
                for item in range(cells[middle, end, 0], cells[middle, end, 1]):
                    slots[items[item, SYMBOL]] = -1
            plain = count  # from here on, edges are of unary rules, within the cell
            for symbol in table.order:
                if best[symbol] == -np.inf:
                    continue
                for rule in range(table.unary_starts[symbol], table.unary_starts[symbol + 1]):
                    parent = table.unary[rule, 0]
                    value = table.scores[binary + rule] + best[symbol]
                    highest = max(highest, value + table.prior[parent])
                    best[parent] = max(best[parent], value)
                    if count == len(found):
                        found = _grown(found)
                    found[count, PARENT], found[count, LEFT], found[count, RIGHT] = parent, symbol, -1
                    found[count, RULE] = binary + rule
                    count += 1
            cells[start, end, 0] = item_count
            for symbol in range(size):
                if best[symbol] + table.prior[symbol] >= highest - beam and best[symbol] > -np.inf:
                    if item_count == len(items):
                        items = _grown(items)
                        values = np.concatenate((values, np.empty(len(values))))
                    items[item_count, SYMBOL], items[item_count, START], items[item_count, END] = symbol, start, end
                    items[item_count, 3] = -1
                    values[item_count], slots[symbol] = best[symbol], item_count
                    highest_in[start, end] = max(highest_in[start, end], best[symbol])
                    item_count += 1
                best[symbol] = -np.inf
            cells[start, end, 1] = item_count
            for row in range(count):
                left, parent = found[row, LEFT], slots[found[row, PARENT]]
                if row >= plain:
                    left = slots[left]
                if parent < 0 or (row >= plain and left < 0):
                    continue
                if edge_count == len(edges):
                    edges = _grown(edges)
                    scores = np.concatenate((scores, np.empty(len(scores))))
                rule = found[row, RULE]
                edges[edge_count, PARENT], edges[edge_count, LEFT] = parent, left
                edges[edge_count, RIGHT], edges[edge_count, RULE] = found[row, RIGHT], rule
                scores[edge_count] = leaves.scores[leaves.starts[start] + row] if rule < 0 else table.scores[rule]
                edge_count += 1
            for item in range(cells[start, end, 0], cells[start, end, 1]):
                slots[items[item, SYMBOL]] = -1
    last = cells[0, length, 1] if length > 0 else 0
    tops = last - cells[0, length, 0] if length > 0 else 0
    while len(edges) < edge_count + tops:
        edges = _grown(edges)
        scores = np.concatenate((scores, np.empty(len(scores))))
    if item_count == len(items):
        items = _grown(items)
    items[item_count, SYMBOL], items[item_count, START], items[item_count, END] = -1, 0, length
    items[item_count, 3] = -1
    for item in range(last - tops, last):
        score = table.top[items[item, SYMBOL]]
        if score > -np.inf:
            edges[edge_count, PARENT], edges[edge_count, LEFT] = item_count, item
            edges[edge_count, RIGHT], edges[edge_count, RULE] = -1, -1
            scores[edge_count] = score
            edge_count += 1
    return Forest(items[: item_count + 1].copy(), edges[:edge_count].copy(), scores[:edge_count].copy())
