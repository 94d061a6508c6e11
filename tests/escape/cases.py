"""The attempts: each has a command and a check from outside whether it succeeded.

`command` is a shell line, in which `got COMMAND` is true when an attempt says that it got through; {A} is the attempt program inside the workspace, {WS} {OUT} {HOME} {DATA}
the directories, {PID} a process outside, {TCP} {UDP} {ANY} {TCP6} ports outside, {PORT} a free one.  `escaped` looks at
the world (never at what the sandbox reports) and answers whether something got out.  `gap` is the
word by which a weaker tier admits that it cannot hold this; a tier that does not admit it must hold.
`control`: run without a sandbox first, to show that the attempt works at all ("root": only root can;
"mounts": root, in a mount namespace of its own).  `proof` says that the attempt really took place,
where silence could mean either.
"""
import os
import pathlib
import signal
import stat
import subprocess
import time

from world import CANARY, KEY_NAME, SHM_KEY

CASES = []


def case(name, command, escaped, gap=None, control=True, options=(), setup=None, network=None, needs=None,
         proof=None, timeout=60):
    CASES.append(dict(name=name, command=command, escaped=escaped, gap=gap, control=control,
                      options=list(options), setup=setup, network=network, needs=needs, proof=proof,
                      timeout=timeout))


def power(w, r):
    """The power itself is the prize."""
    return r.code == 42


def leak(w, r):
    return r.leaked()


def changed(w, r):
    """Anything outside is not as it was."""
    f = w.out / "file"
    return (not f.exists() or f.read_text() != "untouched\n" or sorted(os.listdir(w.out)) !=
            ["dir", "file", "secret"] or os.listdir(w.out / "dir") != [])


def metadata(w, r):
    st = (w.out / "file").stat()
    try:
        xattr = os.getxattr(w.out / "file", "user.escape")
    except OSError:
        xattr = None
    return stat.S_IMODE(st.st_mode) != 0o644 or st.st_mtime != 1000000000 or xattr


def heard(w, r):
    said = w.heard()
    return b"escaped" in said or b"connected" in said


def victim(w, r):
    time.sleep(0.05)
    return not w.victim_is_well()


def exists(*names):
    return lambda w, r: any((w.base / n).exists() or (w.base / n).is_symlink() for n in names)


def content(name, text):
    return lambda w, r: not (w.base / name).exists() or (w.base / name).read_text() != text


def suid_made(w, r):
    return any(p.is_file() and p.stat().st_mode & 0o6000 for p in w.ws.iterdir())


def beats(w, r):
    """Something of the command still runs after its end."""
    f = w.ws / "beat"
    before = f.stat().st_size if f.exists() else 0
    time.sleep(0.3)
    after = f.stat().st_size if f.exists() else 0
    return after > before


def beat(w, r):
    return (w.ws / "beat").exists()


# ---- writing where one may not ----
case("write outside by absolute path", "{A} write {OUT}/marker", changed)
case("write outside by a relative path", "{A} write ../outside/marker", changed)
case("overwrite a file outside", "{A} write {OUT}/file", changed)
case("truncate a file outside", "{A} truncate {OUT}/file", changed)
case("remove a file outside", "{A} unlink {OUT}/file", changed)
case("make a directory outside", "{A} mkdir {OUT}/new", changed)
case("make a fifo outside", "{A} mkfifo {OUT}/fifo", changed)
case("make a symbolic link outside", "{A} symlink x {OUT}/link", changed)
case("move a file out of the workspace", "{A} rename plain.txt {OUT}/plain.txt", changed)
case("move a file of the outside in", "{A} rename {OUT}/file stolen", changed)
case("exchange a file with one outside", "{A} exchange plain.txt {OUT}/file", changed)
case("write through a new symbolic link", "ln -s {OUT} l && {A} write l/marker", changed)
case("write through a link that was there before", "{A} write there/marker", changed,
     setup=lambda w: os.symlink(w.out, w.ws / "there"))
case("write through a chain of links", "ln -s {OUT}/dir a && ln -s a b && {A} write b/marker", changed)
case("write through a hard link made inside", "{A} link {OUT}/file hard", changed)
case("write through /proc/self/root", "{A} write /proc/self/root{OUT}/marker", changed)
case("write through /proc/1/root", "{A} write /proc/1/root{OUT}/marker", changed)
case("write through /proc/self/cwd", "{A} write /proc/self/cwd/../outside/marker", changed)
case("write through the parent's root", "{A} write /proc/$PPID/root{OUT}/marker", changed)
case("write through a process of the host", "{A} write /proc/{PID}/root{OUT}/marker", changed)
case("write through the cwd of a process of the host", "{A} write /proc/{PID}/cwd/outside/marker", changed)
case("write through an inherited directory", "{A} openat 200 marker", changed, control=False,
     needs="inherited")
case("find any inherited descriptor", "{A} fd-list", power, control=False, needs="inherited")
case("link a nameless file outside", "{A} tmpfile-link {OUT} {OUT}/marker", changed)
case("reopen an O_PATH descriptor", "{A} opath {OUT}/file", changed)
case("openat2 outside", "{A} openat2 0666 0 {OUT}/marker", changed)
case("openat2 with RESOLVE_IN_ROOT", "{A} openat2 0666 0x10 {OUT}/marker", changed)
case("open a file by its handle", "{A} handle {OUT}/marker", changed, control="root")
case("append to the shell's startup file", "{A} append {HOME}/.bashrc", content("home/.bashrc", "# mine\n"))
case("make a startup file that was absent", "{A} write {HOME}/.profile", exists("home/.profile"))
case("write into the host's /tmp", "{A} write /tmp/{BASE}-x",
     lambda w, r: os.path.exists(f"/tmp/{w.base.name}-x"))
