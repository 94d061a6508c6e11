/* Writes the parameters of a command member by member, as JSON. */
#include "app/cli/params.h"

#include "base/jw.h"
#include "base/os/id.h"

#include <stdlib.h>
#include <sys/random.h>

void params_begin(struct params *p)
{
	*p = (struct params){ 0 };
	jw_init(&p->w, &p->text);
	jw_obj(&p->w);
}

void params_done(struct params *p)
{
	buf_done(&p->text);
}

void params_str(struct params *p, const char *key, struct str value)
{
	jw_kopt(&p->w, str_from(key), value);
}

void params_cstr(struct params *p, const char *key, const char *value)
{
	params_str(p, key, str_from(value));
}

void params_int(struct params *p, const char *key, int64_t value)
{
	jw_kint(&p->w, str_from(key), value);
}

void params_bool(struct params *p, const char *key, bool value)
{
	jw_kbool(&p->w, str_from(key), value);
}

void params_raw(struct params *p, const char *key, struct str json)
{
	if (!str_is(json))
		return;
	jw_key(&p->w, str_from(key));
	jw_raw(&p->w, json);
}

void params_words(struct params *p, const char *key, const struct words *list)
{
	if (!list->count)
		return;
	jw_key(&p->w, str_from(key));
	jw_arr(&p->w);
	for (int i = 0; i < list->count; i++)
		jw_str(&p->w, str_from(list->items[i]));
	jw_arr_end(&p->w);
}

/*
 * Random per call, so that connection_try() may repeat the command after a broken connection
 * without a second effect.
 */
void params_key(struct cli *c, struct params *p)
{
	uint64_t chance[2];

	if (getrandom(chance, sizeof chance, 0) != sizeof chance)
		abort();
	params_str(p, "idempotencyKey",
	           arena_printf(c->mem, "cli-%016llx%016llx", (unsigned long long)chance[0],
	                        (unsigned long long)chance[1]));
}

static void write_labels(struct params *p, struct str list)
{
	if (!str_is(list))
		return;
	JW_KEY(&p->w, "labels");
	jw_arr(&p->w);
	while (str_is(list) && list.len)
		jw_str(&p->w, str_cut(&list, ','));
	jw_arr_end(&p->w);
}

void params_placement(struct cli *c, struct params *p, const char *node)
{
	struct params in = { 0 };

	if (!node && !c->opts.workspace && !c->opts.needs)
		return;
	params_begin(&in);
	params_cstr(&in, "node", node);
	params_cstr(&in, "workspace", c->opts.workspace);
	write_labels(&in, str_from(c->opts.needs));
	jw_obj_end(&in.w);
	params_raw(p, "placement", buf_str(&in.text));
	params_done(&in);
}
