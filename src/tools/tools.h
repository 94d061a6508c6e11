#ifndef TOOLS_TOOLS_H
#define TOOLS_TOOLS_H
/*
 * The tools that come with the runtime, behind ports/tool.h: read_file,
 * write_file, edit_file, apply_patch, list_dir, glob, search, shell, start_process.
 *
 * None of them runs in this process.  Each call is a process of thole-supervisor in
 * a sandbox made from the settings and the session's working directory; file
 * tools are a subcommand of the same program (filetool/filetool.h), the shell is
 * bash, or sh where there is none.
 *
 * Reading tools get a read-only sandbox without network, writing tools the
 * sandbox of the settings without network, the shell that of the settings.  Before
 * write_file, edit_file and apply_patch change a file, its old content is sealed in the blob
 * store; the end of the call names it (tool_end.changes).
 *
 * start_process starts a command that continues after its call has ended
 * (ports/process.h): its output is appended to the output ref of the call.
 *
 * What the sandbox refuses is a denial: category sandbox_denied, with the
 * violation reported before the end.
 */
#include "supervisor_client/supervisor_host.h"
#include "ports/blob.h"
#include "ports/clock.h"
#include "ports/process.h"
#include "ports/tool.h"

struct tools_options {
	struct loop *loop;
	struct clock *clock;
	struct blobs *blobs;
	struct supervisor_host *host; /* owned by the caller; must outlive the toolset */
	struct str data_dir;          /* the runtime's own state, which no tool may read */
	const struct str *own;   /* real directories of its programs and settings: no approval */
	size_t own_count;        /* lets a call write there */
	struct str mode;         /* read_only, workspace_write, danger_full_access */
	struct str network;      /* off, restricted, full */
	const struct str *hosts; /* that commands reach when it is restricted */
	size_t host_count;
	bool is_fail_closed;
	int64_t timeout_ms; /* of a shell command that names none */
	int64_t max_processes, max_memory_bytes,
		max_output_bytes; /* of a command; 0: the default */
	int64_t max_file_bytes, private_bytes;
	const struct str *read; /* further directories that commands can read; absolute */
	size_t read_count;
	struct str cache_dir;     /* for caches of commands and their git settings; absent: none */
	int64_t cache_bytes;      /* of all caches together */
	bool takes_snapshots;     /* of the workspace before a command, so that it can be undone */
	struct str worktree_dir;  /* where worktrees of sessions are; absent: there are none */
	int64_t diagnose_wait_ms; /* for language servers after an edit; 0: none are asked */
	struct json diagnose_servers; /* of the settings */
	const struct str *env;        /* names of variables that commands get */
	size_t env_count;
	char *const *environ;    /* the source of their values */
	const struct str *taken; /* names of other toolsets, which take precedence */
	size_t taken_count;
};

/*
 * Keeps copies of all strings.  Close the toolset after the blob store, which may
 * still call back until then.
 */
enum err tools_open(const struct tools_options *o, struct toolset **ret, struct error *e) MUST_USE;
/* Lives as long as the toolset. */
struct processes *tools_processes(struct toolset *t);

#endif
