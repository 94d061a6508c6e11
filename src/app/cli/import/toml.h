#ifndef APP_TOML_H
#define APP_TOML_H
/*
 * Reads TOML 1.0 as far as codex's config.toml uses it, and gives it as JSON.
 *
 * Tables, arrays of tables, dotted keys, all four kinds of strings, numbers,
 * booleans, arrays and inline tables are read.  Dates become strings.  Not
 * accepted: keys that are defined twice, nesting beyond TOML_DEPTH_MAX, and more
 * than TOML_BYTES_MAX or TOML_NODES_MAX.  No library for it is in Debian that
 * plain C can use.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

#define TOML_BYTES_MAX (1u << 20)
#define TOML_DEPTH_MAX 32
#define TOML_NODES_MAX 20000

/* The document as a JSON object in mem.  ERR_INVALID names the line. */
enum err toml_read(struct arena *mem, struct str text, struct json *ret, struct error *e) MUST_USE;

#endif
