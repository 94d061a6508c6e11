#!/usr/bin/env python3
"""Sessions are deleted because the disk is full: tests/fault/full_disk_delete.py BUILD_DIR.  Prints TAP.

Nothing else frees space here: each deletion must succeed or be refused with a clear code, nothing may stay half deleted, also after
kill -9, and the space that is freed must let the daemon accept commands again, also if a foreign reader kept the write-ahead log from
being emptied until then.  Needs root, as full_disk.py does.
"""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import full_disk  # noqa: E402
from full_disk import MIB, Daemon, check, fill  # noqa: E402
from wait import until  # noqa: E402

SIZE = 96 * MIB
TABLES = 'event pack blob snapshot idx_session idx_thread idx_task idx_action idx_timer idx_id idx_item idx_output'.split()
# Small ones, ones with a long log, ones with large outputs.
SESSIONS = {**{f'small-{n}': 'hello' for n in range(20)}, **{f'long-{n}': 'long' for n in range(3)}, **{f'large-{n}': f'large {n}' for n in range(4)}}
SCRIPT = {'version': 1,
          'tools': [{'name': f'dump_{n}', 'policy': 'allowed', 'readOnly': True, 'result': {'text': {'repeat': f'line {n} {{{{n}}}}\n', 'bytes': 4 * MIB}}}
                    for n in range(4)],
          'rules': [*({'when': {'text': f'large {n}', 'request': 1}, 'reply': {'toolCalls': [{'name': f'dump_{n}', 'args': {}}]}} for n in range(4)),
                    {'when': {'text': 'long'}, 'reply': {'text': {'repeat': 'word {{n}} ', 'count': 200000}}}],
          'default': {'text': 'done'}}


def rows(data, sql):
    db = sqlite3.connect(f'file:{data}/log.db?mode=ro', uri=True, timeout=30)
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def half_deleted(data):
    found = {t: rows(data, f'SELECT count(*) FROM {t} WHERE session_no NOT IN (SELECT session_no FROM session) AND session_no > 0')[0][0]
             for t in TABLES}
    return {t: n for t, n in found.items() if n}


def is_swept(data):
    return not rows(data, 'SELECT 1 FROM removed WHERE state < 3') and not half_deleted(data)


def make_sessions(d):
    for name, text in SESSIONS.items():
        status, answer = d.call('submit_turn', sessionId=name, input=text)
        assert status == 202, (name, status, answer)
    for name in SESSIONS:
        until(f'the end of {name}', lambda: d.call('list_events', sessionId=name, types=['turn.completed'], limit=1)[1]['events'])


def delete(d, names):
    """Status and code of the answer to each."""
    said = {}
    for name in names:
        status, answer = d.call('delete_session', sessionId=name)
        said[name] = (status, answer.get('code'))
    return said


def is_gone(d, name):
    return d.call('get_session', sessionId=name)[0] == 410


def is_there(d, name):
    return d.call('verify_log', sessionId=name)[1].get('status') == 'whole'


def hold(data):
    """A reader of its own snapshot: what is written from now on stays in the write-ahead log."""
    db = sqlite3.connect(f'file:{data}/log.db?mode=ro', uri=True, timeout=30, isolation_level=None)
    db.execute('BEGIN')
    db.execute('SELECT count(*) FROM session').fetchall()
    return db


def story(build, room, is_killed=False, is_held=False):
    data, filler, script = (os.path.join(room, name) for name in ('data', 'filler', 'script.json'))
    with open(script, 'w') as f:
        json.dump(SCRIPT, f)
    d = Daemon(os.path.join(build, 'thole'), data, script)
    reader = hold(data) if is_held else None
    make_sessions(d)
    until('the ballast', lambda: os.path.exists(os.path.join(data, 'ballast')) and os.path.getsize(os.path.join(data, 'ballast')) == 8 * MIB)
    fill(filler)
    until('the disk to be full', lambda: d.call('submit_turn', sessionId='last', input='long')[0] == 507, 0.2)
    check('it is not ready', d.get('/readyz')[0] == 503)
    check('commands that write get 507', d.call('submit_turn', sessionId='small-0', input='x')[0] == 507)
    names = [n for n in SESSIONS if n != 'small-0']
    said = delete(d, names)
    check('each deletion succeeds or says that the disk is full', all(s in ((200, None), (507, 'storage_full')) for s in said.values()))
    check('the process lives', d.process.poll() is None)
    if reader:
        reader.close()
    check('what was deleted is gone, what was refused is whole',
          all(is_gone(d, n) if s[0] == 200 else is_there(d, n) for n, s in said.items()))
    if is_killed:
        d.process.send_signal(signal.SIGKILL)
        d.process.wait()
        d = Daemon(os.path.join(build, 'thole'), data, script)
        check('after kill -9 on the full disk it starts', True)
        check('and what was deleted is gone', all(is_gone(d, n) for n, s in said.items() if s[0] == 200))
    for name in [n for n, s in said.items() if s[0] != 200]:
        check(f'{name} is deleted when asked again', until(f'the deletion of {name}', lambda: d.call('delete_session', sessionId=name)[0] in (200, 410)))
    check('the sweep ends', until('the sweep', lambda: is_swept(data)))
    check('it is ready again, although the filler is still there', until('free space', lambda: d.get('/readyz')[0] == 200))
    check('commands are taken again', d.call('submit_turn', sessionId='small-0', input='again')[0] == 202)
    until('its end', lambda: len(d.call('list_events', sessionId='small-0', types=['turn.completed'])[1]['events']) == 2)
    check('the session that was kept is whole', is_there(d, 'small-0'))
    check('nothing is half deleted', not half_deleted(data))
    check('it stops in order', d.stop() == 0)
    os.unlink(filler)
    shutil.rmtree(data)


def main():
    build = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else 'build')
    if os.environ.get('THOLE_FULL_DISK') != 'inside':
        if os.geteuid() != 0 or not shutil.which('unshare'):
            print('ok 1 - deletion on a full disk # SKIP needs root and unshare\n1..1')
            return 0
        return subprocess.call(['unshare', '--mount', sys.executable, __file__, build], env={**os.environ, 'THOLE_FULL_DISK': 'inside'})
    room = tempfile.mkdtemp(prefix='thole-full-')
    try:
        if subprocess.call(['mount', '-t', 'tmpfs', '-o', f'size={SIZE}', 'tmpfs', room]) != 0:
            print('ok 1 - deletion on a full disk # SKIP no tmpfs can be mounted here\n1..1')
            return 0
        story(build, room)
        story(build, room, is_killed=True)
        story(build, room, is_held=True)
    finally:
        subprocess.call(['umount', '-l', room])
        os.rmdir(room)
    print(f'1..{full_disk.number}')
    return 1 if full_disk.failed else 0


if __name__ == '__main__':
    sys.exit(main())
