/*
 * Exact comparison and multiples of JSON numbers: int64, uint64 and double,
 * without rounding errors between the kinds.
 */
#include "schema/schema_parts.h"

#include "base/jw.h"

#include <assert.h>
#include <float.h>
#include <math.h>

struct schema_num schema_number_of(struct json v)
{
	switch (json_type(v)) {
	case JSON_INT:
		return (struct schema_num){ .kind = NUM_INT, .i = json_int(v, 0) };
	case JSON_UINT:
		return (struct schema_num){ .kind = NUM_UINT, .u = json_uint(v, 0) };
	case JSON_REAL:
		return (struct schema_num){ .kind = NUM_REAL, .d = json_real(v, 0) };
	default:
		return (struct schema_num){ 0 };
	}
}

/* 1.0 is an integer in JSON Schema, whatever the reader stores it as. */
bool schema_number_is_whole(struct schema_num n)
{
	return n.kind != NUM_REAL || n.d == floor(n.d);
}

/* Wide enough for every int64, uint64 and double, so comparing here is exact. */
static long double wide(struct schema_num n)
{
	static_assert(LDBL_MANT_DIG >= 64, "a long double holds every 64-bit integer");

	switch (n.kind) {
	case NUM_INT:
		return (long double)n.i;
	case NUM_UINT:
		return (long double)n.u;
	default:
		return (long double)n.d;
	}
}

int schema_number_compare(struct schema_num a, struct schema_num b)
{
	if (a.kind == NUM_INT && b.kind == NUM_INT)
		return (a.i > b.i) - (a.i < b.i);

	long double wa = wide(a), wb = wide(b);

	return (wa > wb) - (wa < wb);
}

/* digits times ten to the exponent; the sign does not matter for multiples. */
struct decimal {
	uint64_t digits;
	int exponent;
};

static struct decimal trimmed(struct decimal d)
{
	while (d.digits && d.digits % 10 == 0) {
		d.digits /= 10;
		d.exponent++;
	}
	return d;
}

/* The writer's shortest form has at most 17 digits beside zeros at either end. */
static struct decimal decimal_of_real(double real)
{
	struct buf text = { 0 };
	struct json_writer w;
	struct decimal d = { 0 };
	bool in_fraction = false;
	size_t i = 0;

	jw_init(&w, &text);
	jw_real(&w, real);
	for (; i < text.len && text.ptr[i] != 'e' && text.ptr[i] != 'E'; i++) {
		char c = text.ptr[i];

		if (c == '.') {
			in_fraction = true;
		} else if (c == '0' && d.digits > UINT64_MAX / 100) {
			d.exponent += !in_fraction; /* 1 followed by many zeros, written out */
		} else if (c >= '0' && c <= '9') {
			d.digits = d.digits * 10 + (uint64_t)(c - '0');
			d.exponent -= in_fraction;
		}
	}
	if (i < text.len) {
		int64_t exponent = 0;
		struct str rest = str_skip(buf_str(&text), i + 1);

		if (rest.len && rest.ptr[0] == '+')
			rest = str_skip(rest, 1);
		if (str_to_i64(rest, &exponent))
			d.exponent += (int)exponent;
	}
	buf_done(&text);
	return trimmed(d);
}

static struct decimal decimal_of(struct schema_num n)
{
	switch (n.kind) {
	case NUM_INT:
		return trimmed((struct decimal){ n.i < 0 ? 0 - (uint64_t)n.i : (uint64_t)n.i, 0 });
	case NUM_UINT:
		return trimmed((struct decimal){ n.u, 0 });
	default:
		return decimal_of_real(n.d);
	}
}

/* Modular, since the product of two 64-bit numbers does not fit. */
static uint64_t times(uint64_t a, uint64_t b, uint64_t modulus)
{
	return (uint64_t)((unsigned __int128)a * b % modulus);
}

/*
 * In decimal, as the numbers were written: 0.3 is a multiple of 0.1, although their doubles are
 * not.
 */
bool schema_number_is_multiple(struct schema_num n, struct schema_num divisor)
{
	if (n.kind == NUM_INT && divisor.kind == NUM_INT)
		return n.i % divisor.i == 0;

	struct decimal a = decimal_of(n), b = decimal_of(divisor);
	int shift = a.exponent - b.exponent;

	if (!a.digits)
		return true;
	assert(b.digits);
	if (shift >= 0) {
		/* a × 10^shift modulo b, one digit at a time, so that no exponent is too large. */
		uint64_t rest = a.digits % b.digits;

		for (; shift > 0 && rest; shift--)
			rest = times(rest, 10, b.digits);
		return rest == 0;
	}

	/* a has at most 20 digits, so a larger divisor cannot divide it. */
	unsigned __int128 whole = b.digits;

	if (shift < -19)
		return false;
	for (; shift < 0; shift++)
		whole *= 10;
	return a.digits % whole == 0;
}
