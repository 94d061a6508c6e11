/* The settings node.labels, node.workspaces and node.shared_workspaces; node_workspaces.h. */
#include "lib/workspace/node_workspaces.h"

#include "base/gen/limits.h"
#include "base/jw.h"
#include "base/os/machine.h"
#include "base/path/path.h"
#include "core/session/placement.h"

/* NAME=PATH */
static bool split(struct str entry, struct str *ret_name, struct str *ret_path)
{
	ptrdiff_t at = str_find_char(entry, '=');

	if (at <= 0)
		return false;
	*ret_name = str_head(entry, (size_t)at);
	*ret_path = str_skip(entry, (size_t)at + 1);
	return true;
}

static bool is_named_before(const struct config_names *list, uint32_t count, struct str name)
{
	struct str other, path;

	for (uint32_t i = 0; i < count; i++)
		if (split(list->items[i], &other, &path) && str_eq(other, name))
			return true;
	return false;
}

static enum err check_list(const char *setting, const struct config_names *list,
                           const struct config_names *before, struct error *e)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct str name, path;

		if (!split(list->items[i], &name, &path) || !placement_is_name(name) || !path.len ||
		    path.ptr[0] != '/' || !path_is_clean(path))
			return fail(e, ERR_INVALID,
			            "%s: \"%.*s\" is not NAME=PATH with a name of letters, digits, "
			            "-, _ and . and an absolute path without . and ..",
			            setting, STR_ARG(str_head(list->items[i], 100)));
		if (is_named_before(list, i, name) ||
		    (before && is_named_before(before, before->count, name)))
			return fail(e, ERR_INVALID, "%s: there are two workspaces named %.*s",
			            setting, STR_ARG(name));
	}
	return OK;
}

enum err node_workspaces_check(const struct config_values *values, struct error *e)
{
	const struct config_names *labels = &values->node_labels;
	enum err err;

	if (labels->count > LIMIT_NODE_LABELS)
		return fail(e, ERR_INVALID, "node.labels: at most %d labels", LIMIT_NODE_LABELS);
	for (uint32_t i = 0; i < labels->count; i++)
		if (!placement_is_name(labels->items[i]))
			return fail(e, ERR_INVALID,
			            "node.labels: \"%.*s\" is no label: letters, digits, -, _ and "
			            "., at most %d of them",
			            STR_ARG(str_head(labels->items[i], 100)),
			            LIMIT_NODE_NAME_BYTES);
	if (values->node_workspaces.count + values->node_shared_workspaces.count >
	    LIMIT_NODE_WORKSPACES)
		return fail(e, ERR_INVALID,
		            "node.workspaces: at most %d workspaces, shared ones included",
		            LIMIT_NODE_WORKSPACES);
	err = check_list("node.workspaces", &values->node_workspaces, NULL, e);
	return err == OK ? check_list("node.shared_workspaces", &values->node_shared_workspaces,
	                              &values->node_workspaces, e)
	                 : err;
}

static void add_workspaces(struct arena *mem, struct rec_node_place *place,
                           const struct config_names *list, bool is_shared)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct rec_node_workspace *ws =
			rec_list_add(mem, &place->workspaces, &rec_node_workspace_desc);

		split(list->items[i], &ws->name, &ws->path);
		ws->is_shared = is_shared;
	}
}

struct str node_workspaces_text(struct arena *mem, const struct config_values *values)
{
	struct rec_node_place place = {
		.name = values->node_name.len ? values->node_name : STR("local"),
		.machine = machine_files(mem),
		.is_reached = values->node_address.len > 0,
		.labels = { .items = (struct str *)values->node_labels.items,
		            .count = values->node_labels.count },
	};

	add_workspaces(mem, &place, &values->node_workspaces, false);
	add_workspaces(mem, &place, &values->node_shared_workspaces, true);
	return rec_text(mem, &rec_node_place_desc, &place);
}
