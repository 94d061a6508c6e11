/*
 * Notes questions to the outside and their answers, and answers from the notes.
 */
#include "core/journal/asks.h"

#include "core/decision.h"
#include "core/gen/input_tables.h"

/* ---- notes ---- */

static uint32_t hash_of(struct str question)
{
	uint64_t h = str_hash(question);

	return (uint32_t)(h ^ h >> 32);
}

static const struct ask_note *find_note(const struct asks *a, enum ask kind, uint32_t question)
{
	for (const struct ask_note *n = a->notes; n; n = n->next)
		if (n->kind == kind && n->question == question)
			return n;
	return NULL;
}

static struct ask_note *add_note(struct asks *a, enum ask kind, uint32_t question)
{
	struct ask_note *n = ARENA_NEW(a->mem, struct ask_note);

	n->kind = kind;
	n->question = question;
	n->next = a->notes;
	a->notes = n;
	return n;
}

/* The kind is doubled: an odd number is a path that leads to itself, and has no answer. */
static void pack_note(struct asks *a, const struct ask_note *n, bool is_same)
{
	rec_pack_uint(a->out, 2 * (uint64_t)n->kind + is_same);
	buf_add(&a->out->out, &n->question, sizeof n->question);
	a->count++;
}

static void *lack(struct asks *a, const char *what)
{
	if (!a->missing)
		a->missing = what;
	return NULL;
}

/* ---- paths and files ---- */

static struct str ask_text(struct asks *a, enum ask kind, struct arena *mem, struct str path,
                           struct str (*ask)(void *owner, struct arena *mem, struct str path))
{
	uint32_t question = hash_of(path);
	const struct ask_note *known = find_note(a, kind, question);
	struct ask_note *n;
	bool is_same;

	if (known)
		return known->number ? path : known->answer;
	if (a->is_replay) {
		lack(a, kind == ASK_REAL ? "where a path leads" : "the content of a file");
		return STR_NONE;
	}
	n = add_note(a, kind, question);
	n->answer = ask(NULL, mem, path);
	is_same = str_is(n->answer) && str_eq(n->answer, path);
	pack_note(a, n, is_same);
	if (!is_same)
		rec_pack_str(a->out, n->answer);
	return n->answer;
}

static struct str asks_real(void *owner, struct arena *mem, struct str path)
{
	struct asks *a = owner;

	return ask_text(a, ASK_REAL, mem, path, a->plain.real);
}

static struct str asks_digest(void *owner, struct arena *mem, struct str path)
{
	struct asks *a = owner;

	return ask_text(a, ASK_DIGEST, mem, path, a->plain.digest);
}

static int64_t note_number(struct asks *a, enum ask kind, uint32_t question, int64_t answer)
{
	struct ask_note *n = add_note(a, kind, question);

	n->number = answer;
	pack_note(a, n, false);
	rec_pack_int(a->out, answer);
	return answer;
}

static bool ask_dir(struct asks *a, enum ask kind, struct str dir,
                    bool (*ask)(void *owner, struct str dir))
{
	uint32_t question = hash_of(dir);
	const struct ask_note *known = find_note(a, kind, question);

	if (known)
		return known->number;
	if (a->is_replay)
		return lack(a, "what a repository runs");
	return note_number(a, kind, question, ask(NULL, dir));
}

static bool asks_runs_code(void *owner, struct str dir)
{
	struct asks *a = owner;

	return ask_dir(a, ASK_CODE, dir, a->plain.runs_code);
}

static bool asks_runs_hooks(void *owner, struct str dir)
{
	struct asks *a = owner;

	return ask_dir(a, ASK_HOOKS, dir, a->plain.runs_hooks);
}

/* Zones are public data and belong to the settings; the note says whether there was one. */
static const struct tz *asks_zone(void *owner, struct str name)
{
	struct asks *a = owner;
	const struct tz *zone = a->plain.zone(a->plain.zone_owner, name);
	uint32_t question = hash_of(name);
	const struct ask_note *known = find_note(a, ASK_ZONE, question);

	if (!a->is_replay && !known)
		note_number(a, ASK_ZONE, question, zone != NULL);
	else if (a->is_replay && (!known || known->number != (zone != NULL)))
		lack(a, "a time zone");
	return zone;
}

/* ---- sandboxes ---- */

struct bound {
	enum err result;
	struct str message;
	struct tool_sandbox sandbox;
};

static uint32_t question_of_bind(struct arena *mem, struct str tool, struct str args,
                                 struct str cwd, const struct rec_sandbox_override *more)
{
	struct str wider = more ? rec_text(mem, &rec_sandbox_override_desc, more) : STR_NONE;

