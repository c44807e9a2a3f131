// A command-line app that calls an MCP server for a user. It finds the broker by the server (RFC 9728), registers itself
// there (RFC 7591) or names its own document, and signs the user in by their browser.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';

const { MCP_SERVER = 'http://127.0.0.1:4200/mcp', CLIENT_DOCUMENT } = process.env;
const [note] = process.argv.slice(2);

/** Where the browser comes back to: any free port of this computer (RFC 8252 section 7.3). */
const listener = createServer().listen(0, '127.0.0.1');
await once(listener, 'listening');
const redirectUrl = `http://127.0.0.1:${listener.address().port}/callback`;

/** What is kept of one sign-in. Keep the tokens where only this user can read them, and the client for the next time. */
const kept = { state: randomUUID() };
const authProvider = {
  redirectUrl,
  clientMetadataUrl: CLIENT_DOCUMENT,
  clientMetadata: {
    client_name: 'Notes on the command line',
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  state: () => kept.state,
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  discoveryState: () => kept.discovery,
  saveDiscoveryState: (discovery) => void (kept.discovery = discovery),
  redirectToAuthorization: (url) => console.log(`Open ${url.href}`),
};

/** The answer that the browser brings. */
async function waitForCallback() {
  for (;;) {
    const [request, response] = await once(listener, 'request');
    const url = new URL(request.url, redirectUrl);
    const isAnswer = url.pathname === '/callback' && url.searchParams.get('state') === kept.state;
    response.writeHead(isAnswer ? 200 : 404, { 'Content-Type': 'text/plain', Connection: 'close' });
    response.end(isAnswer ? 'You can close this page.' : 'Not found');
    if (isAnswer) return url.searchParams;
  }
}

const newTransport = () => new StreamableHTTPClientTransport(new URL(MCP_SERVER), { authProvider });

/** Connects, and asks the user to sign in where the server wants to know who they are. */
async function connect() {
  const client = new Client({ name: 'notes-command-line', version: '1.0.0' });
  const transport = newTransport();
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  const answer = await waitForCallback();
  if (answer.has('error')) throw new Error(`Not signed in: ${answer.get('error')}`);
  await transport.finishAuth(answer);
  const signedIn = new Client({ name: 'notes-command-line', version: '1.0.0' });
  await signedIn.connect(newTransport());
  return signedIn;
}

try {
  const client = await connect();
  console.log(`Signed in as ${kept.client?.client_id ?? CLIENT_DOCUMENT}`);
  const call = async (name, args = {}) => (await client.callTool({ name, arguments: args })).content[0].text;
  if (note !== undefined) console.log(`add_note: ${await call('add_note', { note })}`);
  console.log(`list_notes: ${await call('list_notes')}`);
  await client.close();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  listener.close();
  listener.closeAllConnections();
}
