#ifndef A2A_EXTENSION_H
#define A2A_EXTENSION_H
/*
 * Extensions of the protocol that the setting a2a.extensions declares, and those that a request
 * asks for (A2A 4.6).  What an extension adds to messages is data for the agent: it is in the
 * metadata of the turn.  Pure.
 */
#include "base/jw.h"
#include "base/json.h"

struct a2a_extension {
	struct str uri, description; /* description: absent if there is none */
	struct json params;
	bool is_required;
};

struct a2a_extensions {
	struct a2a_extension *items;
	size_t count; /* at most LIMIT_A2A_EXTENSIONS */
};

/* A URI without blanks and commas, because a header lists them with commas. */
bool a2a_extension_is_uri(struct str uri);

/* {"URI": {description, required, params}}; the setting outlives ret. */
enum err a2a_extension_read_all(struct arena *mem, struct json setting, struct a2a_extensions *ret,
                                struct error *e) MUST_USE;

/* The declared extensions that a header names, one bit each; others are ignored. */
uint64_t a2a_extension_active(const struct a2a_extensions *all, struct str header);
/* One that every request must name, and this one does not; NULL: none. */
const struct a2a_extension *a2a_extension_missing(const struct a2a_extensions *all,
                                                  uint64_t active);
/* Their URIs with commas between; absent: none is active. */
struct str a2a_extension_header(struct arena *mem, const struct a2a_extensions *all,
                                uint64_t active);

/* The member `extensions` of capabilities; nothing if none is declared. */
void a2a_extension_write(struct json_writer *w, const struct a2a_extensions *all);

#endif
