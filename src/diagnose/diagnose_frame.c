/* Takes messages apart and puts them together.  Pure. */
#include "diagnose/diagnose_frame.h"

#define HEADER_MAX 4096

static bool is_name(struct str line, struct str name)
{
	if (line.len < name.len)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = line.ptr[i];

		if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != name.ptr[i])
			return false;
	}
	return true;
}

static bool read_length(struct str head, uint64_t *ret)
{
	struct str name = STR("content-length:");
	bool found = false;

	while (head.len) {
		struct str line = str_cut(&head, '\n');

		if (!is_name(line, name))
			continue;
		if (found || !str_to_u64(str_trim(str_skip(line, name.len)), ret))
			return false;
		found = true;
	}
	return found;
}

enum err diagnose_frame_next(struct buf *in, struct arena *mem, struct str *ret, struct error *e)
{
	ptrdiff_t at = str_find(buf_str(in), STR("\r\n\r\n"));
	uint64_t length = 0;
	size_t head;

	*ret = STR_NONE;
	if (at < 0)
		return in->len > HEADER_MAX ? fail(e, ERR_INVALID, "a header without an end") : OK;
	head = (size_t)at + 4;
	if (!read_length(str_head(buf_str(in), (size_t)at), &length))
		return fail(e, ERR_INVALID, "a message without a length");
	if (length > DIAGNOSE_FRAME_MAX)
		return fail(e, ERR_TOO_LARGE, "a message of %llu bytes",
		            (unsigned long long)length);
	if (in->len - head < length)
		return OK;
	*ret = arena_keep(mem, str_of(in->ptr + head, (size_t)length));
	buf_drop(in, head + (size_t)length);
	return OK;
}

void diagnose_frame_add(struct buf *out, struct str body)
{
	buf_printf(out, "Content-Length: %zu\r\n\r\n", body.len);
	buf_add_str(out, body);
}
