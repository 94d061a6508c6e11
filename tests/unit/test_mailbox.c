#include "base/os/mailbox.h"

#include "lib/t.h"

struct letter {
	struct mail mail;
	int writer, number;
};

static void count_wake(void *arg)
{
	++*(int *)arg;
}

TEST(mail_is_taken_in_the_order_it_came)
{
	struct letter letters[3] = { { .number = 0 }, { .number = 1 }, { .number = 2 } };
	struct mailbox m;
	int next = 0;

	mailbox_init(&m, NULL, NULL);
	CHECK(!mailbox_take(&m));
	for (int i = 0; i < 3; i++)
		CHECK(mailbox_post(&m, &letters[i].mail));
	for (struct mail *at = mailbox_take(&m); at; at = at->next)
		CHECK_INT(OWNER_OF(at, struct letter, mail)->number, next++);
	CHECK_INT(next, 3);
	CHECK(!mailbox_take(&m));
	mailbox_done(&m);
}

TEST(only_the_first_letter_wakes)
{
	struct letter letters[3];
	struct mailbox m;
	int wakes = 0;

	mailbox_init(&m, count_wake, &wakes);
	CHECK(mailbox_post(&m, &letters[0].mail) && wakes == 1);
	CHECK(mailbox_post(&m, &letters[1].mail) && wakes == 1);
	CHECK(mailbox_take(&m) && wakes == 1);
	CHECK(mailbox_post(&m, &letters[2].mail) && wakes == 2);
	CHECK(mailbox_take(&m) == &letters[2].mail);
	mailbox_done(&m);
}

TEST(a_closed_box_takes_nothing_and_gives_what_it_has)
{
	struct letter a, b;
	struct mailbox m;
	int wakes = 0;

	mailbox_init(&m, count_wake, &wakes);
	CHECK(mailbox_post(&m, &a.mail));
	mailbox_close(&m);
	CHECK(!mailbox_post(&m, &b.mail) && wakes == 1);
	CHECK(mailbox_wait(&m) == &a.mail && !a.mail.next);
	CHECK(!mailbox_wait(&m) && !mailbox_take(&m));
	mailbox_close(&m);
	mailbox_done(&m);
}

static void *wait_for_all(void *arg)
{
	struct mail *got = mailbox_wait(arg);

	return got ? got : (void *)-1;
}

TEST(closing_ends_the_wait)
{
	struct mailbox m;
	pthread_t reader;
	void *got;

	mailbox_init(&m, NULL, NULL);
	CHECK(pthread_create(&reader, NULL, wait_for_all, &m) == 0);
	mailbox_close(&m);
	pthread_join(reader, &got);
	CHECK(got == (void *)-1);
	mailbox_done(&m);
}

enum { WRITERS = 4, LETTERS = 5000 };

struct writer {
	struct mailbox *box;
	struct letter letters[LETTERS];
	int refused;
};

static void *write_all(void *arg)
{
	struct writer *w = arg;

	for (int i = 0; i < LETTERS; i++)
		w->refused += !mailbox_post(w->box, &w->letters[i].mail);
	return NULL;
}

/* Many writers against one reader: nothing lost, nothing twice, each writer's order kept. */
TEST(letters_of_many_writers_all_arrive_in_their_order)
{
	static struct writer writers[WRITERS];
	struct mailbox m;
	pthread_t threads[WRITERS];
	int next[WRITERS] = { 0 }, wrong = 0, total = 0, wakes = 0, rounds = 0;

	mailbox_init(&m, count_wake, &wakes); /* the lock guards the count */
	for (int i = 0; i < WRITERS; i++) {
		writers[i].box = &m;
		for (int n = 0; n < LETTERS; n++)
			writers[i].letters[n] = (struct letter){ .writer = i, .number = n };
		CHECK(pthread_create(&threads[i], NULL, write_all, &writers[i]) == 0);
	}
	for (; total < WRITERS * LETTERS; rounds++)
		for (struct mail *at = mailbox_wait(&m); at; at = at->next, total++) {
			struct letter *l = OWNER_OF(at, struct letter, mail);

			wrong += l->number != next[l->writer]++;
		}
	for (int i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], NULL);
		CHECK_INT(writers[i].refused, 0);
		CHECK_INT(next[i], LETTERS);
	}
	CHECK_INT(wrong, 0);
	CHECK_INT(wakes, rounds);
	CHECK(!mailbox_take(&m));
	mailbox_done(&m);
}

TEST_MAIN()
