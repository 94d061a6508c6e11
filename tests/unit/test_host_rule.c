#include "sandbox/host_rule.h"
#include "lib/t.h"

#include <arpa/inet.h>

/* A table fails by the name of its row. */
#define complain(fmt, ...)                                                                         \
	do {                                                                                       \
		print_error(fmt "\n", __VA_ARGS__);                                                \
		CHECK(!"as the table says");                                                       \
	} while (0)

static struct address at(const char *text)
{
	struct address a = { { [10] = 0xff, [11] = 0xff } };

	if (strchr(text, ':'))
		CHECK(inet_pton(AF_INET6, text, a.bytes) == 1);
	else
		CHECK(inet_pton(AF_INET, text, a.bytes + 12) == 1);
	return a;
}

static bool reads_as(const char *text, const char *want)
{
	struct net_host h;

	if (!net_host_read(str_from(text), &h))
		return !want;
	return want && !strcmp(h.text, want);
}

TEST(a_host_is_read_in_one_spelling)
{
	CHECK(reads_as("example.org", "example.org"));
	CHECK(reads_as("EXAMPLE.Org", "example.org"));
	CHECK(reads_as("example.org.", "example.org"));
	CHECK(reads_as("xn--bcher-kva.example", "xn--bcher-kva.example"));
	CHECK(reads_as("_dmarc.example.org", "_dmarc.example.org"));
	CHECK(reads_as("localhost", "localhost"));
	CHECK(reads_as("127.0.0.1", "127.0.0.1"));
	CHECK(reads_as("127.0.0.1.", "127.0.0.1"));
	CHECK(reads_as("[::1]", "::1"));
	CHECK(reads_as("[::FFFF:127.0.0.1]", "127.0.0.1"));
	CHECK(reads_as("[0:0:0:0:0:ffff:7f00:1]", "127.0.0.1"));
	CHECK(reads_as("1.2.3.4.example.org", "1.2.3.4.example.org"));
}

/* Each is an address or a host to some reader, and another one to the next. */
TEST(what_readers_do_not_agree_on_is_no_host)
{
	static const char *const hostile[] = {
		"",
		".",
		"..",
		"example..org",
		".example.org",
		"127.1",
		"2130706433",
		"0x7f000001",
		"0x7f.0.0.1",
		"0177.0.0.1",
		"127.0.0.01",
		"127.0.0.1.1",
		"256.0.0.1",
		"1.2.3",
		"017700000001",
		"0",
		"0x",
		"1e3.0x7f",
		"127.0.0.1..",
		"::1",
		"[::1",
		"::1]",
		"[]",
		"[fe80::1%25eth0]",
		"[fe80::1%eth0]",
		"[127.0.0.1]",
		"[example.org]",
		"user@example.org",
		"example.org@evil.example",
		"example.org#",
		"example.org/",
		"example.org\\",
		"exam ple.org",
		" example.org",
		"example.org\n",
		"example.org\r\nHost: x",
		"b\303\274cher.example",
		"ex%61mple.org",
		"-example.org",
		"example-.org",
		"ex*mple.org",
		"\xef\xbc\x91\xef\xbc\x92.0.0.1",
	};
	struct net_host h;
	char long_label[80], long_name[300];

	for (size_t i = 0; i < COUNT_OF(hostile); i++)
		if (net_host_read(str_from(hostile[i]), &h))
			complain("%s was read as %s", hostile[i], h.text);
	memset(long_label, 'a', sizeof long_label);
	memcpy(long_label + 64, ".org", 5);
	CHECK(!net_host_read(str_from(long_label), &h));
	for (size_t i = 0; i < sizeof long_name; i++)
		long_name[i] = i % 2 ? '.' : 'a';
	CHECK(net_host_read(str_of(long_name, 253), &h) &&
	      !net_host_read(str_of(long_name, 255), &h));
	CHECK(!net_host_read(str_of("example.org\0.evil", 17), &h));
}