case("write into the host's /dev/shm", "{A} write /dev/shm/{BASE}", lambda w, r: w.host_shm.exists())
case("write into the host's /var/tmp", "{A} write /var/tmp/{BASE}-y",
     lambda w, r: os.path.exists(f"/var/tmp/{w.base.name}-y"))
case("write into /run", "{A} write /run/{BASE}", lambda w, r: os.path.exists(f"/run/{w.base.name}"),
     control=False)
case("install a program for everybody", "{A} write /usr/local/bin/{BASE}",
     lambda w, r: os.path.exists(f"/usr/local/bin/{w.base.name}"), control=False)
case("install a cron job", "mkdir -p /etc/cron.d; {A} write /etc/cron.d/{BASE}",
     lambda w, r: os.path.exists(f"/etc/cron.d/{w.base.name}"), control=False)
case("preload a library into everything", "{A} append /etc/ld.so.preload",
     lambda w, r: os.path.exists("/etc/ld.so.preload"), control=False)
case("execute from a memfd and write outside", "{A} memfd-exec {A} write {OUT}/marker", changed)
case("write through a program loaded by ld.so", "$(ls /lib/ld-linux-*.so* /lib64/ld-linux-*.so* 2>/dev/null"
     " | head -1) {A} write {OUT}/marker", changed)
case("write in read_only mode", "{A} write {WS}/new", exists("ws/new"), options=["--profile", "read_only"])
case("remove in read_only mode", "rm -rf {WS}/plain.txt {WS}/sub", lambda w, r: not (w.ws / "sub").exists(),
     options=["--profile", "read_only"])

# ---- changing metadata ----
case("chmod outside", "{A} chmod 777 {OUT}/file", metadata, gap="metadata")
case("set times outside", "{A} utimes {OUT}/file", metadata, gap="metadata")
case("set an extended attribute outside", "{A} setxattr {OUT}/file user.escape", metadata, gap="metadata")

# ---- reading what one may not ----
case("read a secret outside", "{A} cat {OUT}/secret", leak)
case("read a key in the home directory", "{A} cat {HOME}/.ssh/id_rsa; cat ~/.ssh/id_rsa", leak)
case("read the runtime's own state", "{A} cat {DATA}/token", leak)
case("read a denied file inside the workspace", "{A} cat {WS}/secret.env; {A} link secret.env n; cat n", leak,
     gap="denied_paths", options=["--deny-read", "{WS}/secret.env"])
case("read a denied directory inside the workspace", "cat {WS}/private/s; ls {WS}/private; mv private p2; cat p2/s",
     leak, gap="denied_paths", options=["--deny-read", "{WS}/private"],
     setup=lambda w: ((w.ws / "private").mkdir(), (w.ws / "private" / "s").write_text(CANARY)))
case("list a directory outside", "ls {OUT} && echo " + CANARY, leak)
case("read through a link that was there before", "cat there/secret", leak,
     setup=lambda w: os.symlink(w.out, w.ws / "there"))
case("read a secret variable of the caller", "env; cat /proc/self/environ /proc/$PPID/environ /proc/1/environ", leak)
case("read the environment of a process outside", "cat /proc/{PID}/environ; cat /proc/*/environ", leak)
case("read the command line of a process outside", "cat /proc/*/cmdline | tr '\\0' ' '",
     lambda w, r: "3600.7391" in r.out, gap="process_list")
case("read the password hashes", "cat /etc/shadow", lambda w, r: "root:" in r.out, control="root")
case("read the kernel log", "{A} dmesg", power, control="root")
case("read /proc/kcore", "{A} cat /proc/kcore >/dev/null", power, control="root")
case("read shared memory of the host", "{A} shm " + hex(SHM_KEY), leak)
case("read a key from the user's keyring", "{A} keyctl " + KEY_NAME, leak)
case("request a key", "{A} request-key " + KEY_NAME, power)
case("put a key into the user's keyring", "{A} add-key thole-escape-evil", power, control=False)

# ---- mounts, roots, namespaces ----
case("mount a tmpfs", "{A} mount-tmpfs {WS}/sub", power, control="mounts")
case("bind the outside into the workspace", "{A} mount-bind / {WS}/sub; {A} write {WS}/sub{OUT}/marker", changed,
     control="mounts")
case("remount a read-only place", "got {A} remount /usr && exit 42; got {A} remount / && exit 42; got {A} remount {WS} && exit 42; exit 1",
     power, control=False)
case("unmount a protection", "{A} umount {WS}/.git/hooks; {A} umount {WS}/.git/config; {A} write {WS}/.git/hooks/x",
     exists("ws/.git/hooks/x"), gap="protected_paths")
