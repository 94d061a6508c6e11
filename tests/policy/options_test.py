#!/usr/bin/env python3
"""Compares the table of programs with what installed programs say of their options.

    options_test.py POLICY_TEST

An option that takes no value must not hide the word behind it: `cat -n FILE` reads FILE.  For
each option in `PROGRAM --help` the command `PROGRAM OPTION FILE` (or `PROGRAM OPTION VALUE FILE`)
is analysed, and FILE must be one of its paths.  Programs that are not installed are reported.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

PROBE = '/probe/file'

# How a file is given to each program; {} is where its options are.
FORMS = {
    '{p} {} ' + PROBE: """
        b2sum base32 base64 basenc cat cksum comm cut df dir du expand fmt fold head hexdump iconv join ls md5sum nl nm
        objdump od paste pr readelf readlink realpath rev sha1sum sha224sum sha256sum sha384sum sha512sum shuf size sort
        stat strings sum tac tail tsort unexpand uniq vdir wc zcat gzip gunzip bzip2 xz xzcat zstd zstdcat lz4 bzcat
        column file shellcheck rm rmdir mkdir mkfifo touch truncate shred tee split mktemp tree pigz bc""",
    '{p} {} text ' + PROBE: 'grep egrep fgrep rg look chmod chown chgrp',
    '{p} {} /probe/other ' + PROBE: 'cmp diff sdiff cp mv ln install link diff3 rsync',
}

# These do not reach the file, or are tested elsewhere.
SKIPPED = {'--help', '--version', '--'}
EXCEPT = {
    'sort': {'-first'},  # no option
    'mktemp': {'-t', '-u', '--dry-run', '-q', '--quiet', '-d', '--directory'},
    'rg': {'--files', '--type-list', '-e', '-f', '--regexp', '--file'},  # no pattern, or another one
    'grep': {'-e', '-f', '--regexp', '--file'},
    'egrep': {'-e', '-f', '--regexp', '--file'},
    'fgrep': {'-e', '-f', '--regexp', '--file'},
    'chmod': {'--reference'}, 'chown': {'--reference'}, 'chgrp': {'--reference'},
    'zstd': {'-b', '-e', '-i'}, 'zstdcat': {'-b', '-e', '-i'}, 'lz4': {'-b', '-e', '-i', '-B'},
}

# Where the help text does not show that a word follows.
TAKES = {
    'nm': {'-X'}, 'od': {'-S'}, 'readelf': {'--unicode'}, 'shuf': {'-i', '--input-range'}, 'stat': {'-c'}, 'strings': {'-U'},
    'file': {'-P', '--parameter'}, 'shellcheck': {'-e', '-i', '-o'},
    'tree': {'-H', '-I', '-L', '-P', '-T', '--charset', '--filelimit', '--hintro', '--houtro', '--sort'},
}

OPTION = re.compile(r'(--?[A-Za-z0-9][A-Za-z0-9-]*)(\[=|=|\[| ?<| (?=[A-Z][A-Z_+-]+\b))?')


def options_of(program):
    """Each option of the help text, and whether it takes a value: yes, or no (an optional one is no word)."""
    text = subprocess.run([program, '--help'], capture_output=True, text=True, errors='replace', timeout=20,
                          stdin=subprocess.DEVNULL, env={'PATH': os.environ['PATH'], 'LC_ALL': 'C'}).stdout
    found = {}
    for line in text.splitlines():
        if not re.match(r'\s{0,12}--?[A-Za-z0-9]', line):
            continue
        head = re.split(r'\s{2,}', line.strip())[0]
        names = OPTION.findall(head)
        # "-n, --lines=NUM": what the last name says holds for all.
        takes = bool(names) and names[-1][1] in ('=', '<', ' <', ' ')
        is_optional = any(sign in ('[=', '[') for _, sign in names)
        for name, _ in names:
            if name not in SKIPPED:
                found[name] = found.get(name, False) or (takes and not is_optional)
    return found


def paths_of(policy_test, command):
    answer = subprocess.run([policy_test, command], capture_output=True, text=True, timeout=20)
    return [path for act in json.loads(answer.stdout)['acts'] for path in act['paths']]


def probe(policy_test, form, program, option, takes):
    """None, or what is wrong."""
    words = f'{option} 1' if takes else option
    command = form.replace('{p}', program).replace('{}', words, 1)
    for path in paths_of(policy_test, command):
        if path['resolved'].startswith(PROBE) and 'guess' not in path['is']:
            return None
    return f'{command}: {PROBE} is no path of it'


def main():
    policy_test = sys.argv[1]
    jobs, missing = [], []
    for form, programs in FORMS.items():
        for program in programs.split():
            if not shutil.which(program):
                missing.append(program)
                continue
            for option, takes in sorted(options_of(program).items()):
                takes = takes or option in TAKES.get(program, ())
                if option not in EXCEPT.get(program, ()):
                    jobs.append((policy_test, form, program, option, takes))
    with ThreadPoolExecutor(2) as pool:
        wrong = [w for w in pool.map(lambda job: probe(*job), jobs) if w]
    for line in wrong:
        print(line)
    for program in missing:
        print(f'SKIP {program}: not installed')
    print(f'{len(jobs)} options, {len(wrong)} wrong')
    if len(jobs) < 300:
        print('too few programs describe themselves')
        return 1
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
