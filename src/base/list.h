#ifndef BASE_LIST_H
#define BASE_LIST_H
/* Intrusive doubly linked list with a head node; members know their list. */
#include "base/util.h"

struct list {
	struct list *prev, *next;
};

static inline void list_init(struct list *l)
{
	l->prev = l->next = l;
}
static inline bool list_is_empty(const struct list *l)
{
	return l->next == l;
}
static inline void list_add_before(struct list *at, struct list *node)
{
	node->prev = at->prev;
	node->next = at;
	at->prev->next = node;
	at->prev = node;
}
/* At the end. */
static inline void list_add(struct list *head, struct list *node)
{
	list_add_before(head, node);
}
/* Safe on a node that was initialised or removed before. */
static inline void list_remove(struct list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

#define LIST_ITEM(node, type, member) OWNER_OF(node, type, member)
#define LIST_EACH(head, var) for (struct list *var = (head)->next; var != (head); var = var->next)
/* The current node may be removed inside the loop. */
#define LIST_EACH_SAFE(head, var, tmp)                                                             \
	for (struct list *var = (head)->next, *tmp = var->next; var != (head);                     \
	     var = tmp, tmp = var->next)

#endif
