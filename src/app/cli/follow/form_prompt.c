/* The fields of a form, asked one after the other, and the review of what was answered. */
#include "app/cli/follow/form_prompt.h"

#include "app/cli/print/out.h"
#include "base/buf.h"

#define TITLE_COLUMNS 32

void form_prompt_open(struct form_prompt *p, struct json schema)
{
	*p = (struct form_prompt){ 0 };
	form_read(&p->form, schema);
}

/* ---- asking ---- */

static bool has_review(const struct form_prompt *p)
{
	return p->form.count != 1 || json_is(p->form.fields[0].preset);
}

/* What an empty line means: the answer that was given before, or the default. */
static struct str kept_value(const struct form_prompt *p, struct arena *mem)
{
	return str_is(p->answers[p->field]) ? p->answers[p->field]
	                                    : form_value_preset(mem, &p->form.fields[p->field]);
}

/* An optional answer that was given before. */
static bool may_take_back(const struct form_prompt *p)
{
	return !p->form.fields[p->field].is_required && str_is(p->answers[p->field]);
}

static const char *ask_alone(struct arena *mem, const struct field *f)
{
	if (f->kind == FIELD_ONE)
		return form_value_has_numbers(mem, f) ? "  one of these, or nothing to decline ›"
		                                      : "  a number, or nothing to decline ›";
	return f->kind == FIELD_SEVERAL ? "  numbers with commas, or nothing to decline ›"
	                                : "  your answer, or nothing to decline ›";
}

static void print_head(const struct form_prompt *p, struct cli *c, FILE *out)
{
	const struct field *f = &p->form.fields[p->field];

	fprintf(out, "  %s%zu of %zu  %s%s%s\n", out_tone_on(c->color_err, TONE_BOLD), p->field + 1,
	        p->form.count, out_safe(c->mem, f->title), out_tone_off(c->color_err),
	        f->is_required ? "" : " (may be left out)");
}

void form_prompt_show(const struct form_prompt *p, struct cli *c, FILE *out)
{
	const struct field *f = &p->form.fields[p->field];

	if (p->form.count == 1) {
		form_print_alone(c, f, out);
		return;
	}
	print_head(p, c, out);
	form_print_field(c, f, out);
}

const char *form_prompt_text(const struct form_prompt *p, struct cli *c)
{
	const struct field *f = &p->form.fields[p->field];
	struct str kept = kept_value(p, c->mem);
	const char *empty = "";

	if (!has_review(p))
		return ask_alone(c->mem, f);
	if (str_is(kept))
		empty = arena_printf(c->mem, " (Enter: %s%s)", form_print_value(c->mem, f, kept),
		                     may_take_back(p) ? "; - leaves it out" : "")
		                .ptr;
	else if (!f->is_required)
		empty = " (Enter leaves it out)";
	return arena_printf(c->mem, "  %s%s ›", out_safe_cut(c->mem, f->title, TITLE_COLUMNS),
	                    empty)
	        .ptr;
}

/* ---- lines ---- */

static enum form_prompt_step next(struct form_prompt *p)
{
	if (!has_review(p))
		return FORM_PROMPT_DONE;
	return ++p->field < p->form.count ? FORM_PROMPT_MORE : FORM_PROMPT_REVIEW;
}

static enum form_prompt_step leave_empty(struct form_prompt *p, struct cli *c)
{
	struct str kept = kept_value(p, c->mem);

	if (!has_review(p))
		return FORM_PROMPT_DECLINED;
	if (!str_is(kept) && p->form.fields[p->field].is_required)
		return FORM_PROMPT_REVIEW;
	p->answers[p->field] = kept;
	return next(p);
}

enum form_prompt_step form_prompt_line(struct form_prompt *p, struct cli *c, struct str line,
                                       const char **ret_why)
{
	struct str value;

	*ret_why = NULL;
	if (!line.len)
		return leave_empty(p, c);
	if (str_eq(line, STR("-")) && may_take_back(p)) {
		p->answers[p->field] = STR_NONE;
		return next(p);
	}
	if (!form_value_read(c->mem, &p->form.fields[p->field], line, &value, ret_why))
		return FORM_PROMPT_MORE;
	*ret_why = NULL;
	p->answers[p->field] = value;
	return next(p);
}

/* ---- the review ---- */

/* The first required field without an answer; the count: none. */
static size_t first_open(const struct form_prompt *p)
{
	size_t i = 0;

	while (i < p->form.count && (!p->form.fields[i].is_required || str_is(p->answers[i])))
		i++;
	return i;
}

bool form_prompt_is_whole(const struct form_prompt *p)
{
	return first_open(p) == p->form.count;
}

void form_prompt_change(struct form_prompt *p)
{
	p->field = form_prompt_is_whole(p) ? 0 : first_open(p);
}

static void print_answer(const struct form_prompt *p, struct cli *c, size_t i, FILE *out)
{
	const struct field *f = &p->form.fields[i];
	const char *value = str_is(p->answers[i]) ? form_print_value(c->mem, f, p->answers[i])
	                    : f->is_required      ? "(needs an answer)"
	                                          : "(left out)";

	fprintf(out, "    %s: %s\n", out_safe_cut(c->mem, f->title, TITLE_COLUMNS), value);
}

const char *form_prompt_review(const struct form_prompt *p, struct cli *c, FILE *out)
{
	for (size_t i = 0; i < p->form.count; i++)
		print_answer(p, c, i, out);
	if (!p->form.count)
		return "  [y] yes  [n] decline ›";
	return form_prompt_is_whole(p) ? "  [y] send  [e] change  [n] decline ›"
	                               : "  [e] answer what is missing  [n] decline ›";
}

struct str form_prompt_payload(const struct form_prompt *p, struct arena *mem)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < p->form.count; i++) {
		if (!str_is(p->answers[i]))
			continue;
		buf_add_c(&out, out.len ? "," : "");
		buf_printf(&out, "%.*s:%.*s",
		           STR_ARG(form_value_quote(mem, p->form.fields[i].name)),
		           STR_ARG(p->answers[i]));
	}
	return arena_printf(mem, "{%.*s}", STR_ARG(buf_str(&out)));
}
