import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LargeBodySemaphores } from '../../../src/common/http/bodies/large-body-semaphores.js';
import type { Semaphore } from '../../../src/common/concurrency/semaphore.js';
import { TaskJob } from '../../../src/operations/tasks/task.job.js';
import { TaskPurge } from '../../../src/operations/tasks/task-purge.js';
import { TasksService } from '../../../src/operations/tasks/tasks.service.js';
import { sendForm, visitAccount } from '../../support/account-visitor.js';
import { actAs, contentToken, contentWords, OWN_LINK, visitConsole } from '../../support/console-visitor.js';
import { databaseFingerprint } from '../../support/database-fingerprint.js';
import { RawConnection } from '../../support/fuzz/raw-connection.js';
import type { HostedBrowser } from '../../support/hosted-page.js';
import { BOUNDARY, MULTIPART_TYPE } from '../../support/multipart.js';
import { runTask } from '../../support/task-jobs.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { freshDatabase, type TestDatabase } from '../../support/test-database.js';
import { eventually } from '../../support/wait.js';
import { unique, World } from '../../support/world.js';

const HOSTILE = `"><script>alert(1)</script>`;

describe('Console: import of a tenant', () => {
  let database: TestDatabase;
  let service: TestApp;
  let world: World;
  let root: HostedBrowser;

  beforeAll(async () => {
    database = await freshDatabase();
    service = await startTestApp({
      settings: { databaseUrl: database.url, rateLimits: { enabled: false, overrides: {} } },
    });
    world = await World.open(service.baseUrl, database.url);
    root = await visitConsole(world, world.admin);
  });

  afterAll(async () => {
    await world.close();
    await service.close();
    await database.drop();
  });

  /** The form of the import, as a browser sends it. */
  async function upload(document: string, as: 'file' | 'document' = 'file', token?: string, browser = root) {
    const form_token = token ?? contentToken(await browser.get('/console/tenants/import'));
    const form = new FormData();
    form.set('form_token', form_token);
    if (as === 'file') form.set('file', new Blob([document], { type: 'application/json' }), 'tenant.json');
    else form.set('document', document);
    return browser.postForm(`/console/tenants/import?${new URLSearchParams({ form_token }).toString()}`, form);
  }
  const documentOf = (name: string, users = 2, app: object = {}) =>
    JSON.stringify({
      tenant: { name },
      apps: [
        {
          name: `${name} shop`,
          users: Array.from({ length: users }, (_, n) => ({
            email: `p${n}-${unique()}@example.com`,
            display_name: 'P',
          })),
          ...app,
        },
      ],
    });
  /** The path of the task that the plan's form starts. */
  const taskOf = (plan: { body: string }) => /action="(\/console\/tasks\/[0-9a-f-]{36})\/start"/.exec(plan.body)![1]!;
  const idOf = (path: string) => path.slice('/console/tasks/'.length);
  const press = async (path: string, act: string, browser = root) =>
    browser.post(`${path}/${act}`, { form_token: contentToken(await browser.get(path)) });
  const ended = (path: string) =>
    eventually('the import has ended', async () => {
      const text = 'SELECT status FROM operator_tasks WHERE id = $1 AND finished_at IS NOT NULL';
      return (await world.sql<{ status: string }>(text, [idOf(path)]))[0]?.status;
    });
  const places = () =>
    service.nest.get(LargeBodySemaphores, { strict: false }) as unknown as Record<
      'receiving' | 'processing',
      Pick<Semaphore, 'tryAcquire'> & { heldByKey: ReadonlyMap<string, number>; waiting: ReadonlyMap<string, unknown> }
    >;
  const tenantsNamed = (name: string) => world.sql('SELECT id FROM tenants WHERE name = $1', [name]);
  const run = (path: string) => runTask(service, idOf(path));
  const sealedOf = async (path: string) =>
    (await world.sql('SELECT sealed_document, sealed_secrets FROM operator_tasks WHERE id = $1', [idOf(path)]))[0]!;

  it('shows a plan, runs in the background and shows the new secrets once', async () => {
    const source = await world.tenant({ name: `Source ${unique()}` });
    const app = await world.app(source, { name: HOSTILE });
    const user = await world.user(app);
    const { body: document } = await root.get(`/console/export/tenant/${source.id}?include_users=true`, OWN_LINK);
    const plan = await upload(document);
    expect([plan.status, contentWords(plan)]).toEqual([200, expect.stringContaining('Nothing has been imported yet')]);
    expect(plan.body).toContain(user.email);
    expect(plan.body).not.toContain('<script>alert');
    expect(plan.body).not.toContain('display_name');
    expect((await tenantsNamed(source.name)).length).toBe(1);
    const path = taskOf(plan);
    expect(String((await sealedOf(path))['sealed_document'])).toMatch(/^v1\./);
    expect((await press(path, 'start')).location).toBe(path);
    expect(await ended(path)).toBe('done');
    expect((await tenantsNamed(source.name)).length).toBe(2);

    for (const visit of [1, 2]) {
      const page = await root.get(path, visit === 2 ? { 'Sec-Purpose': 'prefetch' } : {});
      expect(contentWords(page)).toContain(`${source.name} was imported: 0 users created, 1 added, 0 skipped.`);
      expect(page.body).toContain('Reveal secrets');
    }
    const shown = await press(path, 'secrets');
    const [, secret] = /<code>([^<]+)<\/code>/.exec(shown.body)!;
    expect([shown.status, shown.body.includes('<script>alert')]).toEqual([200, false]);
    const [made] = await world.sql<{ id: string; tenant_id: string }>(
      'SELECT id, tenant_id FROM apps WHERE name = $1 AND tenant_id <> $2',
      [HOSTILE, source.id],
    );
    await world.sql(`UPDATE apps SET service_scopes = '{users:read}' WHERE id = $1`, [made!.id]);
    const copy = { ...app, id: made!.id, tenantId: made!.tenant_id, secret: secret! };
    expect(await world.serviceToken(copy)).toBeTruthy();
    expect(await sealedOf(path)).toEqual({ sealed_document: null, sealed_secrets: null });
    expect((await root.get(path)).body).not.toContain('Reveal secrets');
    const form_token = contentToken(plan);
    const again = await root.post(`${path}/secrets`, { form_token });
    expect([again.status, again.location, again.body.includes(secret!)]).toEqual([303, path, false]);
    const [entry] = await world.sql(
      `SELECT actor_id, metadata ->> 'created' AS created FROM audit_entries WHERE action = 'tenant.imported' AND tenant_id = $1`,
      [made!.tenant_id],
    );
    expect(entry).toEqual({ actor_id: world.admin.id, created: '0' });
    const revealed = await world.sql(
      `SELECT actor_id, target_id FROM audit_entries WHERE action = 'task.secrets_revealed' AND target_id = $1`,
      [idOf(path)],
    );
    expect(revealed).toEqual([{ actor_id: world.admin.id, target_id: idOf(path) }]);
  });

  it('accepts a file of several megabytes and a pasted document', async () => {
    const large = await upload(documentOf(`Large ${unique()}`, 2, { config: {} }) + ' '.repeat(6 * 1024 * 1024));
    expect([large.status, contentWords(large)]).toEqual([200, expect.stringContaining('Users to create 2')]);
    expect((await upload(documentOf('Pasted'), 'document')).status).toBe(200);
  });

  it('returns 413 for a document that is too large', async () => {
    expect((await upload('x'.repeat(32 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await upload('x'.repeat(4 * 1024 * 1024 + 1), 'document')).status).toBe(413);
  });

  it('accepts the next upload after a sender disconnected during one', async () => {
    const token = contentToken(await root.get('/console/tenants/import'));
    const cookies = ['console', 'browser'].map((name) => `${name}=${root.cookie(name)}`).join('; ');
    const head = [
      `POST /console/tenants/import?form_token=${token} HTTP/1.1`,
      'Host: x',
      `Cookie: ${cookies}`,
      'Sec-Fetch-Site: same-origin',
      `Content-Type: ${MULTIPART_TYPE}`,
      'Content-Length: 9999',
    ];
    const begun = `${head.join('\r\n')}\r\n\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n{`;
    await new RawConnection(service.settings.port).send(Buffer.from(begun), 'half-closes');
    await eventually('it has given its place back', () => places().receiving.heldByKey.size === 0);
    expect((await upload('{')).status).toBe(422);
  });

  it('takes its place like a large body of the API, and waits for it', async () => {
    const { processing } = places();
    const leaves: (() => void)[] = [];
    for (let leave = processing.tryAcquire([]); leave; leave = processing.tryAcquire([])) leaves.push(leave);
    const answer = upload(documentOf(`Waits ${unique()}`));
    await eventually('it waits', () => processing.waiting.size === 1);
    for (const leave of leaves) leave();
    expect((await answer).status).toBe(200);
    await eventually('it has given its place back', () => processing.heldByKey.size === 0);
  });

  it('returns 422 for an invalid document and stores nothing', async () => {
    const before = await databaseFingerprint(world);
    for (const [text, words] of [
      ['', 'Choose a file'],
      ['{', 'This is not valid JSON: '],
      ['{"format":"x"}', 'format must be “identity-broker/tenant”.'],
      ['{"format":"x"}', 'tenant is missing.'],
      ['[]', 'The document must be an object.'],
      ['{"version":2,"tenant":{"name":7}}', 'version must be 1.'],
      ['{"tenant":{"name":7}}', 'tenant.name must be a text.'],
      ['{"tenant":{"name":"A","min_password_length":3}}', 'tenant.min_password_length must be 8 or more.'],
      [
        '{"tenant":{"name":"A"},"apps":[{"name":"B","users":[{"email":"x","display_name":"X","status":"gone"}]}]}',
        'apps[0].users[0].email must be an e-mail address.',
      ],
      [
        '{"tenant":{"name":"A"},"apps":[{"name":"B","users":[{"email":"a@b.example","display_name":"X","roles":["gone"]}]}]}',
        'apps[0].users[0].roles[0] must be in available_roles of the app.',
      ],
    ] as const) {
      const again = await upload(text);
      expect([text, again.status, again.body]).toEqual([text, 422, expect.stringContaining(words)]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it('keeps a pasted document that is invalid, with the error at the field that was used', async () => {
    const texts = [
      ['{"tenant": {"name": "<b>Pasted</b>",}}', 'This is not valid JSON: Expected double-quoted property name'],
      ['{"tenant": {"name": 7}}', 'tenant.name must be a text.'],
    ] as const;
    for (const [text, words] of texts) {
      const pasted = await upload(text, 'document');
      expect([pasted.status, contentWords(pasted)]).toEqual([422, expect.stringContaining(words)]);
      expect(pasted.body).toMatch(
        /<textarea[^>]* id="document"[^>]*aria-describedby="document-line" aria-invalid="true"/,
      );
      expect(pasted.body).not.toMatch(/id="file"[^>]*aria-invalid/);
      const [, kept] = /<textarea[^>]*>([^<]*)<\/textarea>/.exec(pasted.body)!;
      expect(kept!.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toBe(text);
      const uploaded = await upload(text);
      expect(uploaded.body).toMatch(/id="file"[^>]*aria-invalid="true"/);
      expect(uploaded.body).toMatch(/<textarea[^>]*><\/textarea>/);
    }
  });

  it('returns 403 for an upload without the session’s form token in the query', async () => {
    const other = await visitConsole(world, world.admin);
    const foreign = contentToken(await other.get('/console/tenants/import'));
    const before = await databaseFingerprint(world);
    for (const token of ['', 'x', foreign]) {
      const answer = await upload('{"tenant":{"name":"Sneaked in"}}', 'file', token);
      expect([token, answer.status]).toEqual([token, 403]);
    }
    expect(await databaseFingerprint(world)).toEqual(before);
  });

  it('rolls back a failed import and shows that nothing was imported', async () => {
    const name = `Doomed ${unique()}`;
    const path = taskOf(await upload(documentOf(name)));
    // The document was valid for the plan, and the import itself fails.
    await world.sql(
      `CREATE FUNCTION refuse_import() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'no enrollments today'; END $$;
       CREATE TRIGGER refuse_import BEFORE INSERT ON enrollments FOR EACH STATEMENT EXECUTE FUNCTION refuse_import()`,
    );
    await world.sql(
      `UPDATE operator_tasks SET status = 'queued', expires_at = now() + interval '1 day' WHERE id = $1`,
      [idOf(path)],
    );
    await expect(run(path)).rejects.toThrow('no enrollments today');
    expect(await tenantsNamed(name)).toEqual([]);
    expect((await sealedOf(path))['sealed_document']).not.toBeNull();
    await service.nest.get(TaskJob).gaveUp({ task: idOf(path) });
    await world.sql('DROP TRIGGER refuse_import ON enrollments; DROP FUNCTION refuse_import()');
    const words = contentWords(await root.get(path));
    expect(words).toContain('was stopped');
    expect(words).toContain('Nothing was imported.');
    expect(await sealedOf(path)).toEqual({ sealed_document: null, sealed_secrets: null });
    await run(path);
    expect(await tenantsNamed(name)).toEqual([]);
  });

  it('shows the reason if a document with a valid plan can no longer be imported', async () => {
    const name = `Late ${unique()}`;
    const path = taskOf(await upload(documentOf(name)));
    // As if another version of the service had stored the document.
    const other = taskOf(await upload(documentOf(name)));
    expect((await root.get(path)).status).toBe(404); // a newer plan replaces the previous plan
    await world.sql(`UPDATE operator_tasks SET status = 'queued', sealed_document = 'v1.gone.x' WHERE id = $1`, [
      idOf(other),
    ]);
    await runTask(service, idOf(other));
    expect(contentWords(await root.get(other))).toContain('The document can no longer be opened.');
    expect(await tenantsNamed(name)).toEqual([]);
  });

  it('creates the tenant once even if several workers run it', async () => {
    const name = `Once ${unique()}`;
    const path = taskOf(await upload(documentOf(name, 30)));
    await world.sql(
      `UPDATE operator_tasks SET status = 'queued', expires_at = now() + interval '1 day' WHERE id = $1`,
      [idOf(path)],
    );
    await Promise.allSettled([run(path), run(path)]);
    await run(path);
    expect(await ended(path)).toBe('done');
    expect((await tenantsNamed(name)).length).toBe(1);
    expect(contentWords(await root.get(path))).toContain('30 users created');
  });

  /** Runs `work` with another way to record the progress of imports. */
  const noting = async (note: TasksService['note'], work: () => Promise<void>) => {
    const tasks = service.nest.get(TasksService);
    const before = tasks.note.bind(tasks);
    tasks.note = note;
    try {
      await work();
    } finally {
      tasks.note = before;
    }
  };
  const queued = async (name: string) => {
    const path = taskOf(await upload(documentOf(name)));
    await world.sql(
      `UPDATE operator_tasks SET status = 'queued', expires_at = now() + interval '1 day' WHERE id = $1`,
      [idOf(path)],
    );
    return path;
  };

  it('goes on if its progress cannot be recorded', async () => {
    const name = `Unseen ${unique()}`;
    const path = await queued(name);
    await noting(
      () => Promise.reject(new Error('timeout exceeded when trying to connect')),
      () => run(path),
    );
    expect(await ended(path)).toBe('done');
    expect((await tenantsNamed(name)).length).toBe(1);
  });

  it('leaves connections to others: a process runs two imports at once, and the next one later', async () => {
    const paths = [await queued(`A ${unique()}`), await queued(`B ${unique()}`), await queued(`C ${unique()}`)];
    const [first, second, third] = paths as [string, string, string];
    const running = new Set<string>();
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const stop = (id: string) => {
      running.add(id);
      return id === idOf(third) ? Promise.resolve() : gate;
    };
    await noting(stop, async () => {
      const both = [run(first), run(second)];
      await eventually('two imports run', () => running.size === 2);
      await run(third);
      goOn();
      await Promise.all(both);
      expect([...running].sort()).toEqual([idOf(first), idOf(second)].sort());
      const waiting = await world.sql(
        `SELECT available_at > now() + interval '2 seconds' AS is_later FROM outbox_messages
         WHERE job = 'task.run' AND payload ->> 'task' = $1`,
        [idOf(third)],
      );
      expect(waiting).toEqual([{ is_later: true }]);
    });
    await run(third);
    expect(await Promise.all(paths.map(ended))).toEqual(['done', 'done', 'done']);
  });

  it('stops if the operator who started it is no longer a platform admin', async () => {
    const name = `Lost ${unique()}`;
    const user = await world.user();
    await world.sql('UPDATE users SET is_platform_admin = true WHERE id = $1', [user.id]);
    const browser = await visitConsole(world, user);
    const path = taskOf(await upload(documentOf(name), 'file', undefined, browser));
    await world.sql('UPDATE users SET is_platform_admin = false WHERE id = $1', [user.id]);
    await world.sql(`UPDATE operator_tasks SET status = 'queued' WHERE id = $1`, [idOf(path)]);
    await run(path);
    expect(await tenantsNamed(name)).toEqual([]);
    expect(contentWords(await root.get(path))).toContain('may no longer do it');
  });

  it('stops if the operator who started it is signed out while it runs', async () => {
    const name = `Lost ${unique()}`;
    const user = await world.user();
    await world.sql('UPDATE users SET is_platform_admin = true WHERE id = $1', [user.id]);
    const browser = await visitConsole(world, user);
    const path = taskOf(await upload(documentOf(name, 30), 'file', undefined, browser));
    await world.sql(`UPDATE operator_tasks SET status = 'queued' WHERE id = $1`, [idOf(path)]);
    const tasks = service.nest.get(TasksService);
    const note = tasks.note.bind(tasks);
    const elsewhere = await visitAccount(world, user);
    let isOut: Promise<unknown> | null = null;
    tasks.note = async (...progress) => {
      isOut ??= sendForm(elsewhere, '/account/sessions/end-others');
      await isOut;
      await note(...progress);
    };
    try {
      await run(path);
    } finally {
      tasks.note = note;
    }
    expect(isOut).not.toBeNull();
    expect(await tenantsNamed(name)).toEqual([]);
    expect(contentWords(await root.get(path))).toContain('may no longer do it');
  });

  it('shows its secrets only to the operator who started it, and to no operator after a day', async () => {
    const name = `Secret ${unique()}`;
    const path = taskOf(await upload(documentOf(name)));
    await press(path, 'start');
    expect(await ended(path)).toBe('done');
    const other = await world.user();
    await world.sql('UPDATE users SET is_platform_admin = true WHERE id = $1', [other.id]);
    const colleague = await visitConsole(world, other);
    expect((await colleague.get(path)).body).not.toContain('Reveal secrets');
    const form_token = contentToken(await colleague.get('/console/tenants/import'));
    expect((await colleague.post(`${path}/secrets`, { form_token })).status).toBe(404);
    const tenant = await world.tenant();
    const acting = await visitConsole(world, world.admin);
    await actAs(acting, `impersonate/${tenant.id}`);
    expect((await acting.get(path)).status).toBe(404);
    expect((await sealedOf(path))['sealed_secrets']).not.toBeNull();
    await world.sql(`UPDATE operator_tasks SET finished_at = now() - interval '25 hours' WHERE id = $1`, [idOf(path)]);
    await service.nest.get(TaskPurge).run();
    expect(await sealedOf(path)).toEqual({ sealed_document: null, sealed_secrets: null });
    expect((await root.get(path)).body).not.toContain('Reveal secrets');
  });
});
