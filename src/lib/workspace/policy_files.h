#ifndef LIB_POLICY_FILES_H
#define LIB_POLICY_FILES_H
/*
 * Rules in files, behind ports/policy.h: settings files of the host and the
 * user ("permission.rules"), and .thole/rules.json of the directory that a
 * session works in, whose rules can only narrow.
 *
 * A file is read again when its identity, size or time has changed.  A file
 * that exists and cannot be read, or whose rules are invalid, fails closed: its
 * earlier rules stay in force, every call also needs approval (without a user:
 * denial), and the error is reported.
 */
#include "base/arena.h"
#include "ports/policy.h"

struct policy_files_options {
	struct str fixed;         /* rules without a file: a list in JSON */
	const char *const *files; /* "SOURCE=PATH", NULL at the end; NULL: none */
};

/* Files that are wrong from the start are an error. */
enum err policy_files_open(const struct policy_files_options *o, struct str cwd,
                           struct policy **ret, struct error *e) MUST_USE;

#endif
