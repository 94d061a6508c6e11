/* TLS by libssl over buffers in memory. */
#include "grpc/grpc_tls.h"

#include "base/memory.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

#define PIECE 16384

/* Functions of libssl, and those of libcrypto that come with it. */
#define FUNCTIONS(F)                                                                               \
	F(const SSL_METHOD *, TLS_client_method, (void))                                           \
	F(SSL_CTX *, SSL_CTX_new, (const SSL_METHOD *))                                            \
	F(void, SSL_CTX_free, (SSL_CTX *))                                                         \
	F(long, SSL_CTX_ctrl, (SSL_CTX *, int, long, void *))                                      \
	F(void, SSL_CTX_set_verify, (SSL_CTX *, int, SSL_verify_cb))                               \
	F(int, SSL_CTX_set_default_verify_paths, (SSL_CTX *))                                      \
	F(int, SSL_CTX_load_verify_locations, (SSL_CTX *, const char *, const char *))             \
	F(int, SSL_CTX_set_alpn_protos, (SSL_CTX *, const unsigned char *, unsigned))              \
	F(SSL *, SSL_new, (SSL_CTX *))                                                             \
	F(void, SSL_free, (SSL *))                                                                 \
	F(void, SSL_set_connect_state, (SSL *))                                                    \
	F(void, SSL_set_bio, (SSL *, BIO *, BIO *))                                                \
	F(long, SSL_ctrl, (SSL *, int, long, void *))                                              \
	F(int, SSL_set1_host, (SSL *, const char *))                                               \
	F(void, SSL_set_hostflags, (SSL *, unsigned))                                              \
	F(X509_VERIFY_PARAM *, SSL_get0_param, (SSL *))                                            \
	F(int, SSL_do_handshake, (SSL *))                                                          \
	F(int, SSL_read, (SSL *, void *, int))                                                     \
	F(int, SSL_write, (SSL *, const void *, int))                                              \
	F(int, SSL_get_error, (const SSL *, int))                                                  \
	F(long, SSL_get_verify_result, (const SSL *))                                              \
	F(void, SSL_get0_alpn_selected, (const SSL *, const unsigned char **, unsigned *))         \
	F(BIO *, BIO_new, (const BIO_METHOD *))                                                    \
	F(const BIO_METHOD *, BIO_s_mem, (void))                                                   \
	F(int, BIO_read, (BIO *, void *, int))                                                     \
	F(int, BIO_write, (BIO *, const void *, int))                                              \
	F(int, X509_VERIFY_PARAM_set1_ip_asc, (X509_VERIFY_PARAM *, const char *))                 \
	F(const char *, X509_verify_cert_error_string, (long))                                     \
	F(void, ERR_clear_error, (void))

struct libssl {
#define MEMBER(type, name, args) type(*name) args;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

struct grpc_tls_context {
	struct libssl f;
	SSL_CTX *ctx;
};

struct grpc_tls {
	const struct libssl *f;
	SSL *ssl;
	BIO *in, *out; /* the ssl's own */
	struct buf waiting;
	void (*on_plain)(void *owner, struct str bytes);
	void *owner;
	bool is_ready;
	char why[200];
};

/* ---- the context ---- */

/* In the order of the members. */
static const char names[] =
#define NAME(type, name, args) #name "\0"
	FUNCTIONS(NAME);
#undef NAME

/* The handle stays open: a library with threads and exit handlers is not unloaded. */
static bool load(struct libssl *f)
{
	void *handle = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);

	void **at = (void **)f;

	for (const char *name = names; handle && *name; name += strlen(name) + 1)
		if ((*at++ = dlsym(handle, name)) == NULL)
			return false;
	return handle != NULL;
}

static enum err configure(struct grpc_tls_context *c, const char *ca_file, struct error *e)
{
	static const unsigned char h2[] = "\x02h2";

	c->f.SSL_CTX_ctrl(c->ctx, SSL_CTRL_SET_MIN_PROTO_VERSION, TLS1_2_VERSION, NULL);
	c->f.SSL_CTX_set_verify(c->ctx, SSL_VERIFY_PEER, NULL);
	if (c->f.SSL_CTX_set_alpn_protos(c->ctx, h2, sizeof h2 - 1))
		memory_exhausted();
	if (ca_file && !c->f.SSL_CTX_load_verify_locations(c->ctx, ca_file, NULL))
		return fail(e, ERR_INVALID, "%s has no certificates that can be read", ca_file);
	if (!ca_file && !c->f.SSL_CTX_set_default_verify_paths(c->ctx))
		return fail(e, ERR_IO, "the system has no certificates");
	return OK;
}

enum err grpc_tls_context_new(const char *ca_file, struct grpc_tls_context **ret, struct error *e)
{
	struct grpc_tls_context *c = memory_zeroed(1, sizeof *c);
	enum err code = OK;

