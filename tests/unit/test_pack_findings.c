/* Findings about a pack: how many are kept, and which come first. */
#include "evidence/pack_findings.h"
#include "base/jw.h"
#include "lib/t.h"

TEST(a_finding_about_the_whole_pack_comes_first_and_is_never_cut)
{
	struct arena *mem = arena_new();
	struct pack_findings f = { .mem = mem };

	for (int i = 0; i < PACK_FINDINGS_MAX + 5; i++)
		pack_findings_add(&f, STR("pack.json"), i, -1, "fault %d", i);
	pack_findings_add(&f, STR_NONE, -1, -1, "the archive is damaged");
	CHECK(f.count == PACK_FINDINGS_MAX + 6);
	CHECK_STR(f.items[0].what, "the archive is damaged");
	CHECK_STR(f.items[1].what, "fault 0");
	CHECK(f.items[PACK_FINDINGS_MAX - 1].sequence == PACK_FINDINGS_MAX - 2);
	arena_free(mem);
}

TEST(findings_that_are_not_kept_are_counted)
{
	struct arena *mem = arena_new();
	struct pack_findings f = { .mem = mem };
	struct buf out = { 0 };
	struct json_writer w;
	struct json doc;

	for (int i = 0; i < PACK_FINDINGS_MAX + 1; i++)
		pack_findings_add(&f, STR("chain.jsonl"), i, 7, "fault");
	jw_init(&w, &out);
	jw_obj(&w);
	pack_findings_write(&w, &f);
	jw_obj_end(&w);
	CHECK(json_read(mem, buf_str(&out), &doc, NULL) == OK);
	CHECK(json_count(JSON_GET(doc, "findings")) == PACK_FINDINGS_MAX);
	CHECK(json_int(JSON_GET(doc, "findingCount"), 0) == PACK_FINDINGS_MAX + 1);
	buf_done(&out);
	arena_free(mem);
}

TEST_MAIN()
