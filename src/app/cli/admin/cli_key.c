/* key: makes, shows, replaces and exports the key that signs packs and checkpoints. */
#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "base/hash/base64.h"
#include "base/jw.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int ask_keys(struct cli *c, struct json *ret)
{
	struct params p;

	params_begin(&p);
	return connection_call(c, "list_signing_keys", &p, ret);
}

/* ---- new, rotate ---- */

static int make_key(struct cli *c, bool rotates)
{
	struct json reply, key;
	struct params p;
	int code;

	params_begin(&p);
	if (rotates)
		params_bool(&p, "rotate", true);
	params_key(c, &p);
	code = connection_call(c, "create_signing_key", &p, &reply);
	if (code)
		return code;
	key = JSON_GET(reply, "key");
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	printf("%s\n", out_field(c, key, "keyId"));
	out_note(c, TONE_DIM,
	         rotates ? "The old key signs no more; what it signed stays valid. Give the new "
	                   "public "
	                   "key to those who check: thole key export"
	                 : "Packs and checkpoints are signed from now on. Give the public key to "
	                   "those "
	                   "who check them: thole key export");
	return CODE_DONE;
}

/* ---- show ---- */

static int show_keys(struct cli *c)
{
	static const char *const heads[] = { "KEY", "STATE", "HELD BY", "SINCE", "UNTIL", NULL };
	struct json reply, v;
	struct json_iter it;
	struct table t;
	struct str key;
	int code = ask_keys(c, &reply);

	if (code)
		return code;
	if (c->opts.json) {
		out_json(reply);
		return CODE_DONE;
	}
	it = json_iter(JSON_GET(reply, "keys"));
	if (!it.left)
		out_note(c, TONE_DIM, "There is no signing key; make one: thole key new");
	table_begin(&t, c, heads);
	while (json_next(&it, &key, &v)) {
		const char *cells[] = { out_field(c, v, "keyId"), out_field(c, v, "state"),
			                out_field(c, v, "origin"),
			                out_field_or_dash(c, v, "createdAt"),
			                out_field_or_dash(c, v, "retiredAt") };

		table_row(&t, TONE_PLAIN, cells);
	}
	if (json_count(JSON_GET(reply, "keys")))
		table_print(&t, stdout);
	if (str_is(json_str(JSON_GET(reply, "trouble"))))
		out_note(c, TONE_BAD, "%s", out_field(c, reply, "trouble"));
	return CODE_DONE;
}

/* ---- export ---- */

static int put_text(struct cli *c, struct str text)
{
	int fd;
	bool is_good;

	if (!c->opts.file || strcmp(c->opts.file, "-") == 0) {
		fwrite(text.ptr, 1, text.len, stdout);
		return CODE_DONE;
	}
	fd = open(c->opts.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	is_good = fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len;
	if (fd >= 0 && close(fd) != 0)
		is_good = false;
	if (!is_good)
		out_error(c, "%s: %s.", out_safe(c->mem, str_from(c->opts.file)), strerror(errno));
	return is_good ? CODE_DONE : CODE_FAILED;
}

#define PUBLIC_BYTES 32 /* of Ed25519: the end of what is in the PEM */

/* The coordinate of a JWK (RFC 8037). */
static struct str coordinate(struct cli *c, struct str pem)
{
	CLEANUP(buf_done) struct buf packed = { 0 }, raw = { 0 }, out = { 0 };

	while (str_is(pem)) {
		struct str line = str_trim(str_cut(&pem, '\n'));

		if (!str_starts(line, STR("-----")))
			buf_add_str(&packed, line);
	}
	if (!base64_read(&raw, buf_str(&packed)) || raw.len < PUBLIC_BYTES)
		return STR("");
	base64_write_url(&out, str_of(raw.ptr + raw.len - PUBLIC_BYTES, PUBLIC_BYTES));
	return arena_keep(c->mem, buf_str(&out));
}

static void write_jwk(struct cli *c, struct json_writer *w, struct json key)
{
	jw_obj(w);
	JW_KSTR(w, "kty", STR("OKP"));
	JW_KSTR(w, "crv", STR("Ed25519"));
	JW_KSTR(w, "alg", STR("EdDSA"));
	JW_KSTR(w, "use", STR("sig"));
	JW_KSTR(w, "kid", json_str(JSON_GET(key, "keyId")));
	JW_KSTR(w, "x", coordinate(c, json_str(JSON_GET(key, "publicKey"))));
	jw_obj_end(w);
}

static void write_key(struct cli *c, struct buf *text, struct json key, struct str note)
{
	struct json_writer w;

	if (c->opts.as && strcmp(c->opts.as, "jwks") == 0) {
		jw_init(&w, text);
		buf_add_str(text, text->len ? STR(",") : STR("{\"keys\":["));
		write_jwk(c, &w, key);
	} else if (c->opts.as && strcmp(c->opts.as, "note") == 0) {
		buf_add_str(text, note);
		buf_add_char(text, '\n');
	} else {
		buf_add_str(text, json_str(JSON_GET(key, "publicKey")));
	}
}

/* The key that signs now, or with --all every key that has signed. */
static int export_keys(struct cli *c)
{
	struct buf text = { 0 };
	struct json reply, v;
	struct json_iter it;
	struct str key;
	size_t at = 0;
	int code = ask_keys(c, &reply);

	if (code)
		return code;
	it = json_iter(JSON_GET(reply, "keys"));
	while (json_next(&it, &key, &v)) {
		struct str line = json_str(json_at(JSON_GET(reply, "verifierKeys"), at++));

		if (!c->opts.all && !str_eq(json_str(JSON_GET(v, "state")), STR("active")))
			continue;
		write_key(c, &text, v, line);
		if (!c->opts.all)
			break;
	}
	if (text.len && c->opts.as && strcmp(c->opts.as, "jwks") == 0)
		buf_add_str(&text, STR("]}\n"));
	if (text.len) {
		code = put_text(c, buf_str(&text));
	} else {
		out_error(c, "There is no signing key. To make one, run: thole key new");
		code = CODE_FAILED;
	}
	buf_done(&text);
	return code;
}

int verb_key(struct cli *c)
{
	const char *what = c->args[0];
	int code;

	if (strcmp(what, "new") != 0 && strcmp(what, "show") != 0 && strcmp(what, "rotate") != 0 &&
	    strcmp(what, "export") != 0)
		return opt_usage(c, "key knows new, show, rotate and export, not %s.", what);
	code = connection_open(c);
	if (code)
		return code;
	if (strcmp(what, "new") == 0 || strcmp(what, "rotate") == 0)
		return make_key(c, strcmp(what, "rotate") == 0);
	return strcmp(what, "show") == 0 ? show_keys(c) : export_keys(c);
}
