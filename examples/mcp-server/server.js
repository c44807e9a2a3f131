// An MCP server for agents that act for a user: it says where to get access tokens (RFC 9728), and verifies them here.
import { createServer } from 'node:http';
import { localhostHostValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

const { TENANT_ID, ISSUER = 'http://127.0.0.1:3000', PORT = '4200' } = process.env;
if (!TENANT_ID) throw new Error('Set TENANT_ID to the tenant with this server as a protected resource: see README.md');
/** The identifier of the protected resource: the address that clients know. */
const { RESOURCE = `http://127.0.0.1:${PORT}/mcp` } = process.env;
const SCOPES = ['notes:read', 'notes:write'];
/** RFC 9728 section 3.1: before the path of the resource. */
const METADATA_PATH = `/.well-known/oauth-protected-resource${new URL(RESOURCE).pathname}`;
const METADATA_URL = new URL(METADATA_PATH, RESOURCE).href;
const keys = createRemoteJWKSet(new URL(`${ISSUER}/.well-known/jwks.json`), { cacheMaxAge: 3_600_000 });

const EXPECTED = { issuer: ISSUER, audience: RESOURCE, algorithms: ['RS256'], typ: 'at+jwt', requiredClaims: ['exp'] };

class Refused extends Error {}

const NOTE = { type: 'object', properties: { note: { type: 'string', maxLength: 1000 } }, required: ['note'] };
/** Of whom the notes are: `sub` of the access token. */
const notes = new Map();

/** The tools of one user, with the scopes that they have allowed. */
function toolsFor({ extra: { sub }, scopes }) {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  const text = (content, isError = false) => ({ content: [{ type: 'text', text: content }], isError });
  const own = notes.get(sub) ?? [];
  server.registerTool('list_notes', { description: 'Your notes, one per line' }, async () => text(own.join('\n')));
  const inputSchema = fromJsonSchema(NOTE);
  server.registerTool('add_note', { description: 'Adds a note', inputSchema }, async ({ note }) => {
    if (!scopes.includes('notes:write')) return text('The user has not allowed notes:write', true);
    notes.set(sub, [...own, note]);
    return text('Added');
  });
  return server;
}

/** The user whom the token names, at this server and of this tenant. @throws Refused */
async function authenticate(request) {
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!token) throw new Refused('no bearer token');
  const { payload } = await jwtVerify(token, keys, EXPECTED).catch((error) => {
    // The broker is unavailable and its keys are not known yet: the token may be valid.
    if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)) throw error;
    throw new Refused(error.code);
  });
  if (payload.token_use !== 'access' || payload.tenant_id !== TENANT_ID) throw new Refused('not a user of the tenant');
  const scopes = (payload.scope ?? '').split(' ');
  return { token, clientId: payload.client_id, scopes, expiresAt: payload.exp, extra: { sub: payload.sub } };
}

function send(response, status, body, headers = {}) {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** RFC 6750 section 3, with where to look next (RFC 9728 section 5.1) and what to ask for. */
function challenge(response, status, error) {
  const parts = [
    `resource_metadata="${METADATA_URL}"`,
    `scope="${SCOPES.join(' ')}"`,
    ...(error ? [`error="${error}"`] : []),
  ];
  send(
    response,
    status,
    { detail: error ?? 'Not authenticated' },
    { 'WWW-Authenticate': `Bearer ${parts.join(', ')}` },
  );
}

const isLocal = localhostHostValidation();
const handle = toNodeHandler(createMcpHandler(({ authInfo }) => toolsFor(authInfo)));

createServer(async (request, response) => {
  if (!isLocal(request, response)) return;
  const { pathname } = new URL(request.url, RESOURCE);
  if (pathname === METADATA_PATH) {
    const metadata = { resource: RESOURCE, authorization_servers: [ISSUER], scopes_supported: SCOPES };
    return send(response, 200, { ...metadata, bearer_methods_supported: ['header'] });
  }
  if (pathname !== new URL(RESOURCE).pathname) return send(response, 404, { detail: 'Not found' });
  try {
    request.auth = await authenticate(request);
  } catch (error) {
    if (error instanceof Refused) return challenge(response, 401, request.headers.authorization && 'invalid_token');
    console.error(error);
    return send(response, 503, { detail: 'Try again later' }, { 'Retry-After': '5' });
  }
  if (!request.auth.scopes.includes('notes:read')) return challenge(response, 403, 'insufficient_scope');
  await handle(request, response);
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Listening on http://127.0.0.1:${PORT}`));
