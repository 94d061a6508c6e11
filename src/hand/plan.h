#ifndef HAND_PLAN_H
#define HAND_PLAN_H
/*
 * A plan: one cage and its limits, as the runtime wrote them down before
 * anything was started.  It is carried out exactly or refused; there is no
 * field that means "as well as you can".
 *
 * On the wire it is a JSON object.  A member that is not listed here is an
 * error, because a wish that is not understood would not be kept.
 *
 *	version          1
 *	mode             read_only, workspace_write, danger_full_access, external_sandbox
 *	requestedMode    what was asked for, when that was another (told on, not used)
 *	tier             the mechanisms, by name; see enum tier
 *	cwd              where the command starts
 *	readRoots        visible, not writable; a root that is a symbolic link stays one
 *	writeRoots       visible and writable; never a symbolic link
 *	privateDirs      empty and writable in the cage, gone with it (namespaces only)
 *	tmpDir           the same as one real directory, made before and removed after (without
 *	                 namespaces, where there can be no private /tmp); the command finds it
 *	                 in TMPDIR
 *	protectedPaths   inside write roots: not writable, not replaceable, not creatable
 *	deniedPaths      inside roots: not readable
 *	denyRules        the same by pattern (base/path_glob.h), resolved when it starts, with other
 *	                 names of the same files; in write roots what does not exist cannot be
 *	                 created either.  "write:" in front: readable, not writable
 *	network          {"mode":"off|restricted|full"}: none at all; a loopback of its own;
 *	                 the host's.  "allow" with restricted: hosts (sandbox/host_rule.h) that are
 *	                 reached through a proxy at a port of that loopback
 *	unixSockets      Unix sockets with a path are allowed (default false)
 *	openat2          openat2() is allowed (default false: it can make setuid files unseen)
 *	home, user       what /etc/passwd of the cage says (default: / and "agent")
 *	limits           see struct plan_limits
 *
 * Paths are absolute and clean: no empty, "." or ".." component, no slash at
 * the end.  Strings are kept in the arena with a NUL behind them.
 */
#include "base/json.h"
#include "base/path.h"

#include <sys/types.h>

/* Weakest first. */
enum tier {
	TIER_NONE,               /* "none": a supervised process, nothing else */
	TIER_LANDLOCK_ROOT,      /* "landlock-root": uid 0 without capabilities, no namespaces */
	TIER_LANDLOCK,           /* "landlock+seccomp": no namespaces */
	TIER_NAMESPACES_ROOT,    /* "namespaces-root": all three, but the host's uid 0 outside */
	TIER_NAMESPACES_SECCOMP, /* "namespaces+seccomp": the kernel has no Landlock */
	TIER_NAMESPACES,         /* "namespaces+landlock+seccomp" */
	TIER_COUNT,
};

enum plan_mode { MODE_READ_ONLY, MODE_WORKSPACE_WRITE, MODE_DANGER, MODE_EXTERNAL, MODE_COUNT };
enum plan_network { NETWORK_OFF, NETWORK_RESTRICTED, NETWORK_FULL, NETWORK_COUNT };

struct plan_list {
	struct str *at;
	size_t count;
};

/* 0 is no limit of ours. */
struct plan_limits {
	int64_t timeout_ms; /* wall time; then the tree is killed, cause "timeout" */
	int64_t inactivity_ms; /* silence; kept by whoever reads the output: here for background, cause "inactivity" */
	int64_t max_output_bytes; /* into spool files; the rest is drained and counted */
	int64_t max_processes;
	int64_t max_memory_bytes; /* of the whole tree */
	int64_t max_file_bytes;   /* of one file, by its apparent size */
	int64_t max_open_files;
	int64_t max_cpu_s;     /* of each process */
	int64_t private_bytes; /* all private directories together */
};

struct plan {
	enum plan_mode mode, requested_mode;
	enum tier tier;
	struct str cwd;
	struct plan_list read_roots, write_roots, private_dirs, protected_paths, denied_paths;
	struct plan_list deny_rules;
	struct str tmp_dir;
	enum plan_network network;
	struct plan_list allow; /* hosts */
	bool unix_sockets, openat2;
	struct str home, user;
	struct plan_limits limits;
};

#define PLAN_PATHS_MAX 1024 /* per list */
#define PLAN_DENY_WRITE "write:"

/* Reads and checks everything that can be checked without looking at the machine. */
enum err plan_read(struct arena *mem, struct json v, struct plan *ret, struct error *e) MUST_USE;
enum err plan_check(const struct plan *p, struct error *e) MUST_USE;
void plan_write(struct json_writer *w, const struct plan *p);

/* A list of strings without NULs, each shorter than max_len; what names it in the error. */
enum err plan_read_strings(struct arena *mem, struct json v, const char *what, size_t max_count,
                           size_t max_len, struct plan_list *ret, struct error *e) MUST_USE;

/*
 * The facts of the cage in the shape of the catalogue's sandbox_profile.
 * Private directories are write roots there, and stdin is closed, pipe or tty.
 */
void plan_write_facts(struct json_writer *w, const struct plan *p, bool tty, struct str stdin_is);

const char *tier_name(enum tier t);
bool tier_read(struct str name, enum tier *ret) MUST_USE;
static inline bool tier_has_namespaces(enum tier t)
{
	return t >= TIER_NAMESPACES_ROOT;
}
static inline bool tier_has_landlock(enum tier t)
{
	return t != TIER_NONE && t != TIER_NAMESPACES_SECCOMP;
}
const char *plan_mode_name(enum plan_mode m);
const char *plan_network_name(enum plan_network n);
bool plan_mode_read(struct str name, enum plan_mode *ret) MUST_USE;
bool plan_network_read(struct str name, enum plan_network *ret) MUST_USE;

#endif
