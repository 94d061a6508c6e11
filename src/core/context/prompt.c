/*
 * Fills in the texts that models read.  Pure: place, time and mode come from
 * the caller, so the same turn gives the same text and the log can prove it.
 */
#include "core/context/prompt.h"

#include "base/buf.h"
#include "base/os/clock.h"
#include "base/utf8.h"

#define VALUE_MAX 4096

static struct str value_of(struct str name, const struct prompt_name *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(names[i].name, name))
			return names[i].value;
	return STR_NONE;
}

struct str prompt_fill(struct arena *mem, struct str text, const struct prompt_name *names,
                       size_t count)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	ptrdiff_t open, close;

	while ((open = str_find(text, STR("{{"))) >= 0) {
		struct str rest = str_skip(text, (size_t)open + 2);
		struct str value;

		close = str_find(rest, STR("}}"));
		if (close < 0)
			break;
		buf_add_str(&out, str_head(text, (size_t)open));
		value = value_of(str_head(rest, (size_t)close), names, count);
		text = str_skip(rest, (size_t)close + 2);
		if (str_is(value))
			buf_add_str(&out, value);
		else
			buf_printf(&out, "{{%.*s}}", (int)close, rest.ptr);
	}
	buf_add_str(&out, text);
	return arena_keep(mem, buf_str(&out));
}

struct str prompt_note(struct arena *mem, enum prompt_note note, struct str name, struct str value)
{
	return prompt_fill(mem, prompt_text_notes[note], &(struct prompt_name){ name, value }, 1);
}

/*
 * Names of directories and branches may hold anything.  A line break or a "<" in them could end
 * the note and continue in the voice of the runtime.
 */
static struct str plain_line(struct arena *mem, struct str s)
{
	struct str cut = utf8_head(s, VALUE_MAX);
	char *out = arena_alloc(mem, cut.len + 1);

	for (size_t i = 0; i < cut.len; i++) {
		unsigned char c = (unsigned char)cut.ptr[i];

		out[i] = c < ' ' || c == 0x7f || c == '<' || c == '>' ? '?' : (char)c;
	}
	out[cut.len] = 0;
	return str_of(out, cut.len);
}

struct str prompt_attribute(struct arena *mem, struct str name)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str cut = utf8_head(name, VALUE_MAX);

	for (size_t i = 0; i < cut.len; i++) {
		unsigned char c = (unsigned char)cut.ptr[i];

		if (c == '"')
			buf_add_c(&out, "&quot;");
		else if (c == '<' || c == '>')
			buf_add_c(&out, c == '<' ? "&lt;" : "&gt;");
		else
			buf_add_char(&out, c < ' ' || c == 0x7f ? '?' : (char)c);
	}
	return arena_keep(mem, buf_str(&out));
}

#define SUFFIX_DIGITS 9

/* The number behind "</TAG": 1 without one, 0 for one that no tag of ours has. */
static uint64_t suffix_of(struct str rest)
{
	size_t len = 0;
	uint64_t n = 0;

	if (!str_starts(rest, STR("-")))
		return 1;
	rest = str_skip(rest, 1);
	while (len < rest.len && rest.ptr[len] >= '0' && rest.ptr[len] <= '9')
		len++;
	if (len > SUFFIX_DIGITS)
		return 0;
	return str_to_u64(str_head(rest, len), &n) ? n : 1;
}

/* One pass, whatever the text holds: the tag's number is larger than all that occur. */
static struct str free_tag(struct arena *mem, struct str tag, struct str text)
{
	struct str end = arena_printf(mem, "</%.*s", STR_ARG(tag));
	uint64_t most = 0;
	ptrdiff_t at;

	while ((at = str_find(text, end)) >= 0) {
		text = str_skip(text, (size_t)at + end.len);
		most = MAX(most, suffix_of(text));
	}
	return most ? arena_printf(mem, "%.*s-%llu", STR_ARG(tag), (unsigned long long)most + 1)
	            : tag;
}

struct str prompt_named(struct arena *mem, struct str tag, struct str name, struct str text)
{
	bool has_end = text.len && text.ptr[text.len - 1] == '\n';

	tag = free_tag(mem, tag, text);
	return arena_printf(mem, "<%.*s name=\"%.*s\">\n%.*s%s</%.*s>", STR_ARG(tag),
	                    STR_ARG(prompt_attribute(mem, name)), STR_ARG(text),
	                    has_end ? "" : "\n", STR_ARG(tag));
}

static struct str directories(struct arena *mem, const struct prompt_place *p)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_str(&out, plain_line(mem, p->directory));
	for (uint32_t i = 0; p->more && i < p->more->count; i++)
		buf_printf(&out, "%s%.*s", i ? ", " : "; also part of the workspace: ",
		           STR_ARG(plain_line(mem, p->more->items[i])));
	return arena_keep(mem, buf_str(&out));
}

static struct str repository(struct arena *mem, const struct prompt_place *p)
{
	if (!str_is(p->root))
		return STR("none");
	return str_is(p->branch) ? arena_printf(mem, "Git, root %.*s, branch %.*s",
	                                        STR_ARG(plain_line(mem, p->root)),
	                                        STR_ARG(plain_line(mem, p->branch)))
	                         : arena_printf(mem, "Git, root %.*s, no branch checked out",
	                                        STR_ARG(plain_line(mem, p->root)));
}

static struct str machine(struct arena *mem, const struct rec_execution_environment *e)
{
	if (!e)
		return STR("unknown");
	return arena_printf(mem, "%.*s, %.*s, shell %.*s", STR_ARG(e->os), STR_ARG(e->arch),
	                    STR_ARG(e->shell));
}

static struct str network(struct arena *mem, const struct rec_execution_environment *e)
{
	enum network_mode mode = e->network_profile->mode;
	CLEANUP(buf_done) struct buf hosts = { 0 };

	for (uint32_t i = 0; i < e->network_profile->allow.count; i++)
		buf_printf(&hosts, "%s%.*s", hosts.len ? ", " : "",
		           STR_ARG(plain_line(mem, e->network_profile->allow.items[i])));
	if (mode == NETWORK_MODE_RESTRICTED && !hosts.len)
		return prompt_text_network[NETWORK_MODE_OFF];
	return prompt_fill(mem, prompt_text_network[mode],
	                   &(struct prompt_name){ STR("hosts"), buf_str(&hosts) }, 1);
}

struct str prompt_environment(struct arena *mem, const struct prompt_place *p)
{
	bool is_known = p->environment && p->is_sandbox_known;
	char time[TIME_TEXT_MAX];

	clock_time_write(p->now_ms, time);

	const struct prompt_name names[] = {
		{ STR("directory"), directories(mem, p) },
		{ STR("repository"), repository(mem, p) },
		{ STR("system"), machine(mem, p->environment) },
		{ STR("date"), str_head(str_from(time), sizeof "2026-01-31" - 1) },
		{ STR("mode"), prompt_text_modes[p->mode] },
		{ STR("sandbox"),
		  is_known ? prompt_text_sandbox[p->environment->sandbox_profile->mode]
		           : STR("not known yet") },
		{ STR("network"), is_known ? network(mem, p->environment) : STR("not known yet") },
	};

	return prompt_fill(mem, prompt_text_environment, names, COUNT_OF(names));
}
