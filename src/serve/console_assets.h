#ifndef SERVE_CONSOLE_ASSETS_H
#define SERVE_CONSOLE_ASSETS_H
/*
 * The files of the console, as scripts/console built them from web/.  The
 * table is written by scripts/console_embed.py while compiling; without a
 * built console it holds nothing but its end.
 */
#include "base/str.h"

struct console_asset {
	const char *name; /* "index.html"; NULL: the end */
	const char *type;
	const char *etag;  /* with its quotes */
	bool is_immutable; /* another content has another name */
	struct str plain, gzip;
};

extern const struct console_asset console_assets[];

#endif
