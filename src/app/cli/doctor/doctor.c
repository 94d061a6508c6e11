/*
 * doctor: checks the installation and prints a remedy for each problem.
 * Changes nothing, and without --online starts no daemon.
 */
#include "app/cli/doctor/doctor.h"

#include "base/jw.h"
#include "base/memory.h"
#include "app/cli/daemon.h"
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/cli_settings.h"
#include "base/os/clock.h"

#include <ftw.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Below SPACE_LOW a note, below SPACE_BAD a failure: running work needs room for its events. */
#define SPACE_LOW (512ll << 20)
#define SPACE_BAD (64ll << 20)

const char *doctor_text(struct doctor *d, const char *fmt, ...)
{
	char text[4400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return arena_keep(d->c->mem, str_from(text)).ptr;
}

/* ---- the data directory ---- */

/* The nearest existing parent directory. */
static const char *nearest_dir(struct doctor *d)
{
	char *path = memory_strdup(d->c->data);
	struct str kept;

	while (access(path, F_OK) != 0 && strrchr(path, '/') > path)
		*strrchr(path, '/') = 0;
	kept = arena_keep(d->c->mem, str_from(*path ? path : "/"));
	free(path);
	return kept.ptr;
}

/* A missing directory is normal before the first use, if it can be created. */
static void check_data(struct doctor *d)
{
	const char *dir = d->c->data;

	d->has_data = stat(dir, &d->data) == 0;
	if (!d->has_data) {
		const char *up = nearest_dir(d);

		if (access(up, W_OK) != 0)
			doctor_tell(d, HEALTH_BAD, "data.exists",
			            doctor_text(d, "%s cannot be made in %s", dir, up),
			            "Choose another place: --data DIR or THOLE_DATA.");
		else
			doctor_tell(d, HEALTH_NOTE, "data.exists",
			            doctor_text(d, "%s is not there yet", dir),
			            "It is made when first used.");
		return;
	}
	if (!S_ISDIR(d->data.st_mode))
		doctor_tell(d, HEALTH_BAD, "data.exists", doctor_text(d, "%s is no directory", dir),
		            "Move it away, or choose another place with --data.");
	else
		doctor_tell(d, HEALTH_OK, "data.exists", dir, NULL);
}

static void check_rights(struct doctor *d)
{
	if (!d->has_data)
		return;
	if (access(d->c->data, R_OK | W_OK | X_OK) != 0)
		doctor_tell(d, HEALTH_BAD, "data.writable", strerror(errno),
		            doctor_text(d, "chown -R %d %s", (int)geteuid(), d->c->data));
	else
		doctor_tell(d, HEALTH_OK, "data.writable", "can be read and written", NULL);
	/*
	 * An administrator checks another user's daemon; a daemon started from here would run as
	 * root.
	 */
	if (d->data.st_uid != geteuid() && geteuid() == 0 && connection_is_up(d->c))
		doctor_tell(d, HEALTH_NOTE, "data.owner",
		            doctor_text(d, "belongs to user %d, whose daemon runs",
		                        (int)d->data.st_uid),
		            NULL);
	else if (d->data.st_uid != geteuid())
		doctor_tell(d, HEALTH_BAD, "data.owner",
		            doctor_text(d, "belongs to user %d", (int)d->data.st_uid),
		            "Run thole as its owner, or choose another --data.");
	else if (d->data.st_mode & 077)
		doctor_tell(d, HEALTH_BAD, "data.owner",
		            doctor_text(d, "others may look in (mode %03o)",
		                        (unsigned)d->data.st_mode & 0777),
		            doctor_text(d, "chmod 700 %s", d->c->data));
	else
		doctor_tell(d, HEALTH_OK, "data.owner", "yours alone", NULL);
}

static const char *network_name(uint32_t magic)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} names[] = { { NFS_SUPER_MAGIC, "nfs" },   { SMB_SUPER_MAGIC, "smb" },
		      { CIFS_SUPER_MAGIC, "cifs" }, { SMB2_SUPER_MAGIC, "smb" },
		      { V9FS_MAGIC, "9p" },         { AFS_SUPER_MAGIC, "afs" },
		      { CEPH_SUPER_MAGIC, "ceph" } };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (names[i].magic == magic)
			return names[i].name;
	return NULL;
}

