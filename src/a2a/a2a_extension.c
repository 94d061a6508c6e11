/* Declared extensions, and what a request asks for. */
#include "a2a/a2a_extension.h"

#include "base/buf.h"
#include "base/gen/limits.h"

#define URI_MAX 512
#define DESCRIPTION_MAX 2048

bool a2a_extension_is_uri(struct str uri)
{
	for (size_t i = 0; i < uri.len; i++)
		if ((unsigned char)uri.ptr[i] <= ' ' || (unsigned char)uri.ptr[i] >= 0x7f ||
		    uri.ptr[i] == ',')
			return false;
	return uri.len && uri.len <= URI_MAX && str_find_char(uri, ':') > 0;
}

/* ---- the setting ---- */

static enum err bad(struct error *e, struct str uri, const char *what)
{
	return fail(e, ERR_INVALID, "a2a.extensions: %.*s: %s", STR_ARG(str_head(uri, 128)), what);
}

static enum err read_member(struct a2a_extension *x, struct str key, struct json v, struct error *e)
{
	if (str_eq(key, STR("description"))) {
		x->description = json_str(v);
		if (!x->description.len || x->description.len > DESCRIPTION_MAX)
			return bad(e, x->uri, "description: a text of at most 2048 bytes");
	} else if (str_eq(key, STR("required"))) {
		if (json_type(v) != JSON_BOOL)
			return bad(e, x->uri, "required: true or false");
		x->is_required = json_bool(v, false);
	} else if (str_eq(key, STR("params"))) {
		if (json_type(v) != JSON_OBJ || !json_count(v))
			return bad(e, x->uri, "params: an object that is not empty");
		x->params = v;
	} else {
		return bad(e, x->uri, "it has description, required and params only");
	}
	return OK;
}

enum err a2a_extension_read_all(struct arena *mem, struct json setting, struct a2a_extensions *ret,
                                struct error *e)
{
	struct json_iter outer = json_iter(setting);
	struct json row, v;
	struct str uri, key;

	*ret = (struct a2a_extensions){ 0 };
	if (json_count(setting) > LIMIT_A2A_EXTENSIONS)
		return fail(e, ERR_INVALID, "a2a.extensions: at most %d are possible",
		            LIMIT_A2A_EXTENSIONS);
	ret->items = ARENA_ARRAY(mem, struct a2a_extension, json_count(setting) + 1);
	while (json_next(&outer, &uri, &row)) {
		struct a2a_extension *x = &ret->items[ret->count++];
		struct json_iter inner = json_iter(row);

		*x = (struct a2a_extension){ .uri = uri };
		if (!a2a_extension_is_uri(uri))
			return bad(e, uri, "a name is a URI without blanks and commas");
		if (json_type(row) != JSON_OBJ)
			return bad(e, uri, "an object is expected");
		while (json_next(&inner, &key, &v))
			if (read_member(x, key, v, e) != OK)
				return ERR_INVALID;
	}
	return OK;
}

/* ---- requests ---- */

uint64_t a2a_extension_active(const struct a2a_extensions *all, struct str header)
{
	uint64_t active = 0;

	while (str_is(header)) {
		struct str uri = str_trim(str_cut(&header, ','));

		for (size_t i = 0; i < all->count; i++)
			if (str_eq(all->items[i].uri, uri))
				active |= (uint64_t)1 << i;
	}
	return active;
}

const struct a2a_extension *a2a_extension_missing(const struct a2a_extensions *all, uint64_t active)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].is_required && !(active >> i & 1))
			return &all->items[i];
	return NULL;
}

struct str a2a_extension_header(struct arena *mem, const struct a2a_extensions *all,
                                uint64_t active)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < all->count; i++)
		if (active >> i & 1)
			buf_printf(&out, "%s%.*s", out.len ? "," : "", STR_ARG(all->items[i].uri));
	return out.len ? arena_keep(mem, buf_str(&out)) : STR_NONE;
}

/* Members that are false or absent are left out, as the canonical form of a card wants it. */
void a2a_extension_write(struct json_writer *w, const struct a2a_extensions *all)
{
	if (!all->count)
		return;
	JW_KEY(w, "extensions");
	jw_arr(w);
	for (size_t i = 0; i < all->count; i++) {
		const struct a2a_extension *x = &all->items[i];

		jw_obj(w);
		JW_KSTR(w, "uri", x->uri);
		JW_KOPT(w, "description", x->description);
		if (x->is_required)
			JW_KBOOL(w, "required", true);
		if (json_is(x->params)) {
			JW_KEY(w, "params");
			jw_value(w, x->params);
		}
		jw_obj_end(w);
	}
	jw_arr_end(w);
}
