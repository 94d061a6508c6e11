/* What an object store answers. */
#include "store/bucket/bucket_answer.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

/* So much of what a server says is shown. */
#define SAID_MOST 200

/* ---- elements ---- */

static bool add_entity(struct buf *out, struct str name)
{
	static const struct {
		struct str name;
		char c;
	} known[] = { { STR("amp"), '&' },  { STR("lt"), '<' },    { STR("gt"), '>' },
		      { STR("quot"), '"' }, { STR("apos"), '\'' }, { STR("#34"), '"' },
		      { STR("#39"), '\'' }, { STR("#x22"), '"' },  { STR("#x27"), '\'' } };

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (str_eq(known[i].name, name)) {
			buf_add_char(out, known[i].c);
			return true;
		}
	return false;
}

static bool resolve(struct arena *mem, struct str text, struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	while (text.len) {
		ptrdiff_t at = str_find_char(text, '&');
		ptrdiff_t end = at < 0 ? -1 : str_find_char(str_skip(text, (size_t)at), ';');

		buf_add_str(&out, at < 0 ? text : str_head(text, (size_t)at));
		if (at < 0)
			break;
		text = str_skip(text, (size_t)at + 1);
		if (end < 2 || !add_entity(&out, str_head(text, (size_t)end - 1)))
			return false;
		text = str_skip(text, (size_t)end);
	}
	*ret = arena_keep(mem, buf_str(&out));
	return true;
}

bool bucket_answer_next(struct arena *mem, struct str *rest, const char *name, struct str *ret)
{
	char opening[64], closing[64];
	ptrdiff_t from, len;

	snprintf(opening, sizeof opening, "<%s>", name);
	snprintf(closing, sizeof closing, "</%s>", name);
	from = str_find(*rest, str_from(opening));
	if (from < 0)
		return false;
	*rest = str_skip(*rest, (size_t)from + strlen(opening));
	len = str_find(*rest, str_from(closing));
	if (len < 0 || !resolve(mem, str_head(*rest, (size_t)len), ret))
		return false;
	*rest = str_skip(*rest, (size_t)len + strlen(closing));
	return true;
}

struct str bucket_answer_text(struct arena *mem, struct str xml, const char *name)
{
	struct str text = STR_NONE;

	return bucket_answer_next(mem, &xml, name, &text) ? text : STR_NONE;
}

/* ---- errors ---- */

struct meaning {
	const char *said; /* the code of the server */
	enum err err;
	const char *code, *advice; /* of ours */
};

#define BUCKET_ADVICE "Create it, or correct object_store.bucket"
#define KEYS_ADVICE                                                                                \
	"Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the file of "                     \
	"object_store.credentials_file"
#define REGION_ADVICE "Correct object_store.region and object_store.endpoint"
#define RIGHTS_ADVICE                                                                              \
	"The credentials need to read, write, delete and list objects below "                      \
	"object_store.prefix"

static const struct meaning meanings[] = {
	{ "NoSuchBucket", ERR_UNAVAILABLE, "object_store_bucket", BUCKET_ADVICE },
	{ "InvalidBucketName", ERR_UNAVAILABLE, "object_store_bucket", BUCKET_ADVICE },
	{ "NoSuchKey", ERR_NOT_FOUND, NULL, NULL },
	{ "NoSuchUpload", ERR_NOT_FOUND, NULL, NULL },
	{ "InvalidPart", ERR_CORRUPT, NULL, NULL },
	{ "InvalidPartOrder", ERR_CORRUPT, NULL, NULL },
	{ "EntityTooSmall", ERR_CORRUPT, NULL, NULL },
	{ "InvalidAccessKeyId", ERR_UNAVAILABLE, "object_store_credentials", KEYS_ADVICE },
	{ "SignatureDoesNotMatch", ERR_UNAVAILABLE, "object_store_credentials", KEYS_ADVICE },
	{ "ExpiredToken", ERR_UNAVAILABLE, "object_store_credentials", KEYS_ADVICE },
	{ "InvalidToken", ERR_UNAVAILABLE, "object_store_credentials", KEYS_ADVICE },
	{ "AuthorizationHeaderMalformed", ERR_UNAVAILABLE, "object_store_region", REGION_ADVICE },
	{ "PermanentRedirect", ERR_UNAVAILABLE, "object_store_region", REGION_ADVICE },
	{ "RequestTimeTooSkewed", ERR_UNAVAILABLE, "object_store_clock",
	  "Set the clock of this machine" },
	{ "AccessDenied", ERR_UNAVAILABLE, "object_store_rights", RIGHTS_ADVICE },
};

static const struct meaning by_status[] = {
	{ "301", ERR_UNAVAILABLE, "object_store_region", REGION_ADVICE },
	{ "307", ERR_UNAVAILABLE, "object_store_region", REGION_ADVICE },
	{ "401", ERR_UNAVAILABLE, "object_store_credentials", KEYS_ADVICE },
	{ "403", ERR_UNAVAILABLE, "object_store_rights", RIGHTS_ADVICE },
	{ "404", ERR_NOT_FOUND, NULL, NULL },
};

/* Busy, slowed down, or broken: it passes. */
static bool is_passing(long status)
{
	return status == 408 || status == 429 || status >= 500;
}

static const struct meaning *meaning_of(long status, struct str said)
{
	static const struct meaning server = { NULL, ERR_UNAVAILABLE, "object_store_server",
		                               "Outputs wait for it" };
	static const struct meaning refused = { NULL, ERR_UNAVAILABLE, "object_store_refused",
		                                "Look into the log of the object store" };
	char number[24];

	for (size_t i = 0; i < COUNT_OF(meanings); i++)
		if (str_eq(said, str_from(meanings[i].said)))
			return &meanings[i];
	snprintf(number, sizeof number, "%ld", status);
	for (size_t i = 0; i < COUNT_OF(by_status); i++)
		if (str_eq(str_from(number), str_from(by_status[i].said)))
			return &by_status[i];
	return is_passing(status) ? &server : &refused;
}

/* One line without control characters: it goes to a log. */
static struct str plain(struct arena *mem, struct str said)
{
	struct str line = utf8_head(said, SAID_MOST);
	char *out = arena_alloc(mem, line.len + 1);

	for (size_t i = 0; i < line.len; i++)
		out[i] = (unsigned char)line.ptr[i] < 0x20 || line.ptr[i] == 0x7f ? ' '
		                                                                  : line.ptr[i];
	return str_of(out, line.len);
}

enum err bucket_answer_error(const struct bucket_place *p, long status, struct str body,
                             bool *ret_refused, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str said = bucket_answer_text(mem, body, "Code");
	struct str words = bucket_answer_text(mem, body, "Message");
	const struct meaning *m = meaning_of(status, said);

	*ret_refused = m->err == ERR_UNAVAILABLE && !is_passing(status);
	if (!m->code)
		return fail(e, m->err, "the bucket %.*s answered %ld %.*s", STR_ARG(p->bucket),
		            status, STR_ARG(plain(mem, said)));
	return fail(e, m->err, "%s: the bucket %.*s at %.*s answered %ld %.*s%s%.*s. %s", m->code,
	            STR_ARG(p->bucket), STR_ARG(p->shown), status, STR_ARG(plain(mem, said)),
	            words.len ? ": " : "", STR_ARG(plain(mem, words)), m->advice);
}
