"""The metadata service of a machine or a container, on loopback: it gives keys that expire.

    role = MachineRole(token, lasts_s=3600)
    with role.environment(): ...      a daemon that starts in it asks this service
"""
import contextlib
import datetime
import http.server
import json
import os
import threading

from bucket import KEY, SECRET

NAME = "outputs-writer"
PASS = "pass-of-the-machine"
VARIABLES = ["AWS_EC2_METADATA_SERVICE_ENDPOINT", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
             "AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]


class MachineRole:
    def __init__(self, token, lasts_s=3600):
        self.token, self.lasts_s, self.status, self.has_role, self.wants = token, lasts_s, 200, True, None
        self.given = 0  # how often keys were given
        self.wrong = []  # requests that no service of that kind would take
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.url = f"http://localhost:{self.server.server_port}"  # not what tests take for the address of a daemon
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def keys(self):
        self.given += 1
        ends = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=self.lasts_s)
        return {"Code": "Success", "Type": "AWS-HMAC", "AccessKeyId": KEY, "SecretAccessKey": SECRET, "Token": self.token,
                "Expiration": ends.strftime("%Y-%m-%dT%H:%M:%SZ")}

    def answer(self, method, path, headers):
        roles = "/latest/meta-data/iam/security-credentials/"
        if self.status != 200:
            return self.status, ""
        if path == "/container":
            return (200, json.dumps(self.keys())) if headers.get("Authorization") == self.wants else (401, "")
        if method == "PUT" and path == "/latest/api/token":
            return (200, PASS) if headers.get("X-aws-ec2-metadata-token-ttl-seconds") else (400, "")
        if headers.get("X-aws-ec2-metadata-token") != PASS:
            return 401, ""
        if path == roles:
            return (200, NAME + "\n") if self.has_role else (404, "")
        return (200, json.dumps(self.keys())) if path == roles + NAME else (404, "")

    def handler(self):
        role = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def reply(self):
                status, text = role.answer(self.command, self.path, self.headers)
                if status in (400, 401):
                    role.wrong.append(f"{self.command} {self.path}: {status}")
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            do_GET = do_PUT = reply

            def log_message(self, *_):
                pass

        return Handler

    @contextlib.contextmanager
    def environment(self, **variables):
        before = {name: os.environ.pop(name, None) for name in VARIABLES}
        os.environ.update(variables or {"AWS_EC2_METADATA_SERVICE_ENDPOINT": self.url + "/"})
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value
