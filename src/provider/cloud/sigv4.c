/*
 * Signs requests for AWS.  The steps and their names are those of the vendor's
 * description: canonical request, string to sign, signing key, signature.
 */
#include "provider/cloud/sigv4.h"

#include "base/hash/sha256.h"

#include <ctype.h>
#include <stdlib.h>
#include <time.h>

#define PARTS_MAX 32 /* headers and members of the query */

void sigv4_encode(struct buf *out, struct str text, const char *keep)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		                (c >= '0' && c <= '9') || (c && strchr("-_.~", c)) ||
		                (c && strchr(keep, c));

		if (is_plain)
			buf_add_char(out, c);
		else
			buf_printf(out, "%%%02X", (unsigned char)c);
	}
}

/* ---- the address ---- */

struct address_parts {
	struct str host, path, query;
};

/* The host as libcurl sends it: without a port that the scheme implies, and without a user. */
static struct address_parts split_url(struct str url)
{
	bool is_https = str_starts(url, STR("https:"));
	ptrdiff_t at = str_find(url, STR("//"));
	struct str rest = at < 0 ? url : str_skip(url, (size_t)at + 2);
	struct address_parts a = { .query = STR("") };
	size_t len = 0;

	while (len < rest.len && !strchr("/?#", rest.ptr[len]))
		len++;
	a.host = str_head(rest, len);
	a.path = str_skip(rest, len);
	if (str_find_char(a.host, '@') >= 0)
		str_cut(&a.host, '@');
	if (str_ends(a.host, is_https ? STR(":443") : STR(":80")))
		a.host.len -= is_https ? 4 : 3;
	a.query = a.path;
	a.path = str_cut(&a.query, '?');
	if (!a.path.len)
		a.path = STR("/");
	return a;
}

static int compare_parts(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Members sorted by their bytes; one without a value gets an empty one. */
static void add_query(struct buf *out, struct str query)
{
	struct str parts[PARTS_MAX];
	size_t count = 0;

	while (query.len && count < PARTS_MAX)
		parts[count++] = str_cut(&query, '&');
	qsort(parts, count, sizeof parts[0], compare_parts);
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_add_char(out, '&');
		buf_add_str(out, parts[i]);
		if (str_find_char(parts[i], '=') < 0)
			buf_add_char(out, '=');
	}
}

/* ---- headers ---- */

struct signed_header {
	char name[64]; /* lower case; first, for the comparison */
	struct str value;
};

struct signed_headers {
	struct signed_header at[PARTS_MAX];
	size_t count;
};

