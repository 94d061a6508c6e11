/*
 * Any bytes as a sandbox's request to its proxy.  Our server reads what the
 * proxy forwards as one request, for the evaluated host, with a body of the
 * announced length; and every parsed host can be parsed again from its own text.
 */
#include "supervisor/egress/proxy_head.h"
#include "net/http/http_parse.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static void check_host(const struct proxy_head *h)
{
	char text[HOST_TEXT_MAX + 2];
	struct net_host again;
	bool is_v6 = strchr(h->host.text, ':');

	snprintf(text, sizeof text, "%s%s%s", is_v6 ? "[" : "", h->host.text, is_v6 ? "]" : "");
	MUST(net_host_read(str_from(text), &again) && !strcmp(again.text, h->host.text) &&
	     again.is_address == h->host.is_address);
}

static void check_sent(const struct proxy_head *h)
{
	struct http_parser p = { 0 };
	struct str rest = buf_str(&h->text);
	enum http_progress got = http_parse(&p, &rest);

	/* it takes fewer methods and targets than we send on */
	if (got == HTTP_HAS_HEAD) {
		struct str host = http_parse_head(&p)->host;

		MUST(str_find(host, str_from(h->host.text)) >= 0);
		MUST(http_parse_body(&p, 1 << 20) || h->body_len > 1 << 20);
		got = http_parse(&p, &rest);
		MUST(!rest.len && (got == HTTP_HAS_ALL) == !h->body_len);
	} else {
		MUST(got == HTTP_IS_BAD);
	}
	http_parse_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = str_of((const char *)data, size);
	struct proxy_head h;
	const char *why;
	size_t len = proxy_head_end(bytes);

	if (!len || proxy_head_read(str_head(bytes, len), &h, &why) != 0)
		return 0;
	check_host(&h);
	if (!h.is_connect)
		check_sent(&h);
	buf_done(&h.text);
	return 0;
}
