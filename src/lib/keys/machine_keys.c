/*
 * Asks the metadata service of a machine or a container for keys; machine_keys.h.
 *
 *   container                       machine
 *   GET the address                 PUT  /latest/api/token                                ──► token
 *     Authorization, if any         GET  /latest/meta-data/iam/security-credentials/      ──► name of the role
 *                                   GET  /latest/meta-data/iam/security-credentials/NAME
 *                 └──► keys, token and when they expire, as JSON ◄──┘
 */
#include "lib/keys/machine_keys.h"

#include "base/json.h"
#include "base/os/clock.h"
#include "provider/cloud/cloud_env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTAINER_HOST "http://169.254.170.2"
#define MACHINE_HOST "http://169.254.169.254"
#define TOKEN_PATH "/latest/api/token"
#define ROLE_PATH "/latest/meta-data/iam/security-credentials/"
#define TOKEN_SECONDS "X-aws-ec2-metadata-token-ttl-seconds: 300"
/* A machine without the service refuses at once or is silent. */
#define CONNECT_MS 1000L
#define ANSWER_MS 5000L
#define ANSWER_MAX 65536
/* So long before they expire new ones are there, as a rule. */
#define EARLY_MS (5 * 60 * 1000)
#define AGAIN_MS 10000

/* ---- one request ---- */

static size_t on_receive(char *data, size_t size, size_t count, void *arg)
{
	struct buf *answer = arg;

	if (answer->len + size * count > ANSWER_MAX)
		return 0;
	buf_add(answer, data, size * count);
	return size * count;
}

static void set_options(struct machine_keys *k, CURL *easy, struct buf *ret, char *why)
{
	const struct libcurl *curl = &k->curl;

	curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl->easy_setopt(easy, CURLOPT_NOPROXY, "*");
	curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, ANSWER_MS);
	curl->easy_setopt(easy, CURLOPT_USERAGENT, "thole");
	curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_receive);
	curl->easy_setopt(easy, CURLOPT_WRITEDATA, ret);
	curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, why);
}

static enum err judge(CURLcode code, long status, const char *url, const char *why, struct error *e)
{
	if (code != CURLE_OK)
		return fail(e, ERR_UNAVAILABLE,
		            "the metadata service at %s does not answer: %s. Is this a machine or "
		            "container with a role? Otherwise set object_store.machine_role to "
		            "false",
		            url, why);
	if (status == 404)
		return fail(e, ERR_NOT_FOUND, "the metadata service has no role: 404 for %s", url);
	if (status >= 500 || status == 429)
		return fail(e, ERR_UNAVAILABLE, "the metadata service answered %ld for %s", status,
		            url);
	if (status != 200)
		return fail(e, ERR_INVALID, "the metadata service answered %ld for %s", status,
		            url);
	return OK;
}

/* header: a whole line; NULL: none.  The answer is wiped by the caller. */
static enum err ask(struct machine_keys *k, const char *method, const char *url, const char *header,
                    struct buf *ret, struct error *e)
{
	CURL *easy = k->curl.easy_init();
	struct curl_slist *headers = header ? k->curl.slist_append(NULL, header) : NULL;
	char why[CURL_ERROR_SIZE] = "";
	long status = 0;
	CURLcode code;

	set_options(k, easy, ret, why);
	k->curl.easy_setopt(easy, CURLOPT_URL, url);
	k->curl.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
	k->curl.easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
	code = k->curl.easy_perform(easy);
	k->curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	k->curl.easy_cleanup(easy);
	if (headers)
		explicit_bzero(headers->data, strlen(headers->data));
	k->curl.slist_free_all(headers);
	return judge(code, status, url, why[0] ? why : k->curl.easy_strerror(code), e);
}

/* ---- the answer ---- */

static bool take(char *into, size_t room, struct str value)
{
	return str_is(value) && value.len && value.len < room &&
	       snprintf(into, room, "%.*s", STR_ARG(value)) > 0;
}

static enum err read_keys(struct machine_keys *k, struct str text, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bucket_keys keys = { 0 };
	int64_t ends_ms = 0;
	struct json doc;
	bool is_whole;

	is_whole = json_read(mem, text, &doc, NULL) == OK &&
	           take(keys.access_key, sizeof keys.access_key,
	                json_str(JSON_GET(doc, "AccessKeyId"))) &&
	           take(keys.secret_key, sizeof keys.secret_key,
	                json_str(JSON_GET(doc, "SecretAccessKey"))) &&
	           take(keys.token, sizeof keys.token, json_str(JSON_GET(doc, "Token"))) &&
	           str_is(json_str(JSON_GET(doc, "Expiration"))) &&
	           clock_time_read(json_str(JSON_GET(doc, "Expiration")), &ends_ms);
	if (is_whole) {
		k->keys = keys;
		k->ends_ms = ends_ms;
	}
	explicit_bzero(&keys, sizeof keys);
	if (is_whole)
		return OK;
	return fail(e, ERR_INVALID, "the answer of the metadata service has no keys");
}

static enum err ask_for_keys(struct machine_keys *k, const char *url, const char *header,
                             struct error *e)
{
	struct buf answer = { 0 };
	enum err err = ask(k, "GET", url, header, &answer, e);

	if (err == OK)
		err = read_keys(k, buf_str(&answer), e);
	cloud_env_wipe(&answer);
	return err;
}

