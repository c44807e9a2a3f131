// The `authorization` command of @modelcontextprotocol/conformance, with its own requests, against the service: metadata
// (RFC 8414), and a sign-in of a client that has registered itself, for a protected resource (RFC 7591, RFC 8707).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';
import { freePort } from '../../../support/free-port.js';
import { HostedBrowser } from '../../../support/hosted-page.js';
import { eventually } from '../../../support/wait.js';
import { unique } from '../../../support/world.js';

const TOOL = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const fixture = useConformanceFixture();

/** A client of a tenant that takes those which register themselves, and a member of the tenant. */
async function registered() {
  const { world } = fixture;
  const resource = `https://mcp-${unique()}.example/mcp`;
  const tenant = await world.tenant({
    client_registration: true,
    client_document_hosts: ['*'],
    resources: [{ identifier: resource, name: 'Notes', scopes: ['notes:read'], token_lifetime_minutes: 5 }],
  });
  const user = await world.user(await world.app(tenant));
  await eventually('the metadata say so', async () => {
    const { registration_endpoint, client_id_metadata_document_supported: takesDocuments } = await fixture.discovery();
    return registration_endpoint === `${world.baseUrl}/auth/register` && takesDocuments === true;
  });
  const { body } = await world.call<{ client_id: string }>('POST', '/auth/register', {
    redirect_uris: ['http://127.0.0.1/callback'],
  });
  return { resource, user, clientId: body.client_id };
}

/** What the tool has checked, by scenario. */
async function readChecks(folder: string): Promise<Check[]> {
  const files = (await readdir(folder)).sort().map((name) => join(folder, name, 'checks.json'));
  return (await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, 'utf8')) as Check[]))).flat();
}

it('mcp authorization: every check of the tool passes', async () => {
  const { baseUrl } = fixture.world;
  const { resource, user, clientId } = await registered();
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
  const options = { url: baseUrl, 'client-id': clientId, resource, port: await freePort(), 'output-dir': folder };
  const named = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const tool = spawn(process.execPath, ['--import', './test/support/node-22-fs.mjs', TOOL, 'authorization', ...named]);
  try {
    const exited = once(tool, 'exit');
    let said = '';
    for (const stream of [tool.stdout, tool.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
    const link = await eventually('the tool shows an address', () => /^(http\S+\/login\?\S+)$/m.exec(said)?.[1]);
    await eventually('the tool listens', () => said.includes('Callback server started'));
    const { pathname, search } = new URL(link);
    const browser = new HostedBrowser(baseUrl);
    const page = await browser.signIn(pathname + search, user.email, user.password);
    const back = await browser.submit(page, { answer: 'allow' });
    await (await fetch(back.location!)).text();
    expect([(await exited)[0], said]).toEqual([0, expect.stringContaining('Total: 3 passed, 0 failed')]);
    expect(await readChecks(folder)).toEqual(
      ['authorization-code-grant', 'authorization-server-metadata', 'authorization-server-metadata-cimd'].map((id) =>
        expect.objectContaining({ id, status: 'SUCCESS' }),
      ),
    );
  } finally {
    tool.kill();
    await rm(folder, { recursive: true, force: true });
  }
});
