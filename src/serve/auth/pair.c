/*
 * list_issuers, which is about the server, not a session, so it is answered here and not by the
 * engine; and what pair_device needs besides the log: the address, the code, and where the device
 * reaches this node.
 */
#include "serve/auth/pair.h"

#include "base/jw.h"
#include "base/os/id.h"
#include "serve/http/console.h"

#include <ctype.h>

/*
 * On plain HTTP others can take over the device's cookie, so it may read and decide but
 * start nothing.
 */
#define SCOPES_LAN (SCOPE_BIT(SCOPE_READ) | SCOPE_BIT(SCOPE_APPROVE))
#define SCOPES_DEVICE (SCOPES_LAN | SCOPE_BIT(SCOPE_WRITE))

/* ---- what is asked for ---- */

/* Where the device will reach this runtime, as the owner stated it. */
struct place {
	struct str base; /* "https://phone.example" */
	struct str host; /* as a browser writes it: without the scheme's own port */
	bool is_plain;
};

/*
 * The host becomes a part of links and is compared with Host headers, so only
 * characters of host names, ports and IPv6 addresses are accepted.
 */
static bool is_host_text(struct str host)
{
	if (!host.len || host.len > DEVICE_HOST_MAX || host.ptr[0] == ':')
		return false;
	for (size_t i = 0; i < host.len; i++)
		if (!isalnum((unsigned char)host.ptr[i]) && !strchr(".-_:[]", host.ptr[i]))
			return false;
	return true;
}

/* The port that the scheme implies is cut off, because a browser leaves it out of Host. */
static bool read_url(struct arena *mem, struct str url, struct place *ret)
{
	struct str scheme = STR("https://"), port = STR(":443");
	struct str host;

	ret->is_plain = str_starts(url, STR("http://"));
	if (ret->is_plain) {
		scheme = STR("http://");
		port = STR(":80");
	}
	if (!str_starts(url, scheme))
		return false;
	host = str_skip(url, scheme.len);
	if (str_ends(host, STR("/")))
		host.len--;
	if (!is_host_text(host))
		return false;
	if (str_ends(host, port))
		host.len -= port.len;
	ret->host = host;
	ret->base = arena_printf(mem, "%.*s%.*s", STR_ARG(scheme), STR_ARG(host));
	return true;
}

static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!isalnum((unsigned char)name.ptr[i]) && !strchr("._-", name.ptr[i]))
			return false;
	return name.len > 0;
}

/* The same checks that the engine makes for its commands: scope, then shape of the arguments. */
static enum error_code read_args(struct arena *mem, const struct caller *caller, enum command which,
                                 struct json params, void **ret, struct error *detail)
{
	const struct command_class *class = &command_classes[which];
	struct json none;

	*ret = arena_alloc(mem, class->args->size);
	if (!(caller->scopes & SCOPE_BIT(class->scope))) {
		fail(detail, ERR_INVALID, "%.*s needs the scope %.*s", STR_ARG(class->name),
		     STR_ARG(scope_word(class->scope)));
		return ERROR_CODE_FORBIDDEN;
	}
	if (auth_is_limited(caller)) {
		fail(detail, ERR_INVALID, "%.*s needs a token that reaches all sessions",
		     STR_ARG(class->name));
		return ERROR_CODE_FORBIDDEN;
	}
	if (!json_is(params)) {
		if (json_read(mem, STR("{}"), &none, detail) != OK)
			return ERROR_CODE_INTERNAL;
		params = none;
	}
	if (rec_read(mem, params, class->args, REC_CALLER, *ret, detail) != OK)
		return catalog_code_of_fault(detail);
	return 0;
}

/* ---- pair_device ---- */

/*
 * The refusals of pair_device that need no list.  A console that signed in with a code cannot make
 * codes: a stolen cookie must not become a permanent device.
 */
static enum error_code check_pairing(const struct serve *s, struct arena *mem,
                                     const struct caller *caller, const struct cmd_pair_device *cmd,
                                     struct place *at, struct error *e)
{
	if (str_eq(caller->via, AUTH_VIA_CONSOLE)) {
		fail(e, ERR_INVALID, "who signed in with a code cannot make another one");
		return ERROR_CODE_FORBIDDEN;
	}
	if (!s->auth.devices.store) {
		fail(e, ERR_INVALID, "this runtime has no token to pair a device with");
		return ERROR_CODE_FORBIDDEN;
	}
	if (!read_url(mem, cmd->url, at)) {
		fail(e, ERR_INVALID, "url: wanted is https://name[:port], without a path");
		return ERROR_CODE_INVALID_VALUE;
	}
	if (at->is_plain && !cmd->lan && !auth_is_loopback(at->host)) {
		fail(e, ERR_INVALID,
		     "url: over plain HTTP everybody on the way can read along and decide in the "
		     "device's name; use https, or lan (--lan) if you mean it");
		return ERROR_CODE_INVALID_VALUE;
	}
	if (str_is(cmd->name) && !is_name(cmd->name)) {
		fail(e, ERR_INVALID, "name: wanted are letters, digits, . _ - and nothing else");
		return ERROR_CODE_INVALID_VALUE;
	}
	return 0;
}

