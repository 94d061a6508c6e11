/* Takes the keys that a client lends to its connection. */
#include "serve/auth/lend.h"

#include "base/jw.h"

#include <string.h>

#define KEYS_MAX 64

static enum error_code check_shape(struct json params, struct json keys, struct error *detail)
{
	struct json_iter it = json_iter(keys);
	struct json v;
	struct str key;

	if (json_type(keys) != JSON_OBJ || json_count(keys) > KEYS_MAX || json_count(params) != 1) {
		fail(detail, ERR_INVALID, "keys: an object of at most %d keys by variable",
		     KEYS_MAX);
		return ERROR_CODE_INVALID_VALUE;
	}
	while (json_next(&it, &key, &v))
		if (json_type(v) != JSON_STR) {
			fail(detail, ERR_INVALID, "keys: a value is not a string");
			return ERROR_CODE_INVALID_VALUE;
		}
	return 0;
}

/* The message names the variable, never the key. */
static enum error_code take_one(struct serve *s, uint64_t connection, struct str variable,
                                struct json v, struct error *detail)
{
	struct credentials *c = s->opt.credentials;
	struct str key = json_str(v);
	struct error why = { 0 };
	enum err err = c->ops->lend(c, connection, variable, key, &why);

	if (!err)
		return 0;
	fail(detail, err, "%.*s: %s", STR_ARG(str_head(variable, 64)), why.message);
	return err == ERR_TOO_LARGE ? ERROR_CODE_TOO_MANY_OPEN : ERROR_CODE_INVALID_VALUE;
}

/* The parsed text is ours to overwrite: it lives until the call returns. */
static void wipe(struct json keys)
{
	struct json_iter it = json_iter(keys);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (json_type(v) == JSON_STR && json_str(v).len)
			explicit_bzero((char *)json_str(v).ptr, json_str(v).len);
}

static void write_reply(struct serve *s, uint64_t connection, struct buf *out)
{
	struct credentials *c = s->opt.credentials;
	const struct str *providers;
	size_t count = c->ops->of_connection(c, connection, &providers);
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KEY(&w, "providers");
	jw_arr(&w);
	for (size_t i = 0; i < count; i++)
		jw_str(&w, providers[i]);
	jw_arr_end(&w);
	jw_obj_end(&w);
}

enum error_code lend_take(struct serve *s, const struct caller *caller, struct json params,
                          struct buf *out, struct error *detail)
{
	struct json keys = JSON_GET(params, "keys"), v;
	struct json_iter it = json_iter(keys);
	enum error_code code;
	struct str variable;

	if (!caller->connection || !s->opt.credentials) {
		fail(detail, ERR_INVALID, "keys are taken on the owner's Unix socket only");
		code = ERROR_CODE_FORBIDDEN;
	} else {
		code = check_shape(params, keys, detail);
	}
	while (!code && json_next(&it, &variable, &v))
		code = take_one(s, caller->connection, variable, v, detail);
	wipe(keys);
	if (!code)
		write_reply(s, caller->connection, out);
	return code;
}

void lend_end(struct serve *s, const struct caller *caller)
{
	struct credentials *c = s->opt.credentials;

	if (c && caller->connection)
		c->ops->leave(c, caller->connection);
}
