#ifndef NET_HTTP_CLIENT_INT_H
#define NET_HTTP_CLIENT_INT_H
/*
 * Shared by the two sides of the HTTP client: http_client.c, on the loop, and
 * http_client_curl.c, which is the thread with libcurl.
 *
 * They communicate by mailbox only.  The loop fills a job before ORDER_START;
 * from then until the thread posts NEWS_END the thread owns it.
 * NEWS_END is the last message and comes exactly once in every case.  The loop
 * answers it with ORDER_DROP, its own last message about the job, and the thread
 * frees it: all earlier orders have been read by then.
 *
 *      loop                       thread
 *        ── START ──────────────►
 *        ◄──────────────── HEAD ──
 *        ◄──────────────── BODY ──
 *        ── ACK ────────────────►       bytes that `body` took
 *        ── CANCEL, RELEASE ────►
 *        ◄───────────────── END ──
 *        ── DROP ───────────────►
 */
#include "base/os/mailbox.h"
#include "net/http/http_client.h"

struct http_client_job {
	/* the request */
	struct str method, url;
	struct buf body;
	struct buf headers; /* "Name: value\0Name: value\0"; zeroed before it is freed */
	int64_t connect_ms, first_byte_ms, stall_ms, total_ms;
	uint64_t response_max;
	bool has_bad_header;
	bool is_direct;                  /* without a proxy */
	bool is_secret;                  /* the body is zeroed before it is freed */
	bool is_once;                    /* on a new connection */
	struct http_client_guard *guard; /* a copy, or NULL */

	void *thread_side; /* struct transfer of http_client_curl.c */
};

void http_client_job_free(struct http_client_job *job);
void http_client_job_forget_body(struct http_client_job *job);

enum http_client_order_kind {
	ORDER_START,
	ORDER_ACK,
	ORDER_CANCEL,
	ORDER_RELEASE,
	ORDER_DROP,
	ORDER_STOP
};

struct http_client_order {
	struct mail mail;
	enum http_client_order_kind kind;
	struct http_client_job *job;
	size_t bytes; /* ACK */
};

enum http_client_news_kind { NEWS_HEAD, NEWS_BODY, NEWS_END };

struct http_client_news {
	struct mail mail;
	enum http_client_news_kind kind;
	struct http_client_job *job;
	int status;                     /* HEAD */
	enum http_client_result result; /* END */
	uint64_t total;                 /* END: bytes of the body */
	size_t len, cap;
	char data[]; /* HEAD: header lines; BODY: bytes; END: the sentence */
};

struct http_client_news *http_client_news_new(struct http_client_job *job,
                                              enum http_client_news_kind kind, struct str data);

/* The thread's arguments; they live until the thread is joined. */
struct http_client_thread {
	struct mailbox orders; /* to the thread; posting writes to wake_fd */
	struct mailbox *news;  /* to the loop */
	int wake_fd;
	const char *library; /* NULL: the system's */
	struct str user_agent, ca_file, proxy, http_proxy, no_proxy;
};

void *http_client_curl_thread_main(void *arg);

#endif
