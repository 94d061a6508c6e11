/*
 * Vertex AI: models of Google speak Gemini's dialect, those of Anthropic the
 * Messages API, both behind paths that name the publisher.  The project and the
 * location come before these paths, with the account (cloud.h).
 *
 * Bodies and events are those of the two dialects; Anthropic's has its version in
 * the body and its model in the path.
 */
#include "provider/anthropic/anthropic.h"
#include "provider/cloud/sigv4.h"
#include "provider/gemini/gemini.h"

#define ANTHROPIC_VERSION "vertex-2023-10-16"

/* "publishers/anthropic/models/claude-x" is claude-x; its publisher is known by its name. */
static struct str plain_name(struct str model)
{
	ptrdiff_t at = str_find(model, STR("/models/"));

	return at < 0 ? model : str_skip(model, (size_t)at + 8);
}

static struct str path_of(struct arena *mem, const struct model_request *req, const char *publisher,
                          const char *method)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "/publishers/%s/models/", publisher);
	sigv4_encode(&out, plain_name(req->model), "@:");
	buf_add_c(&out, method);
	return arena_keep(mem, buf_str(&out));
}

static struct str gemini_path(struct arena *mem, const struct model_request *req)
{
	return path_of(mem, req, "google", ":streamGenerateContent?alt=sse");
}

static struct str anthropic_path(struct arena *mem, const struct model_request *req)
{
	return path_of(mem, req, "anthropic", ":streamRawPredict");
}

static enum err write_anthropic(const struct model_request *req, const struct body_options *o,
                                struct buf *out, struct error *e)
{
	struct body_options here = *o;

	here.anthropic_version = STR(ANTHROPIC_VERSION);
	return anthropic_body_write(req, &here, out, e);
}

static struct dialect gemini_here, anthropic_here;

/* The tables are copies with other paths, made with the first request; one thread, the loop's. */
static const struct dialect *dialect_of(struct str model)
{
	if (!gemini_here.path) {
		gemini_here = gemini_event_dialect;
		gemini_here.path = gemini_path;
		anthropic_here = anthropic_event_dialect;
		anthropic_here.path = anthropic_path;
		anthropic_here.write = write_anthropic;
		anthropic_here.header = (struct http_client_header){ STR_NONE, STR_NONE };
	}
	return str_find(model, STR("claude")) >= 0 ? &anthropic_here : &gemini_here;
}

/* Only what a provider needs before it knows the model. */
const struct dialect vertex_dialect = {
	.word = STR("vertex"),
	.accept = STR("text/event-stream"),
	.of_model = dialect_of,
};
