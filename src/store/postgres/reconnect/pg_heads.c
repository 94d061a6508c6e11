/* The heads that were reported committed lately: a map, and a list by age. */
#include "store/postgres/reconnect/pg_heads.h"

#include "base/memory.h"

void pg_heads_init(struct pg_heads *h)
{
	*h = (struct pg_heads){ 0 };
	list_init(&h->by_age);
}

static void drop(struct pg_heads *h, struct pg_head *head)
{
	map_remove(&h->by_id, head->id);
	list_remove(&head->node);
	memory_free(head);
}

static struct pg_head *oldest(struct pg_heads *h)
{
	return LIST_ITEM(h->by_age.next, struct pg_head, node);
}

void pg_heads_done(struct pg_heads *h)
{
	while (!list_is_empty(&h->by_age))
		drop(h, oldest(h));
	map_done(&h->by_id);
}

static struct pg_head *head_new(struct pg_heads *h, struct str id)
{
	struct pg_head *head = memory_zeroed(1, sizeof *head + id.len + 1);

	if (h->by_id.count == PG_HEADS_MAX) {
		h->forgotten_position = MAX(h->forgotten_position, oldest(h)->position);
		drop(h, oldest(h));
	}
	memcpy(head->text, id.ptr, id.len);
	head->id = str_of(head->text, id.len);
	map_put(&h->by_id, head->id, head);
	list_init(&head->node);
	return head;
}

void pg_heads_note(struct pg_heads *h, struct str id, uint64_t seq, const struct sha256 *hash,
                   uint64_t position)
{
	struct pg_head *head = map_get(&h->by_id, id);

	if (!head)
		head = head_new(h, id);
	list_remove(&head->node);
	list_add(&h->by_age, &head->node);
	head->seq = seq;
	head->hash = *hash;
	head->position = position;
}
