#!/usr/bin/env python3
"""The command parser compared with the real bash.

    differential.py POLICY_TEST [--count N] [--seed N] [--keep]

Random command lines are built from a grammar over harmless markers (m0 to m5, a
program that writes its arguments into a log), then bent by random edits.  For each line that the
reader accepts, three things must hold:

  * bash -n accepts it too (the reader may be stricter, never laxer);
  * every argv that bash really ran is covered by a command that the judge announced, in wrappers,
    literals, eval and traps too: known words equal, others stand for one word, splitting ones for
    any number;
  * what the judge calls known, by following variables too, is what bash made of it.

Lines run in a temporary directory as an unprivileged user where possible, with an empty environment, a PATH
that holds markers only, and limits on time and file size.  A line that the reader refuses is
never run.
"""
import argparse
import json
import os
import random
import resource
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile

MARKS = ["m0", "m1", "m2", "m3", "m4", "m5"]
FILES = ["fa.x", "fb.x", "fc.y"]


class Gen:
    """A grammar of bash over markers.  Depth bounds recursion; every loop ends."""

    def __init__(self, rnd):
        self.r = rnd
        self.heredocs = []

    def pick(self, *options):
        return self.r.choice(options)

    def chance(self, p):
        return self.r.random() < p

    # ---- words ----

    def plain(self):
        return self.pick("a", "b", "c1", "foo", "x=y", "-n", "--", "-rf", "1", "a.b", "fa.x", "m1", "then",
                         "do", "if", "in", "}", "{", "]]", "esac", "a:b", "%s", "@", "+", "a=b", "=", "^x")

    def quoted(self, d):
        kind = self.r.randrange(9)
        if kind == 0:
            return "'" + self.pick("", "a b", "$x", "`m1`", "$(m1)", "\\", '"', ";m1", "#", "*", "{a,b}", "\n", "~") + "'"
        if kind == 1:
            return '"' + "".join(self.in_double(d) for _ in range(self.r.randrange(4))) + '"'
        if kind == 2:
            return "$'" + self.pick("a", "\\n", "\\x6d\\x31", "\\'", "\\\\", "m\\061", "\\t", "a\\eb", "\\x41z", "\\q",
                                    "\\u0041", "\\101\\102", "\\\"", "\\?") + "'"
        if kind == 3:
            return "\\" + self.pick("a", "m", "$", "`", '"', "'", "\\", " ", ";", "{", ",", "~", "*", "#", "&", "|", "(", "n")
        if kind == 4:
            return '$"' + self.pick("a", "b c", "$(m2)", "") + '"'
        if kind == 5:
            return self.plain() + '"' + self.pick("a", "", " ") + '"'
        if kind == 6:
            return "m\\\n1"
        return self.pick("''", '""', "'a'", '"b c"')

    def in_double(self, d):
        kind = self.r.randrange(10)
        if kind < 3:
            return self.pick("a", " ", "b c", "'", "#", "{a,b}", "*", "\\$", "\\\"", "\\\\", "\\`", "\\a", "\n", "\\\n", "~", "<(m1)", "!")
        if kind < 5:
            return self.param(d, True)
        if kind == 5 and d > 0:
            return "$(" + self.inline(d - 1) + ")"
        if kind == 6 and d > 0:
            return self.backquote(d)
        if kind == 7:
            return self.arith(d)
        return self.pick("x", "$", "y", "$ ", "%")

    def backquote(self, d):
        text = self.inline(0)
        if "`" in text or "\\" in text or '"' in text:
            text = "m3 " + self.pick("a", "'b c'", "$x", "x;m4")
        if self.chance(0.2):
            text = "m3 \\`m4 b\\`"
        return "`" + text + "`"

    def arith(self, d):
        body = self.pick("1+1", "x", "n+1", "3*(2+1)", "1<2", "$n+1", "${n}+2", "16#ff", "n?1:2", "1 + 2", "a[0]", "n++", "(1)+(2)")
        if d > 0 and self.chance(0.2):
            body = "$(m2 " + self.plain() + ";echo 1)+1"
        return "$((" + body + "))"

    def param(self, d, in_double=False):
        name = self.pick("x", "y", "n", "e", "1", "@", "*", "#", "?", "arr")
        kind = self.r.randrange(12)
        if kind < 3:
            return "$" + name
        if kind == 3:
            return "${" + name + "}"
        name = self.pick("x", "y", "u", "arr")
        if kind == 4:
            return "${#" + name + "}"
        if kind == 5:
            return self.pick("${arr[@]}", "${arr[0]}", "${arr[*]}", "${#arr[@]}", "${!x}", "${!arr@}", "${arr[$n]}", "${arr[n+1]}")
        if kind == 6:
            return "${" + name + self.pick(":0:1", ":1", ": -1", "^", "^^", ",,", "@Q", "@U") + "}"
        if kind == 7:
            return "${" + name + self.pick("/a/b", "//a/", "#a", "##*a", "%b", "%%b*", "/$y/z", "/#a/b") + "}"
        op = self.pick(":-", "-", ":+", "+", ":=", "=") if name in ("u",) else self.pick(":-", "-", ":+", "+")
        word = "".join(self.operand(d, in_double) for _ in range(self.r.randrange(3)))
        return "${" + name + op + word + "}"

    def operand(self, d, in_double):
        kind = self.r.randrange(7)
        if kind == 0 and d > 0:
            return "$(" + self.inline(d - 1) + ")"
        if kind == 1 and d > 0:
            return self.backquote(d)
        if kind == 2:
            return "$x"
        if kind == 3:
            return '"a b"' if not in_double or self.chance(0.5) else "q"
        if kind == 4 and not in_double:
            return self.pick("'a }b'", "$'x\\n'")
        return self.pick("a", "m1", " ", "a b", "\\}", "*", ";", "|", "&", "#", "'" if in_double else "z")

    def brace(self, d):
        kind = self.r.randrange(8)
        if kind == 0:
            return "{%d..%d}" % (self.r.randrange(4), self.r.randrange(6))
        if kind == 1:
            return self.pick("{a..c}", "{01..03}", "{1..5..2}", "{-1..1}", "{a..c..2}", "{}", "{a}", "{a,b", "a,b}", "{,}",
                             "{a..{b,c}}", "{{a,b},c}", "{a,b}{c,d}", "{1..}", "{..1}", "{a,{b}", "{'a,b'}", "{a\\,b}", "{\"x\",y}",
                             "{$x,y}", "{a,$(m1 q)}", "${x}{a,b}", "x{,.y}", "{m1,m2}", "{a,b},c", "{},{a,b}", "a{}b{c,d}")
        return "{" + ",".join(self.pick("a", "b", "", "-x", "'q r'", "\\,", "c{1,2}", "*", "~") for _ in range(1 + self.r.randrange(3))) + "}"

    def word(self, d):
        out = ""
        for _ in range(1 + (self.r.randrange(3) if self.chance(0.4) else 0)):
            kind = self.r.randrange(14)
            if kind < 5:
                out += self.plain()
            elif kind < 8:
                out += self.quoted(d)
            elif kind == 8:
                out += self.param(d)
            elif kind == 9 and d > 0:
                out += "$(" + self.inline(d - 1) + ")"
            elif kind == 10 and d > 0:
                out += self.backquote(d)
            elif kind == 11:
                out += self.arith(d)
            elif kind == 12:
                out += self.brace(d)
            elif kind == 13:
                out += self.pick("*.x", "f?.x", "[f]a.x", "~", "~/q", "*", "a=~", "x:~", "[a", "f[ab].x", "\\*", "~+", "f'a'.*")
            else:
                out += "w"
        return out

    def arg(self, d):
        if d > 0 and self.chance(0.05):
            return self.pick("<(", ">(") + self.inline(d - 1) + ")"
        return self.word(d)

    # ---- commands ----

    def redirection(self, d):
        kind = self.r.randrange(16)
        if kind < 4:
            return self.pick("", "2", "1") + self.pick(">", ">>", ">|") + self.pick("", " ") + self.pick("o1", "o2", "'o 3'", "/dev/null")
        if kind < 6:
            return "<" + self.pick("", " ") + self.pick("fa.x", "/dev/null")
        if kind == 6:
            return self.pick("2>&1", ">&2", "2>&-", "<&-", "1>&2", "3>&1", ">& o4", "&>o5", "&>> o5", "{fd}>o6", "<>o7")
        if kind == 7:
            return "<<<" + self.pick("", " ") + self.word(d)
        if kind < 10:
            tag = self.pick("EOF", "E", "X1")
            quoted = self.chance(0.4)
            dash = self.chance(0.3)
            body = "".join(self.doc_line(d, dash) for _ in range(self.r.randrange(3)))
            self.heredocs.append(body + ("\t" if dash and self.chance(0.5) else "") + tag + "\n")
            written = self.pick("'%s'", '"%s"', "\\%s") % tag if quoted else tag
            return "<<" + ("-" if dash else "") + self.pick("", " ") + written
        if kind == 10 and d > 0:
            return self.pick("< ", "> ") + self.pick("<(", ">(") + self.inline(d - 1) + ")"
        return self.pick("2>", ">", "<") + "/dev/null"

    def doc_line(self, d, dash):
        text = self.pick("text", "$x", "\\$x", "it's", '"q"', "`m4 d`", "${x:-y}", "$((1+1))", "a\\", "", "EOFX", "# c", "{a,b}", "$", ")", "E OF")
        if d > 0 and self.chance(0.25):
            text = "$(" + self.inline(0) + ")"
        if text == "a\\" and dash:
            text = "a"
        return ("\t" if dash else "") + text + "\n"

    def simple(self, d):
        parts = []
        for _ in range(self.r.randrange(2) if self.chance(0.2) else 0):
            parts.append(self.pick("x=", "y+=", "v=") + self.word(d))
        kind = self.r.randrange(20)
        if kind == 0:
            parts.append(self.pick("x=", "y=", "v=", "arr[1]=", "arr[n]=") + self.pick("", self.word(d)))
            return " ".join(parts)
        if kind in (4, 5):
            place = self.pick("d1", "d2", "d1/d2", "..", "../d1", "d9", ".", "$d", '"$d"', "~", "d1/../d2", "{d1,}")
            return self.pick("cd ", "cd ", "cd -- ", "pushd ", "command cd ", "d=d1; cd ") + place + self.pick(" && ", "; ", " || ") + \
                self.pick("m1 ./here", "m2 a ./here", "( cd d2; m3 ./here )", "{ cd d2 && m4 ./here; }", "cd ..; m5 ./here")
        if kind == 6:
            return self.pick("m0", "m1") + " ./here"
        if kind == 7:
            return self.pick("x=a; m1 $x", "x=a; m2 \"$x\"b", "x=$y; m3 $x", "v=1; v=$((v+1)); m4 $v", "for x in a b; do m1 $x; done",
                             "x=a; { x=b; m1 $x; }; m2 $x", "x=a; (x=b; m1 $x); m2 $x", "x=a; if m0; then x=b; fi; m1 $x", "d=d1; m1 $d",
                             "x=q; while mf; do x=r; done; m1 $x", "x=a m1 $x", "x=a; : ${x:=b} ${w:=c}; m1 $x $w", "x=a; read x; m1 $x",
                             "x=a; eval x=b; m1 $x", "x=a; unset x; m1 $x", "x=a; x+=b; m1 $x", "x=a && x=b || x=c; m1 $x",
                             "x=a | x=b; m1 $x", "x=a & m1 $x", "x=a; export x=b; m1 $x", "x=a; printf -v x b; m1 $x", "x=a; command eval x=b; m1 $x",
                             "x=a; fn() { x=b; }; fn; m1 $x", "x=a; : $((x=7)); m1 $x", "x=a; ((x=7)); m1 $x", "x=a; [[ -n ${x:=b} ]]; m1 $x",
                             "x=a; case b in b) x=c;; esac; m1 $x", "x=a; for x in; do :; done; m1 $x", "x=a; declare -n z=x; z=b; m1 $x",
                             "x='a b'; m1 $x", "x='*.x'; m1 $x", "x='*.x'; m1 \"$x\"", "x=~; m1 $x", "x=~/q; m1 \"$x\"", "x={a,b}; m1 $x", "x=; m1 $x", "x=; m1 \"$x\"")
        if kind == 1:
            return "arr=(" + self.pick(" ", "\n").join(self.word(d) for _ in range(self.r.randrange(4))) + ")"
        if kind == 2:
            parts.append(self.pick("builtin echo", "exec 9>&1;", "command", "eval", "env", "nice -n 1", "timeout 2", "xargs",
                                   "bash -c", "sh -c", "nohup", "find . -maxdepth 0 -exec", "trap", "command eval", "{m1,a}", "'m2'", "m\\3", "$'m4'", "m\\\n5"))
            if parts[-1] in ("command", "env", "nice -n 1", "timeout 2", "xargs", "nohup"):
                parts.append(self.pick("m0", "m1", "m4", "env m2", "$x"))
            elif parts[-1] in ("eval", "command eval"):
                parts.append(self.pick("m0", "'m2 a'", '"m3 b"', "m4", "'m1 $x; m2'", '"m3 $x"', "'x=q;m1'", "$y"))
            elif parts[-1] in ("bash -c", "sh -c"):
                return " ".join(parts) + " " + self.literal(d) + self.pick("", " m1", " _ m2 a")
            elif parts[-1].startswith("find"):
                return " ".join(parts) + " " + self.pick("m1 {}", "m2 a {} b", "m3", "m4 x{}") + self.pick(" \\;", " ';'")
            elif parts[-1] == "trap":
                return " ".join(parts) + " " + self.pick("'m1 t' EXIT", '"m2 $x" EXIT', "'m3' USR1", "- EXIT", "'' INT", "'m4;m5' DEBUG")
        elif kind == 3:
            parts.append(self.pick("export", "declare", "local", "readonly") + " " + self.pick("q=1", "q=(1 2)", "q={1,2}", "q=$(m1)", "q"))
            return " ".join(parts)
        else:
            parts.append(self.pick(*MARKS))
        for _ in range(self.r.randrange(4)):
            parts.append(self.arg(d))
            if self.chance(0.04):
                parts.append("\\\n")
        for _ in range(1 + self.r.randrange(2) if self.chance(0.25) else 0):
            parts.insert(self.r.randrange(len(parts) + 1), self.redirection(d))
        return " ".join(parts)

    def literal(self, d):
        """A script in quotes."""
        saved, self.heredocs = self.heredocs, []
        text = self.list(min(d, 1), 1)
        if self.heredocs or "'" in text or self.chance(0.3):
            text = self.pick("m1 a; m2 $x", "m3 $0 $1", '$1 b', "m4 | m5", "m1 \"a b\"", "x=1; m2 $x", "m3 {a,b}", "(m4)")
        self.heredocs = saved
        return "'" + text + "'"

    def inline(self, d):
        """A list without here-docs that wait at its end."""
        saved, self.heredocs = self.heredocs, []
        text = self.list(d, 2)
        if self.heredocs:
            text += "\n" + "".join(self.heredocs)
        self.heredocs = saved
        if text.startswith("("):
            text = " " + text
        return text

    def newline(self):
        text = "\n" + "".join(self.heredocs)
        self.heredocs = []
        return text

    def sep(self):
        if self.heredocs or self.chance(0.3):
            return self.pick("", " # c") + self.newline()
        return self.pick(";", " ; ", "; ")

    def block(self, d):
        text = self.list(d, 2)
        return text + self.sep()

    def condition(self, d):
        kind = self.r.randrange(10)
        if kind < 2:
            return "-n " + self.word(d)
        if kind == 2:
            return self.word(d).lstrip("-") or "a"
        if kind == 3:
            return self.word(0) + self.pick(" == ", " != ", " = ", " < ") + self.pick("a*", "$x", "[ab]", "@(a|b)", "'x y'", "m1")
        if kind == 4:
            return "$x =~ " + self.pick("^a", "(a|b)", "$y", "a.c", "[a-c]+", "^(a|b)$")
        if kind == 5:
            return "$n -eq 1"
        if kind == 6 and d > 0:
            return "( " + self.condition(d - 1) + " )"
        if kind == 7 and d > 0:
            return "! " + self.condition(d - 1)
        if kind == 8 and d > 0:
            return self.condition(d - 1) + self.pick(" && ", " || ") + self.condition(d - 1)
        return "-f fa.x"

    def compound(self, d):
        kind = self.r.randrange(13)
        if kind == 0:
            return "{ " + self.block(d) + "}"
        if kind == 1:
            return "( " + self.list(d, 2) + (self.newline() if self.heredocs else "") + " )"
        if kind == 2:
            return "if " + self.block(d) + "then " + self.block(d) + \
                ("elif " + self.block(d) + "then " + self.block(d) if self.chance(0.3) else "") + \
                ("else " + self.block(d) if self.chance(0.5) else "") + "fi"
        if kind == 3:
            return self.pick("while mf", "until m0") + "; do " + self.block(d) + "done"
        if kind == 4:
            words = " ".join(self.word(d) for _ in range(self.r.randrange(3)))
            return "for " + self.pick("x", "y", "i") + " in " + words + self.pick(";", "\n" if not self.heredocs else ";") + " do " + self.block(d) + "done"
        if kind == 5:
            return "for ((i=0;i<2;i++)); do " + self.block(d) + "done"
        if kind == 6:
            text = "case " + self.word(d) + " in "
            for _ in range(self.r.randrange(3)):
                text += self.pick("", "(") + self.pick("a", "*", "a|b", "'x y'", "$x", "[ab]*", "m1 | m2") + ") " + \
                    (self.list(d, 1) if self.chance(0.8) else "") + (self.newline() if self.heredocs else "") + self.pick(";;", " ;;", ";&", ";;&") + self.pick(" ", "\n")
            return text + "esac"
        if kind == 7:
            return "[[ " + self.condition(d) + " ]]"
        if kind == 8:
            return "((" + self.pick("n=1", "n++", "1<2", "n+$n", "x=3,1") + "))"
        if kind == 9:
            body = "{ " + self.block(d) + "}" if self.chance(0.7) else "( " + self.list(d, 1) + (self.newline() if self.heredocs else "") + " )"
            return self.pick("fn() ", "fn () ", "function fn ", "function fn() ", "m5() ") + body
        if kind == 10:
            return self.pick("coproc ", "coproc CP ") + "{ " + self.block(d) + "}"
        if kind == 11:
            return "time " + self.simple(d)
        return "! " + self.simple(d)

    def command(self, d):
        if d > 0 and self.chance(0.3):
            text = self.compound(d - 1)
            if self.chance(0.15) and not text.startswith(("fn", "function", "m5", "coproc", "time", "!")):
                text += " " + self.redirection(d - 1)
            return text
        if self.chance(0.05):
            return "fn"
        return self.simple(d)

    def pipeline(self, d):
        text = self.command(d)
        while self.chance(0.2):
            text += self.pick(" | ", "|", " |& ") + (self.newline() if self.heredocs and self.chance(0.3) else "")
            nxt = self.command(d)
            text += nxt if not nxt.startswith(("!", "time")) else "m0"
        return text

    def list(self, d, most):
        text = self.pipeline(d)
        for _ in range(self.r.randrange(most + 1)):
            kind = self.r.randrange(6)
            if kind == 0:
                text += self.pick(" && ", "&&", " || ", "||") + self.pipeline(d)
            elif kind == 1:
                text += " & " + self.pipeline(d)
            else:
                text += self.sep() + self.pipeline(d)
        return text

    def line(self):
        self.heredocs = []
        text = self.list(2, 3)
        if self.chance(0.1):
            text += self.pick(" # comment 'x", " #", ";", " &")
        if self.heredocs:
            text += self.newline()
        return text


