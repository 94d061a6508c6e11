/*
 * Drops capabilities and sets resource limits in the child before it executes
 * the command.
 */
#include "supervisor/kernel/capabilities.h"

#include "base/os/sys.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define CAP_NUMBER_MAX 63
#define FILES_WANTED 65536

static int get_caps(struct __user_cap_data_struct caps[2])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return (int)syscall(SYS_capget, &head, caps);
}

bool capabilities_has(int capability)
{
	struct __user_cap_data_struct caps[2] = { 0 };

	return get_caps(caps) == 0 && (caps[capability / 32].effective >> (capability % 32) & 1);
}

bool capabilities_can_lock_root(void)
{
	return capabilities_has(CAP_SETPCAP);
}

/* The bounding set limits what execve() of a file with capabilities could give back. */
static enum err drop_bounding(struct error *e)
{
	bool may = capabilities_has(CAP_SETPCAP);

	for (int cap = 0; cap <= CAP_NUMBER_MAX; cap++) {
		int has = prctl(PR_CAPBSET_READ, cap, 0, 0, 0);

		if (has < 0)
			break; /* past the newest of this kernel */
		/*
		 * Without CAP_SETPCAP the set stays as it is; no_new_privs makes it ineffective.
		 */
		if (has && may && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
			return fail_errno(e, ERR_IO, "drop capability %d", cap);
	}
	return OK;
}

/*
 * The order matters: dropping from the bounding set and setting the bits both need CAP_SETPCAP,
 * so capset() comes last.  SECBIT_NOROOT takes from uid 0 the capabilities that execve() would
 * grant; a process that stays uid 0 without that bit is refused.
 */
enum err capabilities_drop(struct error *e)
{
	const unsigned long locked = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
	                             SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
	                             SECBIT_NO_CAP_AMBIENT_RAISE |
	                             SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };
	enum err err = drop_bounding(e);

	if (err)
		return err;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail_errno(e, ERR_UNSUPPORTED, "no_new_privs");
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return fail_errno(e, ERR_IO, "clear ambient capabilities");
	if (capabilities_can_lock_root()) {
		if (prctl(PR_SET_SECUREBITS, locked, 0, 0, 0) < 0)
			return fail_errno(e, ERR_IO, "lock the root bits");
	} else if (geteuid() == 0) {
		return fail(e, ERR_UNSUPPORTED, "uid 0 cannot be made harmless: no CAP_SETPCAP");
	}
	if (syscall(SYS_capset, &head, none) < 0)
		return fail_errno(e, ERR_IO, "drop capabilities");
	return OK;
}

/* The soft limit on descriptors that this program was started with. */
static rlim_t files_given;

void capabilities_raise_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		return;
	files_given = l.rlim_cur;
	l.rlim_cur = MIN(l.rlim_max, (rlim_t)FILES_WANTED);
	if (l.rlim_cur > files_given)
		setrlimit(RLIMIT_NOFILE, &l);
}

/* Programs that close every possible descriptor at their start take long under a high limit. */
static void restore_files(void)
{
	struct rlimit l;

	if (!files_given || getrlimit(RLIMIT_NOFILE, &l) < 0)
		return;
	l.rlim_cur = MIN(files_given, l.rlim_max);
	setrlimit(RLIMIT_NOFILE, &l);
}

/* Hard and soft limit, so that the command cannot raise it again. */
static enum err set_limit(int what, int64_t value, const char *name, struct error *e)
{
	struct rlimit old, now = { (rlim_t)value, (rlim_t)value };

	if (getrlimit((__rlimit_resource_t)what, &old) < 0)
		return fail_errno(e, ERR_IO, "limit %s", name);
	/* never above what we have ourselves */
	now.rlim_max = MIN(now.rlim_max, old.rlim_max);
	now.rlim_cur = MIN(now.rlim_cur, now.rlim_max);
	if (setrlimit((__rlimit_resource_t)what, &now) < 0)
		return fail_errno(e, ERR_IO, "limit %s", name);
	return OK;
}

enum err capabilities_limit(const struct sandbox_plan *p, int64_t processes_before, bool by_process,
                            struct error *e)
{
	const struct sandbox_limits *l = &p->limits;
	const struct {
		int what;
		int64_t value;
		const char *name;
	} all[] = {
		{ RLIMIT_CPU, l->max_cpu_s, "maxCpuS" },
		{ RLIMIT_DATA, by_process ? l->max_memory_bytes : 0, "maxMemoryBytes" },
		{ RLIMIT_FSIZE, l->max_file_bytes, "maxFileBytes" },
		{ RLIMIT_NOFILE, l->max_open_files, "maxOpenFiles" },
		{ RLIMIT_NPROC, l->max_processes ? l->max_processes + processes_before : 0,
		  "maxProcesses" },
	};
	enum err err = set_limit(RLIMIT_CORE, 0, "core", e);

	restore_files();
	/* 0 is no limit of the plan: the inherited one stays. */
	for (size_t i = 0; i < COUNT_OF(all) && !err; i++)
		if (all[i].value)
			err = set_limit(all[i].what, all[i].value, all[i].name, e);
	return err;
}