/* SQLite needs working locks and fsync(), which network file systems often do not have. */
static void check_disk(struct doctor *d)
{
	const char *where = nearest_dir(d);
	struct statfs fs;
	struct statvfs space;
	const char *name;
	int64_t left;

	if (statfs(where, &fs) != 0 || statvfs(where, &space) != 0) {
		doctor_tell(d, HEALTH_BAD, "data.disk", strerror(errno), NULL);
		return;
	}
	name = network_name((uint32_t)fs.f_type);
	if (name)
		doctor_tell(d, HEALTH_BAD, "data.disk",
		            doctor_text(d, "a network file system (%s)", name),
		            "Locks and fsync cannot be relied on there; choose a local directory.");
	else
		doctor_tell(d, HEALTH_OK, "data.disk", "a local file system", NULL);
	left = (int64_t)space.f_bavail * (int64_t)space.f_frsize;
	doctor_tell(d,
	            left < SPACE_BAD   ? HEALTH_BAD
	            : left < SPACE_LOW ? HEALTH_NOTE
	                               : HEALTH_OK,
	            "data.space", doctor_text(d, "%s free", out_bytes(d->c->mem, left)),
	            "Make room, or move the data directory.");
}

/* ---- the daemon ---- */

static int64_t cache_bytes;

static int count_cached(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path, (void)type, (void)ftw;
	cache_bytes += (int64_t)st->st_blocks * 512;
	return 0;
}

/* Caches of the package managers that commands run (tools/tools_cache.c). */
static void check_cache(struct doctor *d)
{
	const char *dir = doctor_text(d, "%s-cache/workspaces", d->c->data);

	cache_bytes = 0;
	if (nftw(dir, count_cached, 16, FTW_PHYS | FTW_MOUNT) != 0)
		return;
	doctor_tell(d, HEALTH_OK, "cache",
	            doctor_text(d, "%lld MiB of caches of commands in %s",
	                        (long long)cache_bytes >> 20, dir),
	            NULL);
}

static void check_socket(struct doctor *d)
{
	size_t max = sizeof((struct sockaddr_un *)0)->sun_path;

	if (strlen(d->c->socket) >= max)
		doctor_tell(d, HEALTH_BAD, "socket.path",
		            doctor_text(d,
		                        "%s is longer than the %zu bytes a socket's path may have",
		                        d->c->socket, max - 1),
		            "Choose a shorter --data.");
	else
		doctor_tell(d, HEALTH_OK, "socket.path", d->c->socket, NULL);
}

static void check_version(struct doctor *d, struct json reply)
{
	struct str version = json_str(JSON_GET(reply, "version"));

	if (str_eq(version, str_from(thole_version())))
		doctor_tell(d, HEALTH_OK, "daemon.version",
		            doctor_text(d, "%s, like this program", version.ptr), NULL);
	else
		doctor_tell(d, HEALTH_BAD, "daemon.version",
		            doctor_text(d, "%.*s, but this program is %s", STR_ARG(version),
		                        thole_version()),
		            doctor_text(d, "Restart it: %s", daemon_stop_text(d->c)));
}

/* Asks the lock first: a process may own the directory without listening. */
static void check_daemon(struct doctor *d)
{
	int holder = daemon_holder(d->c);
	struct params p;
	struct json reply;
	bool answers;

	if (!connection_is_up(d->c)) {
		if (holder)
			doctor_tell(d, HEALTH_BAD, "daemon.listens",
			            doctor_text(d,
			                        "process %d owns the directory but does not listen",
			                        holder),
			            doctor_text(d, "See %s, then: kill %d",
			                        paths_in_data(d->c, "daemon.log"), holder));
		else
			doctor_tell(d, HEALTH_NOTE, "daemon.listens", "none is running",
			            "One is started when it is needed.");
		return;
	}
	doctor_tell(d, HEALTH_OK, "daemon.listens",
	            holder ? doctor_text(d, "process %d takes connections", holder)
	                   : "takes connections",
	            NULL);
	d->c->t = thole_connect(d->c->socket, NULL);
	answers = d->c->t;
	if (answers) {
		params_begin(&p);
		answers = connection_try(d->c, "get_capabilities", &p, false, &reply) == THOLE_OK;
	}
	if (!answers)
		doctor_tell(d, HEALTH_BAD, "daemon.answers", "it does not answer",
		            doctor_text(d, "See %s.", paths_in_data(d->c, "daemon.log")));
	else
		check_version(d, reply);
}

