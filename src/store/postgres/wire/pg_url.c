/*
 * Addresses.  libpq's own message about a bad address may quote all of it with the
 * password, so only its words before the first quotation mark are repeated.
 */
#include "store/postgres/wire/pg_url.h"

#include "base/buf.h"

static bool has_scheme(struct str url)
{
	return str_starts(url, STR("postgresql://")) || str_starts(url, STR("postgres://"));
}

enum err pg_url_check(const struct pg_lib *lib, const char *url, struct error *e)
{
	char *why = NULL;
	struct pg_lib_option *options;
	struct str reason;

	if (!has_scheme(str_from(url)))
		return fail(
			e, ERR_INVALID,
			"store_url: the address of the store does not begin with postgresql://. "
			"An example is postgresql:///thole");
	options = lib->PQconninfoParse(url, &why);
	if (options) {
		lib->PQconninfoFree(options);
		return OK;
	}
	reason = str_from(why ? why : "it cannot be read");
	reason = str_trim(str_cut(&reason, '"'));
	(void)fail(e, ERR_INVALID,
	           "store_url: the address of the store is wrong (%.*s). It has the form "
	           "postgresql://[user@][host][:port]/database[?name=value]",
	           STR_ARG(reason));
	lib->PQfreemem(why);
	return ERR_INVALID;
}

struct str pg_url_password(struct arena *mem, const struct pg_lib *lib, const char *url)
{
	struct pg_lib_option *options = lib->PQconninfoParse(url, NULL);
	struct str found = STR_NONE;

	for (struct pg_lib_option *o = options; o && o->keyword; o++)
		if (str_eq(str_from(o->keyword), STR("password")) && o->val)
			found = arena_keep(mem, str_from(o->val));
	if (options)
		lib->PQconninfoFree(options);
	return found;
}

static void put_quoted(struct buf *out, const char *value)
{
	buf_add_char(out, '\'');
	for (; *value; value++) {
		if (*value == '\'' || *value == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, *value);
	}
	buf_add_char(out, '\'');
}

/* libpq marks what is secret by how a form would show it. */
struct str pg_url_without_secrets(struct arena *mem, const struct pg_lib *lib, const char *url)
{
	struct pg_lib_option *options = lib->PQconninfoParse(url, NULL);
	CLEANUP(buf_done) struct buf out = { 0 };

	for (struct pg_lib_option *o = options; o && o->keyword; o++) {
		if (!o->val || (o->dispchar && *o->dispchar == '*'))
			continue;
		buf_printf(&out, "%s%s=", out.len ? " " : "", o->keyword);
		put_quoted(&out, o->val);
	}
	if (options)
		lib->PQconninfoFree(options);
	return arena_keep(mem, buf_str(&out));
}

/* Everything before the last @ may be part of a password, wherever it stands. */
struct str pg_url_plain(struct arena *mem, const char *url)
{
	struct str rest = str_from(url), plain;
	ptrdiff_t mark = str_find(rest, STR("://"));

	rest = str_skip(rest, mark < 0 ? rest.len : (size_t)mark + 3);
	while ((mark = str_find_char(rest, '@')) >= 0)
		rest = str_skip(rest, (size_t)mark + 1);
	plain = str_cut(&rest, '?');
	return arena_printf(mem, "postgresql://%.*s", STR_ARG(plain));
}
