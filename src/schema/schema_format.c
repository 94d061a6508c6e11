/*
 * The formats of JSON Schema, used when they are asserted. idn-hostname is not
 * supported: it needs Unicode tables that nothing else here does.
 */
#include "schema/schema_parts.h"

#include <arpa/inet.h>
#include <strings.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_alnum(char c)
{
	return is_alpha(c) || is_digit(c);
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* Takes c off the front of *s. */
static bool take_char(struct str *s, char c)
{
	if (!s->len || s->ptr[0] != c)
		return false;
	*s = str_skip(*s, 1);
	return true;
}

/* Takes exactly `count` digits, as a number. */
static bool take_number(struct str *s, size_t count, int *ret)
{
	int n = 0;

	if (s->len < count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!is_digit(s->ptr[i]))
			return false;
		n = n * 10 + (s->ptr[i] - '0');
	}
	*s = str_skip(*s, count);
	*ret = n;
	return true;
}

/* ---- time (RFC 3339) ---- */

static bool take_date(struct str *s)
{
	static const int days[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year, month, day;

	if (!take_number(s, 4, &year) || !take_char(s, '-') || !take_number(s, 2, &month) ||
	    !take_char(s, '-') || !take_number(s, 2, &day))
		return false;
	if (month < 1 || month > 12 || day < 1 || day > days[month - 1])
		return false;
	return month != 2 || day < 29 || (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* Minutes east of UTC. */
static bool take_offset(struct str *s, int *ret)
{
	int hours, minutes;
	bool is_west = s->len && s->ptr[0] == '-';

	*ret = 0;
	if (take_char(s, 'Z') || take_char(s, 'z'))
		return true;
	if (!(is_west ? take_char(s, '-') : take_char(s, '+')) || !take_number(s, 2, &hours) ||
	    !take_char(s, ':') || !take_number(s, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*ret = hours * 60 + minutes;
	if (is_west)
		*ret = -*ret;
	return true;
}

static bool take_time(struct str *s)
{
	int hour, minute, second, offset;

	if (!take_number(s, 2, &hour) || !take_char(s, ':') || !take_number(s, 2, &minute) ||
	    !take_char(s, ':') || !take_number(s, 2, &second))
		return false;
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	if (take_char(s, '.')) {
		if (!s->len || !is_digit(s->ptr[0]))
			return false;
		while (s->len && is_digit(s->ptr[0]))
			*s = str_skip(*s, 1);
	}
	if (!take_offset(s, &offset))
		return false;

	/* Leap seconds are inserted at the end of a day in UTC. */
	int utc = (hour * 60 + minute - offset + 2 * 1440) % 1440;

	return second < 60 || utc == 1439;
}

static bool is_date(struct str s)
{
	return take_date(&s) && !s.len;
}

static bool is_time(struct str s)
{
	return take_time(&s) && !s.len;
}

static bool is_date_time(struct str s)
{
	return take_date(&s) && (take_char(&s, 'T') || take_char(&s, 't')) && take_time(&s) &&
	       !s.len;
}

/* Digits and their unit; the units must come in the given order and without gaps. */
static bool take_units(struct str *s, const char *units)
{
	const char *at = NULL;

	while (s->len && is_digit(s->ptr[0])) {
		size_t i = 0;

		while (i < s->len && is_digit(s->ptr[i]))
			i++;
		if (i == s->len)
			return false;

		const char *unit = s->ptr[i] ? strchr(units, s->ptr[i]) : NULL;

		if (!unit || (at && unit != at + 1))
			return false;
		at = unit;
		*s = str_skip(*s, i + 1);
	}
	return at != NULL;
}

/* Weeks do not mix with other units (RFC 3339, appendix A). */
static bool is_duration(struct str s)
{
	if (!take_char(&s, 'P') || !s.len)
		return false;
	if (s.ptr[s.len - 1] == 'W')
		return take_units(&s, "W") && !s.len;
	if (s.ptr[0] != 'T' && !take_units(&s, "YMD"))
		return false;
	if (take_char(&s, 'T') && !take_units(&s, "HMS"))
		return false;
	return !s.len;
}

/* ---- hosts and mail ---- */

/* inet_pton needs a NUL. */
static bool is_address(struct str s, int family)
{
	char text[64];
	unsigned char binary[16];

	if (s.len >= sizeof text || memchr(s.ptr, 0, s.len))
		return false;
	memcpy(text, s.ptr, s.len);
	text[s.len] = 0;
	return inet_pton(family, text, binary) == 1;
}

static bool is_ipv4(struct str s)
{
	return is_address(s, AF_INET);
}

static bool is_ipv6(struct str s)
{
	return is_address(s, AF_INET6);
}

/* RFC 1123, with characters above ASCII if `wide`. */
static bool is_host(struct str s, bool wide)
{
	bool more = true;

	/* Limits of DNS: 253 bytes in all, 63 per label. */
	if (!s.len || s.len > 253)
		return false;
	while (more) {
		ptrdiff_t dot = str_find_char(s, '.');
		struct str label = dot < 0 ? s : str_head(s, (size_t)dot);

		if (!label.len || label.len > 63 || label.ptr[0] == '-' ||
		    label.ptr[label.len - 1] == '-')
			return false;
		for (size_t i = 0; i < label.len; i++)
			if (!is_alnum(label.ptr[i]) && label.ptr[i] != '-' &&
			    !(wide && (label.ptr[i] & 0x80)))
				return false;
		more = dot >= 0;
		s = str_skip(s, label.len + more);
	}
	return true;
}

static bool is_hostname(struct str s)
{
	return is_host(s, false);
}

static bool is_atext(char c, bool wide)
{
	return is_alnum(c) || is_one_of(c, "!#$%&'*+-/=?^_`{|}~") || (wide && (c & 0x80));
}

static bool is_local_part(struct str s, bool wide)
{
	if (!s.len || s.len > (wide ? 256u : 64u))
		return false;
	/* A quoted local part: anything printable, with quotes and backslashes escaped. */
	if (s.ptr[0] == '"') {
		if (s.len < 2 || s.ptr[s.len - 1] != '"')
			return false;
		for (size_t i = 1; i < s.len - 1; i++) {
			unsigned char c = (unsigned char)s.ptr[i];

			if (c == '\\' && i + 2 < s.len)
				i++;
			else if (c < ' ' || c == 127 || c == '"' || c == '\\' || (c > 127 && !wide))
				return false;
		}
		return true;
	}
	for (size_t i = 0; i < s.len; i++) {
		bool is_inner_dot =
			s.ptr[i] == '.' && i > 0 && i + 1 < s.len && s.ptr[i - 1] != '.';

		if (!is_atext(s.ptr[i], wide) && !is_inner_dot)
			return false;
	}
	return true;
}

/* RFC 5321, or 6531 if `wide`.  The last @ separates: a quoted local part may contain others. */
static bool is_mailbox(struct str s, bool wide)
{
	size_t at = s.len;

	while (at > 0 && s.ptr[at - 1] != '@')
		at--;
	if (!at || !is_local_part(str_head(s, at - 1), wide))
		return false;
	s = str_skip(s, at);
	if (s.len > 2 && s.ptr[0] == '[' && s.ptr[s.len - 1] == ']') {
		s = str_of(s.ptr + 1, s.len - 2);
		if (s.len > 5 && strncasecmp(s.ptr, "IPv6:", 5) == 0)
			return is_ipv6(str_skip(s, 5));
		return is_ipv4(s);
	}
	return is_host(s, wide);
}

static bool is_email(struct str s)
{
	return is_mailbox(s, false);
}

static bool is_idn_email(struct str s)
{
	return is_mailbox(s, true);
}

/* ---- URIs (RFC 3986) and IRIs (RFC 3987) ---- */

/* Only characters of a path, those of `more`, escapes, and if `wide` what is above ASCII. */
static bool has_only(struct str s, const char *more, bool wide)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '%') {
			if (i + 2 >= s.len || !is_hex(s.ptr[i + 1]) || !is_hex(s.ptr[i + 2]))
				return false;
			i += 2;
		} else if (!is_alnum(c) && !is_one_of(c, "-._~!$&'()*+,;=") &&
		           !is_one_of(c, more) && !(wide && (c & 0x80))) {
			return false;
		}
	}
	return true;
}

/* IPv6, or "v1.x" for future versions. */
static bool is_ip_literal(struct str s)
{
	if (!s.len || (s.ptr[0] != 'v' && s.ptr[0] != 'V'))
		return is_ipv6(s);

	ptrdiff_t dot = str_find_char(s, '.');

	if (dot < 2 || (size_t)dot + 1 == s.len)
		return false;
	for (ptrdiff_t i = 1; i < dot; i++)
		if (!is_hex(s.ptr[i]))
			return false;
	return str_find_char(s, '%') < 0 && has_only(str_skip(s, (size_t)dot + 1), ":", false);
}

static bool is_authority(struct str s, bool wide)
{
	ptrdiff_t at = str_find_char(s, '@');

	if (at >= 0) {
		if (!has_only(str_head(s, (size_t)at), ":", wide))
			return false;
		s = str_skip(s, (size_t)at + 1);
	}
	if (s.len && s.ptr[0] == '[') {
		ptrdiff_t end = str_find_char(s, ']');

		if (end < 0 || !is_ip_literal(str_of(s.ptr + 1, (size_t)end - 1)))
			return false;
		s = str_skip(s, (size_t)end + 1);
	} else {
		ptrdiff_t colon = str_find_char(s, ':');
		struct str host = colon < 0 ? s : str_head(s, (size_t)colon);

		if (!has_only(host, "", wide))
			return false;
		s = str_skip(s, host.len);
	}
	if (take_char(&s, ':'))
		while (s.len && is_digit(s.ptr[0]))
			s = str_skip(s, 1);
	return !s.len;
}

static size_t scheme_len(struct str s)
{
	if (!s.len || !is_alpha(s.ptr[0]))
		return 0;
	for (size_t i = 1; i < s.len; i++) {
		if (s.ptr[i] == ':')
			return i + 1;
		if (!is_alnum(s.ptr[i]) && !is_one_of(s.ptr[i], "+-."))
			return 0;
	}
	return 0;
}

/* Splits at # first and then at ?, since each may contain the characters of the parts before it. */
static bool is_reference(struct str s, bool needs_scheme, bool wide)
{
	size_t scheme = scheme_len(s);
	struct str rest = str_skip(s, scheme);
	struct str path = str_cut(&rest, '#');
	struct str fragment = rest;

	if (needs_scheme && !scheme)
		return false;
	if (fragment.len && !has_only(fragment, ":@/?", wide))
		return false;
	rest = path;
	path = str_cut(&rest, '?');
	if (rest.len && !has_only(rest, ":@/?", wide))
		return false;
	if (str_starts(path, STR("//"))) {
		path = str_skip(path, 2);

		ptrdiff_t slash = str_find_char(path, '/');
		struct str authority = slash < 0 ? path : str_head(path, (size_t)slash);

		if (!is_authority(authority, wide))
			return false;
		path = str_skip(path, authority.len);
	} else if (!scheme) {
		/* A colon in the first segment would make it a scheme. */
		ptrdiff_t colon = str_find_char(path, ':'), slash = str_find_char(path, '/');

		if (colon >= 0 && (slash < 0 || colon < slash))
			return false;
	}
	return has_only(path, ":@/", wide);
}

static bool is_uri(struct str s)
{
	return is_reference(s, true, false);
}

static bool is_uri_reference(struct str s)
{
	return is_reference(s, false, false);
}

static bool is_iri(struct str s)
{
	return is_reference(s, true, true);
}

static bool is_iri_reference(struct str s)
{
	return is_reference(s, false, true);
}

/* One {expression} of RFC 6570, without the braces. */
static bool is_expression(struct str s)
{
	/* The last five are reserved for extensions and are accepted. */
	if (s.len && is_one_of(s.ptr[0], "+#./;?&=,!@|"))
		s = str_skip(s, 1);
	do {
		struct str var = str_cut(&s, ',');
		struct str name = str_cut(&var, ':');
		uint64_t prefix;

		if (str_is(var) &&
		    (!str_to_u64(var, &prefix) || var.ptr[0] == '0' || prefix > 9999))
			return false;
		if (!str_is(var) && name.len && name.ptr[name.len - 1] == '*')
			name = str_head(name, name.len - 1);
		if (!name.len || !has_only(name, "", false))
			return false;
		if (name.ptr[0] == '.' || name.ptr[name.len - 1] == '.' ||
		    str_find(name, STR("..")) >= 0)
			return false;
		/* has_only() accepts the marks of a path, which a variable name must not have. */
		for (size_t i = 0; i < name.len; i++)
			if (is_one_of(name.ptr[i], "-~!$&'()*+;="))
				return false;
	} while (str_is(s));
	return true;
}

static bool is_uri_template(struct str s)
{
	while (s.len) {
		if (take_char(&s, '{')) {
			ptrdiff_t end = str_find_char(s, '}');

			if (end < 0 || !is_expression(str_head(s, (size_t)end)))
				return false;
			s = str_skip(s, (size_t)end + 1);
		} else {
			unsigned char c = (unsigned char)s.ptr[0];

			if (c <= ' ' || c == 127 || is_one_of((char)c, "\"<>\\^`{|}"))
				return false;
			if (c == '%' && (s.len < 3 || !is_hex(s.ptr[1]) || !is_hex(s.ptr[2])))
				return false;
			s = str_skip(s, 1);
		}
	}
	return true;
}

/* ---- the rest ---- */

static bool is_uuid(struct str s)
{
	if (s.len != 36)
		return false;
	for (size_t i = 0; i < 36; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? s.ptr[i] != '-' : !is_hex(s.ptr[i]))
			return false;
	}
	return true;
}

static bool is_json_pointer(struct str s)
{
	if (s.len && s.ptr[0] != '/')
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] == '~' &&
		    (i + 1 == s.len || (s.ptr[i + 1] != '0' && s.ptr[i + 1] != '1')))
			return false;
	return true;
}