	if (!load(&c->f))
		code = fail(e, ERR_NOT_FOUND, "TLS needs libssl.so.3, which is not installed");
	if (!code && (c->ctx = c->f.SSL_CTX_new(c->f.TLS_client_method())) == NULL)
		memory_exhausted();
	if (!code)
		code = configure(c, ca_file, e);
	if (code) {
		grpc_tls_context_free(c);
		return code;
	}
	*ret = c;
	return OK;
}

void grpc_tls_context_free(struct grpc_tls_context *c)
{
	if (!c)
		return;
	if (c->ctx)
		c->f.SSL_CTX_free(c->ctx);
	memory_free(c);
}

/* ---- one connection ---- */

/* An address is compared as one; only names are sent to the server. */
static bool set_host(struct grpc_tls *t, const char *host)
{
	unsigned char address[sizeof(struct in6_addr)];

	if (inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1)
		return t->f->X509_VERIFY_PARAM_set1_ip_asc(t->f->SSL_get0_param(t->ssl), host);
	t->f->SSL_set_hostflags(t->ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
	return t->f->SSL_ctrl(t->ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
	                      (void *)host) &&
	       t->f->SSL_set1_host(t->ssl, host);
}

struct grpc_tls *grpc_tls_new(struct grpc_tls_context *c, const char *host,
                              void (*on_plain)(void *owner, struct str bytes), void *owner)
{
	struct grpc_tls *t = memory_zeroed(1, sizeof *t);

	t->f = &c->f;
	t->on_plain = on_plain;
	t->owner = owner;
	t->ssl = c->f.SSL_new(c->ctx);
	t->in = c->f.BIO_new(c->f.BIO_s_mem());
	t->out = c->f.BIO_new(c->f.BIO_s_mem());
	if (!t->ssl || !t->in || !t->out)
		memory_exhausted();
	c->f.SSL_set_bio(t->ssl, t->in, t->out);
	c->f.SSL_set_connect_state(t->ssl);
	if (!set_host(t, host))
		memory_exhausted();
	(void)c->f.SSL_do_handshake(t->ssl);
	return t;
}

void grpc_tls_free(struct grpc_tls *t)
{
	if (!t)
		return;
	t->f->SSL_free(t->ssl);
	buf_done(&t->waiting);
	memory_free(t);
}

void grpc_tls_write(struct grpc_tls *t, struct str plain)
{
	if (!t->is_ready)
		buf_add_str(&t->waiting, plain);
	else if (plain.len)
		(void)t->f->SSL_write(t->ssl, plain.ptr, (int)plain.len);
}

void grpc_tls_out(struct grpc_tls *t, struct buf *out)
{
	char piece[PIECE];
	int len;

	while ((len = t->f->BIO_read(t->out, piece, sizeof piece)) > 0)
		buf_add(out, piece, (size_t)len);
}

static const char *fail_handshake(struct grpc_tls *t)
{
	long verified = t->f->SSL_get_verify_result(t->ssl);

	if (verified != X509_V_OK)
		snprintf(t->why, sizeof t->why, "The certificate of the agent is not accepted: %s",
		         t->f->X509_verify_cert_error_string(verified));
	else
		return "The agent does not speak TLS";
	return t->why;
}

static bool has_chosen_h2(const struct grpc_tls *t)
{
	const unsigned char *name = NULL;
	unsigned len = 0;

	t->f->SSL_get0_alpn_selected(t->ssl, &name, &len);
	return len == 2 && name[0] == 'h' && name[1] == '2';
}

/* NULL: it continues, or is complete. */
static const char *shake_hands(struct grpc_tls *t)
{
	int done = t->f->SSL_do_handshake(t->ssl);
	int error = done == 1 ? SSL_ERROR_NONE : t->f->SSL_get_error(t->ssl, done);

	if (done != 1)
		return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE
		               ? NULL
		               : fail_handshake(t);
	if (!has_chosen_h2(t))
		return "The agent does not speak HTTP/2 over TLS";
	t->is_ready = true;
	grpc_tls_write(t, buf_str(&t->waiting));
	buf_done(&t->waiting);
	return NULL;
}

const char *grpc_tls_take(struct grpc_tls *t, struct str bytes)
{
	char piece[PIECE];
	const char *why;
	int len;

	/* Errors of another connection would be taken for one of this. */
	t->f->ERR_clear_error();
	if (t->f->BIO_write(t->in, bytes.ptr, (int)bytes.len) != (int)bytes.len)
		memory_exhausted();
	if (!t->is_ready && ((why = shake_hands(t)) != NULL || !t->is_ready))
		return why;
	while ((len = t->f->SSL_read(t->ssl, piece, sizeof piece)) > 0)
		t->on_plain(t->owner, str_of(piece, (size_t)len));
	len = t->f->SSL_get_error(t->ssl, len);
	return len == SSL_ERROR_WANT_READ || len == SSL_ERROR_WANT_WRITE
	               ? NULL
	               : "The agent closed the connection";
}
