#ifndef SANDBOX_SANDBOX_TIER_H
#define SANDBOX_SANDBOX_TIER_H
/*
 * Tiers: which mechanisms hold a sandbox together.
 *
 * A tier is a promise about the kernel, so its name is part of the plan, of the
 * supervisor's answer to `probe` and of sandbox.applied.  A plan names exactly
 * one; what a tier cannot promise is not in the plan.
 */
#include "base/str.h"

/* Weakest first. */
enum sandbox_tier {
	SANDBOX_NONE,               /* "none": a supervised process, nothing else */
	SANDBOX_LANDLOCK_ROOT,      /* "landlock-root": uid 0 without capabilities, no namespaces */
	SANDBOX_LANDLOCK,           /* "landlock+seccomp": no namespaces */
	SANDBOX_NAMESPACES_ROOT,    /* "namespaces-root": all three, but the host's uid 0 outside */
	SANDBOX_NAMESPACES_SECCOMP, /* "namespaces+seccomp": the kernel has no Landlock */
	SANDBOX_NAMESPACES,         /* "namespaces+landlock+seccomp" */
	SANDBOX_TIERS,
};

/* The text ends with a NUL. */
struct str sandbox_tier_name(enum sandbox_tier t);
/* False: no tier of this version has that name. */
bool sandbox_tier_read(struct str name, enum sandbox_tier *ret) MUST_USE;

static inline bool sandbox_tier_has_namespaces(enum sandbox_tier t)
{
	return t >= SANDBOX_NAMESPACES_ROOT;
}

static inline bool sandbox_tier_has_landlock(enum sandbox_tier t)
{
	return t != SANDBOX_NONE && t != SANDBOX_NAMESPACES_SECCOMP;
}

#endif