case("copy a mount with open_tree", "{A} open-tree /", power, control="mounts")
case("make a file system with fsopen", "{A} fsopen tmpfs", power, control="mounts")
case("change mount flags with mount_setattr", "{A} mount-setattr /", power, control="mounts")
case("break out of a chroot", "{A} chroot {OUT}/marker", changed, control="root")
case("pivot_root", "{A} pivot", power, control=False)
case("a user namespace by unshare", "{A} unshare 0x10000000", power)
case("a user and mount namespace by unshare", "{A} unshare 0x10020000", power)
case("a network namespace by unshare", "{A} unshare 0x40000000", power, control="root")
case("a user namespace by clone", "{A} clone 0x10000000", power)
case("a user namespace by clone3", "{A} clone3 0x10000000", power)
case("the mount namespace of process 1", "{A} setns /proc/1/ns/mnt", power, control=False)
case("the network namespace of a process outside", "{A} setns /proc/{PID}/ns/net", power, control="root")
case("its own user namespace again", "{A} setns /proc/self/ns/user", power, control=False)

# ---- other processes ----
case("kill a process outside", "{A} kill {PID} 9", victim)
case("kill a process outside by pidfd", "{A} pidfd-kill {PID} 9", victim)
case("kill a process outside by thread", "{A} tgkill {PID} 9", victim)
case("kill a process outside with sigqueue", "{A} sigqueue {PID} 15", victim)
case("have the kernel signal a process outside", "{A} sigio {PID} 15", victim)
case("signal everybody", "{A} kill-all; sleep 0.1", lambda w, r: not w.victim_is_stopped(), control=False,
     setup=lambda w: (os.kill(w.victim.pid, signal.SIGSTOP), time.sleep(0.05)))
case("kill the init or supervisor", "kill -9 $PPID; {A} kill 1 9; sleep 0.2; echo " + CANARY + "-still-here",
     lambda w, r: r.report.get("process", {}).get("survivors") != 0 or r.report["process"].get("cause") != "exit",
     control=False)
case("trace the parent", "{A} ptrace $PPID", power, control=False)
# The command ends when its child is seen to run, and at the latest after 20 s.
BEAT_SEEN = "i=0; while [ ! -s {WS}/beat ] && [ $i -lt 400 ]; do sleep 0.05; i=$((i + 1)); done"

case("trace a process outside", "{A} ptrace {PID}", power)
case("trace an own child", "sleep 1 & {A} ptrace $!", power)
case("read the memory of a process outside", "got {A} vm-read {PID} 0x400000 && exit 42; {A} vm-read $PPID 0x400000", power,
     control=False)
case("write the memory of process 1", "got {A} append /proc/1/mem && exit 42; {A} append /proc/$PPID/mem", power, control=False)
case("take a descriptor of a process outside", "{A} pidfd-getfd {PID}", power)
case("take a descriptor of the parent", "{A} pidfd-getfd $PPID", power, control=False)
case("change the limits of a process outside", "{A} prlimit {PID}", victim)
case("change the priority of a process outside", "{A} renice {PID}", victim)
case("change the priority of all of the user's", "{A} renice-user", victim, control=False)
case("survive by double fork and setsid", "{A} survive {WS}/beat; " + BEAT_SEEN, beats, control=False, proof=beat)
case("survive by clone with CLONE_PARENT", "{A} clone-parent {WS}/beat; " + BEAT_SEEN, beats, control=False, proof=beat)
case("survive by nohup in the background", "nohup sh -c 'while :; do echo >> {WS}/beat; sleep 0.02; done' "
     ">/dev/null 2>&1 & " + BEAT_SEEN, beats, control=False, proof=beat)
case("survive a timeout", "trap '' TERM INT HUP; {A} survive {WS}/beat; while :; do echo . >> {WS}/beat; sleep 0.02;"
     " done", beats, control=False, options=["--timeout", "1"], proof=beat)

# ---- sockets ----
case("TCP to the host's loopback", "{A} tcp 127.0.0.1 {TCP}", heard)
case("TCP to the host's loopback, network off", "{A} tcp 127.0.0.1 {TCP}", heard, network="off")
case("TCP with fast open", "{A} fastopen 127.0.0.1 {TCP}", heard)
case("TCP over IPv6", "{A} tcp ::1 {TCP6}", heard, needs="tcp6")
case("TCP to an address of the host", "{A} tcp {IP} {ANY}", heard, needs="ip")
case("UDP to the host's loopback", "{A} udp 127.0.0.1 {UDP}", heard)
case("UDP to the host's loopback, network off", "{A} udp 127.0.0.1 {UDP}", heard, network="off")
case("abstract socket", "{A} unix @{BASE}", heard)
case("abstract socket with the host's network", "{A} unix @{BASE}", heard, network="full")
case("abstract datagram", "{A} unix-dgram 2 @{BASE}-d", heard)
case("abstract datagram with the host's network", "{A} unix-dgram 2 @{BASE}-d", heard, network="full")
case("path socket in the workspace", "{A} unix {WS}/sock", heard)
case("path socket in the workspace, network off", "{A} unix {WS}/sock", heard, network="off")
case("path socket in the workspace, host's network", "{A} unix {WS}/sock", heard, network="full")
case("path socket by a relative path", "cd sub; {A} unix ../sock", heard, network="off")
case("path socket in the host's /tmp", "{A} unix /tmp/{BASE}", heard)
case("datagram to a path socket", "{A} unix-dgram 2 {WS}/dsock", heard)
case("datagram to a path socket, network off", "{A} unix-dgram 2 {WS}/dsock", heard, network="off")
case("datagram from half a socket pair", "{A} unix-dgram 12 {WS}/dsock", heard)
case("datagram from half a socket pair, network off", "{A} unix-dgram 12 {WS}/dsock", heard, network="off")
case("datagram socket by the name of SOCK_RAW", "{A} unix-dgram 3 {WS}/dsock", heard, network="off")
case("raw socket", "{A} socket 2 3 1", power, control="root")
case("packet socket", "{A} socket 17 3 768", power, control="root")
case("packet socket behind a dirty register", "{A} socket 0x100000011 3 768", power, control="root")
case("vsock to the hypervisor", "{A} vsock 2 22", power, control=False)
case("kernel crypto socket", "{A} socket 38 5 0", power)
case("netlink beyond routes", "{A} socket 16 3 15", power)
case("netlink behind a dirty register", "{A} socket 0x100000010 3 15", power)
case("bluetooth, rds, tipc, can, xdp, key", "for f in 31 21 30 29 44 15; do for p in 0 1; do "
     "got {A} socket $f 3 $p && exit 42; done; done", power)

