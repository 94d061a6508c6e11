/* Finds Google credentials and writes the request that exchanges them for a token. */
#include "provider/cloud/google_key.h"

#include "base/hash/base64.h"
#include "base/json.h"
#include "base/jw.h"
#include "provider/cloud/rs256.h"
#include "provider/cloud/sigv4.h"

#define TOKEN_URL "https://oauth2.googleapis.com/token"
#define SCOPE "https://www.googleapis.com/auth/cloud-platform"
#define ASSERTION_S 3600

/* ---- files ---- */

static struct str member(const struct cloud_env *v, struct json doc, const char *key)
{
	return arena_keep(v->mem, json_str(json_get(doc, str_from(key))));
}

/* The parsed text is ours to overwrite. */
static struct secret *secret_member(struct json doc, const char *key)
{
	struct str text = json_str(json_get(doc, str_from(key)));
	struct secret *s = keys_secret_of_text(text);

	if (text.len)
		explicit_bzero((char *)text.ptr, text.len);
	return s;
}

/* "http://localhost:x@example/" has a name and a password, and the host example. */
static bool is_loopback(struct str url)
{
	if (str_find_char(url, '@') >= 0)
		return false;
	return str_starts(url, STR("http://127.0.0.1:")) ||
	       str_starts(url, STR("http://localhost:")) || str_starts(url, STR("http://[::1]:"));
}

static enum err read_members(const struct cloud_env *v, struct json doc, struct google_key *ret,
                             struct error *e)
{
	struct str type = json_str(JSON_GET(doc, "type"));
	bool is_user = str_eq(type, STR("authorized_user"));

	if (!is_user && !str_eq(type, STR("service_account")))
		return fail(e, ERR_INVALID,
		            "credentials of the type \"%.*s\" are not known; use a service "
		            "account, or run: gcloud auth application-default login",
		            STR_ARG(str_head(type, 40)));
	ret->kind = is_user ? GOOGLE_USER : GOOGLE_SERVICE_ACCOUNT;
	ret->client = member(v, doc, is_user ? "client_id" : "client_email");
	ret->key_id = member(v, doc, "private_key_id");
	ret->key = secret_member(doc, is_user ? "client_secret" : "private_key");
	ret->refresh = is_user ? secret_member(doc, "refresh_token") : NULL;
	ret->project = member(v, doc, is_user ? "quota_project_id" : "project_id");
	ret->user_project = member(v, doc, "quota_project_id");
	ret->token_url = member(v, doc, "token_uri");
	if (!ret->token_url.len)
		ret->token_url = STR(TOKEN_URL);
	if (!ret->client.len || !ret->key || (is_user && !ret->refresh))
		return fail(e, ERR_INVALID, "the file of credentials is not complete");
	if (!str_starts(ret->token_url, STR("https://")) && !is_loopback(ret->token_url))
		return fail(e, ERR_INVALID, "its token_uri does not begin with https://");
	return OK;
}

static enum err read_file(const struct cloud_env *v, struct str path, struct google_key *ret,
                          struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct buf text = { 0 };
	struct json doc;
	struct error why;
	enum err err = cloud_env_read(path, &text, e);

	if (!err) {
		ret->id = sha256_of(buf_str(&text));
		err = json_read(mem, buf_str(&text), &doc, NULL) == OK && json_type(doc) == JSON_OBJ
		              ? read_members(v, doc, ret, &why)
		              : fail(&why, ERR_INVALID, "it is not a JSON object");
		if (err)
			fail(e, err, "%.*s: %s", STR_ARG(path), why.message);
	}
	cloud_env_wipe(&text);
	return err;
}

/* ---- places ---- */

static struct str usual_file(const struct cloud_env *v)
{
	struct str dir = cloud_env_get(v, "CLOUDSDK_CONFIG", NULL);

	return dir.len ? arena_printf(v->mem, "%.*s/application_default_credentials.json",
	                              STR_ARG(dir))
	               : cloud_env_home(v, ".config/gcloud/application_default_credentials.json");
}

