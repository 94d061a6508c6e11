#ifndef PORTS_POLICY_H
#define PORTS_POLICY_H
/*
 * Permission rules from files: those of the host, of the user, and of the
 * project in which a session works.  The files may change while the runtime
 * runs, so a decision calls look() first.
 */
#include "base/err.h"
#include "base/str.h"

struct policy_now {
	struct str ref;     /* names exactly the two below: settings_text_rules_ref() */
	struct str rules;   /* a list in JSON, each rule with its source */
	struct str trouble; /* why a file is not used; absent: all are used */
};

struct policy;
struct policy_ops {
	/* The rules of this directory now.  Valid until the next look(). */
	struct policy_now (*look)(struct policy *p, struct str cwd);
	void (*close)(struct policy *p);
};
struct policy {
	const struct policy_ops *ops;
};

#endif
