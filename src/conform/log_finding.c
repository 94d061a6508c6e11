/* Keeps the first finding of each check.  Text of a log is cut before it is kept. */
#include "conform/log_finding.h"

#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

struct log_spot log_finding_spot(struct arena *mem, const struct log_spot *spot)
{
	struct log_spot kept = *spot;

	kept.file = arena_keep(mem, spot->file);
	kept.type = arena_keep(mem, str_head(spot->type, 128));
	kept.event_id = arena_keep(mem, str_head(spot->event_id, 256));
	return kept;
}

bool log_finding_is_earlier(const struct log_spot *a, const struct log_spot *b)
{
	return a->file_number != b->file_number ? a->file_number < b->file_number
	                                        : a->line < b->line;
}

void log_finding_add(struct conform_pack *p, struct check *c, const struct log_spot *spot,
                     const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (c->findings++ && !log_finding_is_earlier(spot, &c->spot))
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	c->spot = log_finding_spot(p->mem, spot);
	c->text = arena_keep(p->mem, str_from(text));
}

struct str log_finding_key(const struct log_event *e, struct str id)
{
	return arena_printf(e->p->log, "object %zu %.*s%.*s", e->session.len, STR_ARG(e->session),
	                    STR_ARG(id));
}

/* How many bytes at this place belong to the canary; 0: none. */
static size_t canary_at(struct str text, struct str canary)
{
	size_t same = 0;

	while (same < text.len && same < canary.len && text.ptr[same] == canary.ptr[same])
		same++;
	return canary.len && same >= MIN(canary.len, CANARY_HEAD) ? same : 0;
}

struct str log_finding_mask(struct arena *mem, struct str text, struct str const *canaries,
                            size_t count)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t at = 0; at < text.len;) {
		size_t found = 0, which = 0;

		for (size_t i = 0; i < count && !found; which = i++)
			found = canary_at(str_skip(text, at), canaries[i]);
		if (found)
			buf_printf(&out, "[canary %zu]", which + 1);
		else
			buf_add_char(&out, text.ptr[at]);
		at += found ? found : 1;
	}
	return str_is(text) ? arena_keep(mem, buf_str(&out)) : text;
}
