/* Looks for AWS credentials and the region in settings, variables and profiles. */
#include "provider/cloud/aws.h"

#include "provider/cloud/aws_profile.h"

struct aws_files {
	struct str credentials, config; /* paths */
	struct str profile;
	bool is_named; /* by the settings or by AWS_PROFILE */
};

static struct str path_of(const struct cloud_env *v, const char *variable, const char *usual)
{
	struct str path = cloud_env_get(v, variable, NULL);

	return path.len ? path : cloud_env_home(v, usual);
}

static struct aws_files files_of(const struct cloud_env *v)
{
	struct aws_files f = { path_of(v, "AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"),
		               path_of(v, "AWS_CONFIG_FILE", ".aws/config"), v->settings.profile,
		               true };
	struct str variable = cloud_env_get(v, "AWS_PROFILE", NULL);

	if (!f.profile.len || (variable.len && cloud_env_is_lent(v)))
		f.profile = variable;
	f.is_named = f.profile.len > 0;
	if (!f.is_named)
		f.profile = STR("default");
	return f;
}

static enum err read_file(const struct cloud_env *v, struct str path, bool is_config,
                          struct str profile, struct aws_profile *ret, struct error *e)
{
	struct buf text = { 0 };
	enum err err = cloud_env_read(path, &text, e);

	if (!err)
		aws_profile_read(v->mem, buf_str(&text), is_config, profile, ret);
	cloud_env_wipe(&text);
	return err == ERR_NOT_FOUND ? OK : err;
}

static enum err read_profile(const struct cloud_env *v, const struct aws_files *f,
                             struct aws_profile *ret, struct error *e)
{
	enum err err = read_file(v, f->credentials, false, f->profile, ret, e);

	return err ? err : read_file(v, f->config, true, f->profile, ret, e);
}

/* ---- region ---- */

static enum err choose_region(const struct cloud_env *v, struct str of_profile, struct str *ret,
                              struct error *e)
{
	struct str region = v->settings.region;

	if (!region.len)
		region = cloud_env_get(v, "AWS_REGION", NULL);
	if (!region.len)
		region = cloud_env_get(v, "AWS_DEFAULT_REGION", NULL);
	if (!region.len)
		region = of_profile;
	if (!region.len)
		return fail(e, ERR_INVALID,
		            "there is no region; set AWS_REGION%s, or providers.%.*s.region in the "
		            "settings",
		            cloud_env_where(v), STR_ARG(v->provider));
	if (!cloud_env_is_word(region, "-"))
		return fail(e, ERR_INVALID, "\"%.*s\" is no region", STR_ARG(str_head(region, 64)));
	*ret = region;
	return OK;
}

enum err aws_region(const struct cloud_env *v, struct str *ret, struct error *e)
{
	struct aws_files f = files_of(v);
	struct aws_profile p = { 0 };
	struct error ignored;

	if (read_profile(v, &f, &p, &ignored) != OK)
		p.region = STR_NONE;

	enum err err = choose_region(v, p.region, ret, e);

	aws_profile_done(&p);
	return err;
}

/* ---- credentials ---- */

static enum err from_variables(const struct cloud_env *v, struct aws_identity *ret, struct error *e)
{
	ret->access_key = cloud_env_secret(v, "AWS_ACCESS_KEY_ID", &ret->place);
	if (!ret->access_key)
		return ERR_NOT_FOUND;
	ret->secret_key = cloud_env_secret(v, "AWS_SECRET_ACCESS_KEY", NULL);
	ret->token = cloud_env_secret(v, "AWS_SESSION_TOKEN", NULL);
	if (!ret->secret_key)
		return fail(e, ERR_INVALID,
		            "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not");
	return OK;
}

static enum err profile_trouble(const struct aws_files *f, const struct aws_profile *p,
                                struct error *e)
{
	if (p->indirect.len)
		return fail(e, ERR_INVALID,
		            "the profile %.*s gets its keys by %.*s, which is not done here; run: "
		            "eval \"$(aws configure export-credentials --profile %.*s --format "
		            "env)\"",
		            STR_ARG(str_head(f->profile, 64)), STR_ARG(p->indirect),
		            STR_ARG(str_head(f->profile, 64)));
	if (f->is_named)
		return fail(e, ERR_INVALID, "there are no keys of the profile %.*s in %.*s",
		            STR_ARG(str_head(f->profile, 64)), STR_ARG(f->credentials));
	return ERR_NOT_FOUND;
}

/* The secrets move to the identity. */
static enum err from_profile(const struct cloud_env *v, const struct aws_files *f,
                             struct aws_profile *p, struct aws_identity *ret, struct error *e)
{
	ret->place = (struct cloud_place){ KEY_ORIGIN_CREDENTIALS_FILE,
		                           arena_printf(v->mem, "%.*s, profile %.*s",
		                                        STR_ARG(f->credentials),
		                                        STR_ARG(str_head(f->profile, 64))) };
	if (!p->access_key || !p->secret_key || str_eq(p->indirect, STR("role_arn")))
		return profile_trouble(f, p, e);
	ret->access_key = p->access_key;
	ret->secret_key = p->secret_key;
	ret->token = p->token;
	p->access_key = p->secret_key = p->token = NULL;
	return OK;
}

enum err aws_find(const struct cloud_env *v, struct aws_identity *ret, struct error *e)
{
	struct aws_files f = files_of(v);
	struct aws_profile p = { 0 };
	struct aws_identity found = { 0 };
	enum err unread = read_profile(v, &f, &p, e);
	bool is_set = v->settings.profile.len && !cloud_env_is_lent(v);
	enum err err = is_set ? ERR_NOT_FOUND : from_variables(v, &found, e);

	if (err == ERR_NOT_FOUND)
		err = unread ? unread : from_profile(v, &f, &p, &found, e);
	if (!err)
		err = choose_region(v, p.region, &found.region, e);
	aws_profile_done(&p);
	if (err)
		aws_done(&found);
	*ret = found;
	return err;
}

void aws_done(struct aws_identity *i)
{
	keys_secret_free(i->access_key);
	keys_secret_free(i->secret_key);
	keys_secret_free(i->token);
	i->access_key = i->secret_key = i->token = NULL;
}
