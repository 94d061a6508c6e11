/* Sessions of MCP clients of earlier revisions. */
#include "serve/mcp/mcp_session.h"

#include "base/gen/limits.h"
#include "base/memory.h"

void mcp_session_init(struct mcp_session *s)
{
	*s = (struct mcp_session){ .mem = arena_new_small() };
	list_init(&s->node);
}

void mcp_session_done(struct mcp_session *s)
{
	arena_free(s->mem);
	s->mem = NULL;
}

/* The words are few and short, so what was said before may stay in the arena. */
void mcp_session_set_level(struct mcp_session *s, struct str word)
{
	if (!str_is(s->level) || !str_eq(s->level, word))
		s->level = arena_keep(s->mem, word);
}

/* In memory of its own, so that addresses that come and go do not pile up. */
static void keep(struct mcp_session *s, const struct mcp_session_uri *uris, size_t count)
{
	struct arena *mem = arena_new_small();
	struct mcp_session_uri *kept = ARENA_ARRAY(mem, struct mcp_session_uri, count + 1);

	for (size_t i = 0; i < count; i++) {
		kept[i] = uris[i];
		kept[i].uri = arena_keep(mem, uris[i].uri);
		kept[i].server = arena_keep(mem, uris[i].server);
	}
	for (size_t i = 0; i < s->left_count; i++)
		s->left[i] = (struct mcp_session_left){
			.id = arena_keep(mem, s->left[i].id),
			.session_id = arena_keep(mem, s->left[i].session_id),
			.turn_id = arena_keep(mem, s->left[i].turn_id),
		};
	s->id = arena_keep(mem, s->id);
	s->principal = arena_keep(mem, s->principal);
	s->level = arena_keep(mem, s->level);
	arena_free(s->mem);
	s->mem = mem;
	s->uris = kept;
	s->uri_count = count;
}

bool mcp_session_subscribe(struct mcp_session *s, struct str uri, struct str server)
{
	struct mcp_session_uri all[MCP_SESSION_URIS_MAX];

	for (size_t i = 0; i < s->uri_count; i++) {
		if (str_eq(s->uris[i].uri, uri))
			return true;
		all[i] = s->uris[i];
	}
	if (s->uri_count == MCP_SESSION_URIS_MAX || uri.len > LIMIT_MCP_URI_BYTES)
		return false;
	all[s->uri_count] = (struct mcp_session_uri){ .uri = uri, .server = server };
	keep(s, all, s->uri_count + 1);
	return true;
}

void mcp_session_unsubscribe(struct mcp_session *s, struct str uri)
{
	struct mcp_session_uri all[MCP_SESSION_URIS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < s->uri_count; i++)
		if (!str_eq(s->uris[i].uri, uri))
			all[count++] = s->uris[i];
	keep(s, all, count);
}

void mcp_session_leave(struct mcp_session *s, const struct mcp_session_left *request)
{
	if (s->left_count == MCP_SESSION_LEFT_MAX)
		memmove(s->left, s->left + 1, --s->left_count * sizeof s->left[0]);
	s->left[s->left_count++] = *request;
	keep(s, s->uris, s->uri_count);
}

const struct mcp_session_left *mcp_session_find_left(const struct mcp_session *s, struct str id)
{
	for (size_t i = s->left_count; i > 0; i--)
		if (str_eq(s->left[i - 1].id, id))
			return &s->left[i - 1];
	return NULL;
}

/* ---- all of them ---- */

void mcp_session_init_all(struct mcp_sessions *s)
{
	list_init(&s->all);
	s->count = 0;
}

static void forget(struct mcp_sessions *s, struct mcp_session *one)
{
	list_remove(&one->node);
	s->count--;
	mcp_session_done(one);
	memory_free(one);
}

void mcp_session_done_all(struct mcp_sessions *s)
{
	while (s->count)
		forget(s, LIST_ITEM(s->all.next, struct mcp_session, node));
}

/* principal: absent for any.  False: it has none without a stream. */
static bool forget_oldest(struct mcp_sessions *s, struct str principal)
{
	LIST_EACH (&s->all, node) {
		struct mcp_session *one = LIST_ITEM(node, struct mcp_session, node);

		if (one->stream || (str_is(principal) && !str_eq(one->principal, principal)))
			continue;
		forget(s, one);
		return true;
	}
	return false;
}

static size_t count_of(const struct mcp_sessions *s, struct str principal)
{
	size_t count = 0;

	LIST_EACH (&s->all, node)
		count += str_eq(LIST_ITEM(node, struct mcp_session, node)->principal, principal);
	return count;
}

/* Who begins many sessions loses its own. */
static void make_room(struct mcp_sessions *s, struct str principal)
{
	bool is_full = s->count >= MCP_SESSIONS_MAX;

	if (!is_full && count_of(s, principal) < MCP_SESSIONS_OF_ONE)
		return;
	if (!forget_oldest(s, principal) && is_full)
		forget_oldest(s, STR_NONE);
}

struct mcp_session *mcp_session_add(struct mcp_sessions *s, struct str id, struct str principal)
{
	struct mcp_session *one = memory_zeroed(1, sizeof *one);

	make_room(s, principal);
	mcp_session_init(one);
	one->id = arena_keep(one->mem, id);
	one->principal = arena_keep(one->mem, principal);
	list_add(&s->all, &one->node);
	s->count++;
	return one;
}

static struct mcp_session *find(struct mcp_sessions *s, struct str id, struct str principal)
{
	LIST_EACH (&s->all, node) {
		struct mcp_session *one = LIST_ITEM(node, struct mcp_session, node);

		if (str_is(id) && str_eq(one->id, id) && str_eq(one->principal, principal))
			return one;
	}
	return NULL;
}

struct mcp_session *mcp_session_find(struct mcp_sessions *s, struct str id, struct str principal)
{
	struct mcp_session *one = find(s, id, principal);

	return one && !one->is_ended ? one : NULL;
}

void mcp_session_end(struct mcp_session *one)
{
	one->is_ended = true;
	one->left_count = 0;
	keep(one, NULL, 0);
}

bool mcp_session_has_ended(struct mcp_sessions *s, struct str id, struct str principal)
{
	const struct mcp_session *one = find(s, id, principal);

	return one && one->is_ended;
}
