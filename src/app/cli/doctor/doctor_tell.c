/* A result of doctor: a line for people, or an object for scripts. */
#include "app/cli/doctor/doctor.h"

#include "app/cli/print/out.h"

static void put_text(struct doctor *d, enum health h, const char *id, const char *text,
                     const char *remedy)
{
	static const char *const marks[] = { "✓", "·", "✗" };
	static const enum tone tones[] = { TONE_GOOD, TONE_DIM, TONE_BAD };
	bool color = d->c->color_out;

	printf("%s%s%s %-18s %s\n", out_tone_on(color, tones[h]), marks[h], out_tone_off(color), id,
	       text);
	if (remedy && h != HEALTH_OK)
		printf("%21s%s\n", "", remedy);
}

/* Scripts select checks by their id, so an id does not change. */
static void put_json_check(struct doctor *d, enum health h, const char *id, const char *text,
                           const char *remedy)
{
	static const char *const words[] = { "ok", "note", "bad" };

	jw_obj(&d->w);
	JW_KSTR(&d->w, "id", str_from(id));
	JW_KSTR(&d->w, "status", str_from(words[h]));
	JW_KSTR(&d->w, "detail", str_from(text));
	if (h != HEALTH_OK)
		JW_KOPT(&d->w, "remedy", str_from(remedy));
	jw_obj_end(&d->w);
}

void doctor_tell(struct doctor *d, enum health h, const char *id, const char *text,
                 const char *remedy)
{
	text = out_safe(d->c->mem, str_from(text));
	d->bad += h == HEALTH_BAD;
	if (d->c->opts.json)
		put_json_check(d, h, id, text, remedy);
	else
		put_text(d, h, id, text, remedy);
}
