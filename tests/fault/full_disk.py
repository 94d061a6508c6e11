#!/usr/bin/env python3
"""A real file system that fills up under the real daemon: tests/fault/full_disk.py BUILD_DIR.  Prints TAP.

Needs root for a small tmpfs in a mount namespace of its own; without it the test is skipped, and says so.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from ports import free_port  # noqa: E402
from wait import DEADLINE_S, until  # noqa: E402

MIB = 1 << 20
SIZE = 48 * MIB
number = failed = 0


def check(what, is_so):
    global number, failed
    number += 1
    failed += not is_so
    print(('ok' if is_so else 'not ok'), number, '-', what, flush=True)


class Daemon:
    def __init__(self, thole, data, script):
        self.port = free_port()
        self.log = open(os.path.join(os.path.dirname(data), 'daemon.log'), 'w')
        self.process = subprocess.Popen(
            [thole, 'serve', '--listen', f'127.0.0.1:{self.port}', '--data', data, '--script', script],
            stdout=self.log, stderr=self.log)
        until('the daemon', self.is_up)
        self.token = open(os.path.join(data, 'token')).read().strip()

    def is_up(self):
        try:
            return self.get('/healthz', token=False)[0] == 200
        except OSError:
            return False

    def ask(self, request):
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
                return answer.status, json.loads(answer.read() or b'{}')
        except urllib.error.HTTPError as e:
            text = e.read()
            return e.code, json.loads(text) if text.startswith(b'{') else {}

    def get(self, path, token=True):
        head = {'Authorization': f'Bearer {self.token}'} if token else {}
        return self.ask(urllib.request.Request(f'http://127.0.0.1:{self.port}{path}', headers=head))

    def call(self, command, **args):
        return self.ask(urllib.request.Request(
            f'http://127.0.0.1:{self.port}/v1/commands/{command}', json.dumps(args).encode(),
            {'Authorization': f'Bearer {self.token}', 'Content-Type': 'application/json'}))

    def stop(self):
        self.process.terminate()
        return self.process.wait(DEADLINE_S)


def fill(path):
    """Takes what is left, to the last block."""
    with open(path, 'wb', buffering=0) as f:
        for piece in (MIB, 4096, 1):
            try:
                while True:
                    f.write(b'x' * piece)
            except OSError:
                pass


def story(build, room):
    data, filler, script = (os.path.join(room, name) for name in ('data', 'filler', 'script.json'))
    with open(script, 'w') as f:
        slow = {'text': {'repeat': 'word {{n}} ', 'count': 3000}, 'delayMs': 10}
        json.dump({'version': 1, 'rules': [{'when': {'text': 'slow'}, 'reply': slow}],
                   'default': {'text': 'done'}}, f)
    d = Daemon(os.path.join(build, 'thole'), data, script)
    check('a turn completes while there is room', d.call('submit_turn', sessionId='s-1', input='one')[0] == 202)
    check('the ballast is made',
          until('the ballast', lambda: os.path.exists(os.path.join(data, 'ballast'))
                and os.path.getsize(os.path.join(data, 'ballast')) == 8 * MIB))
    d.call('submit_turn', sessionId='s-3', input='one')
    until('the end', lambda: d.call('list_events', sessionId='s-3', types=['turn.completed'])[1]['events'])
    d.call('submit_turn', sessionId='s-2', input='slow')
    until('text of the slow reply', lambda: d.call('list_events', sessionId='s-2', types=['model.delta'])[1]['events'])
    fill(filler)
    until('the disk to be full', lambda: d.get('/readyz')[0] == 503)
    check('a full disk makes it not ready', 'full' in json.dumps(d.get('/readyz')[1]))
    status, answer = d.call('submit_turn', sessionId='s-1', input='two')
    check('commands that write get 507 storage_full', status == 507 and answer['code'] == 'storage_full')
    status, session = d.call('get_session', sessionId='s-2')
    check('reading continues', status == 200)
    events = d.call('list_events', sessionId='s-2', types=['model.failed', 'turn.failed'])[1]['events']
    check('what was under way was ended, and says why',
          [e['type'] for e in events] == ['model.failed', 'turn.failed'] and 'storage_full' in json.dumps(events))
    check('the process lives', d.process.poll() is None)
    small = d.call('delete_session', sessionId='s-3')
    check('a session can be deleted', small[0] == 200 and d.call('get_session', sessionId='s-3')[0] == 410)
    os.unlink(filler)
    check('it is ready again by itself', until('free space', lambda: d.get('/readyz')[0] == 200))
    check('commands are taken again', d.call('submit_turn', sessionId='s-1', input='three')[0] == 202)
    check('the ballast is back', os.path.getsize(os.path.join(data, 'ballast')) == 8 * MIB)
    check('the log is whole', all(d.call('verify_log', sessionId=s)[1].get('status') == 'whole'
                                  for s in ('s-1', 's-2')))
    check('it stops in order', d.stop() == 0)


def main():
    build = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else 'build')
    if os.environ.get('THOLE_FULL_DISK') != 'inside':
        if os.geteuid() != 0 or not shutil.which('unshare'):
            print('ok 1 - a real full disk # SKIP needs root and unshare\n1..1')
            return 0
        return subprocess.call(['unshare', '--mount', sys.executable, __file__, build],
                               env={**os.environ, 'THOLE_FULL_DISK': 'inside'})
    room = tempfile.mkdtemp(prefix='thole-full-')
    try:
        if subprocess.call(['mount', '-t', 'tmpfs', '-o', f'size={SIZE}', 'tmpfs', room]) != 0:
            print('ok 1 - a real full disk # SKIP no tmpfs can be mounted here\n1..1')
            return 0
        story(build, room)
    finally:
        subprocess.call(['umount', '-l', room])
        os.rmdir(room)
    print(f'1..{number}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
