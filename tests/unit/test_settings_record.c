/*
 * The record of settings: every member that the catalogue records comes back
 * from the text, and a text of others cannot do harm.
 */
#include "core/settings/settings_read.h"
#include "core/settings/settings_text.h"
#include "lib/golden.h"
#include "lib/t.h"
#include "policy/rules.h"

#include <stdio.h>

#define RULES "[{\"id\":\"no-rm\",\"effect\":\"deny\",\"command\":[\"rm\"],\"source\":\"project\"}]"
#define CANARY "hunter2"

/* ---- settings in which no member has its zero value ---- */

struct filler {
	struct arena *mem;
	int64_t next; /* every value is another one */
	unsigned depth;
};

static void fill_rec(struct filler *f, const struct rec_desc *d, void *rec);

static void *fill_new(struct filler *f, const struct rec_desc *d)
{
	void *rec = arena_alloc(f->mem, d->size);

	fill_rec(f, d, rec);
	return rec;
}

static struct str fill_str(struct filler *f)
{
	return arena_printf(f->mem, "v%lld", (long long)++f->next);
}

/* A list of the generated kinds: two items. */
static void fill_list(struct filler *f, const struct field *field, struct list_rec *l)
{
	bool is_dict = field->type == FIELD_DICT;

	l->items = arena_alloc(f->mem, 2 * sizeof(struct dict_entry));
	for (l->count = 0; l->count < 2; l->count++) {
		if (field->type == FIELD_LIST_REC)
			l->items[l->count] = fill_new(f, field->rec);
		else if (field->type == FIELD_LIST_INT)
			((int64_t *)l->items)[l->count] = ++f->next;
		else if (is_dict)
			((struct dict_entry *)l->items)[l->count] =
				(struct dict_entry){ fill_str(f), fill_str(f) };
		else
			((struct str *)l->items)[l->count] = fill_str(f);
	}
	l->cap = l->count;
}

static void fill_array(struct filler *f, const struct field *field, char *at, size_t *count)
{
	char *items = arena_alloc(f->mem, 2 * field->rec->size);

	for (*count = 0; *count < 2; (*count)++)
		fill_rec(f, field->rec, items + *count * field->rec->size);
	*(char **)at = items;
}

static void fill_names(struct filler *f, struct config_names *names)
{
	struct str *items = ARENA_ARRAY(f->mem, struct str, 2);

	items[0] = fill_str(f);
	items[1] = fill_str(f);
	*names = (struct config_names){ items, 2 };
}

static void fill_field(struct filler *f, const struct field *field, char *rec)
{
	char *at = rec + field->offset;

	if (field->has_offset && field->type != FIELD_ARRAY)
		*(bool *)(rec + field->has_offset) = true;
	switch (field->type) {
	case FIELD_STR:
	case FIELD_ID:
		*(struct str *)at = fill_str(f);
		break;
	case FIELD_JSON:
		*(struct str *)at = arena_printf(f->mem, "{\"const\":%lld}", (long long)++f->next);
		break;
	case FIELD_INT:
	case FIELD_USD:
		*(int64_t *)at = ++f->next;
		break;
	case FIELD_TIME:
		*(int64_t *)at = 1000 * ++f->next;
		break;
	case FIELD_REAL:
		*(double *)at = (double)++f->next;
		break;
	case FIELD_BOOL:
		*(bool *)at = true;
		break;
	case FIELD_ENUM:
		*(uint32_t *)at = 1 + (uint32_t)(++f->next % (field->words->count - 1));
		break;
	case FIELD_REC:
		*(void **)at = fill_new(f, field->rec);
		break;
	case FIELD_PART:
		fill_rec(f, field->rec, at);
		break;
	case FIELD_ARRAY:
		fill_array(f, field, at, (size_t *)(rec + field->has_offset));
		break;
	case FIELD_NAMES:
		fill_names(f, (struct config_names *)at);
		break;
	default:
		fill_list(f, field, (struct list_rec *)at);
	}
}

static void fill_rec(struct filler *f, const struct rec_desc *d, void *rec)
{
	CHECK(++f->depth < 16);
	for (uint32_t i = 0; i < d->count; i++)
		fill_field(f, &d->fields[i], rec);
	f->depth--;
}

static struct settings full_settings(struct arena *mem)
{
	struct filler f = { .mem = mem };
	struct settings s = { 0 };

	fill_rec(&f, &settings_desc, &s);
	return s;
}

/* ---- tests ---- */

TEST(settings_come_back_from_their_record)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct settings s = full_settings(mem), back;
	struct str text = settings_text(mem, &s);
	struct error e;

	CHECK_OK(settings_read(mem, text, STR_NONE, &back, &e), &e);
	CHECK(str_eq(settings_text(mem, &back), text));
	CHECK(back.retry_max == s.retry_max && back.caps.day == s.caps.day);
	CHECK(back.tasks.runtime == s.tasks.runtime && back.mode == s.mode);
	CHECK(back.model_count == 2 && back.models[1].price_count == 2);
	CHECK(back.models[1].prices[1].cache_write == s.models[1].prices[1].cache_write);
	CHECK(back.config->routing_fallback_chain.count == 2);
	CHECK(back.hooks[1].timeout_ms == s.hooks[1].timeout_ms);
	CHECK(back.tools[1].schema != NULL && !back.rules && !back.bind);
	settings_read_done(&back);
}