# ---- past the proxy, and through it ----
PROXY = ["--allow-host", "127.0.0.1:{PORT}"]


def ask(lines):
    """Says these to the proxy, one connection each, and prints what it answers."""
    return ("python3 - <<'X'\nimport socket\nfor text in " + repr(lines) + ":\n"
            "    s = socket.create_connection(('127.0.0.1', 3128)); s.sendall(text.encode()); print(s.recv(100))\nX")


def answered(w, r):
    """A proxy needs a sandbox with its own network."""
    return not w.tier.startswith("namespaces") or "HTTP/1.1 40" in r.out


case("TCP past the proxy", "{A} tcp 127.0.0.1 {TCP}", heard, options=PROXY)
case("TCP past the proxy to an address of the host", "{A} tcp {IP} {ANY}", heard, options=PROXY, needs="ip")
case("a question to a name server past the proxy", "{A} udp 127.0.0.1 {UDP}", heard, options=PROXY)
case("an abstract socket past the proxy", "{A} unix @{BASE}", heard, options=PROXY)
case("an abstract datagram past the proxy", "{A} unix-dgram 2 @{BASE}-d", heard, options=PROXY)
case("a path socket past the proxy", "{A} unix {WS}/sock", heard, options=PROXY)
case("a tunnel to a host that is not listed", ask(["CONNECT 127.0.0.1:{TCP} HTTP/1.1\r\n\r\n"]), heard, options=PROXY,
     control=False, proof=answered)
case("a request for a host that is not listed", ask(["GET http://127.0.0.1:{TCP}/ HTTP/1.1\r\n\r\n"]), heard, options=PROXY,
     control=False, proof=answered)
case("a listed name that leads to the loopback", ask(["CONNECT localhost:{TCP} HTTP/1.1\r\n\r\n",
                                                     "GET http://localhost:{TCP}/ HTTP/1.1\r\n\r\n"]),
     heard, options=["--allow-host", "*:*"], control=False, proof=answered)
case("the loopback in other letters", ask([f"CONNECT {name}:{{TCP}} HTTP/1.1\r\n\r\n" for name in (
    "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::ffff:127.0.0.1]", "127.0.0.1.", "LocalHost.", "0", "0.0.0.0",
    "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]")]), heard, options=["--allow-host", "*:*"], control=False, proof=answered)
case("a server inside, reached from outside", "{A} listen {PORT} & sleep 1",
     lambda w, r: False, control=False, needs="probe-port")

# ---- terminals ----
case("type into a terminal of the host", "{A} tiocsti {PTS} 0", lambda w, r: b"x" in w.pty_said(), control="root")
# Only inside: without a sandbox it would type into every terminal of the machine.
case("type into every terminal that is there", "for t in /dev/pts/*; do {A} tiocsti $t 0; done",
     lambda w, r: b"x" in w.pty_said(), control=False)
case("write to a terminal of the host", "{A} append {PTS}", lambda w, r: b"escaped" in w.pty_said())
case("type into its own terminal", "{A} tiocsti /dev/tty 0", power, control=False, options=["--tty"])
case("type into its own terminal, dirty register", "{A} tiocsti /dev/tty 0x100000000", power, control=False,
     options=["--tty"])
case("the console's paste buffer", "{A} tioclinux /dev/tty", power, control=False, options=["--tty"])

# ---- privilege ----
case("run a setuid root program", "{SUID}", power, control=False, needs="suid", options=["--read", "{SUID}"],
     proof=lambda w, r: "euid" in r.out)
case("become root", "{A} setuid0", power, gap="called_root", control="root")
case("hold any capability", "{A} caps", power, control="root")
case("make a setuid file by chmod", "cp {A} s; {A} chmod 4755 s", suid_made)
case("make a setgid file by chmod", "cp {A} s; {A} chmod 2755 s", suid_made)
case("make a setuid file by fchmodat2", "cp {A} s; {A} fchmodat2 4755 s", suid_made)
case("make a setuid file by open", "umask 0; {A} creat-mode 4755 s", suid_made)
case("make a setuid file by openat2", "umask 0; {A} openat2 4755 0 {WS}/s", suid_made)
case("make a setuid file by mknod", "umask 0; {A} mknod-mode 4755 s", suid_made)
case("give a file capabilities", "cp {A} s; {A} setxattr s security.capability",
     lambda w, r: "security.capability" in os.listxattr(w.ws / "s") if (w.ws / "s").exists() else False,
     control=False)