EDITS = ["'", '"', "`", "$", "(", ")", "{", "}", ";", "&", "|", "<", ">", "\n", "\\", " ", "#", "$(", "${", "((", "))", "<<",
         "m1", "a", "=", "[", "]", "*", "!", "~", ",", "..", "$'", "&&", "||", ";;", "<(", "<<<", "\\\n", "if ", "fi", "do ",
         "done", "esac", "case ", "in ", "then ", "+", "@", "?", ":", "-", "%", "/", "^", "[[ ", " ]]", "function ", "EOF\n", "\t", "\r"]


def bend(rnd, text):
    """A few random edits; nothing that names a path or a program."""
    for _ in range(1 + rnd.randrange(3)):
        at = rnd.randrange(len(text) + 1)
        kind = rnd.randrange(4)
        if kind == 0:
            text = text[:at] + rnd.choice(EDITS) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + 1 + rnd.randrange(3):]
        elif kind == 2:
            end = min(len(text), at + rnd.randrange(8))
            to = rnd.randrange(len(text) + 1)
            text = text[:to] + text[at:end] + text[to:]
        else:
            text = text[:at] + rnd.choice(EDITS) + text[at + 1:]
    # The only paths: bent ones could name others.
    if "/" in text.replace("/dev/null", "").replace("~/q", "").replace("/a/b", "").replace("//a/", "").replace("/$y/z", "").replace("/#a/b", ""):
        return text.replace("/", "_")
    return text


