#include "mcp/login/login_store.h"
#include "t.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	char dir[64], logins[80];
};

static void place_open(struct place *p)
{
	snprintf(p->dir, sizeof p->dir, "/tmp/thole-login-XXXXXX");
	CHECK(mkdtemp(p->dir) != NULL);
	snprintf(p->logins, sizeof p->logins, "%s/logins", p->dir);
}

static void place_close(struct place *p)
{
	char command[160];

	snprintf(command, sizeof command, "rm -rf %s", p->dir);
	CHECK(system(command) == 0);
}

static struct login_record record_of(struct str url, struct str client)
{
	return (struct login_record){ .url = url,
		                      .issuer = STR("https://login.example"),
		                      .resource = url,
		                      .redirect_uri = STR("http://127.0.0.1:9/callback"),
		                      .token_url = STR("https://login.example/token"),
		                      .client = { .id = client, .auth = LOGIN_AUTH_NONE },
		                      .access = STR("access"),
		                      .refresh = STR("refresh"),
		                      .expires_at_ms = 7 };
}

static enum err find(struct arena *mem, const struct place *p, const char *url, const char *client,
                     struct login_record *ret)
{
	struct error e;

	return login_store_find(mem, str_from(p->logins), str_from(url), str_from(client), ret, &e);
}

TEST(a_login_is_read_back_and_removed)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_record r = record_of(STR("https://a.example/mcp"), STR("c")), back;
	struct place p;
	struct error e;

	place_open(&p);
	CHECK(find(mem, &p, "https://a.example/mcp", NULL, &back) == ERR_NOT_FOUND);
	CHECK(login_store_save(str_from(p.logins), &r, &e) == OK);
	r.refresh = STR("rotated");
	CHECK(login_store_save(str_from(p.logins), &r, &e) == OK);
	CHECK(find(mem, &p, "https://a.example/mcp", NULL, &back) == OK);
	CHECK(str_eq(back.refresh, STR("rotated")) && back.expires_at_ms == 7);
	CHECK(!str_is(back.scopes) && !str_is(back.client.secret));
	CHECK(find(mem, &p, "https://a.example/mcp/", NULL, &back) == ERR_NOT_FOUND);
	CHECK(login_store_remove(str_from(p.logins), &r, &e) == OK);
	CHECK(login_store_remove(str_from(p.logins), &r, &e) == OK);
	CHECK(find(mem, &p, "https://a.example/mcp", NULL, &back) == ERR_NOT_FOUND);
	place_close(&p);
}

TEST(a_client_of_the_settings_has_a_login_of_its_own)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_record plain = record_of(STR("https://a.example"), STR("c")), back;
	struct login_record own = record_of(STR("https://a.example"), STR("mine"));
	struct place p;
	struct error e;

	own.is_configured = true;
	own.access = STR("other");
	place_open(&p);
	CHECK(login_store_save(str_from(p.logins), &plain, &e) == OK);
	CHECK(login_store_save(str_from(p.logins), &own, &e) == OK);
	CHECK(find(mem, &p, "https://a.example", NULL, &back) == OK &&
	      str_eq(back.access, STR("access")));
	CHECK(find(mem, &p, "https://a.example", "mine", &back) == OK &&
	      str_eq(back.access, STR("other")));
	CHECK(find(mem, &p, "https://a.example", "unknown", &back) == ERR_NOT_FOUND);
	place_close(&p);
}

TEST(files_that_are_no_logins_are_left_alone)
{
	static const char *const texts[] = {
		"", "{", "[]", "{}", "{\"format\":2}", "{\"format\":1}"
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_record r = record_of(STR("https://a.example"), STR("c")), back;
	struct place p;
	struct error e;
	char path[128];

	place_open(&p);
	CHECK(login_store_save(str_from(p.logins), &r, &e) == OK);
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		snprintf(path, sizeof path, "%s/%zu.json", p.logins, i);
		FILE *f = fopen(path, "w");

		CHECK(f && fputs(texts[i], f) >= 0 && fclose(f) == 0);
		CHECK(chmod(path, 0600) == 0);
	}
	snprintf(path, sizeof path, "%s/link.json", p.logins);
	CHECK(symlink("/etc/passwd", path) == 0);
	CHECK(find(mem, &p, "https://a.example", NULL, &back) == OK);
	place_close(&p);
}

TEST(one_of_a_thousand_logins_is_found)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct login_record back;
	struct place p;
	struct error e;

	place_open(&p);
	for (int i = 0; i < 1000; i++) {
		CLEANUP(arena_freep) struct arena *one = arena_new();
		struct login_record r =
			record_of(arena_printf(one, "https://a.example/%d", i), STR("c"));

		CHECK(login_store_save(str_from(p.logins), &r, &e) == OK);
	}
	CHECK(find(mem, &p, "https://a.example/789", NULL, &back) == OK);
	CHECK(str_eq(back.resource, STR("https://a.example/789")));
	place_close(&p);
}
TEST_MAIN()
