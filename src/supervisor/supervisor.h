#ifndef SUPERVISOR_SUPERVISOR_H
#define SUPERVISOR_SUPERVISOR_H
/*
 * The supervisor: the parent of every process that a runtime starts.
 *
 * It communicates with one daemon at a time over a SOCK_SEQPACKET socket: one JSON object per
 * packet, at most SUPERVISOR_PACKET_MAX bytes.  A larger request is put into a sealed memfd and
 * sent as {"type":"run","body":"fd"} with it.  A request may carry "req", a number that every
 * direct answer repeats.
 *
 * From the daemon:
 *
 *	run        id, argv, env, plan, stdin, stderr, pty, background → started or refused;
 *	           spool: where its output goes when that is not DIR/spool (background)
 *	signal     id, signal (number)                             → done
 *	kill       id, graceMs                                     → done; `exited` follows
 *	deny       cwd, rules  (for background processes below cwd)  → done
 *	tell       id          (what its proxy refused until now)    → told, after each violation
 *	prepare    id          (of a file tool, once, for its openedPaths) → prepared: files, or reason;
 *	           each of files is an empty temporary file or directory, temp, that will become
 *	           entry: a path of openedPaths or the first missing directory above it.  A file
 *	           that is removed changes places with its placeholder instead; needsExchange:
 *	           another sandbox could take its name.  Other sandboxes of this supervisor
 *	           cannot change any of them (files/approved_files.h)
 *	closeStdin id          (background: the supervisor has the other end) → done
 *	open       id          (background: its input again)        → opened
 *	list                                                       → listed, more: true until the last
 *	forget     id          (ended background: its files go)     → done
 *	probe      home (whose toolchains may be read)             → probed
 *	quit       graceMs     everything, background too, ends    → (the socket ends)
 *
 * From the supervisor, besides the answers:
 *
 *	ready      version, pid; the first packet
 *	started    id, pid, fds: what each descriptor with it is, in order:
 *	           pidfd, stdin, stdout, stderr, pty
 *	refused    id, kind (protocol, plan, cage, spawn), reason, errno: nothing has run;
 *	           unsupported: another tier may work
 *	violation  id and the members of sandbox.violation
 *	output     id, stdoutBytes, stderrBytes: a background process wrote; a few times a second
 *	exited     id, exitCode or signal, cause, survivors, ...: no process of it is left
 *
 * When the daemon's end closes, everything that is not background is killed.  With background
 * processes left, the supervisor stays, and the next daemon connects to DIR/hand.sock and begins
 * with {"type":"attach","secret":...}, the content of DIR/hand.secret; it gets `attached` with
 * the list.  Without any left it ends.  DIR/spool holds ID.out, ID.err and, at the end, ID.json
 * with the members of `exited`, for when no daemon was connected.  A file that the daemon named
 * itself is the daemon's: `forget` leaves it.
 */
#include "supervisor/probe.h"

/* Bytes: one packet, and one request in a memfd (a plan with long lists of paths). */
#define SUPERVISOR_PACKET_MAX 65536
#define SUPERVISOR_BODY_MAX (4 << 20)
#define SUPERVISOR_JOBS_MAX 1024

/* fd: the daemon's socket.  dir: for background processes, or NULL.  Returns an exit code. */
int supervisor_serve(int fd, const char *dir, const char *cgroup_dir);

#endif