TEST(a_port_is_a_number_behind_the_last_colon)
{
	struct net_host h;
	uint16_t port;

	CHECK(net_host_read_with_port(STR("example.org:8443"), 0, &h, &port) && port == 8443);
	CHECK(net_host_read_with_port(STR("[::1]:80"), 0, &h, &port) && port == 80 && h.is_address);
	CHECK(net_host_read_with_port(STR("example.org"), 443, &h, &port) && port == 443);
	CHECK(!net_host_read_with_port(STR("example.org"), 0, &h, &port));
	CHECK(!net_host_read_with_port(STR("example.org:"), 443, &h, &port));
	CHECK(!net_host_read_with_port(STR("example.org:0"), 443, &h, &port));
	CHECK(!net_host_read_with_port(STR("example.org:65536"), 443, &h, &port));
	CHECK(!net_host_read_with_port(STR("example.org:+80"), 443, &h, &port));
	CHECK(!net_host_read_with_port(STR("example.org: 80"), 443, &h, &port));
	CHECK(!net_host_read_with_port(STR("example.org:80:90"), 443, &h, &port));
	CHECK(!net_host_read_with_port(STR("::1:80"), 443, &h, &port));
}

TEST(the_host_of_a_url_is_what_is_dialled)
{
	static const char *const none[] = { "ftp://example.org/",
		                            "//example.org/",
		                            "example.org",
		                            "http:/example.org",
		                            "http://user@example.org/",
		                            "http://example.org@127.0.0.1/",
		                            "http://:80/",
		                            "https://",
		                            "http://example.org\\@evil.example/",
		                            "file:///etc/passwd",
		                            "http://127.0.0.1%2f@example.org/",
		                            "http://[::1/" };
	struct net_host h;
	uint16_t port;

	CHECK(net_host_of_url(STR("http://Example.org/a:b@c"), &h, &port) && port == 80 &&
	      !strcmp(h.text, "example.org"));
	CHECK(net_host_of_url(STR("HTTPS://example.org?x=http://evil"), &h, &port) && port == 443);
	CHECK(net_host_of_url(STR("https://[2001:db8::1]:8443#f"), &h, &port) && port == 8443);
	for (size_t i = 0; i < COUNT_OF(none); i++)
		CHECK(!net_host_of_url(str_from(none[i]), &h, &port));
}

TEST(every_address_has_a_kind)
{
	static const struct {
		const char *text;
		enum address_kind kind;
	} all[] = {
		{ "8.8.8.8", ADDRESS_PUBLIC },
		{ "172.15.255.255", ADDRESS_PUBLIC },
		{ "172.32.0.0", ADDRESS_PUBLIC },
		{ "100.63.255.255", ADDRESS_PUBLIC },
		{ "100.128.0.0", ADDRESS_PUBLIC },
		{ "2606:4700::1111", ADDRESS_PUBLIC },
		{ "127.0.0.1", ADDRESS_LOOPBACK },
		{ "127.255.255.254", ADDRESS_LOOPBACK },
		{ "::1", ADDRESS_LOOPBACK },
		{ "::ffff:127.0.0.1", ADDRESS_LOOPBACK },
		{ "64:ff9b::127.0.0.1", ADDRESS_LOOPBACK },
		{ "2002:7f00:1::", ADDRESS_LOOPBACK },
		{ "10.0.0.1", ADDRESS_PRIVATE },
		{ "172.16.0.1", ADDRESS_PRIVATE },
		{ "172.31.255.255", ADDRESS_PRIVATE },
		{ "192.168.1.1", ADDRESS_PRIVATE },
		{ "100.64.0.1", ADDRESS_PRIVATE },
		{ "fd12::1", ADDRESS_PRIVATE },
		{ "fec0::1", ADDRESS_PRIVATE },
		{ "::ffff:10.0.0.1", ADDRESS_PRIVATE },
		{ "64:ff9b::10.0.0.1", ADDRESS_PRIVATE },
		{ "169.254.1.1", ADDRESS_LINK_LOCAL },
		{ "fe80::1", ADDRESS_LINK_LOCAL },
		{ "169.254.169.254", ADDRESS_METADATA },
		{ "::ffff:169.254.169.254", ADDRESS_METADATA },
		{ "64:ff9b::169.254.169.254", ADDRESS_METADATA },
		{ "2002:a9fe:a9fe::1", ADDRESS_METADATA },
		{ "fd00:ec2::254", ADDRESS_METADATA },
		{ "100.100.100.200", ADDRESS_METADATA },
		{ "0.0.0.0", ADDRESS_RESERVED },
		{ "0.1.2.3", ADDRESS_RESERVED },
		{ "192.0.2.1", ADDRESS_RESERVED },
		{ "198.19.0.1", ADDRESS_RESERVED },
		{ "224.0.0.1", ADDRESS_RESERVED },
		{ "240.0.0.1", ADDRESS_RESERVED },
		{ "255.255.255.255", ADDRESS_RESERVED },
		{ "::", ADDRESS_RESERVED },
		{ "::127.0.0.1", ADDRESS_RESERVED },
		{ "64:ff9b:1::1", ADDRESS_RESERVED },
		{ "2001::1", ADDRESS_RESERVED },
		{ "2001:db8::1", ADDRESS_RESERVED },
		{ "ff02::1", ADDRESS_RESERVED },
		{ "100::1", ADDRESS_RESERVED },
	};

	for (size_t i = 0; i < COUNT_OF(all); i++) {
		struct address a = at(all[i].text);

		if (address_kind(&a) != all[i].kind)
			complain("%s is %s", all[i].text, address_kind_name(address_kind(&a)));
	}
}

