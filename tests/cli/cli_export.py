"""A thread as a page: whole, escaped, without scripts, without secrets."""
import html.parser

from cli_fixture import test


class Page(html.parser.HTMLParser):
    """Fails on elements that are not closed in order, and collects what is in the page."""

    VOID = {"meta", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.text, self.attributes = [], set(), "", []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes += [name for name, _ in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, (tag, self.open)

    def handle_data(self, data):
        self.text += data


@test
def a_thread_is_exported_as_a_page(b):
    key = "sk-ant-api03-" + "a1B2" * 20
    (b.work / "secret").write_text(key)
    b.env["THOLE_SCRIPT"] = b.script({"default": {"text": "done"}, "rules": [{"when": {"text": "build"}, "replies": [
        {"reasoning": "Look <first>.", "text": "I **look**.", "toolCalls": [{"name": "shell", "args": {"command": "echo '<script>x</script>'; cat secret"}}]},
        {"toolCalls": [{"name": "write_file", "args": {"path": "a&b.txt", "content": "<b>\n"}}]},
        {"text": "# Done\n\n```html\n<img src=x onerror=y>\n```\n\n- `x < y`\n\nIt is \u202eevil & 'quoted'."}]}]})
    b.start("serve", "-c", "permission.mode=bypass").stderr.readline()
    b.run("run", "build <i>it</i> " + "long " * 2000 + "END", code=0)
    b.run("run", "-s", "@last", "again", code=0)
    done = b.run("export", "html", "@last", code=0)
    page = Page(done.out)
    assert not page.seen & {"script", "img", "i", "b", "a", "link", "iframe", "form"}, page.seen
    assert not [a for a in page.attributes if a.startswith("on") or a in ("src", "href", "style")], page.attributes
    assert "default-src 'none'" in done.out and "http://" not in done.out and "https://" not in done.out
    for text in ("build <i>it</i>", "END", "<script>x</script>", "Look <first>.", "<img src=x onerror=y>", "x < y", "<U+202E>evil & 'quoted'.",
                 "created", "a&b.txt", "+<b>", "Turn 2", "again"):
        assert text in page.text, text
    assert key not in done.out, "what the log does not hold is not in the page"
    turn = b.run("log", "@last", "--json", "--type", "turn.submitted", code=0).lines()[1]["turnId"]
    one = Page(b.run("export", "html", turn, code=0).out)
    assert "again" in one.text and "END" not in one.text
    assert "session, script, html, atif" in b.run("export", "pdf", "@last", code=2).err
