"""Check the arcs that a user requires or forbids before searching."""

from collections.abc import Mapping

from headway.errors import ConstraintError


def check_arc(length: int, head: int, modifier: int) -> None:
    """Raise ConstraintError unless head -> modifier can be an arc of a sentence of `length` words."""
    if not 1 <= modifier <= length:
        raise ConstraintError(f"the arc {head} -> {modifier} names modifier {modifier}: words are 1 to {length}")
    if not 0 <= head <= length:
        raise ConstraintError(f"the arc {head} -> {modifier} names head {head}: heads are 0 to {length}")
    if head == modifier:
        raise ConstraintError(f"word {modifier} cannot be its own head")


def check_required(length: int, required: Mapping[int, int], *, single_root: bool) -> None:
    """Raise ConstraintError unless there is a tree with all `required` arcs (modifier -> head)."""
    for modifier, head in required.items():
        check_arc(length, head, modifier)
    children = sorted(modifier for modifier, head in required.items() if head == 0)
    if single_root and len(children) > 1:
        raise ConstraintError(f"words {children[0]} and {children[1]} are both required to be the single root")
    _check_cycles(required)


def _check_cycles(required: Mapping[int, int]) -> None:
    """Raise ConstraintError if the required arcs form a cycle; O(n)."""
    done = set[int]()
    for start in required:
        path, vertex = dict[int, None](), start
        while vertex in required and vertex not in done:
            if vertex in path:
                raise ConstraintError(f"the required arcs form a cycle through word {vertex}")
            path[vertex] = None
            vertex = required[vertex]
        done |= path.keys()


def no_tree(length: int, *, single_root: bool, projective: bool = False) -> ConstraintError:
    """Return the error for a sentence whose candidate arcs do not contain a tree."""
    tree = "projective tree" if projective else "tree"
    condition = " with a single child of the root" if single_root else ""
    return ConstraintError(f"the candidate arcs of this {length}-word sentence contain no {tree}{condition}")
