/*
 * The commands that pair, list and revoke devices, and that list issuers.  They are about
 * the server, not a session, so they are answered here and not by the engine.
 */
#include "serve/auth/pair.h"

#include "base/jw.h"
#include "serve/http/console.h"
#include "serve/stream/reader.h"

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

static bool is_taken(const struct serve *s, struct arena *mem, struct str name)
{
	return !str_eq(devices_free_name(&s->auth.devices, mem, name), name);
}

/* ---- pair_device ---- */

/*
 * The refusals of pair_device.  A console that signed in with a code cannot make codes:
 * a stolen cookie must not become a permanent device.
 */
static enum error_code check_pairing(const struct serve *s, struct arena *mem,
                                     const struct caller *caller, const struct cmd_pair_device *cmd,
                                     struct place *at, struct error *e)
{
	const struct devices *ds = &s->auth.devices;

	if (str_eq(caller->via, AUTH_VIA_CONSOLE)) {
		fail(e, ERR_INVALID, "who signed in with a code cannot make another one");
		return ERROR_CODE_FORBIDDEN;
	}
	if (!ds->store) {
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
	if (str_is(cmd->name) && is_taken(s, mem, cmd->name)) {
		fail(e, ERR_INVALID, "a device is called %.*s already; revoke it first",
		     STR_ARG(cmd->name));
		return ERROR_CODE_ID_CONFLICT;
	}
	if (ds->count == COUNT_OF(ds->items)) {
		fail(e, ERR_INVALID, "%d devices are paired; revoke one first",
		     LIMIT_PAIRED_DEVICES);
		return ERROR_CODE_TOO_MANY_OPEN;
	}
	return 0;
}

/* Makes a code, not a device: the device is stored when the code is used (devices_pair()). */
static enum error_code make_pairing_code(struct serve *s, struct arena *mem,
                                         const struct caller *caller,
                                         const struct cmd_pair_device *cmd, struct buf *out,
                                         struct error *e)
{
	unsigned scopes = cmd->lan ? SCOPES_LAN : SCOPES_DEVICE;
	struct devices *ds = &s->auth.devices;
	struct reply_pair_device r = { .has_console = console_is_here() };
	struct place at;
	enum error_code code = check_pairing(s, mem, caller, cmd, &at, e);
	char text[SERVE_URL_MAX];
	struct json_writer w;
	struct str url;
	int64_t now;

	if (code)
		return code;
	if (!console_has_port(s, e))
		return ERROR_CODE_INTERNAL;
	now = s->opt.clock->ops->wall_ms(s->opt.clock);
	r.name = str_is(cmd->name) ? cmd->name : devices_free_name(ds, mem, STR("phone"));
	r.code = devices_mint(ds, r.name, at.host, scopes, now);
	r.address = arena_printf(mem, "%.*s/#code=%.*s", STR_ARG(at.base), STR_ARG(r.code));
	r.expires_at = now + LIMIT_PAIRING_CODE_S * 1000;
	for (enum scope scope = 1; scope < SCOPE_COUNT; scope++)
		if (scopes & SCOPE_BIT(scope))
			rec_list_str_add(mem, &r.scopes, scope_word(scope));
	for (size_t i = 0; str_is(url = serve_state_url(s, i, text)); i++)
		rec_list_str_add(mem, &r.addresses, arena_keep(mem, url));
	jw_init(&w, out);
	rec_write(&w, &reply_pair_device_desc, &r);
	return 0;
}

/* ---- revoke_device ---- */

/*
 * The store comes first: a revocation that does not survive a restart must not be
 * reported as done.  Streams are cut at once, and a /v1/run that still waits
 * for its turn gets no stream (devices_is_gone()).
 */
static enum error_code revoke_paired(struct serve *s, const struct cmd_revoke_device *cmd,
                                     struct buf *out, struct error *e)
{
	struct device *d = devices_by_id(&s->auth.devices, cmd->device_id);
	struct reply_revoke_device r = { .device_id = cmd->device_id };
	struct json_writer w;

	if (!d) {
		fail(e, ERR_NOT_FOUND, "no device of this id is paired");
		return ERROR_CODE_NOT_FOUND;
	}
	if (devices_revoke(&s->auth.devices, d, e) != OK)
		return ERROR_CODE_STORE_FAILED;
	r.name = d->name;
	r.streams = reader_cut_device(s, d);
	jw_init(&w, out);
	rec_write(&w, &reply_revoke_device_desc, &r);
	return 0;
}

/* ---- all of them ---- */

static enum command command_of(struct str name)
{
	static const enum command ours[] = { COMMAND_PAIR_DEVICE, COMMAND_LIST_DEVICES,
		                             COMMAND_LIST_ISSUERS, COMMAND_REVOKE_DEVICE };

	for (size_t i = 0; i < COUNT_OF(ours); i++)
		if (str_eq(name, command_classes[ours[i]].name))
			return ours[i];
	return COMMAND_ABSENT;
}

bool pair_is_command(struct str command)
{
	return command_of(command) != COMMAND_ABSENT;
}

/* The same checks that the engine makes for its commands: scope, then shape of the arguments. */
enum error_code pair_command(struct serve *s, const struct caller *caller, struct str command,
                             struct json params, struct buf *reply, struct error *detail)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	enum command which = command_of(command);
	const struct command_class *class = &command_classes[which];
	void *args = arena_alloc(mem, class->args->size);
	struct json none;

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
	if (rec_read(mem, params, class->args, REC_CALLER, args, detail) != OK)
		return catalog_code_of_fault(detail);
	if (which == COMMAND_PAIR_DEVICE)
		return make_pairing_code(s, mem, caller, args, reply, detail);
	if (which == COMMAND_REVOKE_DEVICE)
		return revoke_paired(s, args, reply, detail);
	if (which == COMMAND_LIST_ISSUERS)
		issuers_write(s->auth.issuers, ((const struct cmd_list_issuers *)args)->check,
		              reply);
	else
		devices_write(&s->auth.devices, reply);
	return 0;
}
