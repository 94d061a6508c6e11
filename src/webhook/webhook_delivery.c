/* Reads what a delivery says about itself. */
#include "webhook/webhook_delivery.h"

#include "base/hash/sha256.h"

static bool is_id(struct str id)
{
	if (!str_is(id) || !id.len || id.len > WEBHOOK_DELIVERY_ID_MAX)
		return false;
	for (size_t i = 0; i < id.len; i++)
		if ((unsigned char)id.ptr[i] < 0x20 || id.ptr[i] == 0x7f)
			return false;
	return true;
}

static struct str or_empty(struct str s)
{
	return str_is(s) ? s : STR("");
}

/* ---- CloudEvents ---- */

/* Two events of different sources may have the same id. */
static const char *take_event(struct arena *mem, struct str version, struct str source,
                              struct str id, struct str type, struct webhook_delivery *ret)
{
	if (!str_is(version) || !str_eq(version, STR("1.0")))
		return "a CloudEvent of version 1.0 is wanted";
	if (!is_id(id) || !is_id(source) || !is_id(type))
		return "a CloudEvent has id, source and type";
	ret->key = arena_printf(mem, "%zu:%.*s %.*s", source.len, STR_ARG(source), STR_ARG(id));
	ret->type = type;
	ret->source = source;
	ret->id = id;
	return is_id(ret->key) ? NULL : "id and source of the CloudEvent are too long";
}

static const char *read_structured(struct arena *mem, struct json body,
                                   struct webhook_delivery *ret)
{
	return take_event(mem, json_str(JSON_GET(body, "specversion")),
	                  json_str(JSON_GET(body, "source")), json_str(JSON_GET(body, "id")),
	                  json_str(JSON_GET(body, "type")), ret);
}

/* ---- senders ---- */

static const char *read_slack(struct arena *mem, struct json body, struct webhook_delivery *ret)
{
	struct str type = json_str(JSON_GET(body, "type"));

	if (str_is(type) && str_eq(type, STR("url_verification"))) {
		ret->challenge = json_str(JSON_GET(body, "challenge"));
		return str_is(ret->challenge) ? NULL : "challenge is missing";
	}
	ret->id = json_str(JSON_GET(body, "event_id"));
	type = json_str(JSON_GET(JSON_GET(body, "event"), "type"));
	ret->type = str_is(type) ? arena_keep(mem, type) : STR("");
	ret->source = or_empty(json_str(JSON_GET(body, "team_id")));
	return is_id(ret->id) ? NULL : "event_id is missing";
}

/* GitHub signs the body alone: with its hash in the key, a captured body cannot begin other work. */
static const char *read_github(struct arena *mem, const struct webhook_headers *h, struct json v,
                               struct str body, struct webhook_delivery *ret)
{
	struct sha256 hash = sha256_of(body);

	ret->type = or_empty(h->github_event);
	ret->source = or_empty(json_str(JSON_GET(JSON_GET(v, "repository"), "full_name")));
	ret->is_test = str_eq(ret->type, STR("ping")) || json_is(JSON_GET(v, "zen"));
	ret->id = h->github_delivery;
	ret->key = str_head(sha256_hex(mem, &hash), 32);
	return is_id(ret->id) ? NULL : "X-GitHub-Delivery is missing";
}

static const char *read_plain(const struct webhook_headers *h, struct json body,
                              struct webhook_delivery *ret)
{
	ret->id = h->webhook_id;
	ret->type = or_empty(json_str(JSON_GET(body, "type")));
	ret->source = STR("");
	return is_id(ret->id) ? NULL : "webhook-id is missing";
}

/* The id is signed with the body; a CloudEvent within it says its own type and source. */
static const char *read_standard(const struct webhook_headers *h, struct json v,
                                 struct webhook_delivery *ret)
{
	const char *wrong = read_plain(h, v, ret);

	if (!wrong && str_is(json_str(JSON_GET(v, "specversion"))))
		ret->source = or_empty(json_str(JSON_GET(v, "source")));
	return wrong;
}

/* Media types are equal in either case. */
static bool is_structured(struct str content_type)
{
	struct str head = STR("application/cloudevents+json");

	if (!str_is(content_type) || content_type.len < head.len)
		return false;
	for (size_t i = 0; i < head.len; i++) {
		char c = content_type.ptr[i];

		if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != head.ptr[i])
			return false;
	}
	return true;
}

static const char *read_any(struct arena *mem, enum webhook_scheme scheme,
                            const struct webhook_headers *h, struct str body,
                            struct webhook_delivery *ret)
{
	struct json v = { 0 };

	*ret = (struct webhook_delivery){ .type = STR(""), .source = STR("") };
	if (json_read(mem, body, &v, NULL) != OK || json_type(v) != JSON_OBJ)
		v = (struct json){ 0 };
	switch (scheme) {
	case WEBHOOK_SLACK:
		return read_slack(mem, v, ret);
	case WEBHOOK_GITHUB:
		return read_github(mem, h, v, body, ret);
	case WEBHOOK_STANDARD:
		return read_standard(h, v, ret);
	default:
		break;
	}
	if (is_structured(h->content_type))
		return read_structured(mem, v, ret);
	if (str_is(h->ce_id) || str_is(h->ce_specversion))
		return take_event(mem, h->ce_specversion, h->ce_source, h->ce_id, h->ce_type, ret);
	return read_plain(h, v, ret);
}

const char *webhook_delivery_read(struct arena *mem, enum webhook_scheme scheme,
                                  const struct webhook_headers *h, struct str body,
                                  struct webhook_delivery *ret)
{
	const char *wrong = read_any(mem, scheme, h, body, ret);

	if (!str_is(ret->key))
		ret->key = ret->id;
	return wrong;
}