static int compare_headers(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void add_header(struct signed_headers *all, struct str name, struct str value)
{
	struct signed_header *h = &all->at[all->count];

	if (all->count == PARTS_MAX || name.len >= sizeof h->name)
		return;
	for (size_t i = 0; i < name.len; i++)
		h->name[i] = (char)tolower((unsigned char)name.ptr[i]);
	h->name[name.len] = 0;
	h->value = str_trim(value);
	all->count++;
}

static void add_names(struct buf *out, const struct signed_headers *all)
{
	for (size_t i = 0; i < all->count; i++)
		buf_printf(out, "%s%s", i ? ";" : "", all->at[i].name);
}

/* ---- signing ---- */

static void add_hash(struct arena *mem, struct buf *out, struct str text)
{
	struct sha256 h = sha256_of(text);

	buf_add_str(out, sha256_hex(mem, &h));
}

static void canonical_request(struct arena *mem, const struct sigv4_request *r,
                              const struct address_parts *a, const struct signed_headers *all,
                              struct buf *out)
{
	buf_add_str(out, r->method);
	buf_add_char(out, '\n');
	sigv4_encode(out, a->path, "/");
	buf_add_char(out, '\n');
	add_query(out, a->query);
	buf_add_char(out, '\n');
	for (size_t i = 0; i < all->count; i++)
		buf_printf(out, "%s:%.*s\n", all->at[i].name, STR_ARG(all->at[i].value));
	buf_add_char(out, '\n');
	add_names(out, all);
	buf_add_char(out, '\n');
	add_hash(mem, out, r->body);
}

static struct str hash_str(const struct sha256 *h)
{
	return str_of((const char *)h->state, sizeof h->state);
}

/* The key of one day, region and service; the memory of every step is wiped. */
static struct sha256 sign_text(const struct sigv4_request *r, struct str secret_key, struct str day,
                               struct str text)
{
	struct str steps[] = { day, r->region, r->service, STR("aws4_request"), text };
	CLEANUP(buf_done) struct buf first = { 0 };
	struct sha256 key;

	buf_reserve(&first, secret_key.len + 5); /* once: a reallocation would leave a copy */
	buf_add_c(&first, "AWS4");
	buf_add_str(&first, secret_key);
	key = sha256_hmac(buf_str(&first), steps[0]);
	explicit_bzero(first.ptr, first.cap);
	for (size_t i = 1; i < COUNT_OF(steps); i++) {
		struct sha256 next = sha256_hmac(hash_str(&key), steps[i]);

		explicit_bzero(&key, sizeof key);
		key = next;
	}
	return key;
}

/* "20150830T123600Z"; the day is its first eight characters. */
static struct str time_text(struct arena *mem, int64_t now_ms)
{
	time_t now = (time_t)(now_ms / 1000);
	char text[32];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &tm);
	return arena_keep(mem, str_from(text));
}

static struct str authorization(struct arena *mem, const struct sigv4_request *r,
                                const struct sigv4_keys *k, struct str now,
                                const struct signed_headers *all)
{
	struct address_parts a = split_url(r->url);
	struct str day = str_head(now, 8);
	struct str scope = arena_printf(mem, "%.*s/%.*s/%.*s/aws4_request", STR_ARG(day),
	                                STR_ARG(r->region), STR_ARG(r->service));
	CLEANUP(buf_done) struct buf canonical = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf names = { 0 };
	struct sha256 signature;

	canonical_request(mem, r, &a, all, &canonical);
	buf_printf(&text, "AWS4-HMAC-SHA256\n%.*s\n%.*s\n", STR_ARG(now), STR_ARG(scope));
	add_hash(mem, &text, buf_str(&canonical));
	add_names(&names, all);
	signature = sign_text(r, k->secret_key, day, buf_str(&text));
	if (k->token.len) /* the canonical request holds it */
		explicit_bzero(canonical.ptr, canonical.cap);
	return arena_printf(mem,
	                    "AWS4-HMAC-SHA256 Credential=%.*s/%.*s, SignedHeaders=%.*s, "
	                    "Signature=%.*s",
	                    STR_ARG(k->access_key), STR_ARG(scope), STR_ARG(buf_str(&names)),
	                    STR_ARG(sha256_hex(mem, &signature)));
}

size_t sigv4_sign(struct arena *mem, const struct sigv4_request *r, const struct sigv4_keys *k,
                  struct http_client_header ret[SIGV4_HEADERS])
{
	struct signed_headers all = { .count = 0 };
	struct str now = time_text(mem, r->now_ms);
	size_t count = 0;

	ret[count++] = (struct http_client_header){ STR("X-Amz-Date"), now };
	if (k->token.len)
		ret[count++] = (struct http_client_header){ STR("X-Amz-Security-Token"), k->token };
	add_header(&all, STR("host"), split_url(r->url).host);
	for (size_t i = 0; i < r->header_count; i++)
		add_header(&all, r->headers[i].name, r->headers[i].value);
	for (size_t i = 0; i < count; i++)
		add_header(&all, ret[i].name, ret[i].value);
	qsort(all.at, all.count, sizeof all.at[0], compare_headers);
	ret[count++] = (struct http_client_header){ STR("Authorization"),
		                                    authorization(mem, r, k, now, &all) };
	return count;
}