case("make a device node", "{A} mknod-dev c 1 1 dev; {A} mknod-dev b 254 0 dev2",
     lambda w, r: any(stat.S_ISCHR(p.lstat().st_mode) or stat.S_ISBLK(p.lstat().st_mode)
                      for p in w.ws.iterdir()), control="root")
case("open memory and disks", "for d in /dev/mem /dev/kmem /dev/port /dev/vda /dev/sda /dev/kmsg /dev/loop0; do "
     "got {A} cat $d >/dev/null && exit 42; done", power, control="root")

# ---- the kernel ----
case("write core_pattern", "{A} append /proc/sys/kernel/core_pattern",
     lambda w, r: "escaped" in pathlib.Path("/proc/sys/kernel/core_pattern").read_text(), control=False)
case("write another sysctl", "echo 1 > /proc/sys/vm/drop_caches && exit 42", power, control="root")
case("sysrq", "test -w /proc/sysrq-trigger && exit 42", power, control="root")
case("uevent helper", "echo x > /sys/kernel/uevent_helper && exit 42; echo x > /sys/kernel/mm/ksm/run && exit 42",
     power, control=False)
case("make a control group", "for d in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/memory; do "
     "mkdir $d/{BASE}; done", lambda w, r: rmdirs(w), control=False)
case("set the release agent", "echo x > /sys/fs/cgroup/systemd/release_agent && exit 42", power, control=False)
case("io_uring", "{A} io-uring", power)
case("userfaultfd", "{A} userfaultfd", power)
case("bpf", "{A} bpf", power, control="root")
case("perf_event_open", "{A} perf", power, control="root")
case("kernel modules, kexec, swap, quota, reboot, segments of memory (x86)", "{NEVER}", power, control=False)
case("process accounting into the workspace", "touch acct; {A} acct {WS}/acct", power, control="root")
case("set the clock", "{A} adjtime", power, control="root")
case("change the host's name", "hostname {BASE}", lambda w, r: os.uname().nodename == w.base.name, control=False)

# ---- what is protected inside the workspace ----
P = dict(gap="protected_paths")
case("plant a git hook", "{A} write .git/hooks/pre-commit", exists("ws/.git/hooks/pre-commit"), **P)
case("change git's config", "{A} append .git/config", content("ws/.git/config", "[core]\n\tbare = false\n"), **P)
case("replace git's config by rename", "echo x > c; mv -f c .git/config; {A} exchange plain.txt .git/config",
     content("ws/.git/config", "[core]\n\tbare = false\n"), **P)
case("remove git's config", "rm -f .git/config", content("ws/.git/config", "[core]\n\tbare = false\n"), **P)
case("hard-link git's config and write", "{A} link .git/config c", content("ws/.git/config", "[core]\n\tbare = false\n"),
     **P)
case("move .git away and make another", "mv .git old; mkdir -p .git/hooks; {A} write .git/hooks/x",
     exists("ws/.git/hooks/x"), **P)
case("exchange .git with another directory", "mkdir -p g/hooks; {A} write g/hooks/x; {A} exchange g .git",
     exists("ws/.git/hooks/x"), **P)
case("redirect git by commondir", "{A} write .git/commondir",
     lambda w, r: (w.ws / ".git/commondir").exists() and "escaped" in (w.ws / ".git/commondir").read_text(), **P)
case("replace the hooks by a link", "rm -rf .git/hooks; ln -s ../sub .git/hooks; {A} rename sub .git/hooks",
     lambda w, r: (w.ws / ".git/hooks").is_symlink() or not (w.ws / ".git/hooks").exists(), **P)
case("make an absent .thole", "mkdir .thole; {A} write .thole/config", exists("ws/.thole/config"), **P)
case("make an absent .mcp.json", "{A} write .mcp.json; echo x > m; mv m .mcp.json; {A} symlink x .mcp.json",
     lambda w, r: (w.ws / ".mcp.json").is_file() or (w.ws / ".mcp.json").is_symlink(), **P)
case("replace a placeholder", "rmdir .mcp.json; {A} exchange plain.txt .mcp.json; {A} rename plain.txt .mcp.json",
     lambda w, r: (w.ws / ".mcp.json").is_file(), **P)
case("make absent agent instructions", "{A} write AGENTS.md; {A} write CLAUDE.md",
     lambda w, r: (w.ws / "AGENTS.md").is_file() or (w.ws / "CLAUDE.md").is_file(), **P)
case("make absent editor tasks", "mkdir .vscode; {A} write .vscode/tasks.json", exists("ws/.vscode/tasks.json"), **P)
case("make an absent .git", "mkdir -p .git/hooks; {A} write .git/hooks/x", exists("ws/.git/hooks/x"),
     setup=lambda w: __import__("shutil").rmtree(w.ws / ".git"), **P)
case("redirect a worktree's .git file", "{A} write .git", content("ws/.git", "gitdir: /nowhere\n"),
     setup=lambda w: (__import__("shutil").rmtree(w.ws / ".git"), (w.ws / ".git").write_text("gitdir: /nowhere\n")), **P)
case("change a path that the caller protects", "{A} write keep/me; mv keep k; mkdir keep; {A} write keep/me",
     lambda w, r: (w.ws / "keep/me").read_text() != "mine", options=["--protect", "{WS}/keep"],
     setup=lambda w: ((w.ws / "keep").mkdir(), (w.ws / "keep/me").write_text("mine")), **P)
