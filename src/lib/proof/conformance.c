/* thole_conform() and thole_conform_pack(): logs against requirements, without a runtime. */
#include "thole/thole.h"

#include "base/buf.h"
#include "base/json.h"
#include "conform/conform_logs.h"

#include <stdio.h>

static int conform_failed(struct thole_error *err, enum err code, const struct error *why)
{
	int public = code == ERR_IO || code == ERR_NOT_FOUND ? THOLE_IO : THOLE_INVALID;

	if (err) {
		err->code = public;
		snprintf(err->message, sizeof err->message, "%s", why->message);
	}
	return public;
}

static enum err read_texts(struct arena *mem, struct json list, const char *name, struct str **ret,
                           size_t *ret_count, struct error *e)
{
	struct json_iter it = json_iter(list);
	struct json each;
	struct str key;

	if (json_is(list) && json_type(list) != JSON_ARR)
		return fail(e, ERR_INVALID, "%s is no list", name);
	*ret = ARENA_ARRAY(mem, struct str, json_count(list) + 1);
	while (json_next(&it, &key, &each)) {
		if (!json_str(each).len)
			return fail(e, ERR_INVALID, "%s has an entry that is no text", name);
		(*ret)[(*ret_count)++] = arena_keep(mem, json_str(each));
	}
	return OK;
}

static enum err read_asked(struct arena *mem, const char *params, struct conform_asked *ret,
                           struct error *e)
{
	struct json v;
	enum err code = json_read(mem, str_from(params), &v, e);

	if (code == OK)
		code = read_texts(mem, JSON_GET(v, "paths"), "paths", &ret->paths, &ret->path_count,
		                  e);
	if (code == OK)
		code = read_texts(mem, JSON_GET(v, "canaries"), "canaries", &ret->canaries,
		                  &ret->canary_count, e);
	if (code == OK && !ret->path_count)
		code = fail(e, ERR_INVALID, "paths is empty");
	if (code != OK)
		return code;
	ret->pack = json_str(JSON_GET(v, "pack"));
	ret->profile = json_str(JSON_GET(v, "profile"));
	ret->scenarios = JSON_GET(v, "scenarios");
	return OK;
}

int thole_conform(const char *params, char **ret, struct thole_error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct conform_asked asked = { 0 };
	struct buf out = { 0 };
	struct error why = { 0 };
	bool is_fine = false;
	enum err code = read_asked(mem, params, &asked, &why);

	*ret = NULL;
	if (code == OK)
		code = conform_logs(&asked, &out, &is_fine, &why);
	if (code != OK) {
		buf_done(&out);
		return conform_failed(err, code, &why);
	}
	*ret = buf_take(&out, NULL);
	return is_fine ? THOLE_OK : THOLE_REFUSED;
}

int thole_conform_pack(char **ret, struct thole_error *err)
{
	struct buf out = { 0 };
	struct error why = { 0 };
	enum err code = own_pack_text(&out, &why);

	*ret = NULL;
	if (code != OK) {
		buf_done(&out);
		return conform_failed(err, code, &why);
	}
	*ret = buf_take(&out, NULL);
	return THOLE_OK;
}
