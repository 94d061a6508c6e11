#!/usr/bin/env python3
"""The largest circle of files that call each other, per folder of src/.

Two files of one folder are in a circle when each reaches the other over
calls.  A circle can only be read as a whole, so its size may only fall.
In core/, what decides, what folds and what shows never call each other: they
meet in the files below them, and in the step driver above.
Read from the objects in build/ (or the directory given): build first.
"""
import collections
import sys

from objects import objects
from ratchet import hold


def circles(graph):
    """Tarjan's strongly connected components, without recursion."""
    index, low, on, order, found = {}, {}, set(), [], []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        order.append(root)
        on.add(root)
        while work:
            node, edges = work[-1]
            for to in edges:
                if to not in index:
                    index[to] = low[to] = len(index)
                    order.append(to)
                    on.add(to)
                    work.append((to, iter(sorted(graph[to]))))
                    break
                if to in on:
                    low[node] = min(low[node], index[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    circle = []
                    while True:
                        circle.append(order.pop())
                        on.discard(circle[-1])
                        if circle[-1] == node:
                            break
                    found.append(sorted(circle))
    return found


def role(source):
    """decide, fold or view by the name of the file, or None for what stands below or above them."""
    stem = source.rsplit("/", 1)[1][:-2]
    if "/view/" in source:
        return "view"
    return next((r for r in ("decide", "fold", "view") if stem.endswith("_" + r)), None)


def mixed(graph):
    """Calls in core/ between files of two roles.  world_fold.c stands above all folds."""
    return [f"{a} -> {b}" for a in sorted(graph) for b in sorted(graph[a])
            if role(a) and role(b) and role(a) != role(b)]


def main():
    builds = [a for a in sys.argv[1:] if not a.startswith("-")]
    files = objects(*builds[:1])
    folders = collections.defaultdict(list)
    for source in files:
        folders[source.split("/")[1]].append(source)
    figures, details = {}, {}
    for folder, sources in sorted(folders.items()):
        owner = {name: s for s in sources for name in files[s][0]}
        graph = {s: {owner[n] for n in files[s][1] if n in owner} - {s} for s in sources}
        largest = max(circles(graph), key=len)
        figures[folder] = len(largest) if len(largest) > 1 else 0
        details[folder] = largest
        if folder == "core":
            details["core: between roles"] = mixed(graph)
            figures["core: between roles"] = len(details["core: between roles"])
    hold("check_calls", figures, details)


main()
