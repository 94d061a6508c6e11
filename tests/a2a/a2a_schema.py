"""Checks messages of A2A against the official schema, in both directions.

The schema is read from THOLE_SPECS, or from ../shared/specs beside the source; where it is not there, missing() says so.
"""
import json
import os
import pathlib

FILE = pathlib.Path(os.environ.get("THOLE_SPECS", pathlib.Path(__file__).resolve().parents[3] / "shared" / "specs")) / "a2a/a2a-v1.0.0.schema.json"
PARAMS = {"SendMessage": "Send Message Request", "SendStreamingMessage": "Send Message Request", "GetTask": "Get Task Request",
          "ListTasks": "List Tasks Request", "CancelTask": "Cancel Task Request", "SubscribeToTask": "Subscribe To Task Request",
          "CreateTaskPushNotificationConfig": "Task Push Notification Config",
          "GetTaskPushNotificationConfig": "Get Task Push Notification Config Request",
          "ListTaskPushNotificationConfigs": "List Task Push Notification Configs Request",
          "DeleteTaskPushNotificationConfig": "Delete Task Push Notification Config Request",
          "GetExtendedAgentCard": "Get Extended Agent Card Request"}
RESULTS = {"SendMessage": "Send Message Response", "SendStreamingMessage": "Stream Response", "GetTask": "Task", "ListTasks": "List Tasks Response",
           "CancelTask": "Task", "SubscribeToTask": "Stream Response", "CreateTaskPushNotificationConfig": "Task Push Notification Config",
           "GetTaskPushNotificationConfig": "Task Push Notification Config",
           "ListTaskPushNotificationConfigs": "List Task Push Notification Configs Response", "GetExtendedAgentCard": "Agent Card"}


def missing():
    """Why nothing can be checked; None: everything can."""
    try:
        import jsonschema  # noqa: F401
    except ImportError:
        return "python3-jsonschema is not installed"
    return None if FILE.exists() else f"{FILE} is missing"


def pointed(value, names):
    """The schema names its parts by files; here they are in one document."""
    if isinstance(value, dict):
        return {k: "#/definitions/" + names[v] if k == "$ref" else pointed(v, names) for k, v in value.items() if k != "$schema"}
    return [pointed(v, names) for v in value] if isinstance(value, list) else value


class Schema:
    def __init__(self):
        from jsonschema import Draft202012Validator
        self.make = Draft202012Validator
        given = json.loads(FILE.read_text())["definitions"]
        names = {}
        for name in given:
            for package in ("lf.a2a.v1.", "google.protobuf."):
                names[package + name.replace(" ", "") + ".jsonschema.json"] = name
        self.defs = pointed(given, names)
        self.checks = {}

    def faults(self, name, value):
        if name not in self.checks:
            self.checks[name] = self.make({"$ref": f"#/definitions/{name}", "definitions": self.defs})
        return [f"{name}: {'/'.join(map(str, e.path))}: {e.message[:200]}" for e in self.checks[name].iter_errors(value)]

    def faults_of_request(self, method, params):
        return self.faults(PARAMS[method], params or {}) if method in PARAMS else []

    def faults_of_result(self, method, result):
        return self.faults(RESULTS[method], result) if method in RESULTS else []
