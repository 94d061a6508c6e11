/*
 * thole-supervisor: builds sandboxes, starts and reaps every child of the runtime.
 *
 *	thole-supervisor serve --fd N [--umask MODE] [--dir DIR] [--cgroup DIR]   (supervisor.h)
 *	thole-supervisor sandbox-run [OPTION…] -- COMMAND…   one command (sandbox_run.h)
 *	thole-supervisor probe                               what works here, as JSON
 *	thole-supervisor file-tool                           one call of a file tool (filetool.h)
 *	thole-supervisor diagnose                            language servers (diagnose.h)
 */
#include "base/os/sanitizer.h"
#include "base/os/sys.h"
#include "base/jw.h"
#include "diagnose/diagnose.h"
#include "filetool/filetool.h"
#include "supervisor/kernel/capabilities.h"
#include "supervisor/kernel/cgroup.h"
#include "supervisor/program.h"
#include "supervisor/sandbox.h"
#include "supervisor/sandbox_run.h"
#include "supervisor/supervisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef THOLE_VERSION
#define THOLE_VERSION "unknown"
#endif

/* In a sandbox no process may trace another, which is how a sanitizer would look for leaks. */
#ifdef HAS_ASAN
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

/* Descriptors 0 to 2 must be taken, or the next thing opened would become standard output. */
static void fill_stdio(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd < 3);
	if (fd >= 3)
		close(fd);
}

/*
 * Not dumpable: no other process of the user can trace this one or read its memory, and no core
 * file is written.  The umask 077 is for the supervisor's own files; commands get the user's
 * umask back.
 */
static void harden(void)
{
	struct rlimit none = { 0, 0 };

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
	program_umask = umask(077);
	capabilities_raise_files();
}

/*
 * The daemon starts this process with its own environment and descriptors.  Both are dropped
 * before anything else runs, because every sandbox is a clone of this process: a variable with a
 * key or an open database would be in each of them.
 */
static int serve(int argc, char **argv)
{
	const char *dir = NULL, *cgroup_dir = NULL;
	int64_t fd = -1;

	for (int i = 0; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--fd") && str_to_i64(str_from(argv[i + 1]), &fd))
			continue;
		if (!strcmp(argv[i], "--umask"))
			program_umask = (mode_t)strtoul(argv[i + 1], NULL, 8) & 0777;
		else if (!strcmp(argv[i], "--dir"))
			dir = argv[i + 1];
		else if (!strcmp(argv[i], "--cgroup"))
			cgroup_dir = argv[i + 1];
		else
			return 2;
	}
	if (fd < 3 || (dir && dir[0] != '/')) {
		fprintf(stderr, "usage: thole-supervisor serve --fd N [--umask MODE] [--dir /DIR] "
		                "[--cgroup /DIR]\n");
		return 2;
	}
	/* Nothing of the daemon's comes along but this socket and its log. */
	if (fcntl((int)fd, F_SETFD, FD_CLOEXEC) < 0) {
		perror("thole-supervisor: --fd");
		return 1;
	}
	if (fd > 3)
		close_range(3, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0U, 0);
	for (char **at = environ; at && *at; at++)
		explicit_bzero(*at, strlen(*at)); /* /proc/PID/environ shows these bytes */
	clearenv();
	if (chdir("/") < 0)
		return 1;
	/*
	 * Without --cgroup the group that systemd delegated to the service is divided; a named
	 * directory is used as it is.
	 */
	if (!cgroup_dir)
		cgroup_settle();
	return supervisor_serve((int)fd, dir, cgroup_dir);
}

/*
 * For `thole sandbox probe` and `thole doctor`: the same report that `serve` answers to a probe
 * request, without a daemon.
 */
static int probe(void)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;
	struct host h;

	probe_host(mem, NULL, &h);
	jw_init(&w, &text);
	probe_write(&w, &h, str_from(getenv("HOME")));
	buf_add_char(&text, '\n');
	return fwrite(text.ptr, 1, text.len, stdout) == text.len ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	fill_stdio();
	harden();
	program_keep_title(argc, argv);
	if (!strcmp(verb, "serve"))
		return serve(argc - 2, argv + 2);
	if (!strcmp(verb, "sandbox-run"))
		return sandbox_run(argc - 2, argv + 2);
	if (!strcmp(verb, "probe"))
		return probe();
	if (!strcmp(verb, "file-tool"))
		return filetool_run(&(struct filetool_host){
			.umask = program_umask,
			.is_placeholder = protected_paths_is_placeholder,
			.is_placeholder_by_form = protected_paths_is_placeholder_by_form });
	if (!strcmp(verb, "diagnose")) {
		umask(program_umask);
		return diagnose_serve();
	}
	if (!strcmp(verb, "--version")) {
		printf("thole-supervisor %s\n", THOLE_VERSION);
		return 0;
	}
	fprintf(stderr, "usage: thole-supervisor serve|sandbox-run|probe|--version ...\n");
	return 2;
}
