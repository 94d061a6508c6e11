/* A path is a template with {fields}; a tenant may come before it. */
#include "grpc/grpc_route.h"

#include "base/jw.h"

#define PATH_FIELDS_MAX 4 /* tenant, and what a template names */

const struct proto_method *grpc_route_method(struct str path)
{
	struct str service = str_from(proto_service);

	if (path.len < service.len + 2 || path.ptr[0] != '/' ||
	    !str_eq(str_head(str_skip(path, 1), service.len), service) ||
	    path.ptr[service.len + 1] != '/')
		return NULL;
	path = str_skip(path, service.len + 2);
	for (size_t i = 0; i < proto_method_count; i++)
		if (str_eq(path, str_from(proto_methods[i].name)))
			return &proto_methods[i];
	return NULL;
}

static const struct proto_field *find_field(const struct proto_message *m, struct str name)
{
	for (size_t i = 0; i < m->count; i++)
		if (str_eq(name, str_from(m->fields[i].name)))
			return &m->fields[i];
	return NULL;
}

static void add_encoded(struct buf *out, struct str value)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];
		bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		                (c >= '0' && c <= '9') || (c && strchr("-._~", c));

		if (is_plain)
			buf_add_char(out, c);
		else
			buf_printf(out, "%%%02X", (uint8_t)c);
	}
}

/* One segment and nothing else: "x:cancel" or "x/y" would be another operation. */
static bool is_segment(struct str value)
{
	if (!value.len || str_eq(value, STR(".")) || str_eq(value, STR("..")))
		return false;
	for (size_t i = 0; i < value.len; i++)
		if (strchr("/\\:", value.ptr[i]) || (uint8_t)value.ptr[i] < ' ' ||
		    value.ptr[i] == 127)
			return false;
	return true;
}

/* ---- from a call to a request ---- */

/* What the path took of the request. */
struct taken {
	struct str names[PATH_FIELDS_MAX];
	size_t count;
};

static bool is_taken(const struct taken *t, struct str name)
{
	for (size_t i = 0; i < t->count; i++)
		if (str_eq(t->names[i], name))
			return true;
	return false;
}

static enum err add_field(struct buf *out, const struct proto_message *m, struct json request,
                          struct str name, struct taken *taken, struct error *e)
{
	const struct proto_field *f = find_field(m, name);
	struct str value = f ? json_str(json_get(request, str_from(f->json))) : STR_NONE;

	if (!f || !str_is(value))
		return fail(e, ERR_INVALID, "%.*s is required", STR_ARG(name));
	if (!is_segment(value))
		return fail(e, ERR_INVALID, "%s is not a valid id", f->json);
	add_encoded(out, value);
	taken->names[taken->count++] = str_from(f->json);
	return OK;
}

static enum err add_path(struct buf *out, const struct proto_method *m, struct json request,
                         struct taken *taken, struct error *e)
{
	struct str rest = str_from(m->path);
	enum err err = OK;

	if (json_str(JSON_GET(request, "tenant")).len) {
		buf_add_char(out, '/');
		err = add_field(out, m->request, request, STR("tenant"), taken, e);
	}
	while (err == OK && rest.len) {
		struct str literal = str_cut(&rest, '{');

		buf_add_str(out, literal);
		if (str_is(rest))
			err = add_field(out, m->request, request, str_cut(&rest, '}'), taken, e);
	}
	return err;
}

static void add_query(struct arena *mem, struct buf *out, struct json request,
                      const struct taken *taken)
{
	struct json_iter it = json_iter(request);
	char separator = '?';
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each)) {
		if (is_taken(taken, key))
			continue;
		buf_add_char(out, separator);
		add_encoded(out, key);
		buf_add_char(out, '=');
		add_encoded(out, str_is(json_str(each)) ? json_str(each) : json_text(mem, each));
		separator = '&';
	}
}

static struct str body_of(struct arena *mem, struct json request, const struct taken *taken)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(request);
	struct json_writer w;
	struct json each;
	struct str key;

	jw_init(&w, &out);
	jw_obj(&w);
	while (json_next(&it, &key, &each)) {
		if (is_taken(taken, key))
			continue;
		jw_key(&w, key);
		jw_value(&w, each);
	}
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

enum err grpc_route_request(struct arena *mem, const struct proto_method *m, struct str request,
                            struct grpc_route *ret, struct error *e)
{
	CLEANUP(buf_done) struct buf target = { .max = LIMIT_HTTP_TARGET_BYTES };
	struct taken taken = { 0 };
	struct json v = { 0 };
	enum err err = json_read(mem, request, &v, e);

	if (err == OK)
		err = add_path(&target, m, v, &taken, e);
	if (err != OK)
		return err;
	if (!m->has_body)
		add_query(mem, &target, v, &taken);
	if (target.overflowed)
		return fail(e, ERR_TOO_LARGE, "the ids of the request are too long");
	*ret = (struct grpc_route){ .verb = str_from(m->http),
		                    .target = arena_keep(mem, buf_str(&target)),
		                    .body = m->has_body ? body_of(mem, v, &taken) : STR_NONE };
	return OK;
}

/* ---- from a request to a call ---- */

struct bound {
	struct str names[PATH_FIELDS_MAX], values[PATH_FIELDS_MAX];
	size_t count;
};