/* ---- a container ---- */

/* Only these get a token in clear text, as in the clients of AWS. */
static bool is_safe(const char *url)
{
	static const char *const hosts[] = { "http://127.0.0.1",      "http://localhost",
		                             "http://[::1]",          "http://169.254.170.2",
		                             "http://169.254.170.23", "http://[fd00:ec2::23]" };

	if (strncmp(url, "https://", 8) == 0)
		return true;
	for (size_t i = 0; i < COUNT_OF(hosts); i++) {
		size_t len = strlen(hosts[i]);

		if (strncmp(url, hosts[i], len) == 0 &&
		    (url[len] == '/' || url[len] == ':' || !url[len]))
			return true;
	}
	return false;
}

/* The file is read each time: what is in it changes. */
static enum err authorization(struct arena *mem, const char **ret, struct error *e)
{
	const char *file = getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	const char *token = getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN");
	struct buf text = { 0 };
	enum err err = OK;

	if (file && *file) {
		err = cloud_env_read(str_from(file), &text, e);
		if (err == OK)
			*ret = arena_printf(mem, "Authorization: %.*s",
			                    STR_ARG(str_trim(buf_str(&text))))
			               .ptr;
		cloud_env_wipe(&text);
	} else if (token && *token) {
		*ret = arena_printf(mem, "Authorization: %s", token).ptr;
	}
	return err;
}

static enum err of_container(struct machine_keys *k, const char *url, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const char *header = NULL;
	enum err err;

	if (!is_safe(url))
		return fail(e, ERR_INVALID,
		            "AWS_CONTAINER_CREDENTIALS_FULL_URI is neither https nor an address of "
		            "this machine");
	err = authorization(mem, &header, e);
	return err == OK ? ask_for_keys(k, url, header, e) : err;
}

/* ---- a machine ---- */

/* The first line. */
static struct str first_line(struct str text)
{
	const char *end = text.len ? memchr(text.ptr, '\n', text.len) : NULL;

	return str_trim(end ? str_of(text.ptr, (size_t)(end - text.ptr)) : text);
}

static enum err of_role(struct machine_keys *k, struct arena *mem, const char *host,
                        const char *header, struct error *e)
{
	const char *url = arena_printf(mem, "%s" ROLE_PATH, host).ptr;
	struct buf answer = { 0 };
	enum err err = ask(k, "GET", url, header, &answer, e);
	struct str role = first_line(buf_str(&answer));

	if (err == OK && !cloud_env_is_word(role, "+=,.@-_"))
		err = fail(e, ERR_INVALID, "the metadata service names no role");
	if (err == OK)
		err = ask_for_keys(k, arena_printf(mem, "%s%.*s", url, STR_ARG(role)).ptr, header,
		                   e);
	buf_done(&answer);
	return err;
}

static enum err of_machine(struct machine_keys *k, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const char *named = getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT");
	struct str host = str_from(named && *named ? named : MACHINE_HOST);
	struct buf token = { 0 };
	const char *base;
	enum err err;

	while (host.len && host.ptr[host.len - 1] == '/')
		host.len--;
	base = arena_printf(mem, "%.*s", STR_ARG(host)).ptr;
	err = ask(k, "PUT", arena_printf(mem, "%s" TOKEN_PATH, base).ptr, TOKEN_SECONDS, &token, e);
	if (err == OK)
		err = of_role(k, mem, base,
		              arena_printf(mem, "X-aws-ec2-metadata-token: %.*s",
		                           STR_ARG(str_trim(buf_str(&token))))
		                      .ptr,
		              e);
	cloud_env_wipe(&token);
	return err;
}

/* ---- keys that are kept ---- */

static enum err fetch(struct machine_keys *k, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	const char *path = getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	const char *url = getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI");
	enum err err = k->is_loaded ? OK : libcurl_load(NULL, &k->curl, e);

	k->is_loaded = err == OK;
	if (err != OK)
		return err;
	if (path && *path)
		return of_container(k, arena_printf(mem, CONTAINER_HOST "%s", path).ptr, e);
	return url && *url ? of_container(k, url, e) : of_machine(k, e);
}

/* One thread asks, and the others that need keys wait for it. */
static enum err refresh(struct machine_keys *k, struct error *e)
{
	int64_t now = clock_mono_ms();
	enum err err;

	if (now < k->again_ms) {
		*e = k->why;
		return e->code;
	}
	err = fetch(k, e);
	k->again_ms = err == OK ? 0 : now + AGAIN_MS;
	if (err != OK)
		k->why = *e;
	return err;
}

enum err machine_keys_find(struct machine_keys *k, struct bucket_keys *ret, struct error *e)
{
	enum err err = OK;

	pthread_mutex_lock(&k->lock);
	if (clock_wall_ms() + EARLY_MS >= k->ends_ms)
		err = refresh(k, e);
	if (clock_wall_ms() < k->ends_ms)
		err = OK;
	if (err == OK)
		*ret = k->keys;
	pthread_mutex_unlock(&k->lock);
	return err;
}

void machine_keys_init(struct machine_keys *k)
{
	*k = (struct machine_keys){ .lock = PTHREAD_MUTEX_INITIALIZER };
}

void machine_keys_done(struct machine_keys *k)
{
	explicit_bzero(&k->keys, sizeof k->keys);
	k->ends_ms = 0;
}
