/* Finds the credentials of a request and puts them to use, for either cloud. */
#include "provider/cloud/cloud.h"

#include "base/memory.h"

#include <time.h>

#define GOOGLE_HOST "{location}-aiplatform.googleapis.com"

struct cloud {
	struct cloud_options o;
	struct google_tokens *tokens; /* NULL for aws */
};

static struct cloud_env env_of(const struct cloud *c, struct arena *mem, struct key_client client)
{
	return (struct cloud_env){ mem, c->o.ring, client, c->o.provider, c->o.settings };
}

/* ---- addresses ---- */

static struct str replace(struct arena *mem, struct str text, struct str what, struct str by)
{
	ptrdiff_t at = str_find(text, what);

	return at < 0 ? text
	              : arena_printf(mem, "%.*s%.*s%.*s", (int)at, text.ptr, STR_ARG(by),
	                             STR_ARG(str_skip(text, (size_t)at + what.len)));
}

/* One region has a host of its own; groups of regions and the whole world have others. */
static struct str google_host(struct arena *mem, struct str location)
{
	if (str_eq(location, STR("global")))
		return STR("aiplatform.googleapis.com");
	if (str_eq(location, STR("us")) || str_eq(location, STR("eu")))
		return arena_printf(mem, "aiplatform.%.*s.rep.googleapis.com", STR_ARG(location));
	return arena_printf(mem, "%.*s-aiplatform.googleapis.com", STR_ARG(location));
}

static struct str base_at(struct arena *mem, struct str base, struct str place)
{
	base = replace(mem, base, STR(GOOGLE_HOST), google_host(mem, place));
	base = replace(mem, base, STR("{location}"), place);
	return replace(mem, base, STR("{region}"), place);
}

struct str cloud_base(const struct cloud_pass *p, struct arena *mem, struct str base)
{
	base = base_at(mem, base, p->place);
	if (p->cloud->o.account != PROVIDERS_ACCOUNT_GOOGLE)
		return base;
	while (str_ends(base, STR("/")))
		base.len--;
	return arena_printf(mem, "%.*s/projects/%.*s/locations/%.*s", STR_ARG(base),
	                    STR_ARG(p->project), STR_ARG(p->place));
}

/* ---- finding ---- */

static struct str setting_or(struct str setting, const struct cloud_env *v, const char *variable)
{
	return setting.len ? setting : cloud_env_get(v, variable, NULL);
}

static enum err check_place(const struct cloud_env *v, struct str value, const char *what,
                            const char *variable, const char *further, struct error *e)
{
	if (!value.len)
		return fail(e, ERR_INVALID,
		            "there is no %s; set %s%s, or providers.%.*s.%s in the settings", what,
		            variable, cloud_env_where(v), STR_ARG(v->provider), what);
	if (!cloud_env_is_word(value, further))
		return fail(e, ERR_INVALID, "\"%.*s\" is no %s", STR_ARG(str_head(value, 64)),
		            what);
	return OK;
}

static enum err find_google(const struct cloud_env *v, struct cloud_pass *p, struct error *e)
{
	enum err err = google_key_find(v, &p->google, e);

	p->place = setting_or(v->settings.location, v, "GOOGLE_CLOUD_LOCATION");
	p->project = setting_or(v->settings.project, v, "GOOGLE_CLOUD_PROJECT");
	if (!p->project.len)
		p->project = p->google.project;
	if (!err)
		err = check_place(v, p->project, "project", "GOOGLE_CLOUD_PROJECT", "-.:", e);
	if (!err)
		err = check_place(v, p->place, "location", "GOOGLE_CLOUD_LOCATION", "-", e);
	return err;
}

static enum err find_aws(const struct cloud_env *v, bool has_key, struct cloud_pass *p,
                         struct error *e)
{
	enum err err = has_key ? aws_region(v, &p->place, e) : aws_find(v, &p->aws, e);

	if (!err && !has_key)
		p->place = p->aws.region;
	return err;
}

/* ---- passes ---- */

static void pass_fail(struct cloud_pass *p, enum error_category category, bool retryable,
                      struct str message)
{
	p->has_failed = true;
	p->category = category;
	p->retryable = retryable;
	p->message = arena_keep(p->mem, message);
}

static void on_token(struct google_wait *w, const struct secret *token,
                     enum error_category category, bool retryable, struct str message)
{
	struct cloud_pass *p = OWNER_OF(w, struct cloud_pass, wait);

	if (token)
		p->token = keys_secret_new(keys_secret_for_header(token));
	else
		pass_fail(p, category, retryable, message);
	p->ready(p);
}

/* False: the token comes later. */
static bool get_token(struct cloud_pass *p)
{
	const struct secret *token = NULL;
	struct error e;

	p->wait.done = on_token;
	if (google_token_get(p->cloud->tokens, &p->google, &p->wait, &token, &e) != OK) {
		pass_fail(
			p, ERROR_CATEGORY_AUTH, false,
			arena_printf(p->mem, "%.*s: %s", STR_ARG(p->google.place.name), e.message));
		return true;
	}
	if (token)
		p->token = keys_secret_new(keys_secret_for_header(token));
	return token != NULL;
}

static void know_secrets(const struct cloud *c, const struct cloud_pass *p)
{
	const struct secret *all[] = { p->aws.secret_key, p->aws.token, p->google.refresh };

	for (size_t i = 0; c->o.scrub && i < COUNT_OF(all); i++)
		if (all[i])
			redact_note(c->o.scrub, keys_secret_for_header(all[i]));
}

