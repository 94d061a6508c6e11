/*
 * Look-up in the generated catalogue: event classes and commands by name and
 * number, and the shape check that every event passes before it is stored.
 */
#include "catalog/catalog.h"

const struct rec_desc *catalog_payload_of(const void *event)
{
	return event_classes[((const struct event *)event)->type].payload;
}

/* A linear search: the list is short beside the cost of a request. */
enum command catalog_command_find(struct str name)
{
	for (int i = 1; i < COMMAND_COUNT; i++)
		if (str_eq(command_classes[i].name, name))
			return (enum command)i;
	return COMMAND_ABSENT;
}

/* All scope fields are strings. */
static bool has_scope(const struct event *ev, uint32_t field)
{
	const struct field *f = &event_desc.fields[field];

	return ((const struct str *)((const char *)ev + f->offset))->len > 0;
}

static bool has_record(const struct event *ev, uint32_t field)
{
	return *(void *const *)((const char *)ev + event_desc.fields[field].offset);
}

static uint32_t first_bit(uint64_t bits)
{
	return (uint32_t)__builtin_ctzll(bits);
}

static enum err lacks(const struct event_class *class, uint32_t field, struct error *e)
{
	return fail(e, ERR_INVALID, "%.*s needs %.*s", STR_ARG(class->name),
	            STR_ARG(field_name(&event_desc.fields[field])));
}

enum err catalog_event_class_check(const struct event *ev, struct error *e)
{
	if (ev->type <= EV_ABSENT || ev->type >= EV_COUNT || !event_classes[ev->type].is_built)
		return fail(e, ERR_INVALID, "class %d is not one that is emitted", (int)ev->type);
	const struct event_class *class = &event_classes[ev->type];

	for (uint64_t bits = class->scope; bits; bits &= bits - 1)
		if (!has_scope(ev, first_bit(bits)))
			return lacks(class, first_bit(bits), e);
	for (uint64_t bits = class->requires; bits; bits &= bits - 1)
		if (!has_record(ev, first_bit(bits)))
			return lacks(class, first_bit(bits), e);
	return ev->payload ? OK
	                   : fail(e, ERR_INVALID, "%.*s needs a payload", STR_ARG(class->name));
}

/*
 * Runs on every event before it is written.  A failure is a bug of the decision, not of a
 * client: the engine records it as append_refused.
 */
enum err catalog_event_check(const struct event *ev, struct error *e)
{
	enum err code = catalog_event_class_check(ev, e);

	return code ? code : rec_check(&event_desc, ev, e);
}

enum error_code catalog_code_of_fault(const struct error *e)
{
	switch (e->detail) {
	case REC_FAULT_UNKNOWN:
		return ERROR_CODE_UNKNOWN_FIELD;
	case REC_FAULT_MISSING:
		return ERROR_CODE_MISSING_FIELD;
	case REC_FAULT_TYPE:
		return ERROR_CODE_INVALID_TYPE;
	case REC_FAULT_VALUE:
		return ERROR_CODE_INVALID_VALUE;
	case REC_FAULT_ID:
		return ERROR_CODE_INVALID_ID;
	case REC_FAULT_LARGE:
		return ERROR_CODE_TOO_LARGE;
	default:
		return ERROR_CODE_INVALID_REQUEST;
	}
}
