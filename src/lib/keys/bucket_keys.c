/* Finds an object store and its keys. */
#include "lib/keys/bucket_keys.h"

#include "lib/outbound.h"
#include "provider/cloud/aws_profile.h"
#include "provider/cloud/cloud_env.h"

#include <stdio.h>
#include <stdlib.h>

#define PROFILE "default"

static bool take(char *into, size_t room, struct str value)
{
	return value.len < room && snprintf(into, room, "%.*s", STR_ARG(value)) >= 0;
}

/* ERR_INVALID: a value is longer than any that is known. */
static enum err take_all(struct bucket_keys *ret, struct str access_key, struct str secret_key,
                         struct str token, struct error *e)
{
	if (take(ret->access_key, sizeof ret->access_key, access_key) &&
	    take(ret->secret_key, sizeof ret->secret_key, secret_key) &&
	    take(ret->token, sizeof ret->token, token))
		return OK;
	return fail(e, ERR_INVALID, "the keys of the object store are too long");
}

static struct str variable(const char *name)
{
	const char *value = getenv(name);

	return value ? str_trim(str_from(value)) : STR("");
}

static enum err of_environment(struct bucket_keys *ret, struct error *e)
{
	struct str access_key = variable("AWS_ACCESS_KEY_ID");
	struct str secret_key = variable("AWS_SECRET_ACCESS_KEY");

	if (!access_key.len || !secret_key.len)
		return fail(e, ERR_NOT_FOUND,
		            "%s is not set in the environment of the daemon. Set it, or name a "
		            "file with object_store.credentials_file",
		            access_key.len ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID");
	return take_all(ret, access_key, secret_key, variable("AWS_SESSION_TOKEN"), e);
}

static enum err of_profile(const struct aws_profile *p, struct str file, struct bucket_keys *ret,
                           struct error *e)
{
	if (!p->access_key || !p->secret_key)
		return fail(e, ERR_NOT_FOUND,
		            "%.*s has no aws_access_key_id and aws_secret_access_key in [" PROFILE
		            "]",
		            STR_ARG(file));
	return take_all(ret, keys_secret_for_header(p->access_key),
	                keys_secret_for_header(p->secret_key),
	                p->token ? keys_secret_for_header(p->token) : STR(""), e);
}

static enum err of_file(struct str file, struct bucket_keys *ret, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct aws_profile profile = { 0 };
	struct buf text = { 0 };
	enum err err;

	if (file.ptr[0] != '/')
		return fail(e, ERR_INVALID,
		            "object_store.credentials_file = %.*s is no absolute path",
		            STR_ARG(file));
	err = cloud_env_read(file, &text, e);
	if (err == OK) {
		aws_profile_read(mem, buf_str(&text), false, STR(PROFILE), &profile);
		err = of_profile(&profile, file, ret, e);
	}
	aws_profile_done(&profile);
	cloud_env_wipe(&text);
	return err;
}

enum err bucket_keys_find(void *place, struct bucket_keys *ret, struct error *e)
{
	struct bucket_keys_place *p = place;

	if (p->file.len && p->is_role)
		return fail(e, ERR_INVALID,
		            "object_store.credentials_file and object_store.machine_role exclude "
		            "each other. Set one of them");
	if (p->is_role)
		return machine_keys_find(&p->role, ret, e);
	return p->file.len ? of_file(p->file, ret, e) : of_environment(ret, e);
}

void bucket_keys_done(struct bucket_keys_place *place)
{
	machine_keys_done(&place->role);
}

void bucket_keys_options(struct arena *mem, const struct config_values *values,
                         struct bucket_keys_place *place, struct bucket_options *ret)
{
	struct http_client_options outbound = { 0 };

	outbound_options(mem, values, &outbound);
	place->file = arena_keep(mem, values->object_store_credentials_file);
	place->is_role = values->object_store_machine_role;
	machine_keys_init(&place->role);
	*ret = (struct bucket_options){
		.settings = { .bucket = values->object_store_bucket,
		              .prefix = values->object_store_prefix,
		              .endpoint = values->object_store_endpoint,
		              .region = values->object_store_region,
		              .is_path_style = values->object_store_path_style },
		.keys = bucket_keys_find,
		.keys_arg = place,
		.ca_file = outbound.ca_file,
		.proxy = outbound.proxy,
		.http_proxy = outbound.http_proxy,
		.no_proxy = outbound.no_proxy,
	};
}
