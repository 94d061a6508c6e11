// An authorization server (oidc-provider) and a tool server (the official SDK) that accepts its tokens.
//
// usage: node login_server.mjs OPTIONS        JSON: {ttl, document, register, rotate}
//
// Prints {"issuer", "url", "origin"} when both listen, and ends with its standard input.  At the tool server GET /figures says what has
// happened, /hold makes the token endpoint keep requests before it looks at them, /release and /drop end that, /fail makes it fail until /release, /revoke ends every grant.
import http from 'node:http';
import crypto from 'node:crypto';
import Provider from 'oidc-provider';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

process.stdin.resume();
process.stdin.on('end', () => process.exit(0));

const options = { ttl: 3600, register: true, rotate: true, ...JSON.parse(process.argv[2] ?? '{}') };
const figures = { authorizations: 0, codes: 0, refreshes: 0, refused: 0, registrations: 0, revocations: 0, calls: 0, withoutToken: 0, failed: 0,
  badTokens: 0, resources: [], clients: [] };
const held = [];
let isHolding = false, isFailing = false;

const listen = (server) => new Promise((done) => { server.listen(0, '127.0.0.1', () => done(server.address().port)); });
const front = http.createServer((req, res) => answer(req, res));
const tools = http.createServer((req, res) => serve(req, res));
const issuer = `http://127.0.0.1:${await listen(front)}`;
const origin = `http://127.0.0.1:${await listen(tools)}`;
const url = `${origin}/mcp`;

// ---- the authorization server ----

const provider = new Provider(issuer, {
  clients: options.client ? [{ client_id: options.client, client_secret: options.secret, redirect_uris: ['http://127.0.0.1/callback'],
    application_type: 'native', grant_types: ['authorization_code', 'refresh_token'] }] : [],
  scopes: ['openid', 'offline_access'],
  pkce: { required: () => true },
  rotateRefreshToken: options.rotate,
  issueRefreshToken: async () => true,
  ttl: { AccessToken: options.ttl, RefreshToken: 86400, Grant: 86400, Session: 86400, Interaction: 600, AuthorizationCode: 60 },
  fetch: async () => new Response(options.document, { headers: { 'content-type': 'application/json' } }),
  jwks: { keys: [crypto.generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] },
  cookies: { keys: ['for tests'] },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: options.register },
    revocation: { enabled: true },
    clientIdMetadataDocument: { enabled: Boolean(options.document), ack: 'draft-02' },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource) => {
        if (resource !== url) throw new Error(`another resource: ${resource}`);
        return { scope: 'tools more', accessTokenTTL: options.ttl, accessTokenFormat: 'opaque' };
      },
    },
  },
  interactions: { url: (ctx, i) => `/interaction/${i.uid}` },
  findAccount: (ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
});
provider.on('grant.success', (ctx) => {
  figures[ctx.oidc.params.grant_type === 'refresh_token' ? 'refreshes' : 'codes'] += 1;
  figures.resources.push(ctx.oidc.params.resource);
  figures.clients.push(ctx.oidc.client.clientId);
});
provider.on('grant.error', (ctx, e) => { figures.refused += 1; console.error(e.error, e.error_description ?? '', e.error_detail ?? ''); });
provider.on('authorization.error', (ctx, e) => { console.error(e.error, e.error_description ?? '', e.error_detail ?? ''); });
provider.on('server_error', (ctx, e) => { console.error(e); });
provider.on('registration_create.success', () => { figures.registrations += 1; });
provider.on('registration_create.error', (ctx, e) => { console.error(e.error, e.error_description ?? ''); });
provider.on('authorization.success', () => { figures.authorizations += 1; });
const callback = provider.callback();

