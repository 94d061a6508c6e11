/* Reads an agent card strictly: the first interface that this runtime speaks is taken. */
#include "a2a/client/a2a_agent.h"

#include "a2a/a2a_input.h"
#include "base/gen/limits.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/utf8.h"

#include <stdlib.h>

#define NAME_MAX_BYTES 256
#define DESCRIPTION_MAX_BYTES 2048
#define TENANT_MAX_BYTES 256

struct str a2a_agent_binding_word(enum a2a_binding b)
{
	return b == A2A_BINDING_HTTP ? STR("HTTP+JSON") : STR("JSONRPC");
}

bool a2a_agent_may_reach(struct arena *mem, struct str url, const struct host_rules *rules,
                         struct str *ret_why)
{
	struct a2a_error e;

	if (url.len && url.len <= LIMIT_A2A_URL_BYTES && str_find_char(url, '@') < 0 &&
	    str_find_char(url, '\\') < 0) {
		if (a2a_input_is_address(mem, url, rules, STR("url"), &e))
			return true;
		*ret_why = e.message;
		return false;
	}
	*ret_why = STR("An address is empty, too long, or has a user name in it");
	return false;
}

/* scheme://host:port of an address. */
static struct str origin_of(struct str url)
{
	ptrdiff_t at = str_find(url, STR("://"));
	struct str rest = at < 0 ? STR("") : str_skip(url, (size_t)at + 3);
	size_t len = 0;

	while (len < rest.len && rest.ptr[len] != '/' && rest.ptr[len] != '?' &&
	       rest.ptr[len] != '#')
		len++;
	return at < 0 ? url : str_head(url, (size_t)at + 3 + len);
}

/* A member of text with a limit; false: it is something else. */
static bool read_text(struct json card, const char *name, size_t max, struct str *ret)
{
	struct json v = json_get(card, str_from(name));

	*ret = json_str(v);
	return (!json_is(v) || str_is(*ret)) && ret->len <= max;
}

static bool wrong(struct str *ret_why, const char *what)
{
	*ret_why = str_from(what);
	return false;
}

static bool is_version(struct str v)
{
	return str_eq(v, STR("1.0")) || str_starts(v, STR("1.0."));
}

static bool read_binding(struct str word, enum a2a_binding *ret)
{
	for (enum a2a_binding b = A2A_BINDING_JSONRPC; b <= A2A_BINDING_HTTP; b++)
		if (str_eq(word, a2a_agent_binding_word(b))) {
			*ret = b;
			return true;
		}
	return false;
}

/* Addresses have no spaces and no control characters. */
static bool is_printable(struct str url)
{
	for (size_t i = 0; i < url.len; i++)
		if ((unsigned char)url.ptr[i] <= ' ' || url.ptr[i] == 127)
			return false;
	return true;
}

/* False: not one that this runtime speaks; ret_why is set if its address is to blame. */
static bool take_interface(struct arena *mem, struct str card_url, struct json v,
                           const struct host_rules *rules, struct a2a_agent *ret,
                           struct str *ret_why)
{
	struct str url;

	if (!read_binding(json_str(json_get(v, STR("protocolBinding"))), &ret->binding) ||
	    !is_version(json_str(json_get(v, STR("protocolVersion")))) ||
	    !read_text(v, "url", LIMIT_A2A_URL_BYTES, &url) ||
	    !read_text(v, "tenant", TENANT_MAX_BYTES, &ret->tenant))
		return false;
	ret->is_own_origin = str_eq(origin_of(url), origin_of(card_url));
	if (!is_printable(url))
		return wrong(ret_why, "The address of its interface has control characters");
	if (str_find_char(url, '#') >= 0 || str_find_char(url, '?') >= 0)
		return wrong(ret_why, "The address of its interface has a query or a fragment");
	if (!ret->is_own_origin && !a2a_agent_may_reach(mem, url, rules, ret_why))
		return false;
	while (str_ends(url, STR("/")))
		url.len--;
	ret->url = url;
	if (!ret->tenant.len)
		ret->tenant = STR_NONE;
	return true;
}

