"""Metrics of the runtime: a table in C and the reference page; a part of scripts/catalog.py."""
PLACE = "docs/reference/"
KEYS = {"kind", "buckets", "labels", "otel", "doc"}
LABELS_MAX = 2
KINDS = {"histogram": "_seconds", "counter": "_total", "gauge": ""}  # and how a name ends


def check(cat, problem):
    for name, row in cat.metrics.items():
        where = f"metric {name}"
        for key in row.keys() - KEYS:
            problem(f"{where}: no key {key}")
        if row["kind"] not in KINDS:
            problem(f"{where}: kind {row['kind']}")
            continue
        if (row["kind"] == "histogram") != (row.get("buckets") in cat.metric_buckets):
            problem(f"{where}: a histogram has buckets, others have none")
        if not name.endswith(KINDS[row["kind"]]):
            problem(f"{where}: its name does not end with its unit")
        if len(row["labels"]) > LABELS_MAX:
            problem(f"{where}: more than {LABELS_MAX} labels")
        if not row["doc"].endswith("."):
            problem(f"{where}: its doc is no sentence")


def c_files(cat, head, quoted):
    bounds = {name: values for name, values in cat.metric_buckets.items()}
    many = max(len(v) for v in bounds.values())
    h = [head, "#ifndef CATALOG_GEN_METRICS_H\n#define CATALOG_GEN_METRICS_H",
         "/* Metrics of the runtime: rows of catalog/metrics.json. */", '#include "base/str.h"\n',
         "enum metric {\n" + "".join(f"\tMETRIC_{name.upper()},\n" for name in cat.metrics) + "\tMETRIC_COUNT,\n};\n",
         f"#define METRIC_BOUNDS_MAX {many}\n#define METRIC_LABELS_MAX {LABELS_MAX}\n",
         "enum metric_kind { METRIC_COUNTER, METRIC_HISTOGRAM, METRIC_GAUGE };\n",
         "struct metric_info {\n\tstruct str name, otel_name, doc;\n\tenum metric_kind kind;\n\tconst double *bounds; /* upper ones of a histogram, ascending; else NULL */\n"
         "\tsize_t bound_count, label_count;\n\tstruct str labels[METRIC_LABELS_MAX];\n};\n",
         "extern const struct metric_info metric_infos[METRIC_COUNT];\n", "#endif"]
    c = [head, '#include "catalog/gen/metrics.h"\n']
    c += [f"static const double {name}[] = {{ " + ", ".join(str(v) for v in values) + " };" for name, values in bounds.items()]
    c.append("\nconst struct metric_info metric_infos[METRIC_COUNT] = {")
    for name, row in cat.metrics.items():
        members = [f".name = STR({quoted(name)})", f".otel_name = STR({quoted(row['otel'])})", f".doc = STR({quoted(row['doc'])})",
                   f".kind = METRIC_{row['kind'].upper()}"]
        if "buckets" in row:
            members += [f".bounds = {row['buckets']}", f".bound_count = {len(bounds[row['buckets']])}"]
        if row["labels"]:
            members += [f".label_count = {len(row['labels'])}", ".labels = { " + ", ".join(f"STR({quoted(x)})" for x in row["labels"]) + " }"]
        c.append(f"\t[METRIC_{name.upper()}] = {{ " + ", ".join(members) + " },")
    c.append("};")
    return {"metrics.h": "\n".join(h) + "\n", "metrics.c": "\n".join(c) + "\n"}


def outputs(cat, notice):
    out = [notice + "# Metrics\n\nA daemon serves them at `/metrics`, in the text format of Prometheus; each name begins with `thole_`. The same figures are sent to "
           "an\nOpenTelemetry collector under the second name ([how](../how-to/telemetry.md)). Histograms and counters count since the start of the daemon; a gauge says what is now. A metric has at most\n"
           "200 combinations of label values; further ones are counted as `other`.\n",
           "| `/metrics` | OpenTelemetry | kind | labels | meaning |", "| --- | --- | --- | --- | --- |"]
    out += [f"| `thole_{name}` | `{row['otel']}` | {row['kind']} | {', '.join(f'`{x}`' for x in row['labels'])} | {row['doc']} |"
            for name, row in cat.metrics.items()]
    return {PLACE + "metrics.md": "\n".join(out) + "\n"}
