#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H
/*
 * What this machine lets us do, found out by doing it: a child makes the
 * namespaces, a tmpfs, a /proc, and says how far it came.  Takes a few
 * milliseconds, so the supervisor asks once.
 */
#include "sandbox/sandbox_host.h"
#include "base/jw.h"

#include <sys/types.h>

struct host {
	bool user_ns, mount_ns, pid_ns, net_ns;
	bool own_proc; /* a fresh /proc may be mounted; not so where the outer one is masked */
	bool idmap;    /* owners can be mapped: root's sandboxes do not run as root */
	bool openat2;  /* not so under some filters of service managers and containers */
	bool seccomp;
	bool notify; /* refused calls can be reported */
	int landlock_abi;
	bool is_real_root; /* our uid is the host's uid 0, however we are called here */
	uid_t uid;
	gid_t gid;
	bool cgroup_memory, cgroup_pids; /* delegated to us */
	struct str cgroup;               /* directory for the sandboxes' groups, or absent */
	enum sandbox_tier tier;          /* the strongest that works */
	struct str reason;               /* why it is not the strongest there is, or absent */
};

/* cgroup_dir: a delegated cgroup v2 directory, or NULL to look for our own. */
void probe_host(struct arena *mem, const char *cgroup_dir, struct host *ret);

/* Can plans of this tier be carried out? */
bool probe_has_tier(const struct host *h, enum sandbox_tier t);

/*
 * What a sandbox of this tier leaves open here, as words that docs/explanation/sandbox.md
 * explains.
 */
struct sandbox_paths probe_gaps(struct arena *mem, const struct host *h, enum sandbox_tier t);

/* The same machine as makers of plans see it.  home may be absent. */
void probe_sandbox_host(struct arena *mem, const struct host *h, struct str home,
                        struct sandbox_host *ret);

/* The answer to `probe`: everything above and the defaults for plans.  home may be absent. */
void probe_write(struct json_writer *w, const struct host *h, struct str home);

#endif
