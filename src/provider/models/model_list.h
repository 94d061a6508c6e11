#ifndef PROVIDER_MODEL_LIST_H
#define PROVIDER_MODEL_LIST_H
/*
 * The models of one provider.
 *
 * A provider whose settings list models offers exactly these.  Any other is
 * open: it offers the rows of the catalogue (catalog/models.json) and what its
 * server lists; the server's list, once known, decides which rows are offered.
 * Any further name is added when it is asked for, with nothing known about it.
 *
 * The first model of an open list is the provider's default, and all others are
 * used only by name.  Arrays that were returned stay valid as long as the arena.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "ports/provider.h"

struct model_list {
	struct arena *mem;
	struct str provider;
	bool is_open;
	bool is_local;      /* costs nothing */
	bool is_by_request; /* none of its models is a default */
	struct model_info *items;
	size_t count, cap;
	uint64_t version; /* counts changes of the list */
};

/* given: the models of the settings; none and is_open: the rows of the catalogue. */
void model_list_init(struct model_list *l, struct arena *mem, struct str provider,
                     const struct model_info *given, size_t count, bool is_open);

/*
 * Reads a server's lists: {data: [{id}]}, {models: [{name}]}, or Bedrock's two.
 * ERR_INVALID: one is no such list, and nothing has changed.
 */
enum err model_list_take(struct model_list *l, const struct json *lists, size_t count,
                         struct error *e) MUST_USE;

/* Adds a name that was asked for.  False: the list is not open, or it is full. */
bool model_list_admit(struct model_list *l, struct str model);

const struct model_info *model_list_find(const struct model_list *l, struct str model);

/* ---- between runs ---- */

/* The list as text for a file, and back; false: it is of another address, or no list. */
void model_list_write(const struct model_list *l, struct str base_url, struct buf *out);
bool model_list_read(struct model_list *l, struct str base_url, struct str text);

#endif
