#include "base/list.h"

#include "lib/t.h"

struct item {
	int n;
	struct list node;
};

static int digits(struct list *l)
{
	int all = 0;

	LIST_EACH (l, at)
		all = all * 10 + LIST_ITEM(at, struct item, node)->n;
	return all;
}

TEST(nodes_stand_in_the_order_they_were_added)
{
	struct list l;
	struct item a = { 1, { 0 } }, b = { 2, { 0 } }, c = { 3, { 0 } };

	list_init(&l);
	CHECK(list_is_empty(&l) && digits(&l) == 0);
	list_add(&l, &a.node);
	list_add(&l, &c.node);
	list_add_before(&c.node, &b.node);
	CHECK_INT(digits(&l), 123);
	list_remove(&b.node);
	list_remove(&b.node);
	CHECK_INT(digits(&l), 13);
	list_remove(&a.node);
	list_remove(&c.node);
	CHECK(list_is_empty(&l));
}

TEST(a_node_may_go_while_it_is_looked_at)
{
	struct list l;
	struct item items[5];

	list_init(&l);
	for (int i = 0; i < 5; i++) {
		items[i].n = i;
		list_add(&l, &items[i].node);
	}
	LIST_EACH_SAFE (&l, at, tmp)
		if (LIST_ITEM(at, struct item, node)->n % 2 == 0)
			list_remove(at);
	CHECK_INT(digits(&l), 13);
}

TEST_MAIN()
