/*
 * The names of tiers.  They are written into logs and sent between runtime and
 * supervisor, so a name never changes its meaning.
 */
#include "sandbox/sandbox_tier.h"

static const char *const names[SANDBOX_TIERS] = {
	[SANDBOX_NONE] = "none",
	[SANDBOX_LANDLOCK_ROOT] = "landlock-root",
	[SANDBOX_LANDLOCK] = "landlock+seccomp",
	[SANDBOX_NAMESPACES_ROOT] = "namespaces-root",
	[SANDBOX_NAMESPACES_SECCOMP] = "namespaces+seccomp",
	[SANDBOX_NAMESPACES] = "namespaces+landlock+seccomp",
};

struct str sandbox_tier_name(enum sandbox_tier t)
{
	return str_from(names[t]);
}

bool sandbox_tier_read(struct str name, enum sandbox_tier *ret)
{
	for (int t = 0; str_is(name) && t < SANDBOX_TIERS; t++)
		if (str_eq(name, str_from(names[t]))) {
			*ret = (enum sandbox_tier)t;
			return true;
		}
	return false;
}
