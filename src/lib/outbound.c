/*
 * Reads the proxy of settings and environment.
 *
 * As elsewhere the lower-case names count first, and HTTP_PROXY in capitals is
 * used too: the runtime is no CGI program, whose requests could set it.
 */
#include "lib/outbound.h"

#include "base/arena.h"

#include <stdlib.h>

static struct str first_of(const char *const *names)
{
	for (; *names; names++) {
		const char *value = getenv(*names);

		if (value && *value)
			return str_from(value);
	}
	return STR_NONE;
}

static struct str joined(struct arena *mem, struct config_names names)
{
	struct str out = STR_NONE;

	for (size_t i = 0; i < names.count; i++)
		out = arena_printf(mem, "%.*s%s%.*s", STR_ARG(out), i ? "," : "",
		                   STR_ARG(names.items[i]));
	return out;
}

void outbound_options(struct arena *mem, const struct config_values *values,
                      struct http_client_options *o)
{
	static const char *const https[] = { "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
		                             NULL };
	static const char *const http[] = { "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY",
		                            NULL };
	static const char *const without[] = { "no_proxy", "NO_PROXY", NULL };
	struct str set = values->http_proxy;

	o->proxy = str_is(set) ? set : first_of(https);
	o->http_proxy = str_is(set) ? set : first_of(http);
	o->no_proxy = values->http_no_proxy.count ? joined(mem, values->http_no_proxy)
	                                          : first_of(without);
	o->ca_file = values->http_ca_file;
}
