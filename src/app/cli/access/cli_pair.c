/* pair: enrols a second device that reaches the daemon through the user's tunnel or proxy. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "app/cli/print/qr.h"

/* ---- pairing ---- */

/* An address that is too long for a code is only printed. */
static void put_code(struct cli *c, struct str address)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct qr q;

	if (qr_encode(address, &q)) {
		qr_print(&q, c->color_out, &out);
		fwrite(out.ptr, 1, out.len, stdout);
	}
}

static const char *words_of(struct cli *c, struct json list)
{
	struct json_iter it = json_iter(list);
	struct buf out = { 0 };
	struct json v;
	struct str key;
	const char *text;

	while (json_next(&it, &key, &v))
		buf_printf(&out, "%s%.*s", out.len ? ", " : "", STR_ARG(json_str(v)));
	text = out_safe(c->mem, buf_str(&out));
	buf_done(&out);
	return text;
}

static void explain(struct cli *c, struct json reply)
{
	out_note(c, TONE_PLAIN,
	         "%s: scan the code, or open the address there. It works once and expires %s.",
	         out_safe(c->mem, json_str(JSON_GET(reply, "name"))),
	         out_until(c->mem, json_str(JSON_GET(reply, "expiresAt"))));
	out_note(c, TONE_DIM, "The device can: %s. The address must lead to %s.",
	         words_of(c, JSON_GET(reply, "scopes")), words_of(c, JSON_GET(reply, "addresses")));
	if (c->opts.lan)
		out_note(c, TONE_BAD,
		         "Plain HTTP: everyone on that network can read the traffic and approve in "
		         "the device's name.");
	if (!json_bool(JSON_GET(reply, "hasConsole"), false))
		out_note(c, TONE_BAD,
		         "This build has no console, so the device will find no page there.");
	out_note(c, TONE_DIM, "thole pair ls   thole pair revoke %s",
	         out_safe(c->mem, json_str(JSON_GET(reply, "name"))));
}

/*
 * The address goes to stdout and the explanation to stderr, so that a script can take the
 * address.
 */
static int make(struct cli *c)
{
	struct params p;
	struct json reply;
	struct str address;
	int code;

	if (!c->opts.url)
		return opt_usage(c, "`thole pair` wants --url URL, ls or revoke.");
	code = connection_open(c);
	if (code)
		return code;
	params_begin(&p);
	params_cstr(&p, "url", c->opts.url);
	params_cstr(&p, "name", c->opts.name);
	if (c->opts.lan)
		params_bool(&p, "lan", true);
	code = connection_call(c, "pair_device", &p, &reply);
	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	address = json_str(JSON_GET(reply, "address"));
	if (!c->opts.quiet)
		put_code(c, address);
	printf("%.*s\n", STR_ARG(address));
	fflush(stdout);
	explain(c, reply);
	return CODE_DONE;
}

/* ---- listing ---- */

static int read_devices(struct cli *c, struct json *ret)
{
	struct params p;
	struct json reply;
	int code = connection_open(c);

	if (code)
		return code;
	params_begin(&p);
	code = connection_call(c, "list_devices", &p, &reply);
	if (!code)
		*ret = JSON_GET(reply, "devices");
	return code;
}

static void put_table(struct cli *c, struct json devices)
{
	static const char *const heads[] = {
		"DEVICE", "NAME", "SEEN", "MAY", "AT", "PAIRED", NULL
	};
	struct json_iter it = json_iter(devices);
	struct table t;
	struct json v;
	struct str key;

	table_begin(&t, c, heads);
	while (json_next(&it, &key, &v)) {
		const char *cells[] = {
			out_id(c, json_str(JSON_GET(v, "deviceId"))),
			out_safe(c->mem, json_str(JSON_GET(v, "name"))),
			out_ago(c->mem, json_str(JSON_GET(v, "lastSeenAt"))),
			words_of(c, JSON_GET(v, "scopes")),
			out_safe(c->mem, json_str(JSON_GET(v, "host"))),
			out_ago(c->mem, json_str(JSON_GET(v, "pairedAt"))),
		};

		table_row(&t, TONE_PLAIN, cells);
	}
	table_print(&t, stdout);
}

static void put_rows(struct cli *c, struct json devices)
{
	struct json_iter it = json_iter(devices);
	struct rows rows;
	struct json v;
	struct str key;

	out_rows_begin(&rows, c, "devices");
	while (json_next(&it, &key, &v))
		if (c->opts.json)
			out_rows_add(&rows, v);
		else
			printf("%s\n", out_safe(c->mem, json_str(JSON_GET(v, "deviceId"))));
	if (c->opts.json)
		out_rows_end(&rows);
	else
		buf_done(&rows.text);
}

static int list(struct cli *c)
{
	struct json devices;
	int code = read_devices(c, &devices);

	if (code)
		return code;
	if (c->opts.json || c->opts.quiet)
		put_rows(c, devices);
	else if (!json_count(devices))
		out_note(c, TONE_DIM, "no device is paired; thole pair --url URL");
	else
		put_table(c, devices);
	return CODE_DONE;
}

/* ---- revoking ---- */

/* Finds a device by name, id or a unique beginning of an id; absent: an error was printed. */
static struct str find_device(struct cli *c, struct json devices, struct str word)
{
	struct json_iter it = json_iter(devices);
	struct str found = STR_NONE, key;
	struct json v;
	int count = 0;

	while (json_next(&it, &key, &v)) {
		struct str id = json_str(JSON_GET(v, "deviceId"));

		if (str_eq(json_str(JSON_GET(v, "name")), word) || str_eq(id, word))
			return id;
		if (word.len >= 4 && str_starts(id, word)) {
			found = id;
			count++;
		}
	}
	if (count == 1)
		return found;
	out_error(c, count ? "Several devices begin with \"%s\"." : "No device \"%s\" is paired.",
	          out_safe(c->mem, word));
	fprintf(stderr, "  thole pair ls\n");
	return STR_NONE;
}

/* Open streams of the device are cut by the same command; the reply says how many. */
static int revoke(struct cli *c)
{
	struct json devices, reply;
	struct params p;
	struct str id;
	int code = read_devices(c, &devices);

	if (code)
		return code;
	id = find_device(c, devices, str_from(c->args[1]));
	if (!str_is(id))
		return CODE_FAILED;
	params_begin(&p);
	params_str(&p, "deviceId", id);
	code = connection_call(c, "revoke_device", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		out_note(c, TONE_PLAIN, "%s is paired no more; %lld of its streams were cut",
		         out_safe(c->mem, json_str(JSON_GET(reply, "name"))),
		         (long long)json_int(JSON_GET(reply, "streams"), 0));
	return CODE_DONE;
}

int verb_pair(struct cli *c)
{
	const char *what = c->arg_count ? c->args[0] : NULL;

	if (!what)
		return make(c);
	if (strcmp(what, "ls") == 0 || strcmp(what, "list") == 0)
		return list(c);
	if (strcmp(what, "revoke") == 0 && c->arg_count == 2)
		return revoke(c);
	if (strcmp(what, "revoke") == 0)
		return opt_usage(c, "`thole pair revoke` wants a device.");
	return opt_usage(c, "`thole pair` knows --url, ls and revoke, not \"%s\".", what);
}