static enum err from_metadata(const struct cloud_env *v, struct google_key *ret)
{
	struct str host = cloud_env_get(v, "GCE_METADATA_HOST", &ret->place);

	if (!host.len || !cloud_env_is_word(host, ".-:[]"))
		return ERR_NOT_FOUND;
	ret->kind = GOOGLE_METADATA;
	ret->token_url = arena_printf(v->mem,
	                              "http://%.*s/computeMetadata/v1/instance/service-accounts/"
	                              "default/token",
	                              STR_ARG(host));
	ret->id = sha256_of(ret->token_url);
	ret->place = (struct cloud_place){ KEY_ORIGIN_METADATA_SERVER, host };
	return OK;
}

enum err google_key_find(const struct cloud_env *v, struct google_key *ret, struct error *e)
{
	struct google_key found = { 0 };
	struct str path = cloud_env_get(v, "GOOGLE_APPLICATION_CREDENTIALS", NULL);
	bool is_named = path.len > 0;
	enum err err;

	if (!is_named)
		path = usual_file(v);
	found.place = (struct cloud_place){ KEY_ORIGIN_CREDENTIALS_FILE, path };
	err = read_file(v, path, &found, e);
	if (err == ERR_NOT_FOUND && is_named)
		err = ERR_INVALID; /* its message names the file */
	if (err == ERR_NOT_FOUND)
		err = from_metadata(v, &found);
	if (err)
		google_key_done(&found);
	*ret = found;
	return err;
}

void google_key_done(struct google_key *k)
{
	keys_secret_free(k->key);
	keys_secret_free(k->refresh);
	k->key = k->refresh = NULL;
}

/* ---- the request ---- */

static void add_head(const struct google_key *k, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "alg", STR("RS256"));
	JW_KSTR(&w, "typ", STR("JWT"));
	JW_KOPT(&w, "kid", k->key_id);
	jw_obj_end(&w);
	base64_write_url(out, buf_str(&text));
}

static void add_claims(const struct google_key *k, int64_t now_s, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "iss", k->client);
	JW_KSTR(&w, "scope", STR(SCOPE));
	JW_KSTR(&w, "aud", k->token_url);
	JW_KINT(&w, "iat", now_s);
	JW_KINT(&w, "exp", now_s + ASSERTION_S);
	jw_obj_end(&w);
	base64_write_url(out, buf_str(&text));
}

static enum err add_assertion(const struct google_key *k, int64_t now_s, struct buf *out,
                              struct error *e)
{
	CLEANUP(buf_done) struct buf jwt = { 0 };
	CLEANUP(buf_done) struct buf signature = { 0 };
	enum err err;

	add_head(k, &jwt);
	buf_add_char(&jwt, '.');
	add_claims(k, now_s, &jwt);
	err = rs256_sign(keys_secret_for_header(k->key), buf_str(&jwt), &signature, e);
	if (err)
		return err;
	buf_add_char(&jwt, '.');
	base64_write_url(&jwt, buf_str(&signature));
	buf_add_c(out,
	          "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=");
	buf_add_str(out, buf_str(&jwt));
	return OK;
}

static void add_pair(struct buf *out, const char *name, struct str value)
{
	buf_printf(out, "&%s=", name);
	sigv4_encode(out, value, "");
}

enum err google_key_form(const struct google_key *k, int64_t now_s, struct buf *ret,
                         struct error *e)
{
	if (k->kind == GOOGLE_METADATA)
		return OK;
	buf_reserve(ret, 32768); /* once: a reallocation would leave a copy */
	if (k->kind == GOOGLE_SERVICE_ACCOUNT)
		return add_assertion(k, now_s, ret, e);
	buf_add_c(ret, "grant_type=refresh_token");
	add_pair(ret, "client_id", k->client);
	add_pair(ret, "client_secret", keys_secret_for_header(k->key));
	add_pair(ret, "refresh_token", keys_secret_for_header(k->refresh));
	return OK;
}
