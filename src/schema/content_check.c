/*
 * Checks the bytes of a file against its declared media type, JSON Schema, size
 * and hash, and reports what was checked and what was not.
 */
#include "schema/content_check.h"

#include "schema/schema.h"
#include "base/hash/sha256.h"
#include "base/jw.h"
#include "base/utf8.h"

#include <string.h>

#define MESSAGE_MAX 200

static struct str from_c(const char *text)
{
	return str_of(text, strlen(text));
}

static const struct {
	const char *ending, *type;
} endings[] = {
	{ ".json", "application/json" }, { ".geojson", "application/geo+json" },
	{ ".txt", "text/plain" },        { ".md", "text/markdown" },
	{ ".csv", "text/csv" },          { ".html", "text/html" },
	{ ".css", "text/css" },          { ".xml", "text/xml" },
};

/* Programs read these files with comments and trailing commas, so the ending declares no JSON. */
static const char *const relaxed[] = {
	"tsconfig",    "jsconfig",   ".eslintrc",    "settings",      "launch", "tasks",
	"keybindings", "extensions", "devcontainer", ".devcontainer", "deno",   "api-extractor",
};

static struct str base_name(struct str path)
{
	size_t at = path.len;

	while (at > 0 && path.ptr[at - 1] != '/')
		at--;
	return str_skip(path, at);
}

/* "tsconfig.json" and "tsconfig.build.json" */
static bool is_relaxed(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(relaxed); i++) {
		struct str stem = from_c(relaxed[i]);

		if (str_starts(name, stem) && name.len > stem.len && name.ptr[stem.len] == '.')
			return true;
	}
	return false;
}

struct str content_check_media_type(struct str name)
{
	struct str base = base_name(name);

	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		if (!str_ends(base, from_c(endings[i].ending)) ||
		    base.len == strlen(endings[i].ending))
			continue;
		return i == 0 && is_relaxed(base) ? STR_NONE : from_c(endings[i].type);
	}
	return STR_NONE;
}

/* Without parameters: "text/plain; charset=latin1" is text/plain. */
static struct str bare_type(struct str type)
{
	ptrdiff_t at = str_find_char(type, ';');
	struct str bare = at < 0 ? type : str_head(type, (size_t)at);

	while (bare.len && bare.ptr[bare.len - 1] == ' ')
		bare.len--;
	return bare;
}

static bool is_json_type(struct str type)
{
	struct str bare = bare_type(type);

	return str_eq(bare, STR("application/json")) || str_eq(bare, STR("text/json")) ||
	       str_ends(bare, STR("+json"));
}

/* Text in another encoding than UTF-8 says so. */
static bool is_utf8_type(struct str type)
{
	ptrdiff_t at = str_find(type, STR("charset="));

	if (!str_starts(type, STR("text/")))
		return false;
	if (at < 0)
		return true;

	struct str set = str_skip(type, (size_t)at + strlen("charset="));

	return str_starts(set, STR("utf-8")) || str_starts(set, STR("UTF-8")) ||
	       str_starts(set, STR("us-ascii"));
}

/*
 * A document may name its schema by a relative path.  Everything else is "elsewhere": no address is
 * fetched and no absolute path is opened for a file that an agent wrote.
 */
struct str content_check_schema_path(struct arena *mem, struct str content, bool *ret_is_elsewhere)
{
	struct json doc;
	struct str path = STR_NONE;

	*ret_is_elsewhere = false;
	if (json_read(mem, content, &doc, NULL) == OK)
		path = json_str(JSON_GET(doc, "$schema"));
	if (!str_is(path) || !path.len)
		return STR_NONE;
	*ret_is_elsewhere = path.ptr[0] == '/' || str_find_char(path, ':') >= 0 ||
	                    str_find_char(path, '#') >= 0 || str_find_char(path, '\0') >= 0;
	return *ret_is_elsewhere ? STR_NONE : path;
}

static void add_issue(struct arena *mem, struct content_check *c, struct str message)
{
	c->issues++;
	if (c->message_count < CONTENT_CHECK_MESSAGES)
		c->messages[c->message_count++] = utf8_preview(mem, message, MESSAGE_MAX);
}

/*
 * A schema that does not compile or takes too many steps leaves the file unchecked: that is no
 * fault of the file.
 */
static void check_schema(struct arena *mem, struct json doc, struct str text,
                         struct content_check *c)
{
	struct schema_report report = { .mem = mem, .max = CONTENT_CHECK_ISSUES };
	CLEANUP(schema_freep) struct schema *schema = NULL;
	struct error e = { 0 };

