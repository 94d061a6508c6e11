"""Five small projects with a fault in each: a sum that leaves out its last element.

files: what is committed at first.  source: the file with the fault; wrong and right: the faulty piece and its fix.
breaks: what a careless edit makes of it.  test: the command line that runs the project's tests.
"""

PROJECTS = {
    "c": {
        "probe": "make --version && cc --version",
        "files": {
            "sum.c": "#include \"sum.h\"\n\nint sum(const int *v, int n)\n{\n\tint s = 0;\n\n\tfor (int i = 0; i < n - 1; i++)\n\t\ts += v[i];\n\treturn s;\n}\n",
            "sum.h": "int sum(const int *v, int n);\n",
            "test_sum.c": "#include \"sum.h\"\n#include <stdio.h>\n\nint main(void)\n{\n\tint v[] = { 1, 2, 3 };\n\n\tif (sum(v, 3) != 6) {\n"
                          "\t\tprintf(\"sum is %d, not 6\\n\", sum(v, 3));\n\t\treturn 1;\n\t}\n\treturn 0;\n}\n",
            "Makefile": "test_sum: test_sum.c sum.c sum.h\n\t$(CC) -Wall -o $@ test_sum.c sum.c\ntest: test_sum\n\t./test_sum\n",
            ".gitignore": "test_sum\n",
        },
        "source": "sum.c", "wrong": "i < n - 1", "right": "i < n", "breaks": "i < n +", "test": "make test",
    },
    "python": {
        "probe": "python3 --version",
        "files": {
            "sums.py": "def total(values):\n    s = 0\n    for v in values[:-1]:\n        s += v\n    return s\n",
            "test_sums.py": "import unittest\n\nfrom sums import total\n\n\nclass Total(unittest.TestCase):\n    def test_all(self):\n"
                            "        self.assertEqual(total([1, 2, 3]), 6)\n",
            ".gitignore": "__pycache__\n",
        },
        "source": "sums.py", "wrong": "in values[:-1]:", "right": "in values:", "breaks": "in values[:", "test": "python3 -m unittest -q",
    },
    "typescript": {
        "probe": "node --version",
        "npm": "typescript",
        "files": {
            "sum.ts": "export function sum(v: number[]): number {\n  let s = 0;\n  for (let i = 0; i < v.length - 1; i++) s += v[i];\n  return s;\n}\n",
            "test.ts": "import { sum } from \"./sum\";\n\nif (sum([1, 2, 3]) !== 6) throw new Error(`sum is ${sum([1, 2, 3])}, not 6`);\n",
            "package.json": "{\n  \"name\": \"sums\",\n  \"version\": \"1.0.0\",\n  \"scripts\": {\n"
                            "    \"test\": \"node node_modules/typescript/bin/tsc --strict --module commonjs --types '' --outDir out sum.ts test.ts && node out/test.js\"\n  }\n}\n",
            ".gitignore": "node_modules\nout\n",
        },
        "source": "sum.ts", "wrong": "v.length - 1", "right": "v.length", "breaks": "v.length(", "test": "npm test",
    },
    "go": {
        "probe": "go version", "long": True,
        "files": {
            "go.mod": "module example.org/sums\n\ngo 1.19\n",
            "sum.go": "package sums\n\nfunc Sum(v []int) int {\n\ts := 0\n\tfor _, x := range v[:len(v)-1] {\n\t\ts += x\n\t}\n\treturn s\n}\n",
            "sum_test.go": "package sums\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum([]int{1, 2, 3}) != 6 {\n\t\tt.Fatal(Sum([]int{1, 2, 3}))\n\t}\n}\n",
        },
        "source": "sum.go", "wrong": "range v[:len(v)-1] {", "right": "range v {", "breaks": "range v[ {", "test": "go test ./...",
    },
    "rust": {
        "probe": "cargo --version", "long": True,
        "files": {
            "Cargo.toml": "[package]\nname = \"sums\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
            "src/lib.rs": "pub fn sum(v: &[i32]) -> i32 {\n    let mut s = 0;\n    for x in &v[..v.len() - 1] {\n        s += x;\n    }\n    s\n}\n\n"
                          "#[test]\nfn all() {\n    assert_eq!(sum(&[1, 2, 3]), 6);\n}\n",
            ".gitignore": "target\nCargo.lock\n",
        },
        "source": "src/lib.rs", "wrong": "in &v[..v.len() - 1] {", "right": "in v {", "breaks": "in &v[ {", "test": "cargo test --offline -q",
    },
}
