#ifndef PORTS_POLICY_H
#define PORTS_POLICY_H
/*
 * Permission rules that stand in files: the host's, the user's, and those of
 * the project in which a session works.  They may change while the runtime
 * runs; whoever is about to decide looks first.
 */
#include "base/err.h"
#include "base/str.h"

struct policy_now {
	struct str ref;     /* of exactly these rules: rules:HASH */
	struct str rules;   /* a list in JSON, each rule with its source */
	struct str trouble; /* why a file is not used as it stands; absent: all are */
};

struct policy;
struct policy_ops {
	/* What holds in this directory now.  Valid until the next look. */
	struct policy_now (*look)(struct policy *p, struct str cwd);
	void (*close)(struct policy *p);
};
struct policy {
	const struct policy_ops *ops;
};

#endif
