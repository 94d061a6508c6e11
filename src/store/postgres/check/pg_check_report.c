/* What was read and what it means, as JSON. */
#include "store/postgres/check/pg_check.h"

#include "base/jw.h"

static struct str write_findings(struct arena *mem, const struct pg_check_finding *all,
                                 size_t count)
{
	static const char *const words[] = {
		[PG_CHECK_OK] = "ok", [PG_CHECK_NOTE] = "note", [PG_CHECK_BAD] = "bad"
	};
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "checks");
	jw_arr(&w);
	for (size_t i = 0; i < count; i++) {
		jw_obj(&w);
		JW_KSTR(&w, "id", str_from(all[i].id));
		JW_KSTR(&w, "status", str_from(words[all[i].status]));
		JW_KSTR(&w, "detail", all[i].detail);
		JW_KOPT(&w, "remedy", all[i].remedy);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

enum err pg_check_report(struct arena *mem, const struct pg_check_options *o, struct str *ret,
                         struct error *e)
{
	struct pg_check_finding all[PG_CHECK_FINDINGS];
	struct pg_check_readings r;
	enum err err = pg_check_read(mem, o, &r, e);

	if (err == OK)
		*ret = write_findings(mem, all, pg_check_judge(mem, &r, all));
	return err;
}