/* A decision compares refs, and the environment of an event names its record. */
TEST(refs_follow_from_the_bytes_of_a_record)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct settings s = full_settings(mem), back;
	struct str text = settings_text(mem, &s), ref = settings_text_ref(mem, text);
	struct error e;

	CHECK_OK(settings_read(mem, text, STR_NONE, &back, &e), &e);
	CHECK(ref.len == 44 && str_starts(ref, STR("out_")));
	CHECK(str_eq(back.config_ref, ref) && str_eq(back.environment->env_ref, ref));
	s.retry_max++;
	CHECK(!str_eq(settings_text_ref(mem, settings_text(mem, &s)), ref));
	CHECK_SAME(settings_text_ref(mem, settings_text_inventory(mem, &s)), back.inventory_ref);
	s.tool_count--;
	CHECK(!str_eq(settings_text_ref(mem, settings_text_inventory(mem, &s)),
	              back.inventory_ref));
	settings_read_done(&back);
}

static size_t count_members(const struct rec_desc *d)
{
	size_t count = d->count;

	for (uint32_t i = 0; i < d->count; i++)
		if (d->fields[i].type == FIELD_REC || d->fields[i].type == FIELD_PART)
			count += count_members(d->fields[i].rec);
		else if (d->fields[i].type == FIELD_ARRAY || d->fields[i].type == FIELD_LIST_REC)
			count += 2 * count_members(d->fields[i].rec);
	return count;
}

static size_t count_keys(struct json v)
{
	struct json_iter it = json_iter(v);
	size_t count = 0;
	struct json each;
	struct str key;

	while (json_next(&it, &key, &each))
		count +=
			(json_type(v) == JSON_OBJ && !str_eq(key, STR("const"))) + count_keys(each);
	return count;
}

TEST(every_member_that_is_not_zero_is_written)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct settings s = full_settings(mem);
	struct error e;
	struct json v;

	CHECK_OK(json_read(mem, settings_text(mem, &s), &v, &e), &e);
	CHECK_INT(count_keys(v), count_members(&settings_desc));
}

static const struct rec_desc *const tables[] = { &model_price_desc,    &model_info_desc,
	                                         &tool_info_desc,      &hook_info_desc,
	                                         &settings_tasks_desc, &settings_caps_desc,
	                                         &settings_desc,       &settings_inventory_desc,
	                                         &settings_rules_desc };

static void check_table(struct json rows, const struct rec_desc *d)
{
	struct json_iter it = json_iter(rows);
	struct json row;
	struct str key;
	uint32_t at = 0;

	while (json_next(&it, &key, &row)) {
		struct str name = json_str(JSON_GET(row, "name"));

		if (!str_is(name))
			continue; /* not recorded */
		CHECK(at < d->count);
		CHECK_SAME(field_name(&d->fields[at++]), name);
	}
	CHECK_INT(at, d->count);
}

TEST(every_row_of_the_catalogue_is_in_its_table)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json doc, records;
	struct error e;

	golden_read(arena_printf(mem, "%s/catalog/settings.json", getenv("THOLE_SOURCE")).ptr,
	            &text);
	CHECK_OK(json_read(mem, buf_str(&text), &doc, &e), &e);
	records = JSON_GET(doc, "records");
	CHECK_INT(json_count(records), COUNT_OF(tables));
	for (size_t i = 0; i < COUNT_OF(tables); i++)
		check_table(json_get(records, str_from(tables[i]->name)), tables[i]);
}

TEST(settings_without_anything_can_be_recorded)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct settings s = { .config = &settings_config_defaults }, back;
	struct str text = settings_text(mem, &s);
	struct error e;

	CHECK_OK(settings_read(mem, text, STR_NONE, &back, &e), &e);
	CHECK(str_eq(settings_text(mem, &back), text));
	CHECK(!back.environment && !str_is(back.model) && !back.mode && !back.tool_count);
	CHECK(back.config->context_compact_percent == 80);
	settings_read_done(&back);
}

/* Records of versions that did not have it mean its default. */
TEST(a_setting_that_came_later_is_recorded_where_it_was_changed)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct config_values values = config_defaults;
	struct settings_config config;
	struct settings s = { .config = &config }, back;
	struct error e;

	settings_config_take(&values, &config);
	CHECK(str_find(settings_text(mem, &s), STR("telemetrySampleRatio")) < 0);
	values.telemetry_sample_ratio = 0.1;
	settings_config_take(&values, &config);
	CHECK_HAS(settings_text(mem, &s), "\"telemetrySampleRatio\":0.1");
	CHECK_OK(settings_read(mem, settings_text(mem, &s), STR_NONE, &back, &e), &e);
	CHECK(back.config->has_telemetry_sample_ratio);
	CHECK(back.config->telemetry_sample_ratio == 0.1); /* exactly: it decides */
	settings_read_done(&back);
}