case("a .git that is a link into the workspace", "{A} write real/hooks/x; rm .git; mkdir -p .git/hooks; "
     "{A} write .git/hooks/x", exists("ws/real/hooks/x", "ws/.git/hooks/x"),
     setup=lambda w: (os.rename(w.ws / ".git", w.ws / "real"), os.symlink("real", w.ws / ".git")), **P)
case("a placeholder's path that is a link outside", "true",
     lambda w, r: changed(w, r) or (w.out / "dir").stat().st_mode & 0o777 != 0o755, control=False,
     setup=lambda w: (os.chmod(w.out / "dir", 0o755), os.symlink(w.out / "dir", w.ws / ".thole")))
case("a protected path behind a dangling link", "mkdir -p newplace/hooks; {A} write newplace/hooks/x",
     exists("ws/newplace/hooks/x"), control=False,
     setup=lambda w: (__import__("shutil").rmtree(w.ws / ".git"), os.symlink("newplace", w.ws / ".git")), **P)

# Names that have no placeholder, by ways that mean another directory for another process.
ENVRC = lambda w, r: any((w.ws / n).exists() for n in (".envrc", ".npmrc", "Jenkinsfile", "x.denied"))  # noqa: E731
case("a protected name by the caller's own directory", "{A} write /proc/self/cwd/.envrc; {A} write /proc/thread-self/cwd/.npmrc; "
     "echo x > f; {A} rename f /proc/self/cwd/Jenkinsfile", ENVRC, **P)
case("a protected name by a way through procfs", "{A} write /proc/self/map_files/../cwd/.envrc; {A} write /proc/self/task/../cwd/.npmrc; "
     "{A} write /proc/self/root/{WS}/Jenkinsfile; {A} write /proc/mounts/../cwd/.envrc", ENVRC, **P)
case("a protected name by a link to procfs", "ln -s /proc/self/cwd a; ln -s a b; {A} write b/.envrc; ln -s /proc/self/cwd/.npmrc c; {A} write c; "
     "mkdir -p d; ln -s ../b d/e; {A} write d/e/Jenkinsfile", ENVRC, **P)
case("a protected name by a descriptor", "for n in 3 4 5 6 7 8 9; do eval \"exec $n<.\"; {A} write /proc/self/fd/$n/.envrc; "
     "{A} write /dev/fd/$n/.npmrc; done", ENVRC, **P)
case("a protected name by the directory of a parent", "({A} write /proc/$$/cwd/.envrc; {A} write /proc/$PPID/cwd/.npmrc; "
     "{A} write /proc/1/cwd/{WS}/Jenkinsfile)", ENVRC, **P)
case("a denied pattern by the caller's own directory", "{A} write /proc/self/cwd/x.denied; ln -s /proc/self/cwd a; {A} write a/x.denied",
     ENVRC, options=["--deny", "{WS}/**/*.denied"], **P)


def program(text):
    """A setup that leaves this program in the workspace."""
    return lambda w: (w.ws / "attempt.py").write_text(text)


case("a protected name by the longest path that there is", "python3 attempt.py", ENVRC, setup=program(
    'import os\nos.close(os.open("./" * 2044 + "/.envrc", os.O_WRONLY | os.O_CREAT))\n'), **P)
case("a protected name in memory that others cannot read", "python3 attempt.py", ENVRC, control=False, setup=program(
    "import ctypes, mmap, os\nlibc = ctypes.CDLL(None)\nfd = libc.syscall(447, 0)\nos.ftruncate(fd, 4096)\n"
    "m = mmap.mmap(fd, 4096)\nm[:7] = b'.envrc\\0'\n"
    "libc.open(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(m))), os.O_WRONLY | os.O_CREAT, 0o644)\n"), **P)
case("a protected name behind longer links than a path may have", "python3 attempt.py", ENVRC, setup=program(
    'import os\nfor i in (1, 2, 3): os.symlink("m%d/" % (i + 1) + "./" * 2000, "m%d" % i)\n'
    'os.symlink(".", "m4"); os.symlink("m1/.envrc", "m0")\nos.close(os.open("m0", os.O_WRONLY | os.O_CREAT))\n'), **P)
case("a directory with protected files over one that is there", "mkdir -p x/workflows; {A} write x/workflows/ci.yml; mkdir .github; mv -T x .github; "
     "mkdir c .cargo; {A} write c/config.toml; {A} exchange c .cargo", exists("ws/.github/workflows/ci.yml", "ws/.cargo/config.toml"), **P)
case("a file that a file tool prepares", "{A} write .thole-0123456789abcdef.new; echo x > f; {A} rename f .thole-0123456789abcdef.new",
     exists("ws/.thole-0123456789abcdef.new"), **P)
case("half a repository by mv", "mv nested/.git taken", exists("ws/taken/HEAD"),
     setup=lambda w: subprocess.run(["git", "init", "-q", w.ws / "nested"], check=True), **P)

# ---- the launcher ----
case("preload by the call's own variable", "true", changed, control=False, needs="evil",
     options=["--env", "LD_PRELOAD={EVIL}"])
case("a program of the workspace first in PATH", "true", changed, control=False, needs="path",
     options=["--env", "PATH={WS}/bin:/usr/bin:/bin"])
case("a sandbox inside the sandbox", "LD_LIBRARY_PATH={HANDS} {HAND} sandbox-run --profile danger_full_access -- {A} write {OUT}/marker", changed,
     options=["--read", "{HANDS}"], control=False, proof=lambda w, r: r.code != 127)
