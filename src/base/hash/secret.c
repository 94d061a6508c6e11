/* Comparing secrets in constant time. */
#include "base/hash/secret.h"

#include <nettle/memops.h>

bool secret_eq(struct str a, struct str b)
{
	/* a secret that is not there opens nothing */
	if (!str_is(a) || !str_is(b) || a.len != b.len)
		return false;
	return a.len == 0 || memeql_sec(a.ptr, b.ptr, a.len);
}