	c->left_schema = schema_compile_text(NULL, text, NULL, &schema, &e) != OK;
	if (c->left_schema || schema_check(schema, doc, &report)) {
		c->checked_schema = !c->left_schema;
		return;
	}
	c->left_schema = report.gave_up;
	c->checked_schema = !report.gave_up;
	for (size_t i = 0; c->checked_schema && i < report.count; i++)
		add_issue(mem, c,
		          arena_printf(mem, "%s%.*s %.*s",
		                       report.errors[i].path.len ? "" : "the document",
		                       STR_ARG(report.errors[i].path),
		                       STR_ARG(report.errors[i].message)));
}

static void check_json(struct arena *mem, struct str content, const struct content_declared *is,
                       struct content_check *c)
{
	struct error e = { 0 };
	struct json doc;

	if (json_read(mem, content, &doc, &e) == OK) {
		c->checked_json = true;
		if (str_is(is->schema))
			check_schema(mem, doc, is->schema, c);
		else
			c->left_schema = is->has_other_schema;
		return;
	}
	/* A limit of our reader is no fault of the document. */
	c->left_json = str_starts(from_c(e.message), STR("JSON is nested too deeply"));
	c->checked_json = !c->left_json;
	c->left_schema = str_is(is->schema) || is->has_other_schema;
	if (c->checked_json)
		add_issue(mem, c, arena_printf(mem, "not valid JSON: %s", e.message));
}

static void check_declared_bytes(struct arena *mem, struct str content,
                                 const struct content_declared *is, struct content_check *c)
{
	if (is->has_size) {
		c->checked_size = true;
		if (is->size != (int64_t)content.len)
			add_issue(mem, c,
			          arena_printf(mem, "%zu bytes, %lld were declared", content.len,
			                       (long long)is->size));
	}
	if (str_is(is->sha256)) {
		struct sha256 hash = sha256_of(content);

		c->checked_hash = true;
		if (!str_eq(sha256_hex(mem, &hash), is->sha256))
			add_issue(mem, c, STR("the SHA-256 is not the one that was declared"));
	}
}

/*
 * Every check that applies is done, so that one report shows all faults.  UNCHECKED means that
 * something was declared that could not be checked.
 */
void content_check(struct arena *mem, struct str content, const struct content_declared *is,
                   struct content_check *ret)
{
	struct content_check c = { .media_type = str_is(is->media_type)
		                                         ? is->media_type
		                                         : content_check_media_type(is->name) };

	check_declared_bytes(mem, content, is, &c);
	/* A schema without a media type implies JSON. */
	if (is_json_type(c.media_type) || (!str_is(c.media_type) && str_is(is->schema))) {
		check_json(mem, content, is, &c);
	} else if (is_utf8_type(c.media_type)) {
		c.checked_utf8 = true;
		if (!utf8_is_valid(content))
			add_issue(mem, &c, STR("not valid UTF-8"));
		c.left_schema = str_is(is->schema);
	} else {
		c.left_schema = str_is(is->schema);
	}
	/* A fault outweighs what could not be checked. */
	c.state = c.issues                       ? CONTENT_CHECK_FAILED
	          : c.left_json || c.left_schema ? CONTENT_CHECK_UNCHECKED
	          : c.checked_utf8 || c.checked_json || c.checked_size || c.checked_hash
	                  ? CONTENT_CHECK_PASSED
	                  : CONTENT_CHECK_NOT_APPLICABLE;
	*ret = c;
}

static void write_word(struct json_writer *w, bool is_there, struct str word)
{
	if (is_there)
		jw_str(w, word);
}

void content_check_write(struct json_writer *w, const struct content_check *c)
{
	static const char *const states[] = { [CONTENT_CHECK_NOT_APPLICABLE] = "not_applicable",
		                              [CONTENT_CHECK_PASSED] = "passed",
		                              [CONTENT_CHECK_FAILED] = "failed",
		                              [CONTENT_CHECK_UNCHECKED] = "unchecked" };

	jw_obj(w);
	JW_KSTR(w, "state", from_c(states[c->state]));
	JW_KINT(w, "issues", c->issues);
	JW_KEY(w, "checks");
	jw_arr(w);
	write_word(w, c->checked_size, STR("size"));
	write_word(w, c->checked_hash, STR("sha256"));
	write_word(w, c->checked_utf8, STR("utf8"));
	write_word(w, c->checked_json, STR("json"));
	write_word(w, c->checked_schema, STR("schema"));
	jw_arr_end(w);
	JW_KEY(w, "unchecked");
	jw_arr(w);
	write_word(w, c->left_json, STR("json"));
	write_word(w, c->left_schema, STR("schema"));
	jw_arr_end(w);
	JW_KEY(w, "messages");
	jw_arr(w);
	for (size_t i = 0; i < c->message_count; i++)
		jw_str(w, c->messages[i]);
	jw_arr_end(w);
	jw_obj_end(w);
}
