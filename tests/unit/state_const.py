#!/usr/bin/env python3
"""Only folds can change the folded state: code that writes to it in a decision or a view does not compile.

usage: state_const.py SOURCE_ROOT BUILD_ROOT COMPILER...
"""
import subprocess
import sys

WRITES = {
    "a member of a thread": "w->s->threads.items[0]->status = 0;",
    "a member of the session": "w->s->sequence = 1;",
    "what a look-up returns": "state_thread(w, id)->status = 0;",
    "a record of a task": "state_task(w, id)->record->status = 0;",
    "a member of a turn": "state_thread_active(state_thread(w, id))->stage = 0;",
    "a list": "rec_list_str_add(w->mem, &w->s->trace_ids, id);",
}
HEAD = '#include "core/decision.h"\nvoid f(struct state *w, struct str id);\nvoid f(struct state *w, struct str id) {'


def compiles(root, build, compiler, text):
    done = subprocess.run([*compiler, "-std=gnu17", "-D_GNU_SOURCE", "-Werror", "-fsyntax-only", f"-I{build}/src",
                           f"-I{root}/src", f"-I{root}/include", "-x", "c", "-"], input=text, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def main():
    root, build, compiler = sys.argv[1], sys.argv[2], sys.argv[3:]
    wrong = 0
    for name, line in WRITES.items():
        text = f"{HEAD} {line} }}\n"
        decided, _ = compiles(root, build, compiler, text)
        folded, why = compiles(root, build, compiler, '#include "core/fold_part.h"\n' + text)
        if decided:
            print(f"a decision can write to {name}: {line}")
        if not folded:
            print(f"a fold cannot write to {name}: {why}")
        wrong += decided or not folded
    sys.exit(wrong != 0)


main()
