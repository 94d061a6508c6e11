/* Reads where telemetry is sent (telemetry_options.h). */
#include "lib/telemetry_options.h"

#include "base/os/log.h"
#include "base/util.h"
#include "text/redact.h"

#include <stdlib.h>
#include <strings.h>

#define HEADERS_MAX 32
/* As OpenTelemetry has them. */
#define TIMEOUT_MS 10000
#define METRICS_MS 60000
#define MS_MAX 3600000

/* An empty variable counts as absent, as OpenTelemetry demands. */
static struct str variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? str_from(value) : STR_NONE;
}

/* In any case. */
static bool says(const char *name, const char *word)
{
	const char *value = getenv(name);

	return value && strcasecmp(value, word) == 0;
}

static const struct {
	const char *endpoint, *exporter, *path;
} signals[OTLP_SIGNAL_COUNT] = {
	[OTLP_TRACES] = { "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER",
	                  "/v1/traces" },
	[OTLP_LOGS] = { "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_LOGS_EXPORTER", "/v1/logs" },
	[OTLP_METRICS_SIGNAL] = { "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_METRICS_EXPORTER",
	                          "/v1/metrics" },
};

/* The address of one signal: its own variable as it is, else the common one with its path. */
static struct str address(struct arena *mem, const struct config_values *values,
                          enum otlp_signal signal)
{
	struct str own = variable(signals[signal].endpoint), base = values->telemetry_endpoint;

	if (says("OTEL_SDK_DISABLED", "true") || says(signals[signal].exporter, "none"))
		return STR_NONE;
	if (str_is(own) || !str_is(base) || !base.len)
		return own;
	return arena_printf(mem, "%.*s%s",
	                    STR_ARG(str_ends(base, STR("/")) ? str_head(base, base.len - 1) : base),
	                    signals[signal].path);
}

bool telemetry_options_are_on(const struct config_values *values)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < OTLP_SIGNAL_COUNT; i++)
		if (str_is(address(mem, values, (enum otlp_signal)i)))
			return true;
	return false;
}

static unsigned hex_digit(char c)
{
	return c >= '0' && c <= '9'                     ? (unsigned)(c - '0')
	       : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (unsigned)((c | 0x20) - 'a' + 10)
	                                                : 16;
}

/* Values of headers are written as in a URL. */
static struct str unescaped(struct arena *mem, struct str s)
{
	char *out = arena_alloc(mem, s.len + 1);
	size_t len = 0;

	for (size_t i = 0; i < s.len; i++) {
		bool is_coded = s.ptr[i] == '%' && i + 2 < s.len && hex_digit(s.ptr[i + 1]) < 16 &&
		                hex_digit(s.ptr[i + 2]) < 16;

		out[len++] =
			is_coded ? (char)(hex_digit(s.ptr[i + 1]) << 4 | hex_digit(s.ptr[i + 2]))
				 : s.ptr[i];
		i += is_coded ? 2 : 0;
	}
	return str_of(out, len);
}

static bool has_control(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7f)
			return true;
	return false;
}

/* "api-key=abc,tenant=7"; the values may be secrets and never reach a log. */
static enum err read_headers(struct arena *mem, struct telemetry_options *ret, struct error *e)
{
	struct http_client_header *list = ARENA_ARRAY(mem, struct http_client_header, HEADERS_MAX);
	struct str rest = variable("OTEL_EXPORTER_OTLP_HEADERS");

	while (str_is(rest)) {
		struct str value = str_trim(str_cut(&rest, ','));
		struct str name = str_trim(str_cut(&value, '='));

		if (!name.len)
			continue;
		if (!str_is(value))
			return fail(e, ERR_INVALID,
			            "OTEL_EXPORTER_OTLP_HEADERS: entry %zu is no name=value",
			            ret->header_count + 1);
		if (ret->header_count == HEADERS_MAX)
			return fail(e, ERR_INVALID,
			            "OTEL_EXPORTER_OTLP_HEADERS has more than %d headers",
			            HEADERS_MAX);
		value = unescaped(mem, str_trim(value));
		if (has_control(name) || has_control(value))
			return fail(e, ERR_INVALID,
			            "OTEL_EXPORTER_OTLP_HEADERS: entry %zu has a control character",
			            ret->header_count + 1);
		list[ret->header_count++] = (struct http_client_header){ name, value };
	}
	ret->headers = list;
	return OK;
}

