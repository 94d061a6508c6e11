/*
 * The card lists one skill for everyone, the agent's work itself.  The extended card adds the
 * skills that are installed.
 */
#include "a2a/a2a_card.h"

#include "base/arena.h"
#include "base/hash/base64.h"

static void write_words(struct json_writer *w, const char *key, const char *const *words)
{
	jw_key(w, str_from(key));
	jw_arr(w);
	for (; *words; words++)
		jw_str(w, str_from(*words));
	jw_arr_end(w);
}

static void write_interface(struct json_writer *w, const struct a2a_card *c, struct str url,
                            const char *path, const char *binding)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	jw_obj(w);
	JW_KSTR(w, "url", arena_printf(mem, "%.*s%s", STR_ARG(url), path));
	JW_KSTR(w, "protocolBinding", str_from(binding));
	if (c->tenant.len)
		JW_KSTR(w, "tenant", c->tenant);
	JW_KSTR(w, "protocolVersion", STR("1.0"));
	jw_obj_end(w);
}

static void write_skill(struct json_writer *w, struct str id, struct str name,
                        struct str description, const char *tag)
{
	const char *const tags[] = { tag, NULL };

	jw_obj(w);
	JW_KSTR(w, "id", id);
	JW_KSTR(w, "name", name);
	JW_KSTR(w, "description", description.len ? description : name);
	write_words(w, "tags", tags);
	jw_obj_end(w);
}

/* Only what is active: a skill that is not trusted yet cannot be used. */
static void write_installed(struct json_writer *w, struct json rows)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct json_iter it = json_iter(rows);
	struct json row;
	struct str key;

	while (json_type(rows) == JSON_ARR && json_next(&it, &key, &row)) {
		struct str name = json_str(JSON_GET(row, "name"));

		if (!str_eq(json_str(JSON_GET(row, "kind")), STR("skill")) || !name.len ||
		    !json_bool(JSON_GET(row, "isTrusted"), false))
			continue;
		write_skill(w, arena_printf(mem, "skill:%.*s", STR_ARG(name)), name,
		            json_str(JSON_GET(row, "description")), "skill");
	}
}

/* Nothing in it is empty: see a2a_canonical.h. */
static void write_security(struct json_writer *w)
{
	static const char *const scopes[] = { "read", "write", NULL };

	JW_KEY(w, "securitySchemes");
	jw_obj(w);
	JW_KEY(w, "bearer");
	jw_obj(w);
	JW_KEY(w, "httpAuthSecurityScheme");
	jw_obj(w);
	JW_KSTR(w, "scheme", STR("Bearer"));
	JW_KSTR(w, "description", STR("A token of this runtime: thole token new"));
	jw_obj_end(w);
	jw_obj_end(w);
	jw_obj_end(w);
	JW_KEY(w, "securityRequirements");
	jw_arr(w);
	jw_obj(w);
	JW_KEY(w, "schemes");
	jw_obj(w);
	JW_KEY(w, "bearer");
	jw_obj(w);
	write_words(w, "list", scopes);
	jw_obj_end(w);
	jw_obj_end(w);
	jw_obj_end(w);
	jw_arr_end(w);
}

static void write_capabilities(struct json_writer *w, const struct a2a_card *c)
{
	JW_KEY(w, "capabilities");
	jw_obj(w);
	JW_KBOOL(w, "streaming", true);
	JW_KBOOL(w, "pushNotifications", true);
	JW_KBOOL(w, "extendedAgentCard", true);
	a2a_extension_write(w, &c->protocol_extensions);
	jw_obj_end(w);
}

struct str a2a_card_protected_header(struct arena *mem, struct str key_id)
{
	CLEANUP(buf_done) struct buf json = { 0 }, out = { 0 };
	struct json_writer w;

	jw_init(&w, &json);
	jw_obj(&w);
	JW_KSTR(&w, "alg", STR("EdDSA"));
	JW_KSTR(&w, "typ", STR("JOSE"));
	JW_KSTR(&w, "kid", key_id);
	jw_obj_end(&w);
	base64_write_url(&out, buf_str(&json));
	return arena_keep(mem, buf_str(&out));
}

static void write_signatures(struct json_writer *w, const struct a2a_card *c)
{
	if (!str_is(c->signature))
		return;
	JW_KEY(w, "signatures");
	jw_arr(w);
	jw_obj(w);
	JW_KSTR(w, "protected", c->protected_header);
	JW_KSTR(w, "signature", c->signature);
	jw_obj_end(w);
	jw_arr_end(w);
}

void a2a_card_write(struct json_writer *w, const struct a2a_card *c)
{
	static const char *const in[] = { "text/plain", "application/json", "image/png",
		                          "image/jpeg", "image/gif",        "image/webp",
		                          NULL };
	static const char *const out[] = { "text/plain", "application/octet-stream", NULL };

	jw_obj(w);
	JW_KSTR(w, "name", c->name);
	JW_KSTR(w, "description", c->description);
	JW_KSTR(w, "version", c->version);
	JW_KEY(w, "supportedInterfaces");
	jw_arr(w);
	write_interface(w, c, c->url, "/a2a", "JSONRPC");
	write_interface(w, c, c->url, "/a2a/v1", "HTTP+JSON");
	if (c->grpc_url.len)
		write_interface(w, c, c->grpc_url, "", "GRPC");
	jw_arr_end(w);
	write_capabilities(w, c);
	write_security(w);
	write_words(w, "defaultInputModes", in);
	write_words(w, "defaultOutputModes", out);
	JW_KEY(w, "skills");
	jw_arr(w);
	write_skill(w, STR("work"), c->name, c->description, "agent");
	write_installed(w, c->extensions);
	jw_arr_end(w);
	write_signatures(w, c);
	jw_obj_end(w);
}
