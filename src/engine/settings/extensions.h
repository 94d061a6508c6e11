#ifndef ENGINE_SETTINGS_EXTENSIONS_H
#define ENGINE_SETTINGS_EXTENSIONS_H
/*
 * Which skills, commands and agents may be used.
 *
 * The user's own always may.  Those of a project may after the user has trusted
 * exactly their text: the store keeps the hashes of the trusted files by the
 * project's directory.
 */
#include "engine/engine_state.h"
#include "ports/context.h"

/* Hashes of the files that are trusted there; empty: none. */
struct str extensions_trusted(const struct engine *e, struct arena *mem, struct str project);
bool extensions_is_trusted(const struct context_extension *x, struct str trusted);
/* It can be used now. */
bool extensions_is_usable(const struct context_extension *x, struct str trusted);

/* The hash of all files of the project that were read; absent: there are none. */
struct str extensions_hash(struct arena *mem, const struct context_read *r);
/* They are trusted from now on, and nothing else of the project. */
enum err extensions_trust(struct engine *e, const struct context_read *r,
                          struct error *err) MUST_USE;

#endif