	return hash_of(arena_printf(mem, "%.*s\n%.*s\n%.*s\n%.*s", STR_ARG(tool), STR_ARG(args),
	                            STR_ARG(cwd), STR_ARG(wider)));
}

static void note_bound(struct asks *a, uint32_t question, const struct bound *b)
{
	pack_note(a, add_note(a, ASK_BIND, question), false);
	rec_pack_uint(a->out, b->result);
	if (b->result == OK)
		rec_pack(a->out, &in_tool_sandbox_desc, &b->sandbox);
	else
		rec_pack_str(a->out, b->message);
}

/* The sandbox is a copy each time: who asked may change it. */
static enum err give_bound(const struct bound *b, struct arena *mem, struct tool_sandbox *ret,
                           struct error *e)
{
	if (b->result != OK)
		return fail(e, b->result, "%.*s", STR_ARG(b->message));
	*ret = b->sandbox;
	if (ret->profile)
		ret->profile = rec_clone(mem, &rec_sandbox_profile_desc, ret->profile);
	return OK;
}

static enum err asks_bind(const struct settings *s, struct arena *mem, struct str tool,
                          struct str args, struct str cwd, const struct rec_sandbox_override *more,
                          struct tool_sandbox *ret, struct error *e)
{
	struct asks *a = s->asks;
	uint32_t question = question_of_bind(mem, tool, args, cwd, more);
	const struct ask_note *known = find_note(a, ASK_BIND, question);
	struct bound b = { 0 };
	struct error why = { 0 };

	if (a->is_replay && known)
		return give_bound(known->record, mem, ret, e);
	if (a->is_replay) {
		lack(a, "the sandbox of a call");
		return fail(e, ERR_NOT_FOUND, "the record has no such sandbox");
	}
	b.result = a->plain.bind(&a->plain, mem, tool, args, cwd, more, &b.sandbox, &why);
	b.message = str_from(why.message);
	if (!known)
		note_bound(a, question, &b);
	if (b.result == OK)
		*ret = b.sandbox;
	else if (e)
		*e = why;
	return b.result;
}

/* ---- accounts, limits, grants ---- */

static uint32_t question_at(const struct asks *a, struct str question)
{
	return hash_of(question) + (uint32_t)a->step * 0x9e3779b9u;
}

static int64_t asks_spent(void *owner, struct str account)
{
	struct asks *a = owner;
	uint32_t question = question_at(a, account);
	const struct ask_note *known = find_note(a, ASK_SPENT, question);
	int64_t answer;

	if (known || a->is_replay)
		return known ? known->number : 0;
	answer = a->spent(a->spent_owner, account);
	return answer ? note_number(a, ASK_SPENT, question, answer) : 0;
}

/* An answer that is not noted holds for the step all the same. */
static enum ledger_room asks_room(void *owner, const struct ledger_question *q)
{
	struct asks *a = owner;
	uint32_t question = question_at(a, q->account) ^ (uint32_t)q->amount;
	const struct ask_note *known = find_note(a, ASK_ROOM, question);
	enum ledger_room answer;

	if (known || a->is_replay)
		return known ? (enum ledger_room)known->number : LEDGER_HAS_ROOM;
	answer = a->room(a->spent_owner, q);
	if (answer == LEDGER_HAS_ROOM)
		add_note(a, ASK_ROOM, question)->number = answer;
	else
		note_number(a, ASK_ROOM, question, answer);
	return answer;
}

static void pack_limit(struct asks *a, uint32_t question, const struct limit_entry *l)
{
	struct ask_note *n = add_note(a, ASK_LIMIT, question);

	n->record = l;
	pack_note(a, n, false);
	rec_pack_str(a->out, str_from(l->provider));
	rec_pack_uint(a->out, l->kind);
	rec_pack_uint(a->out, l->state);
	rec_pack_int(a->out, l->until);
	rec_pack_int(a->out, l->has_used ? l->used : -1);
	rec_pack_int(a->out, l->has_limit ? l->limit : -1);
}

const struct limit_entry *asks_limit(const struct decision *d, struct str provider,
                                     enum limit_kind kind)
{
	struct asks *a = d->settings->asks;
	const struct limits *limits = d->ledger_view ? d->ledger_view->limits : NULL;
	const struct limit_entry *found = NULL;
	const struct ask_note *known;
	uint32_t question;

	if (limits && limits->count)
		found = limit_find(limits, provider, kind, d->now);
	if (!a || (!found && !a->is_replay))
		return found;
	question = question_at(a, provider) ^ (uint32_t)kind;
	known = find_note(a, ASK_LIMIT, question);
	if (a->is_replay)
		return known ? known->record : NULL;
	if (!known)
		pack_limit(a, question, found);
	return found;
}

