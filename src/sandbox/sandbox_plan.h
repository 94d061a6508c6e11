#ifndef SANDBOX_SANDBOX_PLAN_H
#define SANDBOX_SANDBOX_PLAN_H
/*
 * The plan of one sandbox and its limits.
 *
 * sandbox_plan_make.h makes a plan from a profile.  The runtime records it with
 * sandbox.applied and sends it to the supervisor, which carries it out exactly
 * or refuses it: no field means "as well as you can".
 *
 * On the wire a plan is a JSON object.  A member that is not listed here is an
 * error, because a request that is not understood would not be kept.
 *
 *	version          1
 *	mode             read_only, workspace_write, danger_full_access, external_sandbox
 *	requestedMode    the mode that was requested, if another (recorded, not used)
 *	tier             the mechanisms, by name (sandbox_tier.h)
 *	cwd              the directory in which the command starts
 *	readRoots        visible, not writable; a root that is a symbolic link stays one
 *	writeRoots       visible and writable; never a symbolic link
 *	privateDirs      empty and writable inside, removed with the sandbox (namespaces only)
 *	tmpDir           one real directory instead, created before and removed after (tiers
 *	                 without namespaces, which have no private /tmp); the command finds it
 *	                 in TMPDIR
 *	protectedPaths   inside write roots: cannot be written, replaced or created
 *	openedPaths      inside write roots: files that may be written although they would be protected;
 *	                 no placeholder is in their way
 *	deniedPaths      inside roots: cannot be read
 *	denyRules        the same by pattern (base/path/path_glob.h), resolved when the sandbox starts,
 *	                 with other names of the same files; in write roots missing files cannot
 *	                 be created either.  "write:" in front: readable, not writable
 *	network          {"mode":"off|restricted|full"}: none; a loopback of the sandbox; the
 *	                 host's.  "allow" with restricted: hosts (host_rule.h) that are reached
 *	                 through a proxy at a port of that loopback
 *	unixSockets      Unix sockets with a path are allowed (default false)
 *	openat2          openat2() is allowed (default false: it can make setuid files unseen)
 *	home, user       what /etc/passwd of the sandbox says (default: / and "agent")
 *	limits           struct sandbox_limits
 *
 * Paths are absolute and clean: no empty, "." or ".." component, no slash at
 * the end.  Strings live in the arena that was given, with a NUL behind them.
 */
#include "base/json.h"
#include "base/jw.h"
#include "base/path/path.h"
#include "sandbox/sandbox_tier.h"

enum sandbox_plan_mode {
	SANDBOX_READ_ONLY,
	SANDBOX_WORKSPACE_WRITE,
	SANDBOX_DANGER_FULL_ACCESS,
	SANDBOX_EXTERNAL,
	SANDBOX_MODES,
};

enum sandbox_network {
	SANDBOX_NETWORK_OFF,
	SANDBOX_NETWORK_RESTRICTED,
	SANDBOX_NETWORK_FULL,
	SANDBOX_NETWORKS,
};

struct sandbox_paths {
	struct str *at;
	size_t count;
};

/* 0 is no limit. */
struct sandbox_limits {
	int64_t timeout_ms;       /* wall time; then the tree is killed, cause "timeout" */
	int64_t inactivity_ms;    /* without output; the supervisor enforces it for background
	                          processes, cause "inactivity" */
	int64_t max_output_bytes; /* into spool files; the rest is drained and counted */
	int64_t max_processes;
	int64_t max_memory_bytes; /* of the whole tree */
	int64_t max_file_bytes;   /* of one file, by its apparent size */
	int64_t max_open_files;
	int64_t max_cpu_s;     /* of each process */
	int64_t private_bytes; /* all private directories together */
};
extern const struct sandbox_limits sandbox_plan_default_limits;

struct sandbox_plan {
	enum sandbox_plan_mode mode, requested_mode;
	enum sandbox_tier tier;
	struct str cwd, home, user, tmp_dir;
	struct sandbox_paths read_roots, write_roots, private_dirs, protected_paths, denied_paths;
	struct sandbox_paths opened_paths, deny_rules;
	enum sandbox_network network;
	struct sandbox_paths allow; /* hosts */
	bool unix_sockets, openat2;
	struct sandbox_limits limits;

	/* How the plan came about; recorded, not part of the wire form. */
	struct sandbox_paths unreported; /* denials that leave no violation */
	bool is_degraded;                /* the sandbox holds less than the profile asked for */
	struct str reason;               /* one sentence, absent when it is not degraded */
};

#define SANDBOX_PLAN_PATHS_MAX 1024 /* per list */
#define SANDBOX_PLAN_DENY_WRITE "write:"
/* Names under which file tools prepare new contents; nothing else in a sandbox writes them. */
#define SANDBOX_PLAN_TEMP_BEGIN ".thole-"
#define SANDBOX_PLAN_TEMP_END ".new"

/* Reads a plan and checks what can be checked without looking at the machine. */
enum err sandbox_plan_read(struct arena *mem, struct json v, struct sandbox_plan *ret,
                           struct error *e) MUST_USE;
enum err sandbox_plan_check(const struct sandbox_plan *p, struct error *e) MUST_USE;
void sandbox_plan_write(struct json_writer *w, const struct sandbox_plan *p);

/*
 * The record sandbox_profile of the catalogue, as sandbox.applied has it.
 * Private directories are write roots there; stdin is closed, pipe or tty.
 * environment_ref may be absent.
 */
void sandbox_plan_write_record(struct json_writer *w, const struct sandbox_plan *p, bool tty,
                               struct str stdin_is, struct str environment_ref);

/* A list of strings without NUL, each shorter than max_len; `what` names it in the error. */
enum err sandbox_plan_read_strings(struct arena *mem, struct json v, const char *what,
                                   size_t max_count, size_t max_len, struct sandbox_paths *ret,
                                   struct error *e) MUST_USE;

/* Deny rules as the engine gives them with a call: a JSON list, or absent. */
void sandbox_plan_read_deny_rules(struct arena *mem, struct str text, struct sandbox_paths *ret);

/* Do read or write roots show this path? */
bool sandbox_plan_shows(const struct sandbox_plan *p, struct str path);
/*
 * Is it a protected path, or below one?  A write root at or below a protected path is meant to be
 * open.
 */
bool sandbox_plan_protects(const struct sandbox_plan *p, struct str path);

/* The texts end with a NUL. */
struct str sandbox_plan_mode_name(enum sandbox_plan_mode m);
struct str sandbox_plan_network_name(enum sandbox_network n);
bool sandbox_plan_mode_read(struct str name, enum sandbox_plan_mode *ret) MUST_USE;
bool sandbox_plan_network_read(struct str name, enum sandbox_network *ret) MUST_USE;

#endif
