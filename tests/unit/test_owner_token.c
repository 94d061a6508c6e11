#include "lib/keys/owner_token.h"

#include "base/arena.h"
#include "lib/files.h"
#include "lib/t.h"
#include "ports/store_own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two values of a store that nodes share: the token, and the old list of devices of the node "a". */
struct fixture {
	struct store store;
	struct store_nodes_ops nodes;
	struct arena *mem;
	struct str token, devices;
	bool is_away;
	char dir[32];
};

static struct str *value_of(struct fixture *f, struct str key)
{
	if (str_eq(key, PORT_STORE_TOKEN))
		return &f->token;
	CHECK_STR(key, "node:a:serve:devices");
	return &f->devices;
}

static enum err get_meta(struct store *s, struct arena *mem, struct str key, struct str *ret,
                         struct error *e)
{
	struct str *value = value_of(OWNER_OF(s, struct fixture, store), key);

	if (!str_is(*value))
		return e ? fail(e, ERR_NOT_FOUND, "nothing") : ERR_NOT_FOUND;
	*ret = arena_keep(mem, *value);
	return OK;
}

static enum err set_meta(struct store *s, struct str key, struct str value, struct error *e)
{
	struct fixture *f = OWNER_OF(s, struct fixture, store);

	*value_of(f, key) = arena_keep(f->mem, value);
	return OK;
}

static enum err keep_meta(struct store *s, struct arena *mem, struct str key, struct str value,
                          struct str *ret, struct error *e)
{
	struct fixture *f = OWNER_OF(s, struct fixture, store);
	struct str *kept = value_of(f, key);

	if (f->is_away)
		return fail(e, ERR_UNAVAILABLE, "the store is away");
	if (!str_is(*kept))
		*kept = arena_keep(f->mem, value);
	*ret = arena_keep(mem, *kept);
	return OK;
}

static const struct store_node *self(struct store *s)
{
	static const struct store_node node = { .name = { "a", 1 } };

	return &node;
}

static const struct store_ops ops = { .get_meta = get_meta,
	                              .set_meta = set_meta,
	                              .keep_meta = keep_meta };

static struct fixture *fixture_new(bool is_shared)
{
	struct arena *mem = arena_new();
	struct fixture *f = ARENA_NEW(mem, struct fixture);

	f->mem = mem;
	f->store.ops = &ops;
	f->nodes.self = self;
	f->store.nodes = is_shared ? &f->nodes : NULL;
	snprintf(f->dir, sizeof f->dir, "/tmp/owner-token-XXXXXX");
	CHECK(mkdtemp(f->dir));
	return f;
}

static struct str path_of(struct fixture *f)
{
	return arena_printf(f->mem, "%s/token", f->dir);
}

static struct str file_of(struct fixture *f)
{
	struct str text = STR_NONE;
	struct error e;

	CHECK_OK(files_read_all(f->mem, path_of(f).ptr, 4096, &text, &e), &e);
	return str_trim(text);
}

static void write_token(struct fixture *f, const char *text)
{
	struct error e;

	CHECK_OK(files_write(path_of(f).ptr, str_from(text), &e), &e);
}

static void fixture_done(struct fixture *f)
{
	unlink(path_of(f).ptr);
	CHECK(rmdir(f->dir) == 0); /* nothing else was left there */
	arena_free(f->mem);
}

static struct str take(struct fixture *f)
{
	struct str token = STR_NONE;
	struct error e;

	CHECK_OK(owner_token_take(f->mem, f->dir, &f->store, &token, &e), &e);
	CHECK(str_eq(file_of(f), token));
	return token;
}

#define ONE "1111111111111111111111111111111111111111111111111111111111111111"
#define TWO "2222222222222222222222222222222222222222222222222222222222222222"

