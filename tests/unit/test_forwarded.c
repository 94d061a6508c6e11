/* Which address a request has behind proxies, and what a client cannot claim. */
#include "t.h"

#include "serve/auth/forwarded.h"

#define PROXY "10.0.0.1"

static void address_from(const char *text, struct address *ret)
{
	struct net_host host;

	CHECK(net_host_read(str_from(text), &host));
	*ret = host.address;
}

/* headers: "name: value" lines with "\n" behind each. */
static struct forwarded read_one(const char *peer, bool uses_forwarded, const char *headers)
{
	static const struct str proxies[] = { { "10.0.0.0/8", 10 }, { "[fd00::]/8", 10 } };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct forwarded_options o = { .uses_forwarded = uses_forwarded };
	struct http_field fields[16];
	struct http_message m = { .fields = fields };
	struct str rest = str_from(headers);
	struct forwarded ret;
	struct address from;
	struct error e;

	CHECK(forwarded_read_proxies(mem, proxies, 2, &o.proxies, &e) == OK);
	while (rest.len) {
		struct str line = str_cut(&rest, '\n');
		struct str name = str_cut(&line, ':');

		fields[m.field_count++] = (struct http_field){ name, str_trim(line) };
	}
	address_from(peer, &from);
	forwarded_read_from(&o, &m, &from, &ret);
	return ret;
}

#define CHECK_CLIENT(peer, rfc, headers, want)                                                     \
	CHECK_STR(str_from(read_one(peer, rfc, headers).client), want)

TEST(the_last_address_that_is_no_proxy_is_the_client)
{
	CHECK_CLIENT(PROXY, false, "X-Forwarded-For: 203.0.113.7\n", "203.0.113.7");
	CHECK_CLIENT(PROXY, false, "x-forwarded-for: 1.2.3.4, 203.0.113.7\n", "203.0.113.7");
	CHECK_CLIENT(PROXY, false, "X-Forwarded-For: 1.2.3.4, 203.0.113.7, 10.9.9.9\n",
	             "203.0.113.7");
	CHECK_CLIENT(PROXY, false, "X-Forwarded-For: 1.2.3.4\nX-Forwarded-For: 203.0.113.7\n",
	             "203.0.113.7");
	CHECK_CLIENT(PROXY, false, "X-Forwarded-For: 203.0.113.7:5000\n", "203.0.113.7");
	CHECK_CLIENT(PROXY, false, "X-Forwarded-For: 2001:db8::1\n", "2001:db8::1");
	CHECK_CLIENT(PROXY, true, "Forwarded: for=1.2.3.4, for=\"[2001:db8::1]:80\";proto=https\n",
	             "2001:db8::1");
	CHECK_CLIENT(PROXY, true, "Forwarded: For=203.0.113.7;by=x\n", "203.0.113.7");
}

TEST(every_header_that_proxies_add_says_that_a_request_was_forwarded)
{
	static const char *const names[] = {
		"Forwarded",        "X-Forwarded-For",    "X-Forwarded-Proto", "x-forwarded-host",
		"X-FORWARDED-PORT", "X-Forwarded-Server", "X-Forwarded-",      "Via",
		"X-Real-IP",        "X-Client-IP",        "CF-Connecting-IP",  "True-Client-IP",
	};
	static const char *const others[] = { "Host", "X-Forwarded", "Viaduct", "X-Client", "Vi" };
	struct http_field fields[2] = { { STR("accept"), STR("*/*") }, { STR_NONE, STR("") } };
	struct http_message m = { .fields = fields, .field_count = 2 };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		fields[1].name = str_from(names[i]);
		CHECK(forwarded_is_said(&m));
	}
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		fields[1].name = str_from(others[i]);
		CHECK(!forwarded_is_said(&m));
	}
}

TEST(what_a_client_claims_is_not_believed)
{
	/* not from a proxy */
	CHECK_CLIENT("203.0.113.9", false, "X-Forwarded-For: 1.2.3.4\nX-Forwarded-Proto: https\n",
	             "203.0.113.9");
	CHECK(!read_one("203.0.113.9", false, "X-Forwarded-Proto: https\n").is_https);
	/* the other header than that of the settings */
	CHECK_CLIENT(PROXY, false, "Forwarded: for=1.2.3.4;proto=https\n", PROXY);
	CHECK(!read_one(PROXY, false, "Forwarded: for=1.2.3.4;proto=https\n").is_https);
	CHECK_CLIENT(PROXY, true, "X-Forwarded-For: 1.2.3.4\n", PROXY);
	/* behind something that is no address */
	CHECK_CLIENT(PROXY, false, "X-Forwarded-For: 1.2.3.4, unknown\n", PROXY);
	CHECK_CLIENT(PROXY, false, "X-Forwarded-For: 1.2.3.4, \n", PROXY);
	CHECK_CLIENT(PROXY, true, "Forwarded: for=1.2.3.4, for=_hidden\n", PROXY);
	CHECK_CLIENT(PROXY, true, "Forwarded: for=1.2.3.4, proto=https\n", PROXY);
	CHECK_CLIENT(PROXY, false, "X-Forwarded-For: 0x7f.1\n", PROXY);
}

TEST(https_is_what_the_proxy_says)
{
	CHECK(read_one(PROXY, false, "X-Forwarded-For: 203.0.113.7\nX-Forwarded-Proto: https\n")
	              .is_https);
	CHECK(read_one(PROXY, false, "X-Forwarded-Proto: HTTPS\n").is_https);
	CHECK(!read_one(PROXY, false, "X-Forwarded-Proto: https, http\n").is_https);
	CHECK(!read_one(PROXY, false, "X-Forwarded-For: 203.0.113.7\n").is_https);
	CHECK(read_one(PROXY, true, "Forwarded: for=203.0.113.7;proto=\"https\"\n").is_https);
	CHECK(!read_one(PROXY, true,
	                "Forwarded: for=1.2.3.4;proto=https, for=203.0.113.7;proto=http\n")
	               .is_https);
	CHECK(read_one(PROXY, false, "X-Forwarded-For: 127.0.0.1\n").is_local);
	CHECK(!read_one(PROXY, false, "X-Forwarded-For: 203.0.113.7\n").is_local);
}

TEST(many_addresses_are_read_from_the_end)
{
	char text[8192] = "X-Forwarded-For: 1.2.3.4";

	for (int i = 0; i < 400; i++)
		strcat(text, ", 10.0.0.2");
	strcat(text, "\n");
	CHECK_CLIENT(PROXY, false, text, "10.0.0.2");
}

TEST(only_addresses_are_proxies)
{
	static const char *const bad[] = { "example.org", "*",       "10.0.0.1:80",
		                           "10.0.0.0/99", "*.x.org", "" };

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct str one = str_from(bad[i]);
		struct host_rules rules;
		struct error e;

		CHECK(forwarded_read_proxies(mem, &one, 1, &rules, &e) == ERR_INVALID);
	}
}

TEST_MAIN()