static struct str make_code(struct serve *s, struct arena *mem)
{
	char code[SIGNIN_CODE_LEN];
	uint8_t entropy[16];

	s->opt.clock->ops->entropy(s->opt.clock, entropy);
	signin_write_code(code, entropy);
	return arena_keep(mem, str_of(code, sizeof code));
}

/* The log gets the hash of the code.  The device and its channel have their ids from here on. */
static void fill_offer(struct serve *s, const struct cmd_pair_device *cmd, const struct place *at,
                       struct pair_offer *o)
{
	struct clock *clock = s->opt.clock;
	int64_t now = clock->ops->wall_ms(clock);
	unsigned scopes = cmd->lan ? SCOPES_LAN : SCOPES_DEVICE;
	struct rec_paired_device device;
	struct cmd_change_device change = { .device = &device };
	struct id_source ids;
	uint8_t entropy[16];

	clock->ops->entropy(clock, entropy);
	id_source_init(&ids, now, entropy);
	o->code = make_code(s, o->mem);
	o->base = arena_keep(o->mem, at->base);
	o->until_ms = now + LIMIT_PAIRING_CODE_S * 1000;
	for (enum scope scope = 1; scope < SCOPE_COUNT; scope++)
		if (scopes & SCOPE_BIT(scope))
			rec_list_str_add(o->mem, &o->scopes, scope_word(scope));
	device = (struct rec_paired_device){ .device_id = id_make(o->mem, &ids, "dev"),
		                             .state = PAIRED_DEVICE_STATE_OFFERED,
		                             .name = cmd->name,
		                             .host = at->host,
		                             .scopes = o->scopes,
		                             .code_hash = devices_hash_code(o->mem, o->code),
		                             .expires_at = o->until_ms,
		                             .channel_id = id_make(o->mem, &ids, "chan") };
	o->params = rec_text(o->mem, &cmd_change_device_desc, &change);
}

enum error_code pair_offer_new(struct serve *s, const struct caller *caller, struct json params,
                               struct pair_offer **ret, struct error *detail)
{
	struct arena *mem = arena_new();
	struct pair_offer *o = ARENA_NEW(mem, struct pair_offer);
	struct place at;
	void *args;
	enum error_code code = read_args(mem, caller, COMMAND_PAIR_DEVICE, params, &args, detail);

	o->mem = mem;
	if (!code)
		code = check_pairing(s, mem, caller, args, &at, detail);
	if (!code && !console_has_port(s, detail))
		code = ERROR_CODE_INTERNAL;
	if (code) {
		pair_offer_free(o);
		return code;
	}
	fill_offer(s, args, &at, o);
	*ret = o;
	return 0;
}

void pair_offer_reply(struct serve *s, const struct pair_offer *o, struct str changed,
                      struct buf *out)
{
	struct reply_pair_device r = { .code = o->code,
		                       .scopes = o->scopes,
		                       .expires_at = o->until_ms,
		                       .has_console = console_is_here() };
	char text[SERVE_URL_MAX];
	struct json_writer w;
	struct json reply;
	struct str url;

	if (json_read_trusted(o->mem, changed, &reply, NULL) == OK)
		r.name = json_str(JSON_GET(JSON_GET(reply, "device"), "name"));
	r.address = arena_printf(o->mem, "%.*s/#code=%.*s", STR_ARG(o->base), STR_ARG(o->code));
	for (size_t i = 0; str_is(url = serve_state_url(s, i, text)); i++)
		rec_list_str_add(o->mem, &r.addresses, arena_keep(o->mem, url));
	jw_init(&w, out);
	rec_write(&w, &reply_pair_device_desc, &r);
}

void pair_offer_free(struct pair_offer *o)
{
	if (o)
		arena_free(o->mem);
}

/* ---- all of them ---- */

bool pair_is_offer(struct str command)
{
	return str_eq(command, command_classes[COMMAND_PAIR_DEVICE].name);
}

bool pair_is_list(struct str command)
{
	return str_eq(command, command_classes[COMMAND_LIST_ISSUERS].name);
}

enum error_code pair_list(struct serve *s, const struct caller *caller, struct json params,
                          struct buf *reply, struct error *detail)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	void *args;
	enum error_code code = read_args(mem, caller, COMMAND_LIST_ISSUERS, params, &args, detail);

	if (!code)
		issuers_write(s->auth.issuers, ((const struct cmd_list_issuers *)args)->check,
		              reply);
	return code;
}