/* ---- rules ---- */

struct box {
	struct arena *mem;
	struct host_rules rules;
};

static struct box rules_of(const char *a, const char *b)
{
	struct box x = { .mem = arena_new() };
	struct str texts[] = { str_from(a), str_from(b) };

	CHECK(host_rule_read_all(x.mem, texts, b ? 2 : 1, &x.rules, NULL) == OK);
	return x;
}

static bool finds(const struct box *x, const char *host)
{
	struct net_host h;
	uint16_t port;

	CHECK(net_host_read_with_port(str_from(host), 0, &h, &port));
	return host_rule_find(&x->rules, &h, port) != NULL;
}

static bool reaches(const struct box *x, const char *host, const char *address)
{
	struct address a = at(address);
	struct net_host h;
	uint16_t port;

	CHECK(net_host_read_with_port(str_from(host), 0, &h, &port));
	return host_rule_may_reach(&x->rules, &h, port, &a);
}

TEST(a_rule_fits_a_name_or_what_is_below_it)
{
	struct box x = rules_of("Registry.example.org.", "*.example.net:8443");

	CHECK(finds(&x, "registry.example.org:443") && finds(&x, "REGISTRY.example.org.:80"));
	CHECK(!finds(&x, "registry.example.org:8080"));
	CHECK(!finds(&x, "a.registry.example.org:443") && !finds(&x, "example.org:443"));
	CHECK(finds(&x, "a.example.net:8443") && finds(&x, "a.b.example.net:8443"));
	CHECK(!finds(&x, "example.net:8443") && !finds(&x, "evilexample.net:8443"));
	CHECK(!finds(&x, "a.example.net:443") && !finds(&x, "a.example.net.evil.org:8443"));
	CHECK(!finds(&x, "127.0.0.1:8443"));
	arena_free(x.mem);
}

TEST(an_address_must_be_named_to_be_asked_for)
{
	struct box x = rules_of("10.1.0.0/16:*", "[::1]:80");

	CHECK(finds(&x, "10.1.2.3:22") && !finds(&x, "10.2.0.1:22"));
	CHECK(finds(&x, "[::ffff:10.1.0.1]:22") && finds(&x, "[::1]:80") && !finds(&x, "[::2]:80"));
	CHECK(!finds(&x, "ten.example.org:22"));
	arena_free(x.mem);
}

