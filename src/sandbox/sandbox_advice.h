#ifndef SANDBOX_SANDBOX_ADVICE_H
#define SANDBOX_SANDBOX_ADVICE_H
/*
 * What would allow an operation that the sandbox denied: a sentence for people
 * and a record that an approval can grant.
 */
#include "sandbox/sandbox_plan.h"

/* A denied operation.  Without a call the proxy denied it, with a host or with too many of them. */
struct sandbox_denial {
	struct str kind, call, host, path;
	struct str address; /* to which the host resolved, if that was the reason */
	int64_t port;
};

/* The one rule that would allow it, absent when there is none. */
struct str sandbox_advice_rule(struct arena *mem, const struct sandbox_plan *p,
                               const struct sandbox_denial *d);

/*
 * The same as the record sandbox_override, JSON: what a person would have to
 * grant.  A system call that every sandbox denies needs a run without one.
 * Absent: nothing.
 */
struct str sandbox_advice_override(struct arena *mem, const struct sandbox_denial *d);

#endif