case("truncate the launcher's own output", "{A} reopen /proc/self/fd/1; {A} reopen /dev/stdout; {A} reopen "
     "/proc/$PPID/fd/1", lambda w, r: False, control=False, needs="stdout-file")
case("a write root that becomes a link", "{A} write {WS}/sub/x", exists("outside/x", "outside/dir/x"),
     control=False, needs="flip")

# ---- exhaustion ----
case("a fork bomb", "{A} forks 2000", lambda w, r: r.code == 42, options=["--processes", "64"],
     control=False, gap="processes_by_watch")
case("a memory bomb", "{A} memory 1024", power, options=["--memory", str(256 << 20)])
case("a memory bomb in eight processes", "{A} memory-many 128", power, gap="memory_per_process", options=["--memory", str(256 << 20)])
case("fill the private directory", "{A} fill ${TMPDIR:-/tmp}/big 200", power, gap="private_size",
     options=["--private", str(64 << 20)], control=False)
case("open descriptors without end", "{A} fds 100000", power, control=False)
case("run without end", "sleep 30", lambda w, r: r.report.get("process", {}).get("cause") != "timeout",
     options=["--timeout", "1"], control=False)
case("write without end", "yes | head -c 50000000", lambda w, r: len(r.out) > 2000000,
     options=["--output", "1000000"], control=True)


def rmdirs(w):
    got = False
    for d in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory"):
        p = os.path.join(d, w.base.name)
        if os.path.isdir(p):
            got = True
            os.rmdir(p)
    return got


# What must keep working.  (name, command, expected in the output or None, options)
WORKS = [
    ("a pipeline", "printf 'b\\na\\n' | sort | tr a-z A-Z | paste -sd,", "A,B", []),
    ("write and read in the workspace", "echo hello > f && cat f && mkdir d && mv f d/ && rm -r d", "hello", []),
    ("compile and run C", "printf '#include <stdio.h>\\nint main(){puts(\"built\");}' > m.c && gcc -O1 -o m m.c && ./m",
     "built", []),
    ("a program under AddressSanitizer", "printf '#include <stdio.h>\\nint main(){puts(\"sane\");}' > m.c && "
     "gcc -fsanitize=address -o m m.c && ASAN_OPTIONS=detect_leaks=0 ./m", "sane", ["proc"]),
    ("make", "printf 'all:\\n\\t@echo made\\n' > Makefile && make -s -j2", "made", []),
    ("git status, add, commit, log", "git status --short && git add plain.txt && git -c user.name=a -c user.email=a@b "
     "commit -qm x && git log --oneline | wc -l", "1", ["real-git"]),
    ("git diff, branch, stash", "echo more >> plain.txt && git add -A && git -c user.name=a -c user.email=a@b commit -qm y"
     " && git branch b && git checkout -q b && echo z >> plain.txt && git diff --stat | tail -1", "1 file changed",
     ["real-git"]),
    ("git status is clean inside", "git add plain.txt attempt secret.env sock dsock 2>/dev/null; git status --short | "
     "grep -v '^A ' | grep -c '??' ; true", None, ["real-git"]),
    ("python", "python3 -c 'import json,sqlite3,ssl,hashlib; print(json.dumps({\"a\":1}))'", '{"a": 1}', []),
    ("python's process pool", "python3 -c \"from multiprocessing import Pool;print(sum(Pool(2).map(abs,range(10))))\"",
     "45", ["ns"]),
    ("python's threads and subprocesses", "python3 -c \"import subprocess,threading;t=threading.Thread(target=print,args=("
     "'t',));t.start();t.join();print(subprocess.check_output(['echo','sub']).decode())\"", "sub", []),
    ("python's asyncio", "python3 -c \"import asyncio;print(asyncio.run(asyncio.sleep(0,'async')))\"", "async", []),
    ("perl", "perl -e 'print \"per\".\"l\\n\"'", "perl", []),
    ("awk and sed", "echo a1b2 | sed 's/[0-9]//g' | awk '{print $0 \"!\"}'", "ab!", []),
    ("mktemp and a private /tmp", "t=$(mktemp) && echo temp > $t && cat $t && d=$(mktemp -d) && rmdir $d", "temp", []),
    ("a large sort in TMPDIR", "seq 200000 | sort -R -S 1M | sort -n -S 1M | tail -1", "200000", []),
    ("ps sees itself only", "ps -e -o comm= | sort | uniq | tr '\\n' ' '", "ps", ["ns", "proc"]),
    ("a background job", "(sleep 0.1; echo late) & wait; echo end", "late", []),
    ("xargs in parallel", "seq 8 | xargs -P4 -n1 echo | sort | tr -d '\\n'", "12345678", []),
    ("process substitution", "diff <(echo a) <(echo a) && echo same", "same", ["bash", "proc"]),
    ("here document and stderr", "cat <<X >/dev/stderr\nto stderr\nX", "to stderr", ["proc"]),
    ("/dev/null, zero, urandom, full", "head -c 4 /dev/zero | wc -c; head -c 8 /dev/urandom | wc -c; echo x >/dev/null; "
     "echo x 2>/dev/null >/dev/full || echo full", "full", []),
    ("standard input", "cat", "from outside", ["stdin"]),
    ("exit codes", "exit 7", None, ["code7"]),
    ("a signal that ends it", "kill -TERM $$", None, ["code143"]),
    ("a terminal", "tty && stty size && test -t 0 && echo isatty", "isatty", ["--tty"]),
    ("script, a terminal inside", "script -qec 'tty; echo in-script' /dev/null", "in-script", ["ns"]),
    ("who am I", "id -u && echo ~ && hostname && echo ok", "ok", []),
    ("its own name", "whoami && id -gn", "agent", ["ns"]),
    ("names of localhost", "getent hosts localhost && echo found", "found", []),
    ("a server and client on its own loopback", "python3 - <<'X'\nimport socket,threading\ns=socket.create_server(('127.0.0.1',0))\n"
     "threading.Thread(target=lambda:s.accept()[0].sendall(b'served')).start()\n"
     "print(socket.create_connection(s.getsockname()).recv(9).decode())\nX", "served", ["ns"]),
    ("socket pairs", "python3 -c \"import socket;a,b=socket.socketpair();a.send(b'pair');print(b.recv(9).decode())\"",
     "pair", []),
    ("fifo, flock, links", "mkfifo p && (echo fifo > p &) && cat p && ln -s plain.txt s && ln plain.txt h && cat s h && "
     "flock l echo locked", "locked", []),
    ("chmod, install, cp -p, touch -d", "printf '#!/bin/sh\\necho ran' > r && chmod 755 r && ./r && install -m 644 r q && "
     "cp -p r u && touch -d 2001-01-01 u && stat -c %Y u", "978307200", []),
    ("tar and gzip", "tar czf t.tgz plain.txt && mkdir x && tar xzf t.tgz -C x && cat x/plain.txt", "plain", []),
    ("find and grep", "find . -name plain.txt | xargs grep -l plain", "./plain.txt", []),
    ("dd, truncate, mmap", "truncate -s 1M z && dd if=z of=y bs=64k 2>/dev/null && wc -c < y", "1048576", []),
    ("timeout, nice, nohup, setsid", "timeout 0.1 sleep 5; nice echo n; setsid echo s; nohup echo h 2>/dev/null", "h", []),
    ("the limits it was given", "ulimit -n && ulimit -c", "0", []),
    ("its own limits and priority", "ulimit -n 256 && nice -n 5 sh -c 'ulimit -n'", "256", []),
    ("date and time zone", "TZ=Europe/Berlin date -d @0 +%H", "01", []),
    ("certificates can be read", "ls /etc/ssl/certs | head -1 | wc -l", "1", []),
    ("reading everywhere it may", "ls /usr/bin | wc -l | grep -q '^[0-9]' && head -c 1 /usr/bin/env | wc -c", "1", []),
    ("another write root", "echo w > {OUT}/dir/w && cat {OUT}/dir/w", "w", ["--write", "{OUT}/dir"]),
    ("another read root", "cat {OUT}/secret", CANARY, ["--read", "{OUT}/secret"]),
    ("unix sockets when allowed", "python3 - <<'X'\nimport socket,threading,os\nn=os.environ.get('TMPDIR','/tmp')+'/u'\n"
     "s=socket.socket(socket.AF_UNIX);s.bind(n);s.listen()\nthreading.Thread(target=lambda:s.accept()[0].sendall(b'unixed'))"
     ".start()\nc=socket.socket(socket.AF_UNIX);c.connect(n);print(c.recv(9).decode())\nX", "unixed", ["--unix-sockets"]),
    ("many files", "mkdir m && cd m && seq 2000 | xargs touch && ls | wc -l", "2000", []),
    ("node", "command -v /usr/bin/node >/dev/null || { echo noded; exit; }; /usr/bin/node -e 'console.log(\"noded\")'",
     "noded", []),
]