static enum err read_form(const struct config_values *values, struct telemetry_options *ret,
                          struct error *e)
{
	struct str protocol = variable("OTEL_EXPORTER_OTLP_PROTOCOL");
	struct str compression = variable("OTEL_EXPORTER_OTLP_COMPRESSION");

	ret->form =
		values->telemetry_protocol == TELEMETRY_PROTOCOL_JSON ? OTLP_JSON : OTLP_PROTOBUF;
	ret->is_gzipped = values->telemetry_gzip;
	if (str_is(protocol)) {
		if (!str_eq(protocol, STR("http/protobuf")) && !str_eq(protocol, STR("http/json")))
			return fail(e, ERR_INVALID,
			            "OTEL_EXPORTER_OTLP_PROTOCOL is \"%.*s\"; http/protobuf and "
			            "http/json are supported",
			            STR_ARG(protocol));
		ret->form = str_eq(protocol, STR("http/json")) ? OTLP_JSON : OTLP_PROTOBUF;
	}
	if (str_is(compression)) {
		if (!str_eq(compression, STR("gzip")) && !str_eq(compression, STR("none")))
			return fail(e, ERR_INVALID,
			            "OTEL_EXPORTER_OTLP_COMPRESSION is \"%.*s\"; gzip and none are "
			            "supported",
			            STR_ARG(compression));
		ret->is_gzipped = str_eq(compression, STR("gzip"));
	}
	return OK;
}

/* A number of milliseconds; `otherwise` when the variable is absent. */
static enum err read_ms(const char *name, int64_t otherwise, int64_t *ret, struct error *e)
{
	struct str text = variable(name);
	uint64_t ms = (uint64_t)otherwise;

	if (str_is(text) && (!str_to_u64(text, &ms) || !ms || ms > MS_MAX))
		return fail(e, ERR_INVALID,
		            "%s is \"%.*s\"; it is a number of milliseconds up to %d", name,
		            STR_ARG(text), MS_MAX);
	*ret = (int64_t)ms;
	return OK;
}

/* Only OTLP, or nothing. */
static enum err check_exporter(const char *name, struct error *e)
{
	struct str value = variable(name);

	return !str_is(value) || says(name, "none") || says(name, "otlp")
	               ? OK
	               : fail(e, ERR_INVALID, "%s is \"%.*s\"; otlp and none are supported", name,
	                      STR_ARG(value));
}

/* Variables that would change what is sent, and do not here: silence would mislead. */
static void report_unused(void)
{
	static const char *const names[] = {
		"OTEL_EXPORTER_OTLP_CERTIFICATE",        "OTEL_EXPORTER_OTLP_CLIENT_KEY",
		"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
		"OTEL_EXPORTER_OTLP_LOGS_HEADERS",       "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",    "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL",
		"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
	};

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_is(variable(names[i])))
			log_line(LOG_WARN, "telemetry", "%s is set, and is not used here",
			         names[i]);
}

/* A ratio as OpenTelemetry writes it; a caller's decision always counts before it. */
static enum err read_ratio(struct str text, double *ret, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json v;

	if (!str_is(text)) {
		*ret = 1;
		return OK;
	}
	if (json_read(mem, str_trim(text), &v, NULL) != OK ||
	    (json_type(v) != JSON_INT && json_type(v) != JSON_REAL) || json_real(v, -1) < 0 ||
	    json_real(v, -1) > 1)
		return fail(e, ERR_INVALID,
		            "OTEL_TRACES_SAMPLER_ARG is \"%.*s\"; it is a number from 0 to 1",
		            STR_ARG(text));
	*ret = json_real(v, 1);
	return OK;
}