def soup(rnd):
    """Tokens without any grammar."""
    return "".join(rnd.choice(EDITS + [" ", " ", "m0", "m2", "a", ";", "x=", " "]).replace("/", "") for _ in range(rnd.randrange(1, 14)))


PROGRAM = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char text[65536];
	size_t n = strlen(getcwd(text, 4096)) + 1;
	char *log = getenv("MARKLOG"), *base = strrchr(argv[0], '/');
	argv[0] = base ? base + 1 : argv[0];
	if (!strcmp(argv[0], "mnotfound")) /* a command that was not found */
		argv++, argc--;
	for (int i = 0; i < argc && n + strlen(argv[i]) + 4 < sizeof text; i++)
		n += strlen(strcpy(text + n, argv[i])) + 1;
	memcpy(text + n, "\1\2", 3);
	int fd = log ? open(log, O_WRONLY | O_APPEND | O_CREAT, 0666) : -1;
	if (fd >= 0 && write(fd, text, n + 3) < 0) return 2;
	return !strcmp(argv[0], "mf");
}
"""


class Bash:
    def __init__(self, keep):
        self.dir = tempfile.mkdtemp(prefix="thole-diff-")
        self.keep = keep
        os.chmod(self.dir, 0o755)
        self.bin = os.path.join(self.dir, "bin")
        self.work = os.path.join(self.dir, "work")
        self.logs = os.path.join(self.dir, "log")
        self.lines = 0
        os.mkdir(self.bin)
        os.mkdir(self.work)
        os.mkdir(self.logs)
        source = os.path.join(self.dir, "m.c")
        with open(source, "w") as f:
            f.write(PROGRAM)
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-w", "-O1", "-o", self.bin + "/m0", source], check=True)
        for m in MARKS[1:] + ["mf", "mnotfound"]:
            os.link(self.bin + "/m0", self.bin + "/" + m)
        for name in ("env", "nice", "timeout", "xargs", "nohup", "find", "bash", "sh"):
            os.symlink(shutil.which(name), self.bin + "/" + name)
        self.uid = 65534 if os.getuid() == 0 else None
        for d in (self.work, self.logs):
            os.chmod(d, 0o777)
        self.bash = shutil.which("bash")
        self.env = {"PATH": self.bin, "HOME": self.work, "LC_ALL": "C.UTF-8", "x": "a", "y": "b c", "n": "1", "e": ""}
        self.env["BASH_FUNC_command_not_found_handle%%"] = '() { mnotfound "$@"; return 127; }'

    def limit(self):
        resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self.uid is not None:
            os.setgroups([])
            os.setgid(self.uid)
            os.setuid(self.uid)
        os.umask(0)
        os.setsid()

    def fresh(self):
        for name in os.listdir(self.work):
            path = os.path.join(self.work, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
        for name in ("d1/d2", "d2"):
            os.makedirs(os.path.join(self.work, name))
        os.chmod(self.work, 0o777)
        for name in FILES:
            with open(os.path.join(self.work, name), "w") as f:
                f.write("1\n")

    def accepts(self, line):
        p = subprocess.run([self.bash, "--norc", "--noprofile", "-n", "-c", "--", line], env={"PATH": self.bin, "LC_ALL": "C.UTF-8"},
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.work)
        return p.returncode == 0, p.stderr.decode(errors="replace")

    def run(self, line):
        """The argv lists that ran, or None when it did not end in time."""
        self.fresh()
        # A log for each line: `timeout` leaves the process group, so that what it runs may outlive its line.
        self.lines += 1
        log = os.path.join(self.logs, str(self.lines))
        p = subprocess.Popen([self.bash, "--norc", "--noprofile", "-c", "--", line], env=dict(self.env, MARKLOG=log), cwd=self.work,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=self.limit)
        ended = True
        try:
            p.wait(timeout=3)
        except subprocess.TimeoutExpired:
            ended = False
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        p.wait()
        if not os.path.exists(log):
            return [], ended
        with open(log, "rb") as f:
            data = f.read()
        os.unlink(log)
        ran = []
        for entry in data.split(b"\1\2\0"):
            if entry:
                place, *argv = entry[:-1].split(b"\0")
                ran.append((place.decode(), argv))
        return ran, ended

    def done(self):
        if not self.keep:
            shutil.rmtree(self.dir, ignore_errors=True)


def covers(words, argv):
    """Do announced words stand for what ran?"""
    states = {0}
    for w in words:
        kind, text = w["kind"], w["text"].encode("utf-8", "surrogateescape")
        nxt = set()
        for s in states:
            if kind == "known":
                if s < len(argv) and argv[s] == text:
                    nxt.add(s + 1)
            elif kind == "one":
                if s < len(argv):
                    nxt.add(s + 1)
            else:
                nxt.update(range(s + (kind == "glob"), len(argv) + 1))
        states = nxt
        if not states:
            return False
    return len(argv) in states


def ask(tool, lines, place):
    data = b"".join(l.encode("utf-8", "surrogateescape") + b"\0" for l in lines)
    out = subprocess.run([tool, "--acts", "-C", place, "--home", place], input=data, stdout=subprocess.PIPE, check=True).stdout
    answers = [json.loads(l) for l in out.decode().splitlines()]
    assert len(answers) == len(lines), (len(answers), len(lines))
    return answers


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("tool")
    ap.add_argument("--count", type=int, default=int(os.environ.get("THOLE_DIFF_COUNT", "10000" if os.environ.get("THOLE_DEEP") else "600")))
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--keep", action="store_true")
    ap.add_argument("--show", action="store_true")
    o = ap.parse_args()
    rnd = random.Random(o.seed)
    gen = Gen(rnd)
    lines = []
    for i in range(o.count):
        text = gen.line()
        kind = i % 5
        if kind in (2, 3):
            text = bend(rnd, text)
        elif kind == 4:
            text = soup(rnd)
        lines.append(text.replace("\0", ""))
    bash = Bash(o.keep)
    answers = ask(o.tool, lines, bash.work)
    accepted = ran = vacuous = wrong = slow = refused_valid = valid = 0
    refusals = {}
    for i, (line, a) in enumerate(zip(lines, answers)):
        if i % 5 < 2:
            valid += 1
        if not a["understood"]:
            if i % 5 < 2:
                ok, _ = bash.accepts(line)
                if ok:
                    refused_valid += 1
                    refusals[a["trouble"]] = refusals.get(a["trouble"], 0) + 1
                    if o.show:
                        print("refused: %r: %s" % (line, a["trouble"]))
            continue
        accepted += 1
        ok, err = bash.accepts(line)
        if not ok:
            wrong += 1
            print("bash refuses what the reader accepts: %r\n    %s" % (line, err.strip()))
            continue
        argvs, ended = bash.run(line)
        slow += not ended
        for place, argv in argvs:
            ran += 1
            hits = [c for c in a["commands"] if covers(c["words"], argv)]
            if b"./here" in argv and hits and not any("anywhere" in c["at"] or not c["at"] or place.rstrip("/") + "/here" in c["at"] for c in hits):
                wrong += 1
                print("ran elsewhere: %r in %s\n    in %r\n    thought to be %s" % (argv, place, line, [c["at"] for c in hits]))
            if not hits:
                wrong += 1
                print("ran unannounced: %r\n    in %r\n    announced %s" %
                      (argv, line, [" ".join(w["kind"][0] + ":" + w["text"] for w in c["words"]) for c in a["commands"]]))
            elif all(c["words"][0]["kind"] != "known" for c in hits):
                vacuous += 1
    bash.done()
    print("%d lines (seed %d): %d accepted, %d commands ran, %d of them behind a dynamic name, %d lines cut by time; "
          "%d of %d lines of the grammar refused though bash reads them" % (o.count, o.seed, accepted, ran, vacuous, slow, refused_valid, valid))
    for why, n in sorted(refusals.items(), key=lambda x: -x[1])[:12]:
        print("    %4d  %s" % (n, why))
    print("%d wrong" % wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
