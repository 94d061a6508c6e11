/*
 * Advice on denied operations.  Only grants that a person can give are named;
 * the text and the record always name the same grant.
 */
#include "sandbox/sandbox_advice.h"

#include "base/jw.h"

/* As a host rule is written. */
static struct str host_port(struct arena *mem, const struct sandbox_denial *d)
{
	struct str host = str_is(d->address) ? d->address : d->host;
	bool is_v6 = str_find_char(host, ':') >= 0;

	return arena_printf(mem, "%s%.*s%s:%lld", is_v6 ? "[" : "", STR_ARG(host), is_v6 ? "]" : "",
	                    (long long)d->port);
}

/*
 * Without a call the proxy denied it, so a rule for the host is enough; with one the program did
 * not use the proxy and needs the network itself.
 */
struct str sandbox_advice_rule(struct arena *mem, const struct sandbox_plan *p,
                               const struct sandbox_denial *d)
{
	bool is_network = str_eq(d->kind, STR("network"));

	if (is_network && str_is(d->path))
		return STR("unix sockets in the sandbox (needs a person)");
	if (str_is(d->host))
		return arena_printf(mem, "%s %.*s%s", str_is(d->call) ? "network to" : "host",
		                    STR_ARG(host_port(mem, d)),
		                    str_is(d->call) ? " (needs a person)"
		                                    : " in sandbox.allow_hosts (needs a person)");
	if (is_network && str_is(d->call) && str_eq(d->call, STR("socket")) &&
	    p->network != SANDBOX_NETWORK_FULL && p->tier < SANDBOX_NAMESPACES_ROOT)
		return STR("network full (needs a person)");
	if (str_eq(d->kind, STR("filesystem")) && str_is(d->path))
		return arena_printf(mem, "write root %.*s (needs a person)", STR_ARG(d->path));
	return STR_NONE; /* every sandbox denies these calls */
}

static struct str override_text(struct arena *mem,
                                void (*fill)(struct json_writer *w, struct str what),
                                struct str what)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	fill(&w, what);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&text));
}

static void fill_sockets(struct json_writer *w, struct str what)
{
	(void)what;
	JW_KBOOL(w, "unixSockets", true);
}

static void fill_host(struct json_writer *w, struct str what)
{
	JW_KEY(w, "hosts");
	jw_arr(w);
	jw_str(w, what);
	jw_arr_end(w);
}

static void fill_network(struct json_writer *w, struct str what)
{
	JW_KSTR(w, "network", STR("full"));
	if (str_is(what))
		fill_host(w, what);
}

static void fill_no_sandbox(struct json_writer *w, struct str what)
{
	(void)what;
	JW_KSTR(w, "mode", sandbox_plan_mode_name(SANDBOX_DANGER_FULL_ACCESS));
}

static void fill_write(struct json_writer *w, struct str what)
{
	JW_KEY(w, "writeRoots");
	jw_arr(w);
	jw_str(w, what);
	jw_arr_end(w);
}

struct str sandbox_advice_override(struct arena *mem, const struct sandbox_denial *d)
{
	bool is_network = str_eq(d->kind, STR("network"));

	if (is_network && str_is(d->path))
		return override_text(mem, fill_sockets, STR_NONE);
	/* a program that used the proxy can use it again; another needs the host's network */
	if (str_is(d->host))
		return override_text(mem, str_is(d->call) ? fill_network : fill_host,
		                     host_port(mem, d));
	if (is_network)
		return str_is(d->call) ? override_text(mem, fill_network, STR_NONE) : STR_NONE;
	if (str_eq(d->kind, STR("filesystem")) && str_is(d->path))
		return override_text(mem, fill_write, d->path);
	return override_text(mem, fill_no_sandbox, STR_NONE);
}
