/* Results of tools and contents of resources, as the engine takes them. */
#include "mcp/call/mcp_call_int.h"

#include "base/utf8.h"
#include "schema/schema.h"

/* How the result violates the tool's output schema; without a category: it does not. */
static struct tool_error broken_promise(struct tool_handle *h, const struct mcp_result *r)
{
	CLEANUP(schema_freep) struct schema *compiled = NULL;
	struct schema_report report = { .mem = h->mem, .max = 1 };
	struct error why;

	if (json_is(r->content) ? json_type(r->content) != JSON_ARR : !json_is(r->structured))
		return tool_error_result_no_list();
	if (r->is_error || !str_is(h->output_schema) ||
	    schema_compile_text(NULL, h->output_schema, NULL, &compiled, &why) != OK)
		return (struct tool_error){ 0 };
	if (!json_is(r->structured))
		return tool_error_result_not_structured();
	if (schema_check(compiled, r->structured, &report))
		return (struct tool_error){ 0 };
	return tool_error_result_breaks_schema(
		h->mem, report.errors[0].path.len ? report.errors[0].path : STR("it"),
		report.errors[0].message);
}

static void keep_parts(struct tool_handle *h, struct json content, struct tool_end *end)
{
	struct tool_part *parts;

	end->part_count = mcp_message_parts(h->mem, content, &parts);
	end->parts = parts;
}

/* One binary content is the output itself; several are artifacts beside the text. */
void mcp_call_result_resource(struct tool_handle *h, const struct mcp_result *r)
{
	struct json contents = JSON_GET(r->whole, "contents");
	CLEANUP(buf_done) struct buf out = { 0 };
	struct tool_end end = { .executed = EXECUTED_YES };
	struct tool_error broken = tool_error_result_no_list();

	if (json_type(contents) != JSON_ARR) {
		tool_end_fail(&end, &broken);
	} else {
		mcp_offers_follow(h->server, h->uri);
		end.content = json_text(h->mem, contents);
		if (!mcp_message_binary(&out, contents, &end.media_type)) {
			mcp_message_resource_text(&out, contents);
			keep_parts(h, contents, &end);
		}
		end.media_type = arena_keep(h->mem, end.media_type);
	}
	if (out.len)
		h->sink.output(h->owner, buf_str(&out));
	mcp_call_end_after_violations(h, &end);
}

/* The parts, when they are more than one text; other clients get them as they are. */
static struct str parts_of(struct tool_handle *h, const struct mcp_result *r)
{
	struct json first = json_at(r->content, 0);
	bool is_text = json_count(r->content) == 1 && json_count(first) == 2 &&
	               str_eq(json_str(JSON_GET(first, "type")), STR("text"));

	return json_type(r->content) != JSON_ARR || !json_count(r->content) || is_text
	               ? STR_NONE
	               : json_text(h->mem, r->content);
}

void mcp_call_result(struct tool_handle *h, const struct mcp_result *r)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct tool_end end = { .executed = EXECUTED_YES };
	struct tool_error broken;

	end.content = r->is_error ? STR_NONE : parts_of(h, r);
	if (!r->is_error && !str_is(h->output_schema) &&
	    mcp_message_binary(&text, r->content, &end.media_type)) {
		end.media_type = arena_keep(h->mem, end.media_type);
		end.structured =
			json_is(r->structured) ? json_text(h->mem, r->structured) : STR_NONE;
		h->sink.output(h->owner, buf_str(&text));
		mcp_call_end_after_violations(h, &end);
		return;
	}
	mcp_message_content_text(&text, r->content);
	keep_parts(h, r->content, &end);
	/* The text is what the model reads.  A tool with structured content only shows that. */
	end.structured = json_is(r->structured) ? json_text(h->mem, r->structured) : STR_NONE;
	if (!text.len && str_is(end.structured))
		buf_add_str(&text, end.structured);
	if (r->is_error || h->is_failed) {
		end.failed = true;
		end.category = ERROR_CATEGORY_TOOL_FAILED;
		end.message = text.len ? utf8_preview(h->mem, buf_str(&text), MCP_CALL_MESSAGE_MAX)
		                       : STR("the tool says that it failed");
	}
	broken = broken_promise(h, r);
	if (str_is(broken.category)) {
		tool_end_fail(&end, &broken);
		end.structured = end.content = STR_NONE;
	}
	if (text.len)
		h->sink.output(h->owner, buf_str(&text));
	mcp_call_end_after_violations(h, &end);
}
