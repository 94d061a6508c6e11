// A person's account at an authorization server (oidc-provider), and an official MCP client that logs in there.
//
//   node login.mjs serve           prints {"issuer"} when it listens, and ends with its standard input
//   node login.mjs connect URL     connects to an MCP server without a token, as its metadata says; prints what it saw as JSON
import http from 'node:http';
import crypto from 'node:crypto';

async function serve() {
  const { default: Provider } = await import('oidc-provider');
  process.stdin.resume();
  process.stdin.on('end', () => process.exit(0));
  const server = http.createServer((req, res) => (req.url.startsWith('/interaction/') ? interact(req, res) : provider.callback()(req, res)));
  const port = await new Promise((done) => { server.listen(0, '127.0.0.1', () => done(server.address().port)); });
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    scopes: ['openid', 'offline_access', 'read', 'write', 'approve'],
    pkce: { required: () => true },
    jwks: { keys: [{ ...crypto.generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['for tests'] },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource) => ({
          scope: 'read write approve', audience: resource, accessTokenTTL: 600, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
      },
    },
    interactions: { url: (ctx, i) => `/interaction/${i.uid}` },
    findAccount: (ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  });
  // The person agrees to everything at once.
  async function interact(req, res) {
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    if (prompt.name === 'login') {
      await provider.interactionFinished(req, res, { login: { accountId: 'alice' } });
      return;
    }
    const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(`openid offline_access ${params.scope ?? ''}`);
    grant.addResourceScope(params.resource, params.scope ?? '');
    await provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
  }
  console.log(JSON.stringify({ issuer }));
}

// Follows the pages of the login to the address that the person's browser ends at.
async function browse(url, callback) {
  const jar = new Map();
  for (let hop = 0; hop < 20; hop += 1) {
    if (url.href.startsWith(callback)) return url;
    const res = await fetch(url, { redirect: 'manual', headers: { cookie: [...jar].map(([k, v]) => `${k}=${v}`).join('; ') } });
    for (const line of res.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0].split('=');
      jar.set(name, value);
    }
    if (!res.headers.get('location')) throw new Error(`${url}: ${res.status} ${await res.text()}`);
    url = new URL(res.headers.get('location'), url);
  }
  throw new Error('too many redirects');
}

async function connect(where) {
  const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import('@modelcontextprotocol/client');
  const callback = 'http://127.0.0.1:9/callback';
  const seen = { asked: 0 };
  let registered, tokens, verifier, page;
  const provider = {
    redirectUrl: callback,
    clientMetadata: { client_name: 'tests', redirect_uris: [callback], grant_types: ['authorization_code'], response_types: ['code'],
      token_endpoint_auth_method: 'none', application_type: 'native' },
    clientInformation: () => registered,
    saveClientInformation: (c) => { registered = c; },
    tokens: () => tokens,
    saveTokens: (t) => { tokens = t; },
    redirectToAuthorization: (url) => { seen.asked += 1; page = url; },
    saveCodeVerifier: (v) => { verifier = v; },
    codeVerifier: () => verifier,
  };
  const made = () => new StreamableHTTPClientTransport(new URL(where), { authProvider: provider });
  const client = () => new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode: 'legacy' } });
  const first = made();
  try {
    await client().connect(first);
    throw new Error('no login was required');
  } catch (e) {
    if (!(e instanceof UnauthorizedError)) throw e;
  }
  seen.resource = page.searchParams.get('resource');
  seen.scope = page.searchParams.get('scope');
  const end = await browse(page, callback);
  await first.finishAuth(end.searchParams);
  const [head, claims] = tokens.access_token.split('.').slice(0, 2).map((p) => JSON.parse(Buffer.from(p, 'base64url')));
  Object.assign(seen, { typ: head.typ, aud: claims.aud, sub: claims.sub, token: tokens.access_token });
  const c = client();
  await c.connect(made());
  seen.tools = (await c.listTools()).tools.map((t) => t.name);
  seen.ran = await c.callTool({ name: 'run', arguments: { prompt: 'hello' } });
  await c.close();
  console.log(JSON.stringify(seen));
  process.exit(0);
}

await (process.argv[2] === 'serve' ? serve() : connect(process.argv[3]));
