#ifndef APP_CHAT_IMAGE_H
#define APP_CHAT_IMAGE_H
/*
 * What a pasted text names, and what an image says about itself.
 *
 * A terminal gives a file that is dropped on it as a pasted path: plain, in
 * quotes, with backslashes before blanks, or as an address (file://).
 *
 * Pure.
 */
#include "base/arena.h"

#define CHAT_IMAGE_PATHS 16

/* The name ends like that of an image. */
bool chat_image_is_name(struct str path);
/* The paths of a pasted text, in mem; 0: the text is no list of image names. */
size_t chat_image_paths(struct arena *mem, struct str pasted, struct str ret[CHAT_IMAGE_PATHS]);
/* Columns and rows of a PNG, JPEG, GIF or WebP; false: they are not where they belong. */
bool chat_image_size(struct str data, unsigned *ret_width, unsigned *ret_height);

#endif