/* A number of levels upwards, then "#" for the key or a pointer downwards. */
static bool is_relative_json_pointer(struct str s)
{
	size_t digits = 0;

	while (digits < s.len && is_digit(s.ptr[digits]))
		digits++;
	if (!digits || (digits > 1 && s.ptr[0] == '0'))
		return false;
	s = str_skip(s, digits);
	return str_eq(s, STR("#")) || is_json_pointer(s);
}

static bool is_regex(struct str s)
{
	struct schema_pattern *p;

	if (schema_pattern_new(s, &p, NULL))
		return false;
	schema_pattern_free(p);
	return true;
}

schema_format schema_format_find(struct str name)
{
	static const struct {
		const char *name;
		schema_format is_valid;
	} formats[] = {
		{ "date-time", is_date_time },
		{ "date", is_date },
		{ "time", is_time },
		{ "duration", is_duration },
		{ "email", is_email },
		{ "idn-email", is_idn_email },
		{ "hostname", is_hostname },
		{ "ipv4", is_ipv4 },
		{ "ipv6", is_ipv6 },
		{ "uri", is_uri },
		{ "uri-reference", is_uri_reference },
		{ "iri", is_iri },
		{ "iri-reference", is_iri_reference },
		{ "uri-template", is_uri_template },
		{ "uuid", is_uuid },
		{ "json-pointer", is_json_pointer },
		{ "relative-json-pointer", is_relative_json_pointer },
		{ "regex", is_regex },
	};

	for (size_t i = 0; i < COUNT_OF(formats); i++)
		if (str_eq(name, str_from(formats[i].name)))
			return formats[i].is_valid;
	return NULL;
}

uint64_t schema_format_cost(schema_format f, struct str s)
{
	/* A short pattern can take long to compile. */
	return f == is_regex ? 5000 + s.len : 1 + s.len / 16;
}
