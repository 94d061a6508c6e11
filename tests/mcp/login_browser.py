"""A browser of few words: follows the pages of a login and returns the address that it is redirected to at the end."""
import http.cookiejar
import urllib.error
import urllib.parse
import urllib.request

HOPS_MAX = 20


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args):
        return None


def page_after(url, redirect_uri):
    """The address that begins with redirect_uri; it is not opened."""
    opener = urllib.request.build_opener(Stay, urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()), urllib.request.ProxyHandler({}))
    for _ in range(HOPS_MAX):
        if url.startswith(redirect_uri):
            return url
        try:
            with opener.open(url) as page:
                raise AssertionError(f"{url}: {page.status}: {page.read(300)!r}")
        except urllib.error.HTTPError as e:
            if e.code not in (301, 302, 303, 307):
                raise AssertionError(f"{url}: {e.code}: {e.read(300)!r}") from e
            url = urllib.parse.urljoin(url, e.headers["location"])
    raise AssertionError(f"too many redirects: {url}")