const struct state *asks_grants(const struct settings *s)
{
	struct asks *a = s->asks;
	const struct state *from = s->ledger_view;
	const struct ask_note *known;

	if (a && a->is_replay) {
		known = find_note(a, ASK_GRANTS, 0);
		return known ? known->record : NULL;
	}
	if (!a || a->has_grants || !from || !from->s->grants.count)
		return from;
	a->has_grants = true;
	pack_note(a, &(const struct ask_note){ .kind = ASK_GRANTS }, false);
	rec_pack_uint(a->out, from->s->grants.count);
	for (uint32_t i = 0; i < from->s->grants.count; i++)
		rec_pack(a->out, &st_grant_desc, from->s->grants.items[i]);
	return from;
}

/* ---- reading ---- */

static const struct limit_entry *read_limit(struct asks *a, struct rec_unpacker *u)
{
	struct limit_entry *l = ARENA_NEW(a->mem, struct limit_entry);
	struct str name = rec_unpack_str(u);

	memcpy(l->provider, name.ptr ? name.ptr : "", MIN(name.len, sizeof l->provider - 1));
	l->kind = (enum limit_kind)rec_unpack_uint(u);
	l->state = (enum limit_status)rec_unpack_uint(u);
	l->until = rec_unpack_int(u);
	l->used = rec_unpack_int(u);
	l->limit = rec_unpack_int(u);
	l->has_used = l->used >= 0;
	l->has_limit = l->limit >= 0;
	if (l->kind >= LIMIT_KIND_COUNT || l->state >= LIMIT_STATUS_COUNT)
		u->is_broken = true;
	return l;
}

static const struct state *read_grants(struct asks *a, struct rec_unpacker *u)
{
	uint64_t count = rec_unpack_uint(u);
	struct st_session *s = ARENA_NEW(a->mem, struct st_session);
	struct state *w = ARENA_NEW(a->mem, struct state);

	if (count > u->in.len) {
		u->is_broken = true;
		return NULL;
	}
	for (uint64_t i = 0; i < count && !u->is_broken; i++)
		rec_unpack(u, &st_grant_desc, rec_list_add(a->mem, &s->grants, &st_grant_desc));
	w->mem = a->mem;
	w->s = s;
	return w;
}

static const struct bound *read_bound(struct asks *a, struct rec_unpacker *u)
{
	struct bound *b = ARENA_NEW(a->mem, struct bound);

	b->result = (enum err)rec_unpack_uint(u);
	if (b->result == OK)
		rec_unpack(u, &in_tool_sandbox_desc, &b->sandbox);
	else
		b->message = rec_unpack_str(u);
	return b;
}

static void read_answer(struct asks *a, struct ask_note *n, bool is_same, struct rec_unpacker *u)
{
	switch (n->kind) {
	case ASK_REAL:
	case ASK_DIGEST:
		n->number = is_same;
		if (!is_same)
			n->answer = rec_unpack_str(u);
		break;
	case ASK_BIND:
		n->record = read_bound(a, u);
		break;
	case ASK_LIMIT:
		n->record = read_limit(a, u);
		break;
	case ASK_GRANTS:
		n->record = read_grants(a, u);
		break;
	case ASK_CODE:
	case ASK_HOOKS:
	case ASK_ZONE:
	case ASK_SPENT:
	case ASK_ROOM:
		n->number = rec_unpack_int(u);
	}
}

bool asks_read(struct asks *a, struct rec_unpacker *u)
{
	uint64_t count = rec_unpack_uint(u);

	for (uint64_t i = 0; i < count && !u->is_broken; i++) {
		uint64_t kind = rec_unpack_uint(u);
		const char *hash = rec_unpack_bytes(u, sizeof(uint32_t));
		struct ask_note *n;

		if (kind / 2 > ASK_ROOM || !hash)
			return false;
		n = add_note(a, (enum ask)(kind / 2), 0);
		memcpy(&n->question, hash, sizeof n->question);
		read_answer(a, n, kind % 2, u);
	}
	return !u->is_broken;
}

/* ---- wrapping ---- */

/* A question that the settings cannot answer stays unanswered. */
void asks_wrap(struct asks *a, struct settings *s, struct ledger_view *view)
{
	a->plain = *s;
	s->asks = a;
	s->real = s->real ? asks_real : NULL;
	s->digest = s->digest ? asks_digest : NULL;
	s->runs_code = s->runs_code ? asks_runs_code : NULL;
	s->runs_hooks = s->runs_hooks ? asks_runs_hooks : NULL;
	s->bind = s->bind ? asks_bind : NULL;
	if (s->zone) {
		s->zone = asks_zone;
		s->zone_owner = a;
	}
	if (view && view->spent) {
		a->spent = view->spent;
		a->room = view->room;
		a->spent_owner = view->owner;
		view->spent = asks_spent;
		view->room = asks_room;
		view->owner = a;
	}
}
