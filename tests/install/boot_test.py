#!/usr/bin/env python3
"""The packages on a separate machine: Debian is installed into an image, booted with its own kernel, and
guest.sh is run there under systemd.  Prints TAP.

usage: boot_test.py BUILD_DIR [SUITE...]      bookworm, trixie; without a word the suite of this system

Only with trixie is there an AppArmor that knows rules for user namespaces.  Needs root and Debian's mirror,
installs what it is missing (an emulator among it), takes ten minutes for each.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOOLS = {"mmdebstrap": "mmdebstrap", "mke2fs": "e2fsprogs", "debugfs": "e2fsprogs", "dpkg-shlibdeps": "dpkg-dev"}
MACHINES = {"arm64": ("qemu-system-aarch64", "qemu-system-arm", ["-machine", "virt", "-cpu", "max,pauth=off"], "ttyAMA0"),
            "amd64": ("qemu-system-x86_64", "qemu-system-x86", ["-machine", "q35", "-cpu", "max"], "ttyS0")}
SYSTEM = ["systemd", "systemd-sysv", "dbus", "udev", "kmod", "procps", "curl", "libcurl4", "apparmor", "initramfs-tools", "e2fsprogs"]
BOOT_SECONDS = 1800

UNIT = """[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash /srv/guest.sh
StandardOutput=file:/srv/result
StandardError=file:/srv/trouble
TimeoutStartSec=infinity
ExecStopPost=/bin/systemctl --no-block poweroff
"""


def run(*args, seconds=300, **options):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, **options)
    assert done.returncode == 0, f"{' '.join(args)}: {done.returncode}\n{done.stdout[-4000:]}"
    return done.stdout


def install_tools(machine):
    wanted = {package for tool, package in {**TOOLS, machine[0]: machine[1]}.items() if not shutil.which(tool)}
    if wanted:
        run("apt-get", "-qq", "update", seconds=600)
        run("apt-get", "install", "-y", "--no-install-recommends", *sorted(wanted), seconds=900,
            env=dict(os.environ, DEBIAN_FRONTEND="noninteractive"))


def fields(deb):
    return dict(re.findall(r"^ ?([\w-]+): (.*)$", run("dpkg-deb", "-f", deb), re.M))


def newer(deb, folder, work):
    """The same package under a higher version."""
    tree = os.path.join(work, "tree")
    run("dpkg-deb", "-R", deb, tree)
    path = os.path.join(tree, "DEBIAN", "control")
    with open(path) as f:
        text = f.read()
    version = re.search(r"^Version: (.*)$", text, re.M)[1]
    with open(path, "w") as f:
        f.write(text.replace(f"Version: {version}", f"Version: {version}+1").replace(f"(= {version})", f"(= {version}+1)"))
    run("dpkg-deb", "--root-owner-group", "-b", tree, os.path.join(folder, os.path.basename(deb)))
    shutil.rmtree(tree)


def build_packages(build, work):
    debs = run(os.path.join(ROOT, "packaging", "build-deb"), build, os.path.join(work, "new")).split()
    debs = [d for d in debs if "-dev_" not in d and "-bridges_" not in d]
    os.mkdir(os.path.join(work, "newer"))
    for deb in debs:
        newer(deb, os.path.join(work, "newer"), work)
    return debs


def dependencies(debs):
    names = [d.split()[0] for deb in debs for d in fields(deb)["Depends"].split(", ")]
    return sorted({n for n in names if n != "libthole0"})


def build_root(suite, arch, debs, work):
    """The system as a directory, with all that the packages need but not them."""
    root = os.path.join(work, "root")
    run("mmdebstrap", "--variant=minbase", "--skip=output/dev",
        "--include=" + ",".join([*SYSTEM, "linux-image-" + arch, *dependencies(debs)]), suite, root, seconds=1200)
    fill_root(root, debs, work)
    return root


def fill_root(root, debs, work):
    for name in ("new", "newer"):
        os.mkdir(os.path.join(root, "srv", name))
    for deb in debs:
        shutil.copy(deb, os.path.join(root, "srv", "new"))
        shutil.copy(os.path.join(work, "newer", os.path.basename(deb)), os.path.join(root, "srv", "newer"))
    shutil.copy(os.path.join(HERE, "guest.sh"), os.path.join(root, "srv"))
    with open(os.path.join(root, "etc/systemd/system/thole-check.service"), "w") as f:
        f.write(UNIT)
    os.symlink("../thole-check.service", os.path.join(wanted(root), "thole-check.service"))


def wanted(root):
    path = os.path.join(root, "etc/systemd/system/multi-user.target.wants")
    os.makedirs(path, exist_ok=True)
    return path


def small_initrd(root):
    """Emulated, a megabyte takes its time: what this one machine needs and no more."""
    with open(os.path.join(root, "etc/initramfs-tools/conf.d/small"), "w") as f:
        f.write("MODULES=list\n")
    with open(os.path.join(root, "etc/initramfs-tools/modules"), "a") as f:
        f.write("virtio_pci\nvirtio_blk\next4\n")
    run("chroot", root, "update-initramfs", "-u", "-k", "all", seconds=600)


def boot(machine, root, image, console):
    run("mke2fs", "-q", "-t", "ext4", "-d", root, image, "3G", seconds=600)
    files = {name: os.path.realpath(os.path.join(root, "boot", f)) for f in os.listdir(os.path.join(root, "boot"))
             for name in ("vmlinuz", "initrd") if f.startswith(name)}
    with open(console, "w") as f:
        subprocess.run([machine[0], *machine[2], "-smp", "2", "-m", "1024", "-nographic", "-no-reboot", "-nic", "none",
                        "-kernel", files["vmlinuz"], "-initrd", files["initrd"],
                        "-append", f"root=/dev/vda rw console={machine[3]} panic=-1 systemd.firstboot=off",
                        "-drive", f"file={image},format=raw,if=virtio,cache=unsafe"],
                       stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.STDOUT, timeout=BOOT_SECONDS)


def own_suite():
    with open("/etc/os-release") as f:
        return re.search(r"^VERSION_CODENAME=(.*)$", f.read(), re.M)[1]


def tail(path, lines=40):
    with open(path, errors="replace") as f:
        return "".join(f.readlines()[-lines:])


def seen(suite, build, arch):
    """The lines that guest.sh printed."""
    machine = MACHINES[arch]
    with tempfile.TemporaryDirectory(prefix="thole-boot-", dir=os.environ.get("TMPDIR")) as work:
        install_tools(machine)
        image, console = os.path.join(work, "image"), os.path.join(work, "console")
        root = build_root(suite, arch, build_packages(build, work), work)
        small_initrd(root)
        try:
            boot(machine, root, image, console)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end within {BOOT_SECONDS} s\n{tail(console)}")
        said = run("debugfs", "-R", "cat /srv/result", image).splitlines()
        said = [line for line in said if not line.startswith("debugfs ")]
        assert any(line.startswith("1..") for line in said), "\n".join(said) + "\n" + tail(console)
        return said


def main():
    build = os.path.abspath(sys.argv[1])
    number = failed = 0
    arch = run("dpkg", "--print-architecture").strip()
    if os.geteuid() != 0 or arch not in MACHINES:
        print("ok 1 - booted # SKIP needs root, and arm64 or amd64\n1..1")
        return 0
    for suite in sys.argv[2:] or [own_suite()]:
        try:
            lines = seen(suite, build, arch)
        except (AssertionError, OSError, subprocess.SubprocessError) as e:
            lines = ["not ok 1 - it ran", *("# " + line for line in str(e).splitlines())]
        for line in lines:
            if found := re.match(r"(ok|not ok) \d+ - (.*)", line):
                number += 1
                failed += found[1] != "ok"
                line = f"{found[1]} {number} - booted {suite}: {found[2]}"
            if not line.startswith("1.."):
                print(line, flush=True)
    print(f"1..{number}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
