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

void mcp_session_remove(struct mcp_sessions *s, struct mcp_session *one)
{
	list_remove(&one->node);
	s->count--;
	mcp_session_done(one);
	memory_free(one);
}

void mcp_session_done_all(struct mcp_sessions *s)
{
	while (s->count)
		mcp_session_remove(s, LIST_ITEM(s->all.next, struct mcp_session, node));
}

static void forget_oldest(struct mcp_sessions *s)
{
	LIST_EACH (&s->all, node) {
		struct mcp_session *one = LIST_ITEM(node, struct mcp_session, node);

		if (one->stream)
			continue;
		mcp_session_remove(s, one);
		return;
	}
}

struct mcp_session *mcp_session_add(struct mcp_sessions *s, struct str id, struct str principal)
{
	struct mcp_session *one = memory_zeroed(1, sizeof *one);

	if (s->count >= MCP_SESSIONS_MAX)
		forget_oldest(s);
	mcp_session_init(one);
	one->id = arena_keep(one->mem, id);
	one->principal = arena_keep(one->mem, principal);
	list_add(&s->all, &one->node);
	s->count++;
	return one;
}

struct mcp_session *mcp_session_find(struct mcp_sessions *s, struct str id, struct str principal)
{
	LIST_EACH (&s->all, node) {
		struct mcp_session *one = LIST_ITEM(node, struct mcp_session, node);

		if (str_is(id) && str_eq(one->id, id) && str_eq(one->principal, principal))
			return one;
	}
	return NULL;
}
