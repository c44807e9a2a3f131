import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../support/free-port.js';
import { HostedBrowser } from '../../support/hosted-page.js';
import { type ServiceProcess, startProcess } from '../../support/service-process.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestUser, type TestClient, type TestTenant, World } from '../../support/world.js';

const ALLOW = { answer: 'allow', 'scope_notes:read': 'on', 'scope_notes:write': 'on' };

describe('examples/mcp-server', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;
  let server: ServiceProcess;
  let resource: string;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    const port = String(await freePort());
    resource = `http://127.0.0.1:${port}/mcp`;
    tenant = await world.tenant({
      client_registration: true,
      resources: [
        { identifier: resource, name: 'Notes', scopes: ['notes:read', 'notes:write'], token_lifetime_minutes: 5 },
      ],
    });
    app = await world.app(tenant, { config: { client_type: 'public', resources: [resource] } });
    await eventually('the metadata names the address where clients register', async () => {
      const { body } = await world.call<Record<string, unknown>>('GET', '/.well-known/oauth-authorization-server');
      return body['registration_endpoint'] !== undefined;
    });
    const settings = { ISSUER: service.baseUrl, TENANT_ID: tenant.id, PORT: port };
    server = await startProcess('examples/mcp-server/server.js', settings, { readyLine: /^Listening on / });
  });

  afterAll(async () => {
    await server.kill();
    await world.close();
  });

  /** Runs the script while a user answers at the printed address. @returns what it said, and how it ended */
  async function run(user: TestUser, answer: Record<string, string>): Promise<{ said: string; code: number }> {
    const script = spawn(process.execPath, ['examples/mcp-server/client.js', 'Buy milk'], {
      env: { ...process.env, MCP_SERVER: resource },
    });
    const exited = once(script, 'exit');
    try {
      let said = '';
      for (const stream of [script.stdout, script.stderr])
        stream.on('data', (chunk: Buffer) => (said += String(chunk)));
      const link = await eventually('the script shows an address', () => /^Open (http\S+)\n/m.exec(said)?.[1]);
      const browser = new HostedBrowser(service.baseUrl);
      const { pathname, search } = new URL(link);
      const page = await browser.signIn(pathname + search, user.email, user.password);
      expect(page.body).toContain('An app that calls itself “Notes on the command line”');
      const back = await browser.submit(page, answer);
      await (await fetch(back.location!)).text();
      const [exit] = (await exited) as [number];
      return { said, code: exit };
    } finally {
      script.kill();
    }
  }
  const ask = (path: string, headers: Record<string, string> = {}) => fetch(`${server.baseUrl}${path}`, { headers });

  it('serves its tools to a client that found the service by itself, once the user has allowed it', async () => {
    const { said, code } = await run(await world.user(app), ALLOW);
    expect([code, said]).toEqual([0, expect.stringContaining('add_note: Added\nlist_notes: Buy milk\n')]);
    expect(said).toMatch(/^Signed in as reg_/m);
  });

  it('refuses what the user has not allowed', async () => {
    const { said, code } = await run(await world.user(app), { answer: 'allow', 'scope_notes:read': 'on' });
    expect([code, said]).toEqual([0, expect.stringContaining('add_note: The user has not allowed notes:write\n')]);
  });

  it('is not connected to if the user denies it', async () => {
    const { said, code } = await run(await world.user(app), { answer: 'deny' });
    expect([code, said]).toEqual([1, expect.stringContaining('Not signed in: access_denied\n')]);
  });

  it('says where to get tokens, and for which scopes (RFC 9728)', async () => {
    const { status, headers } = await ask('/mcp');
    const url = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')![1]!;
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('scope="notes:read ')]);
    expect(await (await fetch(url)).json()).toEqual({
      resource,
      authorization_servers: [service.baseUrl],
      scopes_supported: ['notes:read', 'notes:write'],
      bearer_methods_supported: ['header'],
    });
  });

  it('refuses tokens that are not for it', async () => {
    const { access_token } = await world.tokens(await world.user(app), app.id);
    const { status, headers } = await ask('/mcp', { Authorization: `Bearer ${access_token}` });
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
  });
});
