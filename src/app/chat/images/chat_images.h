#ifndef APP_CHAT_IMAGES_H
#define APP_CHAT_IMAGES_H
/*
 * Images of a message: attached by a name ("@pic.png"), by a pasted path or from
 * the clipboard, shown in the input as a label, sent as parts of the turn.
 *
 * Sizes and kinds are those of submit_turn.  A model that cannot see images gets
 * none: the message is not sent.
 */
#include "base/buf.h"
#include "base/json.h"
#include "base/jw.h"

#include <limits.h>

#define CHAT_IMAGES_MAX 8 /* kept in memory; older ones are dropped */

struct chat;

struct chat_image {
	char label[160];
	char name[NAME_MAX + 1]; /* of its file; "": it is of the clipboard */
	char path[512];          /* for the history; "": it cannot be named there */
	struct buf data;
};

struct chat_images {
	struct chat_image items[CHAT_IMAGES_MAX];
	unsigned last;             /* number of the newest */
	bool is_known, has_vision; /* of the model that the next message goes to */
};

void chat_images_done(struct chat *ch);
/* Attaches what a paste names; false: it is a text. */
bool chat_images_paste(struct chat *ch, struct str pasted);
/* Attaches the name that was just typed, if it is one. */
void chat_images_typed(struct chat *ch);
/* The image of the clipboard, if a program can give it. */
void chat_images_clipboard(struct chat *ch);
/* The text with labels for images that it names by path, in ch->mem. */
struct str chat_images_find(struct chat *ch, struct str text);
/* The text with names for labels, as the history keeps it, in ch->mem. */
struct str chat_images_named(struct chat *ch, struct str text);
/* False: the images of the text cannot be sent, and the user knows why. */
bool chat_images_fit(struct chat *ch, struct str text);
/*
 * The images of the text as parts of an input; large ones are uploaded now.  False: that failed,
 * and the user knows why.
 */
bool chat_images_write(struct chat *ch, struct str text, struct json_writer *w);
/* From list_models: whether images can be sent. */
void chat_images_models(struct chat *ch, struct json models);

/* chat_clipboard.c: the clipboard's image, in mem.  NULL: it was read; else why not. */
const char *chat_clipboard_read(struct arena *mem, size_t max, struct str *ret);

#endif