static struct str missing_sentence(const struct cloud *c, struct arena *mem)
{
	return arena_printf(mem, "there are no credentials; %.*s", STR_ARG(cloud_remedy(c, mem)));
}

bool cloud_get(struct cloud *c, struct key_client client, bool has_key, struct cloud_pass *p)
{
	struct cloud_env v;
	struct error e = { 0 };
	enum err err;

	p->cloud = c;
	p->mem = arena_new_small();
	list_init(&p->wait.node);
	v = env_of(c, p->mem, client);
	err = c->o.account == PROVIDERS_ACCOUNT_AWS ? find_aws(&v, has_key, p, &e)
	                                            : find_google(&v, p, &e);
	know_secrets(c, p);
	if (err)
		pass_fail(p, ERROR_CATEGORY_AUTH, false,
		          err == ERR_NOT_FOUND ? missing_sentence(c, p->mem) : str_from(e.message));
	if (err || c->o.account == PROVIDERS_ACCOUNT_AWS)
		return true;
	return get_token(p);
}

bool cloud_renew(struct cloud_pass *p)
{
	google_token_refused(p->cloud->tokens, p->token);
	keys_secret_free(p->token);
	p->token = NULL;
	return get_token(p);
}

void cloud_done(struct cloud_pass *p)
{
	if (!p->cloud)
		return;
	google_token_leave(&p->wait);
	aws_done(&p->aws);
	google_key_done(&p->google);
	keys_secret_free(p->token);
	arena_free(p->mem);
	*p = (struct cloud_pass){ 0 };
}

/* ---- requests ---- */

static size_t sign(const struct cloud_pass *p, const struct cloud_request *r,
                   struct http_client_header *ret)
{
	struct sigv4_request q = { .method = r->method,
		                   .url = r->url,
		                   .region = p->place,
		                   .service = STR("bedrock"),
		                   .headers = &r->content_type,
		                   .header_count = 1,
		                   .body = r->body,
		                   .now_ms = (int64_t)time(NULL) * 1000 };
	struct sigv4_keys k = { keys_secret_for_header(p->aws.access_key),
		                keys_secret_for_header(p->aws.secret_key),
		                p->aws.token ? keys_secret_for_header(p->aws.token) : STR_NONE };

	return sigv4_sign(p->mem, &q, &k, ret);
}

size_t cloud_headers(const struct cloud_pass *p, const struct cloud_request *r, struct buf *secret,
                     struct http_client_header ret[CLOUD_HEADERS])
{
	struct str token = p->token ? keys_secret_for_header(p->token) : STR_NONE;
	size_t count = 0;

	if (p->aws.access_key)
		return sign(p, r, ret);
	if (!token.len)
		return 0;
	buf_reserve(secret, token.len + 8); /* once: a reallocation would leave a copy */
	buf_add_c(secret, "Bearer ");
	buf_add_str(secret, token);
	ret[count++] = (struct http_client_header){ STR("Authorization"), buf_str(secret) };
	if (p->google.user_project.len)
		ret[count++] = (struct http_client_header){ STR("X-Goog-User-Project"),
			                                    p->google.user_project };
	return count;
}

struct str cloud_hide(const struct cloud_pass *p, struct arena *mem, struct str text)
{
	text = keys_secret_hide(p->aws.secret_key, mem, text);
	text = keys_secret_hide(p->aws.token, mem, text);
	text = keys_secret_hide(p->aws.access_key, mem, text);
	return keys_secret_hide(p->token, mem, text);
}

/* ---- for lists ---- */

void cloud_look(struct cloud *c, struct arena *mem, struct key_client client, struct str base,
                struct cloud_found *ret)
{
	struct cloud_env v = env_of(c, mem, client);
	struct cloud_pass p = { .mem = mem };
	struct error e;
	bool is_aws = c->o.account == PROVIDERS_ACCOUNT_AWS;
	enum err err = is_aws ? find_aws(&v, false, &p, &e) : find_google(&v, &p, &e);

	if (is_aws && err && aws_region(&v, &p.place, &e) != OK)
		p.place = STR_NONE;
	/* What cannot be used is there, too: a request then says why it cannot. */
	*ret = (struct cloud_found){ .is_there = err != ERR_NOT_FOUND,
		                     .where = is_aws ? p.aws.place : p.google.place,
		                     .address = p.place.len ? base_at(mem, base, p.place) : base };
	aws_done(&p.aws);
	google_key_done(&p.google);
}

struct str cloud_remedy(const struct cloud *c, struct arena *mem)
{
	if (c->o.account == PROVIDERS_ACCOUNT_AWS)
		return arena_printf(mem,
		                    "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
		                    "AWS_SECRET_ACCESS_KEY, or run: thole auth add %.*s",
		                    STR_ARG(c->o.provider));
	return STR("set GOOGLE_APPLICATION_CREDENTIALS, or run: gcloud auth application-default "
	           "login");
}

struct cloud *cloud_new(const struct cloud_options *o)
{
	struct cloud *c = memory_zeroed(1, sizeof *c);

	c->o = *o;
	if (o->account == PROVIDERS_ACCOUNT_GOOGLE)
		c->tokens = google_token_new(o->http_client, o->scrub);
	return c;
}

void cloud_free(struct cloud *c)
{
	if (!c)
		return;
	google_token_free(c->tokens);
	memory_free(c);
}
