/* Reads a profile from the text of an AWS file: sections, and lines of "key = value". */
#include "provider/cloud/aws_profile.h"

#define USUAL "default" /* the profile that has no prefix */

/* "[profile x]  # why" is x; absent: the line begins no section. */
static struct str section_of(struct str line, bool is_config)
{
	struct str name = str_skip(line, 1);

	if (!str_starts(line, STR("[")) || str_find_char(name, ']') < 0)
		return STR_NONE;
	name = str_trim(str_cut(&name, ']'));
	if (!is_config || str_eq(name, STR(USUAL)))
		return name;
	return str_starts(name, STR("profile ")) ? str_trim(str_skip(name, 8)) : STR("");
}

static void take_secret(struct secret **into, struct str value)
{
	if (!*into)
		*into = keys_secret_new(value);
}

/* How a profile gets its keys without holding them. */
static bool is_indirect(struct str key)
{
	static const struct str keys[] = { STR("sso_session"), STR("sso_start_url"),
		                           STR("role_arn"), STR("credential_process"),
		                           STR("login_session") };

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (str_eq(keys[i], key))
			return true;
	return false;
}

static void take_member(struct arena *mem, struct str key, struct str value,
                        struct aws_profile *ret)
{
	if (str_eq(key, STR("aws_access_key_id")))
		take_secret(&ret->access_key, value);
	else if (str_eq(key, STR("aws_secret_access_key")))
		take_secret(&ret->secret_key, value);
	else if (str_eq(key, STR("aws_session_token")))
		take_secret(&ret->token, value);
	else if (str_eq(key, STR("region")) && !ret->region.len)
		ret->region = arena_keep(mem, value);
	else if (is_indirect(key) && (!ret->indirect.len || str_eq(key, STR("role_arn"))))
		ret->indirect = arena_keep(mem, key);
}

void aws_profile_read(struct arena *mem, struct str text, bool is_config, struct str name,
                      struct aws_profile *ret)
{
	bool is_inside = false;

	while (text.len) {
		struct str raw = str_cut(&text, '\n'), line = str_trim(raw);
		struct str section = section_of(line, is_config), key;

		if (str_is(section)) {
			is_inside = str_eq(section, name);
			ret->is_there |= is_inside;
			continue;
		}
		/* An indented line belongs to a setting of its own, such as s3. */
		if (!is_inside || !line.len || raw.ptr[0] == ' ' || raw.ptr[0] == '\t' ||
		    line.ptr[0] == '#' || line.ptr[0] == ';')
			continue;
		key = str_cut(&line, '=');
		if (str_is(line))
			take_member(mem, str_trim(key), str_trim(line), ret);
	}
}

void aws_profile_done(struct aws_profile *p)
{
	keys_secret_free(p->access_key);
	keys_secret_free(p->secret_key);
	keys_secret_free(p->token);
	*p = (struct aws_profile){ 0 };
}
