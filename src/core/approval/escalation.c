/* What a call requests beyond its sandbox, and how a person is asked for it. */
#include "core/approval/escalation.h"

#include "base/json.h"

static void take_paths(struct arena *mem, struct json list, struct list_str *ret)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_type(list) == JSON_ARR && json_next(&it, &key, &v))
		if (str_is(json_str(v)))
			rec_list_str_add(mem, ret, json_str(v));
}

/* An empty request asks for everything: the call wants to run without its sandbox. */
struct rec_sandbox_override *escalation_requested(struct arena *mem, struct str args,
                                                  struct str *ret_reason)
{
	struct rec_sandbox_override *o;
	struct json all, asked;

	if (!str_is(args) || json_read_trusted(mem, args, &all, NULL) != OK)
		return NULL;
	asked = JSON_GET(all, "escalate");
	if (json_type(asked) != JSON_OBJ)
		return NULL;
	*ret_reason = json_str(JSON_GET(asked, "reason"));
	o = ARENA_NEW(mem, struct rec_sandbox_override);
	if (json_bool(JSON_GET(asked, "network"), false))
		o->network = NETWORK_MODE_FULL;
	take_paths(mem, JSON_GET(asked, "read"), &o->read_roots);
	take_paths(mem, JSON_GET(asked, "write"), &o->write_roots);
	take_paths(mem, JSON_GET(asked, "hosts"), &o->hosts);
	if (!o->network && !o->read_roots.count && !o->write_roots.count && !o->hosts.count)
		o->mode = SANDBOX_MODE_DANGER_FULL_ACCESS;
	return o;
}

/* The scope is `once`: an escalation never leaves a grant. */
void escalation_set_decision(struct rec_permission_decision *v, enum approval_decision decision,
                             enum decision_source source, struct str reason)
{
	v->decision = decision;
	v->decision_source = source;
	v->decision_reason = reason;
	v->scope = GRANT_SCOPE_ONCE;
	v->expires_at = 0;
}

/* Replaces an `allow` as well: rules that allow the call do not allow more than its sandbox. */
void escalation_evaluate(struct decision *d, struct rec_permission_decision *v)
{
	if (v->decision == APPROVAL_DECISION_DENY || v->decision == APPROVAL_DECISION_UNAVAILABLE)
		return;
	if (v->mode != PERMISSION_MODE_ON_REQUEST)
		escalation_set_decision(
			v, APPROVAL_DECISION_DENY, DECISION_SOURCE_MODE,
			arena_printf(d->mem,
		                     "mode %.*s does not accept escalate: only on_request does",
		                     STR_ARG(permission_mode_word(v->mode))));
	else if (!d->settings->is_interactive)
		escalation_set_decision(
			v, APPROVAL_DECISION_DENY, DECISION_SOURCE_MODE,
			STR("it requests access beyond the sandbox, and no person can be asked"));
	else
		escalation_set_decision(v, APPROVAL_DECISION_ASK, DECISION_SOURCE_SANDBOX_OVERRIDE,
		                        STR("it requests access beyond the sandbox"));
}

/* A union; the order of the first list stays. */
static void join_list(struct arena *mem, struct list_str *into, const struct list_str *more)
{
	for (uint32_t i = 0; i < more->count; i++)
		if (rec_list_str_find(into, more->items[i]) < 0)
			rec_list_str_add(mem, into, more->items[i]);
}

/* Modes are ordered from narrow to wide, so the larger one includes the other. */
void escalation_merge(struct arena *mem, struct rec_sandbox_override **into,
                      const struct rec_sandbox_override *more)
{
	struct rec_sandbox_override *o = *into;

	if (!o)
		o = *into = ARENA_NEW(mem, struct rec_sandbox_override);
	o->mode = MAX(o->mode, more->mode);
	o->network = MAX(o->network, more->network);
	o->unix_sockets |= more->unix_sockets;
	o->has_unix_sockets |= more->has_unix_sockets;
	join_list(mem, &o->read_roots, &more->read_roots);
	join_list(mem, &o->write_roots, &more->write_roots);
	join_list(mem, &o->hosts, &more->hosts);
}

struct list_str escalation_paths(struct arena *mem, const struct rec_sandbox_override *o)
{
	struct list_str out = { 0 };

	join_list(mem, &out, &o->write_roots);
	join_list(mem, &out, &o->read_roots);
	join_list(mem, &out, &o->write_files);
	join_list(mem, &out, &o->read_files);
	return out;
}

static void add_words(struct buf *out, const char *what, const struct list_str *list)
{
	for (uint32_t i = 0; list && i < list->count; i++)
		buf_printf(out, "%s%s %.*s", out->len ? ", " : "", what, STR_ARG(list->items[i]));
	if (!list)
		buf_printf(out, "%s%s", out->len ? ", " : "", what);
}

/*
 * Part of the prompt that a person reads, and of the reason in the decision; the widest access
 * comes first.
 */
struct str escalation_text(struct arena *mem, const struct rec_sandbox_override *o)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (o->mode == SANDBOX_MODE_DANGER_FULL_ACCESS)
		add_words(&out, "to run without the sandbox", NULL);
	else if (o->mode)
		add_words(&out, "to write in the workspace", NULL);
	if (o->network == NETWORK_MODE_FULL && o->hosts.count)
		add_words(&out, "all of the network, naming", &o->hosts);
	else if (o->network == NETWORK_MODE_FULL)
		add_words(&out, "all of the network", NULL);
	else
		add_words(&out, "to reach", &o->hosts);
	if (o->unix_sockets)
		add_words(&out, "Unix sockets", NULL);
	add_words(&out, "to write in", &o->write_roots);
	add_words(&out, "to read in", &o->read_roots);
	add_words(&out, "to write", &o->write_files);
	add_words(&out, "to read", &o->read_files);
	return arena_keep(mem, buf_str(&out));
}
