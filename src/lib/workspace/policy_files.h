#ifndef LIB_POLICY_FILES_H
#define LIB_POLICY_FILES_H
/*
 * Rules in files, behind ports/policy.h: settings files of the host and the
 * user ("permission.rules"), and .thole/rules.json of the directory that a
 * session works in, whose rules can only narrow.
 *
 * A file is read again when its identity, size or time is another.  One that
 * is there and cannot be read, or whose rules are no rules, closes what it may
 * deny: what it said before stays, every call asks besides (an ask that nobody
 * can answer is a denial), and the trouble is reported.
 */
#include "base/arena.h"
#include "ports/policy.h"

struct policy_files_options {
	struct str fixed;         /* rules that stand in no file: a list in JSON */
	const char *const *files; /* "SOURCE=PATH", NULL at the end; NULL: none */
};

/* Files that are wrong from the start are an error. */
enum err policy_files_open(const struct policy_files_options *o, struct str cwd,
                           struct policy **ret, struct error *e) MUST_USE;

#endif