static void check_token(struct doctor *d)
{
	const char *path = paths_in_data(d->c, "token");
	struct stat st;

	if (stat(path, &st) != 0)
		doctor_tell(d, HEALTH_NOTE, "token", "there is none yet",
		            "It is made at the first start.");
	else if (st.st_mode & 077)
		doctor_tell(d, HEALTH_BAD, "token",
		            doctor_text(d, "%s can be read by others", path),
		            doctor_text(d, "chmod 600 %s", path));
	else
		doctor_tell(d, HEALTH_OK, "token", "yours alone", NULL);
}

/* ---- the rest of the machine ---- */

/* A clock before this program was written, or behind the log, breaks deadlines and schedules. */
static void check_clock(struct doctor *d)
{
	const int64_t year_2024 = 1704067200000;
	int64_t now = clock_wall_ms();
	struct stat st;
	char text[TIME_TEXT_MAX];

	clock_time_write(now, text);
	if (now < year_2024)
		doctor_tell(d, HEALTH_BAD, "clock", doctor_text(d, "says %s", text),
		            "Set the clock of this machine.");
	else if (stat(paths_in_data(d->c, "log.db"), &st) == 0 &&
	         (int64_t)st.st_mtime * 1000 > now + 60000)
		doctor_tell(d, HEALTH_BAD, "clock",
		            doctor_text(d, "says %s, but the log is newer", text),
		            "Set the clock of this machine.");
	else
		doctor_tell(d, HEALTH_OK, "clock", text, NULL);
}

/* Names only: values may be secrets, and users send this output to others. */
static const char *names_of(struct doctor *d, const char *config)
{
	struct json set = { 0 }, v;
	struct buf out = { 0 };
	struct json_iter it;
	const char *text;
	struct str key;

	if (!config || json_read_trusted(d->c->mem, str_from(config), &set, NULL) != OK)
		return "all defaults";
	it = json_iter(set);
	while (json_next(&it, &key, &v))
		buf_printf(&out, "%s%s", out.len ? ", " : "", out_safe(d->c->mem, key));
	text = out.len ? doctor_text(d, "set: %.*s; thole config shows them",
	                             STR_ARG(buf_str(&out)))
	               : "all defaults";
	buf_done(&out);
	return text;
}

/*
 * Three different failures: a file that cannot be read, a value that is not accepted, and a
 * daemon that still uses older values.
 */
static void check_settings(struct doctor *d)
{
	const char *unread = connection_is_up(d->c) ? cli_settings_unread(d->c) : NULL, *why;
	struct cli_settings s;

	if (cli_settings_read(d->c, &s) != CODE_DONE)
		doctor_tell(d, HEALTH_BAD, "settings", "a file of settings cannot be used",
		            "See the message above.");
	else if (!cli_settings_are_good(d->c, &s, &why))
		doctor_tell(d, HEALTH_BAD, "settings", why,
		            "docs/reference/config.md lists the settings; thole config shows those "
		            "that are set.");
	else if (unread)
		doctor_tell(d, HEALTH_NOTE, "settings",
		            doctor_text(d, "%s has changed since the daemon started", unread),
		            doctor_text(d, "To have it read: %s", daemon_stop_text(d->c)));
	else
		doctor_tell(d, HEALTH_OK, "settings", names_of(d, s.config), NULL);
}

/* ---- sandbox ---- */

static const char *gaps_of(struct doctor *d, struct json host, struct str tier)
{
	struct json_iter it = json_iter(JSON_GET(host, "tiers"));
	struct json row, gap;
	struct str key, words = STR("");

	while (json_next(&it, &key, &row)) {
		struct json_iter gaps = json_iter(JSON_GET(row, "gaps"));

		if (!str_eq(json_str(JSON_GET(row, "tier")), tier))
			continue;
		while (json_next(&gaps, &key, &gap))
			words = arena_printf(d->c->mem, "%.*s%s%.*s", STR_ARG(words),
			                     words.len ? ", " : "", STR_ARG(json_str(gap)));
	}
	return words.ptr;
}