// The user agrees to everything at once.
async function interact(req, res) {
  const { prompt, params, session } = await provider.interactionDetails(req, res);
  if (prompt.name === 'login') {
    await provider.interactionFinished(req, res, { login: { accountId: 'alice' } });
    return;
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope('openid offline_access');
  grant.addResourceScope(params.resource, params.scope ?? '');
  await provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
}

function answer(req, res) {
  if (req.url.startsWith('/interaction/')) interact(req, res).catch((e) => { console.error(e); res.writeHead(500).end(); });
  else if (req.url === '/token' && isFailing) { figures.failed += 1; respond(res, 503, {}); }
  else if (req.url === '/token' && isHolding) held.push(() => callback(req, res));
  else {
    if (req.url.startsWith('/token/revocation')) figures.revocations += 1;
    callback(req, res);
  }
}

// ---- the tool server ----

function respond(res, status, body, headers = {}) {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function tokenOf(req) {
  const [scheme, text] = (req.headers.authorization ?? '').split(' ');
  if (scheme !== 'Bearer' || !text) { figures.withoutToken += 1; return undefined; }
  const token = await provider.AccessToken.find(text);
  const isOurs = token && !token.isExpired && [token.aud].flat().includes(url);
  if (!isOurs) figures.badTokens += 1;
  return isOurs ? token : undefined;
}

const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;

function made(token) {
  const server = new McpServer({ name: 'guarded', version: '1' });
  server.registerTool('whoami', { description: 'Who is signed in', inputSchema: {} }, async () => {
    figures.calls += 1;
    return { content: [{ type: 'text', text: `${token.accountId} with ${token.scope}` }] };
  });
  server.registerTool('write', { description: 'Needs another scope', inputSchema: {} }, async () => ({ content: [{ type: 'text', text: 'written' }] }));
  return server;
}

async function handle(req, res, body) {
  const token = await tokenOf(req);
  if (!token) {
    respond(res, 401, { error: 'invalid_token' }, { 'www-authenticate': `Basic realm="x, y", Bearer resource_metadata="${metadata}", scope="tools"` });
    return;
  }
  if (body?.method === 'tools/call' && body.params.name === 'write' && !token.scope.split(' ').includes('more')) {
    respond(res, 403, { error: 'insufficient_scope' }, { 'www-authenticate': `Bearer error="insufficient_scope", scope="more", resource_metadata="${metadata}"` });
    return;
  }
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  const server = made(token);
  res.on('close', () => { transport.close(); server.close(); });
  await server.connect(transport);
  await transport.handleRequest(req, res, body);
}

const grants = new Set();
provider.on('access_token.saved', (token) => grants.add(token.grantId));

async function revoke(res) {
  await Promise.all([...grants].map((id) => provider.Grant.find(id).then((g) => g?.destroy())));
  await Promise.all([...grants].map((id) => provider.AccessToken.revokeByGrantId(id)));
  await Promise.all([...grants].map((id) => provider.RefreshToken.revokeByGrantId(id)));
  respond(res, 200, {});
}

function serve(req, res) {
  if (req.url === '/figures') respond(res, 200, { ...figures, held: held.length });
  else if (req.url === '/hold') { isHolding = true; respond(res, 200, {}); }
  else if (req.url === '/fail') { isFailing = true; respond(res, 200, {}); }
  else if (req.url === '/release') { isHolding = isFailing = false; held.splice(0).forEach((go) => go()); respond(res, 200, {}); }
  else if (req.url === '/drop') { isHolding = false; held.splice(0); respond(res, 200, {}); }
  else if (req.url === '/revoke') revoke(res);
  else if (req.url === '/.well-known/oauth-protected-resource/mcp') {
    respond(res, 200, { resource: url, authorization_servers: [issuer], scopes_supported: ['tools'] });
  } else if (req.url === '/mcp') {
    const parts = [];
    req.on('data', (part) => parts.push(part));
    req.on('end', () => {
      const body = parts.length ? JSON.parse(Buffer.concat(parts)) : undefined;
      handle(req, res, body).catch((e) => { console.error(e); res.destroy(); });
    });
  } else respond(res, 404, {});
}

console.log(JSON.stringify({ issuer, url, origin }));