# ---- what leaves no violation, and why ----
# By the words of `unreported` in sandbox.applied (docs/explanation/sandbox.md), which reported_test.py compares.
SILENT = {}
for word, names in {
    "absent": ["write through an inherited directory", "find any inherited descriptor", "read a secret variable of the caller",
               "kill a process outside by thread", "have the kernel signal a process outside", "open memory and disks"],
    "hidden_reads": ["reopen an O_PATH descriptor", "read a secret outside", "read a key in the home directory", "read the runtime's own state",
                     "list a directory outside", "read through a link that was there before", "read the environment of a process outside",
                     "read the command line of a process outside", "read the password hashes", "read shared memory of the host",
                     "the mount namespace of process 1", "the network namespace of a process outside"],
    "rights": ["read /proc/kcore", "sysrq"],
    "limits": ["fill the private directory", "open descriptors without end"],
}.items():
    for name in names:
        SILENT[name] = word

# Nothing is refused: it happens inside and reaches no other process.
INSIDE = {"append to the shell's startup file", "make a startup file that was absent", "write into the host's /tmp", "write into the host's /dev/shm",
          "signal everybody", "kill the init or supervisor", "change the priority of all of the user's", "survive by double fork and setsid",
          "survive by clone with CLONE_PARENT", "survive by nohup in the background", "TCP to the host's loopback", "TCP with fast open", "TCP over IPv6",
          "UDP to the host's loopback", "abstract socket", "abstract datagram", "TCP past the proxy", "a question to a name server past the proxy",
          "an abstract socket past the proxy", "an abstract datagram past the proxy", "a server inside, reached from outside", "run a setuid root program",
          "hold any capability", "a placeholder's path that is a link outside", "a program of the workspace first in PATH", "truncate the launcher's own output",
          "a write root that becomes a link"}
unknown = (set(SILENT) | INSIDE) - {c["name"] for c in CASES}
assert not unknown, unknown
