#ifndef SANDBOX_SANDBOX_HOST_H
#define SANDBOX_SANDBOX_HOST_H
/*
 * What a machine can do, and the defaults that fit it.
 *
 * The supervisor finds it out by trying (supervisor/probe.h), uses it for its
 * own command line and sends it as the answer to `probe`; the runtime reads it
 * from there.  sandbox_plan_make.h makes plans from it.
 */
#include "sandbox/sandbox_plan.h"
#include "base/jw.h"

struct sandbox_host {
	bool has[SANDBOX_TIERS];
	struct sandbox_paths gaps[SANDBOX_TIERS]; /* words of docs/explanation/sandbox.md */
	struct str reason;                        /* why the strongest tier is missing, or absent */
	bool tells_refusals;                      /* denied calls are reported as violations */
	struct sandbox_paths system_roots;
	struct sandbox_paths tool_roots;  /* of the home directory that was asked about */
	struct sandbox_paths plain_roots; /* added where a sandbox has no root file system */
	struct sandbox_paths own_roots;   /* the supervisor's program and what it needs to run */
	struct sandbox_paths protected_names; /* below each write root */
	struct sandbox_paths startup_names;   /* below the home directory, protected too */
	struct sandbox_paths secret_names;    /* below the home directory, denied */
	struct sandbox_paths env;             /* variables that commands are given */
};

/* Fills in the names and variables, which are the same on every machine. */
void sandbox_host_add_names(struct arena *mem, struct sandbox_host *h);

/* Is it a component of a protected name? */
bool sandbox_host_has_protected_part(struct str name);

/* A directory of the system, which is never a workspace. */
bool sandbox_host_is_system(struct str path);

/* v is the member `host` of the message `probed`. */
enum err sandbox_host_read(struct arena *mem, struct json v, struct sandbox_host *ret,
                           struct error *e) MUST_USE;
/* The members `tiers` and `defaults` of the same object. */
void sandbox_host_write_tiers(struct json_writer *w, const struct sandbox_host *h);
void sandbox_host_write_defaults(struct json_writer *w, const struct sandbox_host *h);

#endif