/* A field ends before the literal that follows it in the template, which is the last such place. */
static bool match_field(struct str *path, struct str then, struct str *ret)
{
	size_t len = 0;

	while (len < path->len && path->ptr[len] != '/')
		len++;
	if (then.len && then.ptr[0] == ':') {
		if (len < then.len || !str_eq(str_of(path->ptr + len - then.len, then.len), then))
			return false;
		len -= then.len;
	}
	*ret = str_head(*path, len);
	*path = str_skip(*path, len);
	return len > 0;
}

static bool match_path(struct str template, struct str path, struct bound *b)
{
	while (template.len) {
		struct str literal = str_cut(&template, '{');
		struct str name, value, next;

		if (!str_starts(path, literal))
			return false;
		path = str_skip(path, literal.len);
		if (!str_is(template))
			break;
		name = str_cut(&template, '}');
		next = template;
		next = str_is(next) ? str_cut(&next, '{') : STR("");
		if (!match_field(&path, next, &value))
			return false;
		b->names[b->count] = name;
		b->values[b->count++] = value;
		if (!str_is(template))
			break;
	}
	return !path.len;
}

/* "/tasks/{id}:subscribe" is longer than "/tasks/{id}", which matches as well. */
static const struct proto_method *match_methods(struct str verb, struct str path, struct bound *ret)
{
	const struct proto_method *best = NULL;
	const struct bound before = *ret;

	for (size_t i = 0; i < proto_method_count; i++) {
		const struct proto_method *m = &proto_methods[i];
		struct bound b = before;

		if (!str_eq(verb, str_from(m->http)) || !match_path(str_from(m->path), path, &b) ||
		    (best && strlen(m->path) < strlen(best->path)))
			continue;
		best = m;
		*ret = b;
	}
	return best;
}

/* The first segment is a tenant. */
static const struct proto_method *match_tenant(struct str verb, struct str path, struct bound *ret)
{
	struct str rest = str_skip(path, 1);

	*ret = (struct bound){ .names = { STR("tenant") }, .count = 1 };
	ret->values[0] = str_cut(&rest, '/');
	if (!str_is(rest) || !ret->values[0].len)
		return NULL;
	return match_methods(verb, str_of(rest.ptr - 1, rest.len + 1), ret);
}

static bool has_two_segments(struct str path)
{
	struct str rest = str_skip(path, 1);

	str_cut(&rest, '/');
	return str_is(rest) && !memchr(rest.ptr, '/', rest.len);
}

/* /tasks/tasks is the list of the tenant `tasks`: no task has the name of an operation. */
static const struct proto_method *match(struct str verb, struct str path, struct bound *ret)
{
	const struct proto_method *m = path.len ? match_tenant(verb, path, ret) : NULL;

	if (m && has_two_segments(path))
		return m;
	*ret = (struct bound){ 0 };
	m = match_methods(verb, path, ret);
	return m || !path.len ? m : match_tenant(verb, path, ret);
}

static bool is_bound(const struct proto_method *m, const struct bound *b, struct str key)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct proto_field *f = find_field(m->request, b->names[i]);

		if (f && (str_eq(key, str_from(f->json)) || str_eq(key, str_from(f->name))))
			return true;
	}
	return false;
}

/* The path decides: what it names is left out of the body and of the query. */
static struct str join_request(struct arena *mem, const struct proto_method *m,
                               const struct grpc_route_http *in, const struct bound *b,
                               struct json body)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(body);
	struct json_writer w;
	struct json each;
	struct str key;

	jw_init(&w, &out);
	jw_obj(&w);
	for (size_t i = 0; i < b->count; i++) {
		const struct proto_field *f = find_field(m->request, b->names[i]);

		if (f)
			jw_kstr(&w, str_from(f->json), b->values[i]);
	}
	while (json_next(&it, &key, &each))
		if (!is_bound(m, b, key)) {
			jw_key(&w, key);
			jw_value(&w, each);
		}
	for (size_t i = 0; !m->has_body && i < in->param_count; i++)
		if (!is_bound(m, b, in->params[i].name))
			jw_kstr(&w, in->params[i].name, in->params[i].value);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

const struct proto_method *grpc_route_find(struct arena *mem, const struct grpc_route_http *in,
                                           struct str *ret_request, struct error *e)
{
	struct grpc_route_http at = *in;
	const struct proto_method *m;
	struct json body = { 0 };
	struct bound bound;

	m = match(in->verb, in->path, &bound);
	/* The text of the protocol says POST for this one, its definition GET. */
	if (!m && str_eq(in->verb, STR("POST")) && str_ends(in->path, STR(":subscribe"))) {
		at.verb = STR("GET");
		at.body = STR("");
		m = match(at.verb, in->path, &bound);
	}
	if (!m) {
		(void)fail(e, ERR_NOT_FOUND, "There is no such operation at this path");
		return NULL;
	}
	if (m->has_body && str_trim(at.body).len &&
	    (json_read(mem, at.body, &body, e) != OK || json_type(body) != JSON_OBJ)) {
		(void)fail(e, ERR_INVALID, "The body must be a JSON object");
		return NULL;
	}
	*ret_request = join_request(mem, m, &at, &bound, body);
	return m;
}
