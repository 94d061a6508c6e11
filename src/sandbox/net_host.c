/*
 * Host names and addresses as text.  A text that two readers could take for two
 * hosts is refused, so the host that is checked is the one that is resolved.
 */
#include "sandbox/net_host.h"

#include <arpa/inet.h>

#define NAME_MAX_BYTES 253
#define LABEL_MAX 63

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool copy_lower(struct str text, struct net_host *h)
{
	if (!text.len || text.len >= sizeof h->text)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		h->text[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	h->text[text.len] = '\0';
	return true;
}

/*
 * The text is written again from the bytes, so that each address has one spelling and rules can
 * compare texts.
 */
static bool read_address(struct net_host *h, bool is_v6)
{
	uint8_t v4[4];

	h->is_address = true;
	if (is_v6) {
		if (inet_pton(AF_INET6, h->text, h->address.bytes) != 1)
			return false;
	} else {
		if (inet_pton(AF_INET, h->text, v4) != 1)
			return false;
		h->address = address_of_v4(v4);
	}
	address_text(&h->address, h->text);
	return true;
}

/* Underscores are not allowed in host names but occur in practice. */
static bool is_label(struct str l)
{
	if (!l.len || l.len > LABEL_MAX || l.ptr[0] == '-' || l.ptr[l.len - 1] == '-')
		return false;
	for (size_t i = 0; i < l.len; i++)
		if (!(l.ptr[i] >= 'a' && l.ptr[i] <= 'z') && !is_digit(l.ptr[i]) &&
		    l.ptr[i] != '-' && l.ptr[i] != '_')
			return false;
	return true;
}

/*
 * Some resolvers read a name whose last label is a number, in any base, as an IPv4 address.  Such
 * a name is read as an address here too, or refused.
 */
static bool is_number(struct str l)
{
	size_t i = 0;

	if (str_starts(l, STR("0x")))
		return true;
	while (i < l.len && is_digit(l.ptr[i]))
		i++;
	return i == l.len;
}

static bool read_name(struct net_host *h)
{
	struct str rest = str_from(h->text), label = STR("");

	if (rest.len > NAME_MAX_BYTES)
		return false;
	while (str_is(rest)) {
		label = str_cut(&rest, '.');
		if (!is_label(label))
			return false;
	}
	return is_number(label) ? read_address(h, false) : true;
}

/* A dot at the end means the same host, so it is removed before names are compared. */
bool net_host_read(struct str text, struct net_host *ret)
{
	struct net_host h = { .is_address = false };
	bool is_v6 = text.len > 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']';

	if (is_v6)
		text = str_of(text.ptr + 1, text.len - 2);
	else if (text.len > 1 && text.ptr[text.len - 1] == '.')
		text.len--;
	if (text.len && memchr(text.ptr, '\0', text.len))
		return false;
	if (!copy_lower(text, &h) || !(is_v6 ? read_address(&h, true) : read_name(&h)))
		return false;
	*ret = h;
	return true;
}

bool net_host_read_port(struct str text, uint16_t *ret)
{
	uint64_t port;

	if (!text.len || text.len > 5 || !is_digit(text.ptr[0]) || !str_to_u64(text, &port) ||
	    !port || port > UINT16_MAX)
		return false;
	*ret = (uint16_t)port;
	return true;
}

/* The last colon that is not inside brackets. */
struct str net_host_split_port(struct str text, struct str *ret_port)
{
	size_t at = text.len;

	*ret_port = STR_NONE;
	while (at > 0 && text.ptr[at - 1] != ':' && text.ptr[at - 1] != ']')
		at--;
	if (!at || text.ptr[at - 1] != ':')
		return text;
	*ret_port = str_skip(text, at);
	return str_head(text, at - 1);
}

bool net_host_read_with_port(struct str text, uint16_t default_port, struct net_host *ret,
                             uint16_t *ret_port)
{
	struct str port, name = net_host_split_port(text, &port);
	uint16_t number = default_port;
	struct net_host h;

	if (str_is(port) ? !net_host_read_port(port, &number) : !default_port)
		return false;
	if (!net_host_read(name, &h))
		return false;
	*ret = h;
	*ret_port = number;
	return true;
}

static bool skip_scheme(struct str *s, struct str scheme)
{
	for (size_t i = 0; i < scheme.len; i++)
		if (i >= s->len || (s->ptr[i] | (scheme.ptr[i] >= 'a' ? 0x20 : 0)) != scheme.ptr[i])
			return false;
	*s = str_skip(*s, scheme.len);
	return true;
}

/* A user name before the host fails, because '@' is not a character of a host name. */
bool net_host_of_url(struct str url, struct net_host *ret, uint16_t *ret_port)
{
	uint16_t port = 443;
	size_t end = 0;

	if (!skip_scheme(&url, STR("https://"))) {
		port = 80;
		if (!skip_scheme(&url, STR("http://")))
			return false;
	}
	while (end < url.len && url.ptr[end] != '/' && url.ptr[end] != '?' && url.ptr[end] != '#')
		end++;
	return net_host_read_with_port(str_head(url, end), port, ret, ret_port);
}