TEST(a_name_does_not_lead_to_an_address_that_no_rule_names)
{
	struct box x = rules_of("*:*", NULL), y = rules_of("db.example.org", "10.0.0.0/8");

	CHECK(finds(&x, "a.example.org:22") && finds(&x, "8.8.8.8:53"));
	CHECK(reaches(&x, "a.example.org:22", "8.8.8.8"));
	CHECK(!reaches(&x, "a.example.org:80", "127.0.0.1") &&
	      !reaches(&x, "127.0.0.1:80", "127.0.0.1"));
	CHECK(!reaches(&x, "a.example.org:80", "169.254.169.254") &&
	      !reaches(&x, "a.example.org:80", "::"));
	CHECK(reaches(&y, "db.example.org:443", "10.9.9.9") &&
	      !reaches(&y, "db.example.org:443", "127.0.0.1"));
	CHECK(!reaches(&y, "db.example.org:5432", "10.9.9.9"));
	arena_free(x.mem);
	arena_free(y.mem);
}

TEST(metadata_is_reached_by_its_own_address_only)
{
	struct box x = rules_of("169.254.0.0/16:80", "0.0.0.0/0:80"),
		   y = rules_of("169.254.169.254:80", NULL);

	CHECK(!reaches(&x, "169.254.169.254:80", "169.254.169.254"));
	CHECK(reaches(&x, "169.254.1.1:80", "169.254.1.1"));
	CHECK(reaches(&y, "169.254.169.254:80", "169.254.169.254"));
	CHECK(!reaches(&y, "169.254.169.254:81", "169.254.169.254"));
	arena_free(x.mem);
	arena_free(y.mem);
}

TEST(localhost_names_the_loopback_and_no_other_name_does)
{
	struct box x = rules_of("localhost:8080", "*.example.org:8080");

	CHECK(reaches(&x, "localhost:8080", "127.0.0.1") && reaches(&x, "localhost:8080", "::1"));
	CHECK(!reaches(&x, "localhost:8081", "127.0.0.1") &&
	      !reaches(&x, "localhost:8080", "10.0.0.1"));
	CHECK(!reaches(&x, "lo.example.org:8080", "127.0.0.1"));
	arena_free(x.mem);
}

TEST(what_is_no_rule_is_said_by_name)
{
	static const char *const bad[] = { "",
		                           "*.",
		                           "*.*.org",
		                           "a.*.org",
		                           "*.10.0.0.1",
		                           "10.0.0.0/33",
		                           "[fd00::]/129",
		                           "10.0.0.0/",
		                           "fd00::/8",
		                           "/8",
		                           "example.org:0",
		                           "example.org:http",
		                           "https://example.org",
		                           "user@example.org",
		                           "0x7f.1",
		                           "b\303\274cher.example",
		                           "**" };
	struct arena *mem = arena_new();
	struct host_rule r;
	struct error e;

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		if (host_rule_read(mem, str_from(bad[i]), &r, &e) != ERR_INVALID)
			complain("%s is a rule, says %s", bad[i], "the reader");
	CHECK(host_rule_read(mem, STR("no such thing"), &r, &e) &&
	      strstr(e.message, "no such thing"));
	arena_free(mem);
}

TEST(the_name_of_a_group_stands_for_its_hosts)
{
	const struct str given[] = { STR("npm"), STR("example.org:8080"), STR("npm.example.org") };
	struct arena *mem = arena_new();
	struct str all[HOST_RULES_MAX];
	struct host_rules rules;
	size_t count = host_rule_expand(given, COUNT_OF(given), all);
	bool has_npm = false;

	CHECK(count > COUNT_OF(given));
	for (size_t i = 0; i < count; i++) {
		CHECK(!str_eq(all[i], STR("npm")));
		has_npm |= str_eq(all[i], STR("registry.npmjs.org"));
	}
	CHECK(has_npm);
	CHECK(str_eq(all[count - 1], STR("npm.example.org")));
	CHECK(host_rule_read_all(mem, all, count, &rules, NULL) == OK);
	arena_free(mem);
}

TEST_MAIN()
