#ifndef APP_HTML_TEXT_H
#define APP_HTML_TEXT_H
/*
 * Text in HTML.  Everything that a model, a tool or a user wrote passes through
 * here: markup becomes text, and characters that hide or reorder text are shown
 * by their code.
 */
#include "base/arena.h"
#include "base/buf.h"

void html_text_add(struct buf *out, struct str s);
/* The same as one line, cut after so many characters. */
void html_text_add_line(struct buf *out, struct arena *mem, struct str s, size_t columns);
/* A unified diff: each line with a class for its colour. */
void html_text_add_diff(struct buf *out, struct str diff);

#endif
