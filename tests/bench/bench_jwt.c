/*
 * Tokens of issuers beside a bare verification by libcrypto in the same run: a token that is new (hash,
 * JSON, claims, signature), and one that is known.  RS256, because its verification is the fastest and
 * what is around it weighs most.
 */
#include "bench_fixture.h"

#include "base/os/libcrypto.h"
#include "issuer_fixture.h"

#include <dlfcn.h>

#define TIMES 2000
#define KNOWN 20000
#define DER_LEN 294 /* a public key of RSA with 2048 bits and the usual exponent */
#define MODULUS_AT 33

static const struct libcrypto *c;

static EVP_PKEY *make_key(void)
{
	void *handle = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
	EVP_PKEY *(*make)(void *, const char *, const char *, ...) = NULL;

	c = libcrypto_load();
	if (handle)
		*(void **)&make = dlsym(handle, "EVP_PKEY_Q_keygen");
	if (!c || !make)
		die("no key: is libssl3 installed?");
	return make(NULL, NULL, "RSA", (size_t)2048);
}

static struct str keys_of(struct arena *mem, EVP_PKEY *key)
{
	int (*write)(const EVP_PKEY *, unsigned char **);
	unsigned char der[512], *at = der;

	*(void **)&write = dlsym(dlopen("libcrypto.so.3", RTLD_NOW), "i2d_PUBKEY");
	if (write(key, &at) != DER_LEN)
		die("the public key has another form");
	return arena_printf(
		mem, "{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"k\",\"e\":\"AQAB\",\"n\":\"%.*s\"}]}",
		STR_ARG(issuer_fixture_part(mem, str_of((char *)der + MODULUS_AT, 256))));
}

static struct str sign(struct arena *mem, EVP_PKEY *key, struct str text)
{
	unsigned char out[256];
	size_t len = sizeof out;
	EVP_MD_CTX *ctx = c->EVP_MD_CTX_new();

	if (c->EVP_DigestSignInit(ctx, NULL, c->EVP_sha256(), NULL, key) != 1 ||
	    c->EVP_DigestSign(ctx, out, &len, (const unsigned char *)text.ptr, text.len) != 1)
		die("no signature");
	c->EVP_MD_CTX_free(ctx);
	return arena_keep(mem, str_of((char *)out, len));
}

static void verify(EVP_PKEY *key, struct str text, struct str signature)
{
	EVP_MD_CTX *ctx = c->EVP_MD_CTX_new();

	if (c->EVP_DigestVerifyInit(ctx, NULL, c->EVP_sha256(), NULL, key) != 1 ||
	    c->EVP_DigestVerify(ctx, (const unsigned char *)signature.ptr, signature.len,
	                        (const unsigned char *)text.ptr, text.len) != 1)
		die("a signature is wrong");
	c->EVP_MD_CTX_free(ctx);
}

static void on_done(struct issuers_waiter *w)
{
	(void)w;
}

/* The first token fetches the keys. */
static void learn_keys(struct issuer_fixture *f, struct str token)
{
	struct issuers_waiter w = { .done = on_done };

	issuer_fixture_check(f, token, &w);
	while (issuer_fixture_check(f, token, NULL) != ISSUERS_ACCEPTED)
		loop_run_once(f->loop, 100);
}

int main(int argc, char **argv)
{
	static struct str covered[TIMES], signature[TIMES], token[TIMES];
	static double bare[TIMES], new[TIMES];
	double floor_us, new_us, known_us;
	struct issuer_fixture f;
	EVP_PKEY *key;
	int64_t start;

	bench_fixture_begin(argc, argv);
	key = make_key();
	issuer_fixture_open(&f);
	f.keys = keys_of(f.mem, key);
	for (int i = 0; i < TIMES; i++) {
		covered[i] = issuer_fixture_covered(&f, f.mem, "RS256", "k", i);
		signature[i] = sign(f.mem, key, covered[i]);
		token[i] = arena_printf(f.mem, "%.*s.%.*s", STR_ARG(covered[i]),
		                        STR_ARG(issuer_fixture_part(f.mem, signature[i])));
	}
	learn_keys(&f, token[0]);
	for (int i = 1; i < TIMES; i++) {
		start = now_ns();
		verify(key, covered[i], signature[i]);
		bare[i] = (double)(now_ns() - start) / 1000;
		start = now_ns();
		if (issuer_fixture_check(&f, token[i], NULL) != ISSUERS_ACCEPTED)
			die("a token was not accepted");
		new[i] = (double)(now_ns() - start) / 1000;
	}
	floor_us = median(bare + 1, TIMES - 1);
	new_us = median(new + 1, TIMES - 1);
	start = now_ns();
	for (int i = 0; i < KNOWN; i++)
		if (issuer_fixture_check(&f, token[i % TIMES], NULL) != ISSUERS_ACCEPTED)
			die("a known token was not accepted");
	known_us = (double)(now_ns() - start) / 1000 / KNOWN;
	ROW(.name = "a token of an issuer, new (RS256)", .measured = text("%.1f us", new_us),
	    .floor = text("%.1f us, a bare verification", floor_us), .ratio = new_us / floor_us,
	    .target = "<= 1.2 of the floor",
	    .reached = new_us <= 1.2 * floor_us ? REACHED_YES : REACHED_NO);
	ROW(.name = "a token of an issuer, known", .measured = text("%.2f us", known_us),
	    .target = "<= 5 us", .reached = known_us <= 5 ? REACHED_YES : REACHED_NO);
	issuer_fixture_close(&f);
	c->EVP_PKEY_free(key);
	return 0;
}
