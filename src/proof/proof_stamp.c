/*
 * Reads responses of time stamp authorities: DER, as far as the way to the stamped
 * hash leads.  Lengths are checked against what is left; nothing else is trusted.
 */
#include "proof/proof_stamp.h"

#include <string.h>

enum der_tag {
	DER_INTEGER = 0x02,
	DER_OCTETS = 0x04,
	DER_OID = 0x06,
	DER_TIME = 0x18,
	DER_SEQUENCE = 0x30,
	DER_SET = 0x31,
	DER_FIRST = 0xa0, /* [0] */
};

/* SEQUENCE { OID sha256, NULL }, and the head of the hash. */
static const uint8_t imprint[] = { 0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
	                           0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20 };
static const uint8_t sha256_oid[] = { 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01 };
/* 1.2.840.113549.1.7.2 and 1.2.840.113549.1.9.16.1.4 */
static const uint8_t signed_data[] = { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02 };
static const uint8_t stamp_info[] = { 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d,
	                              0x01, 0x09, 0x10, 0x01, 0x04 };

void proof_stamp_request(struct buf *out, const struct sha256 *hash)
{
	static const uint8_t head[] = { DER_SEQUENCE, 3 + sizeof imprint + SHA256_BYTES + 3,
		                        DER_INTEGER, 1, 1 };
	static const uint8_t wants_certificates[] = { 0x01, 0x01, 0xff };

	buf_add(out, head, sizeof head);
	buf_add(out, imprint, sizeof imprint);
	buf_add(out, hash->state, SHA256_BYTES);
	buf_add(out, wants_certificates, sizeof wants_certificates);
}

/* Cuts the next value off; false: it has another tag, or no end. */
static bool der_next(struct str *in, uint8_t tag, struct str *ret)
{
	const uint8_t *at = (const uint8_t *)in->ptr;
	size_t head = 2, len;

	if (in->len < 2 || at[0] != tag)
		return false;
	len = at[1];
	if (len & 0x80) {
		size_t bytes = len & 0x7f;

		if (!bytes || bytes > 4 || in->len < 2 + bytes)
			return false;
		for (len = 0; head < 2 + bytes; head++)
			len = len << 8 | at[head];
	}
	if (len > in->len - head)
		return false;
	*ret = str_of(in->ptr + head, len);
	*in = str_skip(*in, head + len);
	return true;
}

static bool der_is(struct str in, const uint8_t *want, size_t len)
{
	return in.len == len && memcmp(in.ptr, want, len) == 0;
}

static bool oid_is(struct str *in, const uint8_t *want, size_t len)
{
	struct str oid;

	return der_next(in, DER_OID, &oid) && der_is(oid, want, len);
}

/* 0: granted; 1: granted with modifications. */
static bool status_is_good(struct str *in)
{
	struct str status, number;

	return der_next(in, DER_SEQUENCE, &status) && der_next(&status, DER_INTEGER, &number) &&
	       number.len == 1 && (uint8_t)number.ptr[0] <= 1;
}

/* From the token to what it signs. */
static bool find_info(struct str in, struct str *ret)
{
	struct str token, content, data, skipped, octets;

	return der_next(&in, DER_SEQUENCE, &token) &&
	       oid_is(&token, signed_data, sizeof signed_data) &&
	       der_next(&token, DER_FIRST, &content) && der_next(&content, DER_SEQUENCE, &data) &&
	       der_next(&data, DER_INTEGER, &skipped) && der_next(&data, DER_SET, &skipped) &&
	       der_next(&data, DER_SEQUENCE, &content) &&
	       oid_is(&content, stamp_info, sizeof stamp_info) &&
	       der_next(&content, DER_FIRST, &token) && der_next(&token, DER_OCTETS, &octets) &&
	       der_next(&octets, DER_SEQUENCE, ret);
}

static bool read_info(struct str info, struct proof_stamp *ret)
{
	struct str skipped, what, kind, hash;

	if (!der_next(&info, DER_INTEGER, &skipped) || !der_next(&info, DER_OID, &skipped) ||
	    !der_next(&info, DER_SEQUENCE, &what) || !der_next(&what, DER_SEQUENCE, &kind) ||
	    !oid_is(&kind, sha256_oid, sizeof sha256_oid) || !der_next(&what, DER_OCTETS, &hash) ||
	    hash.len != SHA256_BYTES || !der_next(&info, DER_INTEGER, &skipped) ||
	    !der_next(&info, DER_TIME, &ret->time))
		return false;
	memcpy(ret->hash.state, hash.ptr, SHA256_BYTES);
	return ret->time.len >= 15 && ret->time.len <= 32;
}

/* A time is digits, perhaps with a fraction: it is shown to people. */
static bool is_time(struct str time)
{
	for (size_t i = 0; i < time.len; i++)
		if ((time.ptr[i] < '0' || time.ptr[i] > '9') && time.ptr[i] != '.' &&
		    (time.ptr[i] != 'Z' || i != time.len - 1))
			return false;
	return str_ends(time, STR("Z"));
}

enum err proof_stamp_read(struct str response, struct proof_stamp *ret, struct error *e)
{
	struct str rest = response, body, info;

	if (!der_next(&rest, DER_SEQUENCE, &body) || rest.len)
		return fail(e, ERR_INVALID, "not a time stamp response (RFC 3161)");
	if (!status_is_good(&body))
		return fail(e, ERR_INVALID, "the time stamp authority has refused the request");
	if (!find_info(body, &info) || !read_info(info, ret) || !is_time(ret->time))
		return fail(e, ERR_INVALID, "its token is not a time stamp of a SHA-256");
	return OK;
}
