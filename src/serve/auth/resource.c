/* Writes metadata and challenges. */
#include "serve/auth/resource.h"

#include "base/jw.h"
#include "serve/auth/issuer_settings.h"
#include "serve/http/cors.h"
#include "serve/http/problem.h"

/* ---- which resource ---- */

/* Paths of foreign protocols; the rest of the port is one resource. */
static const char *const protocols[] = { "/mcp", "/ag-ui", "/openai/v1", "/a2a/v1", "/a2a" };

static bool is_enabled(const struct serve *s, const char *path)
{
	switch (path[1]) {
	case 'm':
		return s->opt.has_mcp;
	case 'o':
		return s->opt.has_openai;
	default:
		return path[2] == '2' ? s->a2a != NULL : s->opt.has_agui;
	}
}

static bool is_below(struct str path, struct str root)
{
	return str_starts(path, root) && (path.len == root.len || path.ptr[root.len] == '/');
}

/* The path of the resource that a request is for; empty: the whole. */
static struct str resource_of(const struct serve *s, struct str path)
{
	for (size_t i = 0; i < COUNT_OF(protocols); i++)
		if (is_enabled(s, protocols[i]) && is_below(path, str_from(protocols[i])))
			return str_from(protocols[i]);
	return STR("");
}

static struct str path_behind(struct str path)
{
	return str_skip(path, strlen(RESOURCE_WELL_KNOWN));
}

bool resource_is_path(const struct serve *s, struct str path)
{
	struct str rest;

	if (!issuer_settings_has_any(s->opt.issuers) || !is_below(path, STR(RESOURCE_WELL_KNOWN)))
		return false;
	rest = path_behind(path);
	return !rest.len || (rest.len > 1 && str_eq(resource_of(s, rest), rest));
}

/* ---- the document ---- */

/* Each word once, although two issuers may map it. */
static bool is_first(const struct issuers_options *o, size_t issuer, size_t word)
{
	struct str text = o->items[issuer]->rules.scopes[word].word;

	for (size_t i = 0; i <= issuer; i++)
		for (size_t k = 0; k < o->items[i]->rules.scope_count; k++) {
			if (issuer_settings_is_removed(o, i))
				continue;
			if (i == issuer && k == word)
				return true;
			if (str_eq(o->items[i]->rules.scopes[k].word, text))
				return false;
		}
	return true;
}

/* The words of all issuers that permit one of these scopes; all: every word. */
static void each_word(const struct issuers_options *o, unsigned scopes,
                      void (*add)(void *arg, struct str word), void *arg)
{
	for (size_t i = 0; i < o->count; i++)
		for (size_t k = 0; k < o->items[i]->rules.scope_count; k++)
			if ((o->items[i]->rules.scopes[k].scopes & scopes) && is_first(o, i, k) &&
			    !issuer_settings_is_removed(o, i))
				add(arg, o->items[i]->rules.scopes[k].word);
}

static void add_to_list(void *arg, struct str word)
{
	jw_str(arg, word);
}

static void write_document(const struct serve *s, const struct http_request *req, struct str path,
                           struct buf *out)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str base = auth_url(&s->auth, mem, &req->in, http_reply_stream_of(req));
	const struct issuers_options *o = s->opt.issuers;
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "resource", arena_printf(mem, "%.*s%.*s", STR_ARG(base), STR_ARG(path)));
	JW_KEY(&w, "authorization_servers");
	jw_arr(&w);
	for (size_t i = 0; i < o->count; i++)
		if (!issuer_settings_is_removed(o, i))
			jw_str(&w, o->items[i]->url);
	jw_arr_end(&w);
	JW_KEY(&w, "scopes_supported");
	jw_arr(&w);
	each_word(o, SCOPES_ALL, add_to_list, &w);
	jw_arr_end(&w);
	JW_KEY(&w, "bearer_methods_supported");
	jw_arr(&w);
	jw_str(&w, STR("header"));
	jw_arr_end(&w);
	JW_KSTR(&w, "resource_name", STR("Thole"));
	jw_obj_end(&w);
}

void resource_open(const struct serve *s, struct http_request *req)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct http_field headers[3 + CORS_HEADERS_MAX] = {
		{ STR("Content-Type"), STR("application/json") },
		{ STR("Cache-Control"), STR("max-age=60") },
		HEADER_NO_SNIFF,
	};

	write_document(s, req, path_behind(req->in.path), &out);
	http_reply(req, 200, headers, cors_headers(req, headers, 3), buf_str(&out));
}

/* ---- the challenge ---- */

static void add_to_text(void *arg, struct str word)
{
	struct buf *out = arg;

	if (out->len)
		buf_add_char(out, ' ');
	buf_add_str(out, word);
}

/* For each missing scope the words that permit it and as little else as possible. */
static void write_missing(const struct issuers_options *o, unsigned missing, struct buf *out)
{
	CLEANUP(buf_done) struct buf words = { 0 };

	each_word(o, missing, add_to_text, &words);
	buf_printf(out, ", error=\"insufficient_scope\", scope=\"%.*s\"", STR_ARG(buf_str(&words)));
}

void resource_challenge(const struct serve *s, const struct http_request *req, unsigned missing,
                        const char *why, struct buf *out)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str base = auth_url(&s->auth, mem, &req->in, http_reply_stream_of(req));

	buf_add_c(out, "Bearer realm=\"thole\"");
	if (!issuer_settings_has_any(s->opt.issuers))
		return;
	if (why)
		buf_printf(out, ", error=\"invalid_token\", error_description=\"%s\"", why);
	else if (missing)
		write_missing(s->opt.issuers, missing, out);
	buf_printf(out, ", resource_metadata=\"%.*s%s%.*s\"", STR_ARG(base), RESOURCE_WELL_KNOWN,
	           STR_ARG(resource_of(s, req->in.path)));
}
