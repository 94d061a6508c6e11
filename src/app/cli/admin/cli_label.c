/*
 * label: shows and changes the labels of a session or a task.
 *
 * A command replaces all labels, so the present ones are read first and the
 * changes applied to them.
 */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"
#include "base/jw.h"

struct labels {
	struct str items[64];
	size_t count;
};

static struct str key_of(struct str label)
{
	return str_cut(&label, '=');
}

static void remove_key(struct labels *l, struct str key)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++)
		if (!str_eq(key_of(l->items[i]), key))
			l->items[kept++] = l->items[i];
	l->count = kept;
}

static void read_labels(struct labels *l, struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_type(list) == JSON_ARR && l->count < COUNT_OF(l->items) &&
	       json_next(&it, &key, &v))
		l->items[l->count++] = json_str(v);
}

struct row_search {
	struct str session;
	struct labels *labels;
};

static bool take_session(void *arg, struct json row)
{
	struct row_search *s = arg;

	if (!str_eq(json_str(JSON_GET(row, "sessionId")), s->session))
		return true;
	read_labels(s->labels, JSON_GET(row, "labels"));
	return false;
}

static int read_present(struct cli *c, const struct ref *r, struct labels *l)
{
	struct row_search s = { r->session, l };
	struct params p;
	struct json reply;
	int code;

	if (r->kind != REF_TASK)
		return connection_list(c, "list_sessions", "sessions", NULL, take_session, &s);
	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	params_str(&p, "taskId", r->task);
	code = connection_call(c, "get_task", &p, &reply);
	if (!code)
		read_labels(l, JSON_GET(JSON_GET(reply, "task"), "labels"));
	return code;
}

/* "key=value" or "key" sets a label, "key-" removes it. */
static int change_labels(struct cli *c, struct labels *l)
{
	for (int i = 1; i < c->arg_count; i++) {
		struct str word = str_from(c->args[i]);
		bool is_removed = str_ends(word, STR("-")) && str_find_char(word, '=') < 0;

		remove_key(l, is_removed ? str_head(word, word.len - 1) : key_of(word));
		if (is_removed)
			continue;
		if (l->count == COUNT_OF(l->items))
			return opt_usage(c, "That is too many labels.");
		l->items[l->count++] = word;
	}
	return CODE_DONE;
}

static int write_labels(struct cli *c, const struct ref *r, const struct labels *l)
{
	struct params p;
	struct json reply;

	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	if (r->kind == REF_TASK)
		params_str(&p, "taskId", r->task);
	jw_key(&p.w, STR("labels"));
	jw_arr(&p.w);
	for (size_t i = 0; i < l->count; i++)
		jw_str(&p.w, l->items[i]);
	jw_arr_end(&p.w);
	params_key(c, &p);
	return connection_call(c, r->kind == REF_TASK ? "update_task" : "update_session", &p,
	                       &reply);
}

int verb_label(struct cli *c)
{
	struct labels l = { 0 };
	struct ref r;
	int code = connection_open(c);

	if (!code)
		code = ref_find(c, c->args[0], &r);
	if (!code)
		code = read_present(c, &r, &l);
	if (!code && c->arg_count > 1) {
		code = change_labels(c, &l);
		if (!code)
			code = write_labels(c, &r, &l);
	}
	for (size_t i = 0; !code && i < l.count; i++)
		printf("%s\n", out_safe(c->mem, l.items[i]));
	return code;
}
