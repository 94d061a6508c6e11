"""Checks messages of the Agent Client Protocol against its official schema, in both directions.

The schema is read from THOLE_SPECS, or from ../shared/specs beside the source; where it is not there, missing() says so.
"""
import json
import os
import pathlib

FILE = pathlib.Path(os.environ.get("THOLE_SPECS", pathlib.Path(__file__).resolve().parents[3] / "shared" / "specs")) / "acp/v1/schema.json"


def missing():
    """Why nothing can be checked; None: everything can."""
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        return "python3-jsonschema is not installed"
    return None if FILE.exists() else f"{FILE} is missing"


class Schema:
    def __init__(self):
        from jsonschema import Draft202012Validator
        self.make = Draft202012Validator
        self.defs = json.loads(FILE.read_text())["$defs"]
        self.names = {}  # (method, Request|Response|Notification) -> definition
        for name, d in self.defs.items():
            for kind in ("Request", "Response", "Notification"):
                if name.endswith(kind) and "x-method" in d:
                    self.names[d["x-method"], kind] = name

    def faults_of(self, name, value):
        check = self.make({"$ref": f"#/$defs/{name}", "$defs": self.defs})
        return [f"{name}: {'/'.join(map(str, e.path))}: {e.message[:200]}" for e in check.iter_errors(value)]

    def faults(self, lines):
        """lines: (from the editor?, text) in their order.  Messages that a test sends wrong on purpose are not in it."""
        methods, found = {}, []
        for is_editor, text in lines:
            m = json.loads(text)
            if m.get("jsonrpc") != "2.0":
                found.append(f"not JSON-RPC 2.0: {text[:100]}")
            elif "method" in m:
                kind = "Request" if "id" in m else "Notification"
                name = self.names.get((m["method"], kind))
                if kind == "Request":
                    methods[is_editor, json.dumps(m["id"])] = m["method"]
                if name:
                    found += self.faults_of(name, m.get("params"))
                elif not is_editor:
                    found.append(f"the schema has no {kind} {m['method']}")
            elif "error" in m:
                found += self.faults_of("Error", m["error"])
            else:
                name = self.names.get((methods.get((not is_editor, json.dumps(m.get("id")))), "Response"))
                found += self.faults_of(name, m["result"]) if name else [f"an answer to nothing: {text[:100]}"]
        return found
