#ifndef SUPERVISOR_APPROVED_FILES_H
#define SUPERVISOR_APPROVED_FILES_H
/*
 * Keeps the other sandboxes away from a protected file that a person lets a file tool write.
 *
 * Their mounts are on the old file, or on the placeholder, and go away with it.  So the file that
 * takes its place is closed in each of them while it is empty and out of their reach
 * (files/staged_file.h).  Only then does the tool get it.
 *
 *	begin ──► for each file: stage ──► ask all sandboxes ──► put it beside the approved one ──► done
 *	                          ▲              │ not every sandbox could close it there:
 *	                          └──────────────┘ another stage, or the request fails
 *
 * A file that the tool may remove gets a placeholder too, which is closed in the same way and changes
 * places with the file.  It stays as long as a sandbox relies on it.
 *
 * A sandbox that starts until the tool has ended closes all of them before its command begins.
 *
 * Out of reach: sandboxes of other supervisors (other data directories) that share the workspace,
 * and tiers without namespaces, which have no mounts.  There only the check of each call remains
 * (kernel/seccomp_notify_path.h), which two threads can get past.  File tools are not asked: they
 * are our own program, and that check is enough for them.
 */
#include "supervisor/sandbox_job.h"

/* why: absent, or the reason for which nothing was prepared.  Called once, perhaps at once. */
typedef void approved_files_fn(void *arg, struct sandbox_job *tool, struct str why);

/* runs: the list of all jobs, the tool's among them.  A second call for the same job fails. */
void approved_files_begin(struct list *runs, struct sandbox_job *tool, approved_files_fn *done,
                          void *arg);
/* The answer of a job's init. */
void approved_files_answer(struct sandbox_job *job, uint64_t round, enum rootfs_staged answer);
/* The job has ended: nothing of it is left, neither a tool nor a command. */
void approved_files_end(struct sandbox_job *job);

/* What a sandbox that starts now must close at last.  Strings live in mem. */
size_t approved_files_late(struct arena *mem, const struct sandbox_plan *p,
                           const struct shield **ret);
/*
 * The value of `files`: a list of entry, temp, isDirectory, and placeholder and needsExchange where
 * the tool may remove the entry.  After done without a reason.
 */
void approved_files_write(struct json_writer *w, const struct sandbox_job *tool);

#endif
