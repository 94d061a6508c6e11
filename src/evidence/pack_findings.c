/*
 * Keeps findings and writes them into a report.  Texts are cut, and their number
 * is bounded: a hostile pack may have any number of faults.
 */
#include "evidence/pack_findings.h"

#include "base/jw.h"

#include <stdarg.h>
#include <stdio.h>

/* One about the whole pack comes first, because it explains those about files. */
static void keep_finding(struct pack_findings *f, struct pack_finding x)
{
	size_t kept = MIN(f->count, (size_t)PACK_FINDINGS_MAX);

	if (str_is(x.file)) {
		if (kept < PACK_FINDINGS_MAX)
			f->items[kept] = x;
		return;
	}
	if (kept == PACK_FINDINGS_MAX)
		kept--;
	memmove(f->items + 1, f->items, kept * sizeof *f->items);
	f->items[0] = x;
}

void pack_findings_add(struct pack_findings *f, struct str file, int64_t sequence, int64_t byte,
                       const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	keep_finding(f, (struct pack_finding){ str_is(file) ? arena_keep(f->mem, file) : file,
	                                       sequence, byte, arena_keep(f->mem, str_from(text)),
	                                       STR_NONE });
	f->count++;
}

void pack_findings_add_code(struct pack_findings *f, struct str code, struct str file,
                            const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	keep_finding(f, (struct pack_finding){ arena_keep(f->mem, file), -1, -1,
	                                       arena_keep(f->mem, str_from(text)), code });
	f->count++;
}

void pack_findings_write(struct json_writer *w, const struct pack_findings *f)
{
	JW_KEY(w, "findings");
	jw_arr(w);
	for (size_t i = 0; i < MIN(f->count, (size_t)PACK_FINDINGS_MAX); i++) {
		const struct pack_finding *x = &f->items[i];

		jw_obj(w);
		JW_KOPT(w, "code", x->code);
		JW_KOPT(w, "file", x->file);
		if (x->sequence >= 0)
			JW_KINT(w, "sequence", x->sequence);
		if (x->byte >= 0)
			JW_KINT(w, "byte", x->byte);
		JW_KSTR(w, "what", x->what);
		jw_obj_end(w);
	}
	jw_arr_end(w);
	JW_KINT(w, "findingCount", (int64_t)f->count);
}
