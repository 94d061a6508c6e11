/* Addresses of the objects of a bucket. */
#include "store/bucket/bucket_url.h"

#include <string.h>

/* libcurl bounds a region by 64; the names of buckets are bounded by the wire. */
#define REGION_MOST 60
#define BUCKET_LEAST 3
#define BUCKET_MOST 63
#define PREFIX_MOST 200
#define ENDPOINT_MOST 255
#define USUAL_REGION "us-east-1"
#define PAGE "500"

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_of(struct str s, const char *further)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_alnum(s.ptr[i]) && !(s.ptr[i] && strchr(further, s.ptr[i])))
			return false;
	return true;
}

/* ---- settings ---- */

static enum err refuse(struct error *e, const char *setting, struct str value, const char *why)
{
	return fail(e, ERR_INVALID, "object_store_settings: %s = \"%.*s\": %s", setting,
	            (int)MIN(value.len, 80), value.ptr ? value.ptr : "", why);
}

static enum err check_bucket(struct str bucket, struct error *e)
{
	if (!bucket.len)
		return fail(e, ERR_INVALID,
		            "object_store_settings: store.outputs = object_store needs the name of "
		            "a bucket: set object_store.bucket");
	if (bucket.len < BUCKET_LEAST || bucket.len > BUCKET_MOST || !is_of(bucket, ".-_"))
		return refuse(e, "object_store.bucket", bucket,
		              "a bucket has 3 to 63 letters, digits, dots, - and _");
	return OK;
}

static bool has_odd_step(struct str prefix)
{
	while (prefix.len) {
		struct str step = str_cut(&prefix, '/');

		if (!step.len || str_eq(step, STR(".")) || str_eq(step, STR("..")))
			return true;
	}
	return false;
}

static enum err take_prefix(struct arena *mem, struct str prefix, struct bucket_place *ret,
                            struct error *e)
{
	if (prefix.len && prefix.ptr[prefix.len - 1] == '/')
		prefix.len--;
	if (prefix.len > PREFIX_MOST || !is_of(prefix, ".-_/") || has_odd_step(prefix))
		return refuse(e, "object_store.prefix", prefix,
		              "a prefix has letters, digits, - _ and ., in steps with / between "
		              "them, such as thole/a");
	ret->prefix = prefix.len ? arena_printf(mem, "%.*s/", STR_ARG(prefix)) : STR("");
	return OK;
}

static enum err take_region(struct arena *mem, struct str region, struct bucket_place *ret,
                            struct error *e)
{
	if (region.len > REGION_MOST || !is_of(region, "-_"))
		return refuse(e, "object_store.region", region,
		              "a region has letters, digits and -, such as eu-central-1");
	ret->region = region.len ? arena_keep(mem, region) : STR(USUAL_REGION);
	return OK;
}

/* Scheme and host apart; a path, a user or a query have no place in it. */
static bool split_endpoint(struct str endpoint, struct str *ret_scheme, struct str *ret_host)
{
	static const struct str schemes[] = { STR("https://"), STR("http://") };

	if (endpoint.len && endpoint.ptr[endpoint.len - 1] == '/')
		endpoint.len--;
	for (size_t i = 0; i < COUNT_OF(schemes); i++)
		if (str_starts(endpoint, schemes[i])) {
			*ret_scheme = schemes[i];
			*ret_host = str_skip(endpoint, schemes[i].len);
			return ret_host->len && endpoint.len <= ENDPOINT_MOST &&
			       is_of(*ret_host, ".-_:[]");
		}
	return false;
}

static enum err take_base(struct arena *mem, const struct bucket_settings *s,
                          struct bucket_place *ret, struct error *e)
{
	struct str endpoint = s->endpoint, scheme, host;

	if (!endpoint.len)
		endpoint = arena_printf(mem, "https://s3.%.*s.amazonaws.com", STR_ARG(ret->region));
	if (!split_endpoint(endpoint, &scheme, &host))
		return refuse(e, "object_store.endpoint", endpoint,
		              "write it as https://HOST or http://HOST:PORT");
	ret->shown = arena_printf(mem, "%.*s%.*s", STR_ARG(scheme), STR_ARG(host));
	ret->base = s->is_path_style ? arena_printf(mem, "%.*s/%.*s/", STR_ARG(ret->shown),
	                                            STR_ARG(ret->bucket))
	                             : arena_printf(mem, "%.*s%.*s.%.*s/", STR_ARG(scheme),
	                                            STR_ARG(ret->bucket), STR_ARG(host));
	return OK;
}

enum err bucket_url_place(struct arena *mem, const struct bucket_settings *s,
                          struct bucket_place *ret, struct error *e)
{
	struct bucket_place p = { .bucket = arena_keep(mem, s->bucket) };
	enum err err = check_bucket(s->bucket, e);

	if (err == OK)
		err = take_prefix(mem, s->prefix, &p, e);
	if (err == OK)
		err = take_region(mem, s->region, &p, e);
	if (err == OK)
		err = take_base(mem, s, &p, e);
	if (err == OK)
		*ret = p;
	return err;
}

/* ---- addresses ---- */

static void add_encoded(struct buf *out, struct str value, const char *plain)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.ptr[i];

		if (is_alnum(c) || (c && strchr(plain, c)))
			buf_add_char(out, c);
		else
			buf_printf(out, "%%%02X", (unsigned char)c);
	}
}

void bucket_url_key(struct buf *out, const struct bucket_place *p, struct str key)
{
	buf_add_str(out, p->prefix);
	add_encoded(out, key, "-_.~/");
}

void bucket_url_member(struct buf *query, const char *name, struct str value)
{
	if (query->len)
		buf_add_char(query, '&');
	buf_add_c(query, name);
	buf_add_char(query, '=');
	add_encoded(query, value, "-_.~");
}

void bucket_url_object(struct buf *out, const struct bucket_place *p, struct str key,
                       struct str query)
{
	buf_add_str(out, p->base);
	bucket_url_key(out, p, key);
	if (query.len)
		buf_printf(out, "?%.*s", STR_ARG(query));
}

/* start-after is a key; a token of the server would have to come back byte for byte. */
void bucket_url_list(struct buf *out, const struct bucket_place *p, struct str key_prefix,
                     struct str after)
{
	CLEANUP(buf_done) struct buf query = { 0 };
	CLEANUP(buf_done) struct buf whole = { 0 };

	buf_add_str(&whole, p->prefix);
	buf_add_str(&whole, key_prefix);
	bucket_url_member(&query, "list-type", STR("2"));
	bucket_url_member(&query, "max-keys", STR(PAGE));
	bucket_url_member(&query, "prefix", buf_str(&whole));
	if (after.len)
		bucket_url_member(&query, "start-after", after);
	buf_add_str(out, p->base);
	buf_printf(out, "?%.*s", STR_ARG(buf_str(&query)));
}