TEST(a_record_holds_no_address_and_no_command_line)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct model_info model = { .base_url = STR("https://me:" CANARY "@example.org") };
	struct hook_info hook = { .handler = STR("curl -H 'key: " CANARY "'") };
	struct settings s = { .config = &settings_config_defaults,
		              .models = &model,
		              .model_count = 1,
		              .hooks = &hook,
		              .hook_count = 1 };

	CHECK(str_find(settings_text(mem, &s), STR(CANARY)) < 0);
}

TEST(rules_come_back_with_their_source_and_their_trouble)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct settings s = full_settings(mem), back;
	struct str rules = settings_text_rules(mem, STR(RULES), STR("/srv/app: no JSON"));
	struct error e;

	CHECK_OK(settings_read(mem, settings_text(mem, &s), rules, &back, &e), &e);
	CHECK_INT(back.rules->count, 1);
	CHECK_STR(back.rules->items[0].ref, "rule:project:no-rm");
	CHECK_STR(back.rules_trouble, "/srv/app: no JSON");
	CHECK(str_eq(back.rules_ref, settings_text_rules_ref(mem, rules)));
	settings_read_done(&back);
}

/* Each file was valid by itself; what they were together was refused, and every call denied. */
TEST(rules_that_cannot_be_read_deny_every_call)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct settings s = full_settings(mem), back;
	struct str rules = settings_text_rules(mem, STR("[{\"effect\":\"maybe\"}]"), STR_NONE);
	struct error e;

	CHECK_OK(settings_read(mem, settings_text(mem, &s), rules, &back, &e), &e);
	CHECK_INT(back.rules->count, 1);
	CHECK(back.rules->items[0].effect == APPROVAL_DECISION_DENY);
	CHECK(back.rules->items[0].source == RULE_HOST_POLICY);
	settings_read_done(&back);
}

/* ---- texts of others ---- */

static void check_refused(struct arena *mem, struct str record, struct str rules, const char *why)
{
	struct settings back = { .retry_max = 77 };
	struct error e = { 0 };

	CHECK(settings_read(mem, record, rules, &back, &e) != OK);
	if (str_find(str_from(e.message), str_from(why)) < 0)
		fprintf(stderr, "%s is not in: %s\n", why, e.message);
	CHECK(str_find(str_from(e.message), str_from(why)) >= 0);
	CHECK_INT(back.retry_max, 77);
}

/* One occurrence of a part of the text is replaced. */
static struct str with(struct arena *mem, struct str text, const char *what, const char *by)
{
	ptrdiff_t at = str_find(text, str_from(what));

	CHECK(at >= 0);
	return arena_printf(mem, "%.*s%s%.*s", (int)at, text.ptr, by,
	                    STR_ARG(str_skip(text, (size_t)at + strlen(what))));
}

TEST(a_wrong_record_is_refused_by_the_name_of_its_member)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct settings s = full_settings(mem);
	struct str text = settings_text(mem, &s);

	check_refused(mem, STR(""), STR_NONE, "");
	check_refused(mem, STR("[]"), STR_NONE, "an object wanted");
	check_refused(mem, STR("{}"), STR_NONE, "config is missing");
	check_refused(mem, with(mem, text, "\"retryMax\"", "\"retryMin\""), STR_NONE, "retryMax");
	check_refused(mem, with(mem, text, "\"tools\":[{", "\"tools\":[7,{"), STR_NONE, "tools[0]");
	check_refused(mem, with(mem, text, "\"isReadOnly\":true", "\"isReadOnly\":1"), STR_NONE,
	              "isReadOnly");
	check_refused(mem, with(mem, text, "\"mode\":\"", "\"mode\":\"x"), STR_NONE, "mode");
	check_refused(mem, with(mem, text, "\"inputSchema\":{", "\"inputSchema\":{\"type\":7,"),
	              STR_NONE, "type");
	check_refused(mem, text, STR("{\"trouble\":\"x\"}"), "rules is missing");
	check_refused(mem, text, STR("[]"), "an object wanted");
}

/* A record of version 0.1 lists some values under other names. */
TEST(a_record_of_an_older_version_is_refused)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	check_refused(mem,
	              STR("{\"version\":\"0.1.0\",\"mode\":\"default\",\"interactive\":true,"
	                  "\"models\":[],\"tools\":[]}"),
	              STR_NONE, "config is missing");
}

TEST(no_part_of_a_record_is_accepted_or_crashes)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct settings s = full_settings(mem);
	struct str text = settings_text(mem, &s);

	for (size_t i = 0; i < text.len; i += 7) {
		CLEANUP(arena_freep) struct arena *part = arena_new();
		char *copy = arena_alloc(part, text.len);
		struct settings back;
		struct error e;

		CHECK(settings_read(part, str_of(text.ptr, i), STR_NONE, &back, &e) != OK);
		memcpy(copy, text.ptr, text.len);
		copy[i] ^= 1;
		if (settings_read(part, str_of(copy, text.len), STR_NONE, &back, &e) == OK)
			settings_read_done(&back);
	}
}

TEST_MAIN()