/* The sandbox tier of this machine, and why it is not a stronger one. */
static void check_sandbox(struct doctor *d)
{
	const char *hand = cli_sandbox_find_supervisor(d->c);
	struct str text = hand ? cli_sandbox_probe(d->c, hand) : STR_NONE;
	struct json host = { NULL };
	struct str tier, reason;

	if (!hand) {
		doctor_tell(d, HEALTH_BAD, "sandbox",
		            "there is no thole-supervisor beside this program",
		            "Install it there, or name it: THOLE_HAND.");
		return;
	}
	if (!str_is(text) || json_read(d->c->mem, text, &host, NULL) != OK) {
		doctor_tell(d, HEALTH_BAD, "sandbox", doctor_text(d, "%s does not answer", hand),
		            doctor_text(d, "%s probe", hand));
		return;
	}
	tier = json_str(JSON_GET(host, "tier"));
	reason = json_str(JSON_GET(host, "reason"));
	if (!str_is(reason)) {
		doctor_tell(d, HEALTH_OK, "sandbox",
		            doctor_text(d, "tier %.*s, the strongest; open: %s", STR_ARG(tier),
		                        gaps_of(d, host, tier)),
		            NULL);
		return;
	}
	doctor_tell(d, str_eq(tier, STR("none")) ? HEALTH_BAD : HEALTH_NOTE, "sandbox",
	            doctor_text(d, "tier %.*s because %.*s; open: %s", STR_ARG(tier),
	                        STR_ARG(reason), gaps_of(d, host, tier)),
	            "docs/explanation/sandbox.md says what each tier holds.");
}

bool doctor_is_in_path(struct doctor *d, const char *program)
{
	struct str rest = str_from(getenv("PATH"));

	while (str_is(rest)) {
		struct str dir = str_cut(&rest, ':');

		if (dir.len && access(arena_printf(d->c->mem, "%.*s/%s", STR_ARG(dir), program).ptr,
		                      X_OK) == 0)
			return true;
	}
	return false;
}

static void check_programs(struct doctor *d)
{
	static const struct {
		const char *name, *what;
	} optional[] = { { "curl", "for the examples of the HTTP interface" },
		         { "node", "for building the console" } };

	for (size_t i = 0; i < COUNT_OF(optional); i++)
		if (doctor_is_in_path(d, optional[i].name))
			doctor_tell(d, HEALTH_OK, optional[i].name, "found", NULL);
		else
			doctor_tell(d, HEALTH_NOTE, optional[i].name, "not found; nothing needs it",
			            doctor_text(d, "It is there %s.", optional[i].what));
}

static void check_denied(struct doctor *d)
{
	const char *rules, *committed;
	bool is_whole;

	if (cli_settings_rules(d->c, &rules) != CODE_DONE)
		return; /* check_settings() has reported it */

	const char *trouble = cli_policy_trouble(d->c, str_from(rules));

	if (trouble) {
		doctor_tell(d, HEALTH_BAD, "rules", trouble,
		            "Repair or remove the file. Until then a running daemon asks about "
		            "every call, and none starts.");
		return;
	}
	committed = cli_policy_committed(d->c, str_from(rules), &is_whole);
	if (committed)
		doctor_tell(d, HEALTH_NOTE, "rules.committed",
		            doctor_text(d, "denied, but git has committed it: %s", committed),
		            "Remove it from the history of the repository, or deny .git too; the "
		            "sandbox cannot close what lies in .git.");
	if (!is_whole)
		doctor_tell(d, HEALTH_NOTE, "rules.history",
		            "the history of git was not searched to its end for denied paths",
		            "It is long, or git does not run in a sandbox here. Look for them with "
		            "`git log --all --name-only`.");
}

/*
 * The order goes from what everything needs to what only some turns need, so that the first
 * failure is usually the cause.
 */
int verb_doctor(struct cli *c)
{
	struct doctor d = { .c = c };
	int code = cli_settings_store(c);

	if (code)
		return code;
	jw_init(&d.w, &d.out);
	if (c->opts.json) {
		jw_obj(&d.w);
		JW_KEY(&d.w, "checks");
		jw_arr(&d.w);
	}
	check_data(&d);
	check_rights(&d);
	check_disk(&d);
	check_cache(&d);
	check_socket(&d);
	check_daemon(&d);
	check_token(&d);
	check_settings(&d);
	check_clock(&d);
	doctor_store(&d);
	check_sandbox(&d);
	check_programs(&d);
	check_denied(&d);
	doctor_startup(&d);
	doctor_ask_ports(&d);
	doctor_ask_all(&d);
	if (c->opts.json) {
		jw_arr_end(&d.w);
		JW_KBOOL(&d.w, "ok", d.bad == 0);
		jw_obj_end(&d.w);
		printf("%.*s\n", STR_ARG(buf_str(&d.out)));
		buf_done(&d.out);
	}
	return d.bad ? CODE_FAILED : CODE_DONE;
}
