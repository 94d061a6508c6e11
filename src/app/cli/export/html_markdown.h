#ifndef APP_HTML_MARKDOWN_H
#define APP_HTML_MARKDOWN_H
/*
 * The Markdown that models write, as HTML: paragraphs, headings, lists, fenced
 * code, inline code and strong text.  Everything else stays as it was typed.
 * Links are not made: an address in an exported text is shown, not followed.
 */
#include "base/buf.h"

void html_markdown_add(struct buf *out, struct str text);

#endif