TEST(a_store_of_one_node_has_the_token_of_the_file)
{
	struct fixture *f = fixture_new(false);
	struct str token = take(f);
	struct stat st;

	CHECK_INT(token.len, 64);
	CHECK(stat(path_of(f).ptr, &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK(str_eq(take(f), token));
	CHECK(!str_is(f->token));
	unlink(path_of(f).ptr);
	CHECK(!str_eq(take(f), token));
	fixture_done(f);
}

TEST(the_first_node_gives_its_token_to_the_others)
{
	struct fixture *f = fixture_new(true);

	write_token(f, ONE "\n");
	CHECK_STR(take(f), ONE);
	CHECK_STR(f->token, ONE);
	/* A machine that has none takes it, and so does one whose file is lost. */
	unlink(path_of(f).ptr);
	CHECK_STR(take(f), ONE);
	fixture_done(f);
}

TEST(a_first_node_without_a_token_makes_one_for_all)
{
	struct fixture *f = fixture_new(true);
	struct str token = take(f);

	CHECK_INT(token.len, 64);
	CHECK(str_eq(f->token, token));
	fixture_done(f);
}

TEST(the_token_of_the_nodes_wins_and_devices_of_the_other_one_are_forgotten)
{
	struct fixture *f = fixture_new(true);

	f->token = STR(ONE);
	f->devices = STR("{\"devices\":[1]}");
	write_token(f, TWO "\n");
	CHECK_STR(take(f), ONE);
	CHECK_STR(f->devices, "{\"devices\":[]}");
	/* With the same token they stay, to be carried over. */
	f->devices = STR("{\"devices\":[1]}");
	CHECK_STR(take(f), ONE);
	CHECK_STR(f->devices, "{\"devices\":[1]}");
	fixture_done(f);
}

TEST(a_new_token_is_found_by_every_node)
{
	for (int is_shared = 0; is_shared < 2; is_shared++) {
		struct fixture *f = fixture_new(is_shared);
		struct str before = take(f), id = STR_NONE, token = STR_NONE;
		struct error e;

		CHECK_OK(owner_token_look(f->mem, f->dir, &f->store, &token, &e), &e);
		CHECK(str_eq(token, before));
		CHECK_OK(owner_token_renew(f->mem, f->dir, &f->store, &id, &e), &e);
		CHECK_INT(id.len, 16);
		CHECK(str_eq(file_of(f), before) == is_shared);
		CHECK_OK(owner_token_look(f->mem, f->dir, &f->store, &token, &e), &e);
		CHECK(token.len == 64 && !str_eq(token, before));
		CHECK(str_eq(file_of(f), token));
		CHECK(str_eq(take(f), token));
		fixture_done(f);
	}
}

TEST(a_store_that_is_away_leaves_the_file_as_it_is)
{
	struct fixture *f = fixture_new(true);
	struct str token = STR("untouched");
	struct error e;

	write_token(f, ONE);
	f->is_away = true;
	CHECK_INT(owner_token_take(f->mem, f->dir, &f->store, &token, &e), ERR_UNAVAILABLE);
	CHECK_STR(token, "untouched");
	CHECK_STR(file_of(f), ONE);
	fixture_done(f);
}

TEST(a_token_that_others_can_read_or_that_is_too_short_is_refused)
{
	struct fixture *f = fixture_new(true);
	struct str token;
	struct error e;

	write_token(f, ONE);
	CHECK(chmod(path_of(f).ptr, 0644) == 0);
	CHECK_INT(owner_token_take(f->mem, f->dir, &f->store, &token, &e), ERR_INVALID);
	CHECK_HAS(str_from(e.message), "others can read");
	CHECK_HAS(str_from(e.message), "thole token rotate");
	f->store.nodes = NULL;
	CHECK_INT(owner_token_take(f->mem, f->dir, &f->store, &token, &e), ERR_INVALID);
	CHECK_HAS(str_from(e.message), "the next start makes a new one");
	f->store.nodes = &f->nodes;
	CHECK(chmod(path_of(f).ptr, 0600) == 0);
	f->token = STR("short");
	CHECK_INT(owner_token_take(f->mem, f->dir, &f->store, &token, &e), ERR_INVALID);
	CHECK_HAS(str_from(e.message), "the token in the database has 5 bytes");
	CHECK_STR(file_of(f), ONE);
	fixture_done(f);
}

TEST_MAIN()
