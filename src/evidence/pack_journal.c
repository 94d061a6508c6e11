/* Checks the lines of journal.jsonl (pack_journal.h). */
#include "evidence/pack_journal.h"

#include "base/buf.h"
#include "base/hash/base64.h"
#include "base/json.h"
#include "core/journal/journal_read.h"

void pack_journal_begin(struct pack_journal *j, uint64_t first, uint64_t last)
{
	*j = (struct pack_journal){ first, last, -1 };
}

static bool has_only(struct json doc)
{
	struct json_iter it = json_iter(doc);
	struct json member;
	struct str key;

	while (json_next(&it, &key, &member))
		if (!str_eq(key, STR("sequence")) && !str_eq(key, STR("key")) &&
		    !str_eq(key, STR("record")))
			return false;
	return true;
}

/* A line at the event before the first has the key that the records behind it need. */
static const char *place_fault(const struct pack_journal *j, int64_t sequence)
{
	if (sequence < 0)
		return "the record names no event";
	if (sequence <= j->before)
		return "the records are not in order";
	if ((uint64_t)sequence > j->last || (uint64_t)sequence + 1 < j->first)
		return "the record is of an event that the pack does not cover";
	return NULL;
}

/* False: not base64.  Absent members give no bytes. */
static bool read_bytes(struct json member, struct buf *out)
{
	return !json_is(member) ||
	       (json_type(member) == JSON_STR && base64_read(out, json_str(member)));
}

static const char *key_fault(struct str key)
{
	struct journal_reader reader = { 0 };
	enum journal_result result = key.len ? journal_read_key(&reader, key) : JOURNAL_READ;

	journal_read_done(&reader);
	return result == JOURNAL_DAMAGED ? "the key of the record is malformed" : NULL;
}

static const char *bytes_fault(struct json doc)
{
	CLEANUP(buf_done) struct buf key = { 0 };
	CLEANUP(buf_done) struct buf body = { 0 };
	const char *fault;

	if (!read_bytes(JSON_GET(doc, "key"), &key) || !read_bytes(JSON_GET(doc, "record"), &body))
		return "the record is no base64";
	fault = key_fault(buf_str(&key));
	if (!fault && body.len && !journal_read_count(buf_str(&body)))
		fault = "the record is malformed";
	return fault;
}

const char *pack_journal_fault(struct pack_journal *j, struct arena *mem, struct str line,
                               int64_t *ret)
{
	const char *fault;
	struct json doc;

	*ret = -1;
	if (json_read(mem, line, &doc, NULL) != OK || json_type(doc) != JSON_OBJ || !has_only(doc))
		return "the line is not a record of a journal";
	*ret = json_int(JSON_GET(doc, "sequence"), -1);
	fault = place_fault(j, *ret);
	j->before = *ret > j->before ? *ret : j->before;
	return fault ? fault : bytes_fault(doc);
}
