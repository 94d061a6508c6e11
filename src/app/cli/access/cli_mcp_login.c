/*
 * Signing in at tool servers.  The daemon talks to the authorization server and
 * waits for the browser; this shows the page, waits, and passes on an address
 * that the user pastes.  No page is ever opened from here.
 */
#include "app/cli/access/cli_mcp_login.h"

#include "app/cli/cli_settings.h"
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "base/jw.h"

#include <poll.h>
#include <unistd.h>

#define LOOK_MS 500
#define LINE_MAX_BYTES 16384

static void name_server(struct params *p, struct json row)
{
	params_begin(p);
	params_str(p, "server", json_str(JSON_GET(row, "name")));
	if (json_str(JSON_GET(row, "cwd")).len)
		params_str(p, "cwd", json_str(JSON_GET(row, "cwd")));
}

/* ---- login ---- */

/* The row of the same server now; JSON_NONE: it is gone. */
static int look_again(struct cli *c, struct json row, struct json *ret)
{
	struct params p;
	struct json reply, v;
	struct str key;
	int code;

	params_begin(&p);
	if (json_str(JSON_GET(row, "cwd")).len)
		params_str(&p, "cwd", json_str(JSON_GET(row, "cwd")));
	code = connection_call(c, "list_tool_servers", &p, &reply);
	if (code)
		return code;
	struct json_iter it = json_iter(JSON_GET(reply, "servers"));

	*ret = (struct json){ 0 };
	while (json_next(&it, &key, &v))
		if (str_eq(json_str(JSON_GET(v, "name")), json_str(JSON_GET(row, "name"))) &&
		    str_eq(json_str(JSON_GET(v, "cwd")), json_str(JSON_GET(row, "cwd"))))
			*ret = v;
	return CODE_DONE;
}

static int tell_end(struct cli *c, struct json row, bool is_signed_in)
{
	const char *name = out_field_or_dash(c, row, "name");

	if (c->opts.json)
		out_json(row);
	else if (is_signed_in)
		out_note(c, TONE_GOOD, "Signed in to %s. `thole mcp logout %s` ends that.", name,
		         name);
	else
		out_error(c, "The login at %s did not succeed: %s", name,
		          out_field_or_dash(c, row, "detail"));
	return is_signed_in ? CODE_DONE : CODE_CONFIG;
}

static int pass_on(struct cli *c, struct json row, struct str line)
{
	struct params p;
	struct json reply;

	name_server(&p, row);
	params_str(&p, "redirectUrl", line);
	return connection_call(c, "login_tool_server", &p, &reply);
}

/* One line of the terminal, if there is one within the time; absent: none.  *ret_open: it may follow. */
static struct str read_line(struct cli *c, bool *ret_open)
{
	static char line[LINE_MAX_BYTES];
	struct pollfd in = { .fd = *ret_open ? STDIN_FILENO : -1, .events = POLLIN };

	if (poll(&in, 1, LOOK_MS) != 1)
		return STR_NONE;
	if (!fgets(line, sizeof line, stdin)) {
		*ret_open = false;
		return STR_NONE;
	}
	return arena_keep(c->mem, str_trim(str_from(line)));
}

/* Until the daemon says that the login is over. */
static int await_end(struct cli *c, struct json row)
{
	bool is_open = true;
	struct json now;
	struct str line;
	int code;

	for (;;) {
		line = read_line(c, &is_open);
		code = line.len ? pass_on(c, row, line) : CODE_DONE;
		/* An address of another login changes nothing: the next one may be right. */
		if (code && !is_open)
			return code;
		code = look_again(c, row, &now);
		if (code)
			return code;
		if (!json_bool(JSON_GET(now, "loginPending"), false))
			return tell_end(c, now, json_bool(JSON_GET(now, "signedIn"), false));
	}
}

/* The page goes to stdout and the explanation to stderr, so that a script can take the page. */
int cli_mcp_login_begin(struct cli *c, struct json row)
{
	const char *name = out_field_or_dash(c, row, "name");
	struct params p;
	struct json reply;
	int code;

	name_server(&p, row);
	code = connection_call(c, "login_tool_server", &p, &reply);
	if (code)
		return code;
	out_note(c, TONE_ASK, "Open this page in your browser to sign in to %s:", name);
	printf("%s\n", out_safe(c->mem, json_str(JSON_GET(reply, "url"))));
	fflush(stdout);
	out_note(c, TONE_DIM,
	         "Waiting. If the browser cannot show the last page, because it runs on another "
	         "machine, paste the address of that page here; it begins with %s",
	         out_safe(c->mem, json_str(JSON_GET(reply, "redirectUri"))));
	return await_end(c, row);
}

int cli_mcp_login_forget(struct cli *c, struct json row)
{
	const char *name = out_field_or_dash(c, row, "name");
	struct params p;
	struct json reply;
	int code;

	name_server(&p, row);
	code = connection_call(c, "logout_tool_server", &p, &reply);
	if (!code && c->opts.json)
		out_json(reply);
	else if (!code)
		out_note(c, TONE_GOOD,
		         json_bool(JSON_GET(reply, "wasSignedIn"), false)
		                 ? "Signed out of %s; its tokens are gone from this machine."
		                 : "There was no login at %s.",
		         name);
	return code;
}

/* ---- the document of this client ---- */

static void write_list(struct json_writer *w, struct str key, struct str a, struct str b)
{
	jw_key(w, key);
	jw_arr(w);
	jw_str(w, a);
	if (str_is(b))
		jw_str(w, b);
	jw_arr_end(w);
}

/* A loopback address counts with any port (RFC 8252); a fixed port is for servers that do not know that. */
static struct str redirect_of(struct cli *c)
{
	int64_t port = cli_settings_number(c, "mcp.redirect_port", 0);

	return port ? arena_printf(c->mem, "http://127.0.0.1:%lld/callback", (long long)port)
	            : STR("http://127.0.0.1/callback");
}

int cli_mcp_login_document(struct cli *c)
{
	const char *url = cli_settings_word(c, "mcp.client_id_url", "THOLE_MCP_CLIENT_ID_URL");
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (!url || !url[0])
		return opt_usage(c, "Set mcp.client_id_url to the https:// address where you will "
		                    "host the document.");
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "client_id", str_from(url));
	JW_KSTR(&w, "client_name", STR("Thole"));
	write_list(&w, STR("redirect_uris"), redirect_of(c), STR_NONE);
	write_list(&w, STR("grant_types"), STR("authorization_code"), STR("refresh_token"));
	write_list(&w, STR("response_types"), STR("code"), STR_NONE);
	JW_KSTR(&w, "token_endpoint_auth_method", STR("none"));
	JW_KSTR(&w, "application_type", STR("native"));
	jw_obj_end(&w);
	printf("%.*s\n", STR_ARG(buf_str(&out)));
	return CODE_DONE;
}
