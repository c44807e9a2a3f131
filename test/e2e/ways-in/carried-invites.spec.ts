import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dumpDatabase, spellings } from '../../support/database-dump.js';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { type InviteRecord, newInvite } from '../../support/invites.js';
import { type MailingService, startMailingService } from '../../support/mailing-service.js';
import { basic, postForm } from '../../support/post.js';
import { holdRows, waitersForLocks } from '../../support/row-locks.js';
import { isAbout, linkIn } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';
import type { TestUser, TestClient, World } from '../../support/world.js';

// security 64, 85
describe('The code of an invite that a sign-in carries', () => {
  let mailing: MailingService;
  let world: World;
  let home: TestClient;
  let app: TestClient;
  let user: TestUser;
  let invite: InviteRecord;

  beforeAll(async () => {
    mailing = await startMailingService();
    ({ world } = mailing);
    const tenant = await world.tenant();
    home = await world.app(tenant);
    app = await world.app(tenant, { config: { client_type: 'confidential' } });
    user = await world.user(home);
    invite = await newInvite(world, app, { max_uses: 100 });
  });

  afterAll(() => mailing.close());

  const field = () => `value="${invite.code}"`;
  const tablesWithCode = async () =>
    (await dumpDatabase(world))
      .filter(({ row }) => spellings(invite.code).some((spelling) => row.includes(spelling)))
      .map(({ table }) => table);
  const arrive = async (parameters: Record<string, string> = { invite_code: invite.code }) => {
    const browser = new HostedBrowser(world.baseUrl);
    return { browser, page: await browser.get(loginPath(app, parameters)) };
  };
  const signIn = async ({ browser, page }: Awaited<ReturnType<typeof arrive>>) =>
    browser.submit(page, { email: user.email, password: user.password });
  const attemptOf = (page: { formAction(): string }) => /\/sign-in\/([0-9a-f-]{36})/.exec(page.formAction())![1]!;
  const push = () =>
    postForm<{ request_uri: string }>(
      `${world.baseUrl}/auth/par`,
      { client_id: app.id, response_type: 'code', redirect_uri: app.redirectUri, invite_code: invite.code },
      basic(app.id, app.secret),
    );
  /** The form "E-mail me a link" of a sign-in. */
  const askForLink = async () => {
    const { browser, page } = await arrive();
    const sent = await browser.post(page.formAction().replace(/password$/, 'magic_link'), {
      form_token: page.formToken(),
      email: user.email,
    });
    expect(sent.status).toBe(200);
  };

  it('is nowhere in clear in the database: not with the sign-in, a pushed request, a sign-in link or its job', async () => {
    expect((await arrive()).page.status).toBe(200);
    expect((await push()).status).toBe(201);
    // The job that makes the link is stopped half way: its row is still there.
    const release = await holdRows(
      mailing.service.settings.databaseUrl!,
      'SELECT 1 FROM users WHERE id = $1 FOR UPDATE',
      [user.id],
    );
    try {
      await askForLink();
      await waitersForLocks(world, 1);
      const jobs = await world.sql<{ sealed: string | null }>(
        `SELECT payload #>> '{request,sealedInvite}' AS sealed FROM outbox_messages WHERE job = 'auth.magic_link_requested' AND done_at IS NULL`,
      );
      expect(jobs).toEqual([{ sealed: expect.stringMatching(/^v1\./) }]);
      expect(await tablesWithCode()).toEqual([]);
    } finally {
      await release();
    }
    await mailing.smtp.next(user.email, 'Your sign-in link');
    expect(await tablesWithCode()).toEqual([]);
    for (const [table, column] of [
      ['sign_in_attempts', 'request'],
      ['mail_links', 'request'],
      ['pushed_requests', 'parameters'],
    ])
      expect(await world.sql(`SELECT 1 FROM ${table} WHERE ${column} ? 'sealedInvite'`)).not.toEqual([]);
  });

  it('is filled in after the sign-in, also behind a pushed request and a link that is opened in another browser', async () => {
    expect((await signIn(await arrive())).body).toContain(field());

    const { request_uri } = (await push()).body;
    const browser = new HostedBrowser(world.baseUrl);
    const page = await browser.get(`/login?${new URLSearchParams({ client_id: app.id, request_uri }).toString()}`);
    const shown = page.location ? await browser.get(page.location) : page;
    expect((await signIn({ browser, page: shown })).body).toContain(field());

    const links = () => mailing.smtp.to(user.email).filter((mail) => isAbout(mail, 'Your sign-in link'));
    const before = links().length;
    await askForLink();
    const mail = await eventually('another link', () => links()[before]);
    const elsewhere = new HostedBrowser(world.baseUrl);
    let answer = await elsewhere.useMagicLink(linkIn(mail).token);
    while (answer.location) answer = await elsewhere.get(answer.location);
    expect(answer.body).toContain(field());
  });

  it('joins the app, and is gone from the sign-in when it is used or declined', async () => {
    const newcomer = await world.user(home);
    const arrived = await arrive();
    const page = await arrived.browser.submit(arrived.page, { email: newcomer.email, password: newcomer.password });
    const stored = () =>
      world.sql('SELECT request FROM sign_in_attempts WHERE id = $1 AND request ? $2', [
        attemptOf(arrived.page),
        'sealedInvite',
      ]);
    expect(await stored()).toHaveLength(1);
    const end = await arrived.browser.submit(page, { code: invite.code });
    expect(end.delivered.get('code')).not.toBeNull();
    expect(await stored()).toEqual([]);
  });

  it('is read from a sign-in that an earlier version began with the code in clear', async () => {
    const arrived = await arrive({});
    await world.sql(
      `UPDATE sign_in_attempts SET request = jsonb_set(request, '{inviteCode}', to_jsonb($2::text)) WHERE id = $1`,
      [attemptOf(arrived.page), invite.code],
    );
    expect((await signIn(arrived)).body).toContain(field());
  });

  it('is of no use in the row of another sign-in: the user is asked for a code', async () => {
    const [theirs, mine] = [await arrive(), await arrive({})];
    await world.sql(
      `UPDATE sign_in_attempts SET request = request || jsonb_build_object('sealedInvite',
         (SELECT request -> 'sealedInvite' FROM sign_in_attempts WHERE id = $2)) WHERE id = $1`,
      [attemptOf(mine.page), attemptOf(theirs.page)],
    );
    const page = await signIn(mine);
    expect(page.body).toContain('You need an invitation');
    expect(page.body).not.toContain(invite.code);
  });
});