enum err telemetry_options_sampler(bool *ret_is_set, double *ret_ratio, struct error *e)
{
	struct str name = variable("OTEL_TRACES_SAMPLER");
	double ratio = 1;
	enum err code = OK;

	*ret_is_set = str_is(name);
	if (!str_is(name))
		return OK;
	if (str_eq(name, STR("parentbased_traceidratio")))
		code = read_ratio(variable("OTEL_TRACES_SAMPLER_ARG"), &ratio, e);
	else if (str_eq(name, STR("parentbased_always_off")))
		ratio = 0;
	else if (!str_eq(name, STR("parentbased_always_on")))
		code = fail(e, ERR_INVALID,
		            "OTEL_TRACES_SAMPLER is \"%.*s\"; parentbased_always_on, "
		            "parentbased_always_off and parentbased_traceidratio are supported",
		            STR_ARG(name));
	if (!code)
		*ret_ratio = ratio;
	return code;
}

static enum err check_address(struct str url, struct error *e)
{
	if (str_is(url) && !str_starts(url, STR("http://")) && !str_starts(url, STR("https://")))
		return fail(e, ERR_INVALID,
		            "telemetry.endpoint: the address of the collector begins with neither "
		            "http:// nor https://");
	return OK;
}

/* Without service.name, which has its own place; OTEL_SERVICE_NAME counts before it. */
static struct str resource(struct arena *mem, struct str *service, bool is_named)
{
	struct str rest = variable("OTEL_RESOURCE_ATTRIBUTES"), out = STR("");

	while (str_is(rest)) {
		struct str value = str_trim(str_cut(&rest, ','));
		struct str key = str_trim(str_cut(&value, '='));

		value = str_is(value) ? unescaped(mem, str_trim(value)) : STR_NONE;
		if (!key.len || !str_is(value))
			continue;
		if (!str_eq(key, STR("service.name")))
			out = arena_printf(mem, "%.*s%s%.*s=%.*s", STR_ARG(out),
			                   out.len ? "\n" : "", STR_ARG(key), STR_ARG(value));
		else if (!is_named)
			*service = value;
	}
	return out.len ? out : STR_NONE;
}

enum err telemetry_options_read(struct arena *mem, const struct config_values *values,
                                struct telemetry_options *ret, struct error *e)
{
	struct str service = variable("OTEL_SERVICE_NAME");
	enum err code = read_form(values, ret, e);

	for (size_t i = 0; i < OTLP_SIGNAL_COUNT && !code; i++) {
		ret->urls[i] = address(mem, values, (enum otlp_signal)i);
		code = check_address(ret->urls[i], e);
		if (!code)
			code = check_exporter(signals[i].exporter, e);
	}
	ret->source.service = str_is(service) ? service : STR("thole");
	ret->source.resource = resource(mem, &ret->source.service, str_is(service));
	report_unused();
	if (!code)
		code = read_headers(mem, ret, e);
	if (!code)
		code = read_ms("OTEL_EXPORTER_OTLP_TIMEOUT", TIMEOUT_MS, &ret->timeout_ms, e);
	return code ? code
	            : read_ms("OTEL_METRIC_EXPORT_INTERVAL", METRICS_MS, &ret->metrics_ms, e);
}

static void gather(void *arg, struct str clean)
{
	buf_add_str(arg, clean);
}

/* The redactor holds back what may begin a secret; of a text that is cut, that is never shown. */
static struct str clean_content(void *owner, struct arena *mem, struct str text, bool is_cut)
{
	CLEANUP(redact_stream_done) struct scrub_stream stream = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	redact_feed(owner, &stream, text, !is_cut, gather, &out);
	return arena_keep(mem, buf_str(&out));
}

struct span_redactor telemetry_options_redactor(struct scrub *scrub)
{
	return (struct span_redactor){ .clean = clean_content, .owner = scrub };
}
