/*
 * The list of tools in the form of a dialect, kept from one request to the
 * next.  The key holds each part with its length, so that two different lists
 * never have the same key.
 */
#include "provider/body_tools.h"

#include "base/jw.h"

void body_tools_done(struct body_tools *t)
{
	buf_done(&t->key);
	buf_done(&t->text);
}

static void add_part(struct buf *key, struct str part)
{
	uint64_t len = str_is(part) ? part.len : UINT64_MAX;

	buf_add(key, &len, sizeof len);
	buf_add_str(key, part);
}

/* Absent and empty differ: UINT64_MAX is the length of an absent part. */
static bool take_part(struct str *key, struct str part)
{
	uint64_t len;

	if (key->len < sizeof len)
		return false;
	memcpy(&len, key->ptr, sizeof len);
	*key = str_skip(*key, sizeof len);
	if (len != (str_is(part) ? part.len : UINT64_MAX) || !str_starts(*key, part))
		return false;
	*key = str_skip(*key, part.len);
	return true;
}

/* Compares without building a second key. */
bool body_tools_is_known(const struct body_options *o, const struct model_request *req)
{
	struct str key = o->tools ? buf_str(&o->tools->key) : STR_NONE;

	for (size_t i = 0; i < req->tool_count; i++)
		if (!take_part(&key, req->tools[i].name) ||
		    !take_part(&key, req->tools[i].description) ||
		    !take_part(&key, req->tools[i].input_schema))
			return false;
	return req->tool_count && !key.len;
}

static void keep_list(struct body_tools *t, const struct model_request *req,
                      const struct body_options *o, body_tools_writer *write)
{
	struct json_writer w;

	buf_clear(&t->key);
	buf_clear(&t->text);
	for (size_t i = 0; i < req->tool_count; i++) {
		add_part(&t->key, req->tools[i].name);
		add_part(&t->key, req->tools[i].description);
		add_part(&t->key, req->tools[i].input_schema);
	}
	jw_init(&w, &t->text);
	write(&w, req, o);
}

/*
 * Tool lists are large and rarely change between requests; writing and checking their
 * schemas would be most of the work of a small request.
 */
void body_tools_write(struct json_writer *w, const struct model_request *req,
                      const struct body_options *o, body_tools_writer *write)
{
	if (!req->tool_count)
		return;
	JW_KEY(w, "tools");
	if (!o->tools) {
		write(w, req, o);
		return;
	}
	if (!body_tools_is_known(o, req))
		keep_list(o->tools, req, o, write);
	jw_raw(w, buf_str(&o->tools->text));
}