static bool choose_interface(struct arena *mem, struct str card_url, struct json card,
                             const struct host_rules *rules, struct a2a_agent *ret,
                             struct str *ret_why)
{
	struct json all = json_get(card, STR("supportedInterfaces")), each;
	struct json_iter it = json_iter(all);
	struct str key;

	*ret_why = STR(
		"It has no interface of A2A 1.0 over JSON-RPC or HTTP+JSON; for gRPC alone, put "
		"thole-grpc --agent in front of it");
	if (json_type(all) != JSON_ARR)
		return false;
	while (json_next(&it, &key, &each))
		if (take_interface(mem, card_url, each, rules, ret, ret_why))
			return true;
	return false;
}

static bool is_named(struct str extensions, struct str uri)
{
	while (str_is(extensions))
		if (str_eq(str_cut(&extensions, ','), uri))
			return true;
	return false;
}

/* Absent: each extension that every client has to support is one that the user named. */
static struct str demanded_extension(struct json capabilities, struct str extensions)
{
	struct json_iter it = json_iter(json_get(capabilities, STR("extensions")));
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		if (json_bool(json_get(each, STR("required")), false) &&
		    !is_named(extensions, json_str(json_get(each, STR("uri")))))
			return json_str(json_get(each, STR("uri"))).len
			               ? json_str(json_get(each, STR("uri")))
			               : STR("without a name");
	return STR_NONE;
}

/* Signatures change with keys, and formatting with versions of a server; neither is the card. */
static struct sha256 hash_card(struct json card)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct sha256_stream s;
	struct json_writer w;
	size_t count;
	struct json_member *sorted = json_sorted(card, &count);

	sha256_begin(&s);
	for (size_t i = 0; i < count; i++) {
		if (str_eq(sorted[i].key, STR("signatures")))
			continue;
		buf_clear(&out);
		jw_init(&w, &out);
		jw_obj(&w);
		jw_key(&w, sorted[i].key);
		jw_value_sorted(&w, sorted[i].value);
		jw_obj_end(&w);
		sha256_more(&s, buf_str(&out));
	}
	free(sorted);
	return sha256_end(&s);
}

bool a2a_agent_read(struct arena *mem, struct str card_url, struct str text,
                    const struct host_rules *rules, struct str extensions, struct a2a_agent *ret,
                    struct str *ret_why)
{
	struct a2a_agent a = { 0 };
	struct str demanded;
	struct json card, capabilities;
	struct error e;

	if (text.len > LIMIT_PEER_CARD_BYTES)
		return wrong(ret_why, "The card is too large");
	if (json_read(mem, text, &card, &e) != OK || json_type(card) != JSON_OBJ)
		return wrong(ret_why, "The card is no JSON object, or too deep");
	if (!read_text(card, "name", NAME_MAX_BYTES, &a.name) || !a.name.len)
		return wrong(ret_why, "The card has no name, or one that is too long");
	if (!read_text(card, "version", NAME_MAX_BYTES, &a.version))
		return wrong(ret_why, "The version of the card is invalid");
	a.description = utf8_preview(mem, json_str(json_get(card, STR("description"))),
	                             DESCRIPTION_MAX_BYTES);
	if (!choose_interface(mem, card_url, card, rules, &a, ret_why))
		return false;
	capabilities = json_get(card, STR("capabilities"));
	demanded = demanded_extension(capabilities, extensions);
	if (str_is(demanded)) {
		*ret_why =
			arena_printf(mem, "The agent requires the extension %.*s of the protocol",
		                     STR_ARG(utf8_preview(mem, demanded, NAME_MAX_BYTES)));
		return false;
	}
	a.is_streaming = json_bool(json_get(capabilities, STR("streaming")), false);
	a.hash = hash_card(card);
	*ret = a;
	return true;
}
