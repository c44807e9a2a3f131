import { describe, expect, it } from '@jest/globals';
import { EntryNames } from '../../../src/admin/audit-log/audit-names.js';
import { AUDIT_ACTIONS } from '../../../src/audit/entries/audit-action.js';
import type { AuditEntry } from '../../../src/audit/entries/audit-entry.entity.js';
import type { UserActor } from '../../../src/common/actor.js';
import { factsOf } from '../../../src/console/timeline/event-facts-of.js';
import type { EventFacts } from '../../../src/console/timeline/event-facts.js';
import { describeEvent, EVENT_GROUPS } from '../../../src/console/timeline/event-sentences.js';

const ROOT = { text: 'Grace Hopper', href: '/console/users/r' };
const ADA = { text: 'Ada Lovelace', href: '/console/users/a' };
const SHOP = { text: 'Shop', href: '/console/apps/s' };
const ACME = { text: 'Acme', href: null };

function facts(action: EventFacts['action'], some: Partial<EventFacts> = {}): EventFacts {
  return {
    ...{ action, outcome: 'success', actor: ADA, user: ADA, isOwn: true, app: SHOP, tenant: ACME },
    ...{ from: null, on: null, actingAs: null, metadata: {} },
    ...some,
  };
}
const say = (action: EventFacts['action'], some: Partial<EventFacts> = {}) => describeEvent(facts(action, some)).text;
/** Done to Ada by Grace. */
const BY = { actor: ROOT, isOwn: false };

describe('Sentence about an audited event', () => {
  it.each(AUDIT_ACTIONS)('exists for %s, with a subject, a verb and a full stop', (action) => {
    for (const some of [{}, BY, { ...BY, user: null, app: null, tenant: null }]) {
      const { text, parts } = describeEvent(facts(action, some));
      expect(text).toMatch(/^\p{Lu}.* .*[^.]\.$/u);
      expect(text).not.toMatch(/[[\]{}]|undefined|null| {2}|[\w]+\.[a-z_]+:/);
      expect(parts.map((part) => part.text).join('')).toBe(text);
    }
  });

  it('belongs to one group of the filter', () => {
    const grouped = EVENT_GROUPS.flatMap(({ actions }) => actions);
    expect([...grouped].sort()).toEqual([...AUDIT_ACTIONS].sort());
  });

  it.each([
    ['enrollment.approved', BY, 'Grace Hopper approved Ada Lovelace for Shop.'],
    [
      'user.login',
      { metadata: { via: 'hosted', amr: ['pwd', 'otp'] } },
      'Ada Lovelace signed in to Shop with a password and a second-factor code.',
    ],
    ['user.login', { metadata: { amr: ['fed', 'google'] } }, 'Ada Lovelace signed in to Shop with Google.'],
    [
      'user.login',
      { metadata: { via: 'sso', amr: ['pwd'] } },
      'Ada Lovelace signed in to Shop with a password by single sign-on.',
    ],
    [
      'user.login_failed',
      { metadata: { reason: 'invalid_credentials' } },
      'Ada Lovelace could not sign in to Shop: wrong password.',
    ],
    [
      'user.login_failed',
      { metadata: { reason: 'something_new' }, app: null },
      'Ada Lovelace could not sign in: something new.',
    ],
    [
      'user.login_failed',
      { metadata: { count: 4, since: '2026-11-28T00:00:00.000Z', limited_by: 'account' } },
      'Ada Lovelace could not sign in to Shop, 4 times within a minute.',
    ],
    ['user.suspended', BY, 'Grace Hopper suspended Ada Lovelace in Shop.'],
    [
      'session.revoked',
      { metadata: { reason: 'signed_out_remotely', refresh_families: 2 } },
      'Ada Lovelace ended another session from the account page, including 2 apps.',
    ],
    [
      'session.revoked',
      { ...BY, metadata: { reason: 'ended_by_admin' } },
      'Grace Hopper ended a sign-in of Ada Lovelace to Shop.',
    ],
    ['session.revoked', {}, 'Ada Lovelace signed out of Shop.'],
    [
      'user.password_changed',
      { metadata: { by: 'reset' } },
      'Ada Lovelace set a new password with a mailed link: all sessions and tokens were revoked.',
    ],
    [
      'user.password_changed',
      { outcome: 'failure', metadata: { by: 'owner' } },
      'Ada Lovelace tried to change the password with a wrong current password.',
    ],
    [
      'totp.disabled',
      { ...BY, metadata: { by: 'admin' } },
      'Grace Hopper reset the second factor of Ada Lovelace: all sessions and tokens were revoked.',
    ],
    ['enrollment.removed', BY, 'Grace Hopper removed Ada Lovelace from Shop.'],
    ['enrollment.removed', {}, 'Ada Lovelace left Shop.'],
    [
      'enrollment.roles_changed',
      { ...BY, metadata: { before: ['user'], after: ['user', 'admin'] } },
      'Grace Hopper changed the roles of Ada Lovelace in Shop from user to user, admin.',
    ],
    ['user.created', { ...BY, app: null }, 'Grace Hopper created the account of Ada Lovelace.'],
    [
      'tenant.admin_added',
      { ...BY, user: null, metadata: { email: 'new@example.com' } },
      'Grace Hopper invited new@example.com to be an admin of Acme.',
    ],
    [
      'app.updated',
      { ...BY, user: null, actingAs: 'the tenant Acme', metadata: { fields: ['redirect_uris', 'name'] } },
      'Grace Hopper changed the settings of Shop: redirect uris, name, while impersonating the tenant Acme.',
    ],
    [
      'audit.exported',
      { ...BY, user: null, app: null, metadata: { entries: 1200, format: 'csv' } },
      'Grace Hopper exported 1,200 entries of the audit log of Acme as CSV.',
    ],
    [
      'push.sent',
      { ...BY, metadata: { notifications: 1 } },
      'Grace Hopper sent 1 notification to Ada Lovelace in Shop.',
    ],
  ] as const)('for %s, %j', (action, some, sentence) => {
    expect(say(action, some as Partial<EventFacts>)).toBe(sentence);
  });

  it('names the place of a replayed refresh token, and what it ended', () => {
    const metadata = { kind: 'refresh_token', families_revoked: 2, device_id: 'd-1' };
    expect(say('token.replay_detected', { from: '203.0.113.7', on: 'Safari on iPhone', metadata })).toBe(
      'A refresh token of Ada Lovelace was replayed at Shop from 203.0.113.7 on Safari on iPhone: 2 sign-ins of that device ended.',
    );
  });

  it('highlights what was rejected or ended against a user’s will', () => {
    const tone = (action: EventFacts['action']) => describeEvent(facts(action)).tone;
    const actions = ['user.login', 'user.login_failed', 'token.replay_detected', 'user.promoted'] as const;
    expect(actions.map(tone)).toEqual(['good', 'bad', 'bad', 'plain']);
  });

  it('accepts entries without the newer fields, and actions of a newer version', () => {
    for (const action of [...AUDIT_ACTIONS, 'moon.landed' as EventFacts['action']])
      expect(say(action, { app: null, metadata: { amr: 7, before: null, left: 'x', reason: 3, fields: 'x' } })).toMatch(
        /^[A-Z].*\.$/,
      );
  });
});

describe('Names in the sentence about an audit entry', () => {
  const [GRACE, LOST] = ['0a000000-0000-4000-8000-000000000001', '0a000000-0000-4000-8000-000000000002'];
  const reader = { authority: { platform: true, tenants: new Set() } } as unknown as UserActor;
  const entry = (some: Partial<AuditEntry>) =>
    ({
      ...{ action: 'enrollment.approved', outcome: 'success', actorType: 'user', actorId: GRACE, actorEmail: null },
      ...{ actingAs: null, userId: LOST, tenantId: null, appId: null, ipAddress: null, userAgent: null, metadata: {} },
      ...some,
    }) as AuditEntry;
  const known = [{ kind: 'user', id: GRACE, name: 'Grace Hopper', email: 'grace@example.com' }] as const;
  const words = (some: Partial<AuditEntry>, seesAll = true) =>
    describeEvent(factsOf(entry(some), new EntryNames(known, seesAll), reader)).text;

  it('show the id of what was deleted', () => {
    expect(words({})).toBe('Grace Hopper approved user 0a000000 (deleted) for an app.');
  });

  it('do not tell a reader with less authority whether an account still exists', () => {
    expect(words({}, false)).toContain('user 0a000000 (deleted or not in your apps)');
  });

  it('show the address that was tried', () => {
    const failed = { action: 'user.login_failed', actorType: 'anonymous', actorId: null, userId: null } as const;
    expect(words({ ...failed, metadata: { reason: 'invalid_credentials', email: 'ada@example.com' } })).toBe(
      'ada@example.com could not sign in: wrong password.',
    );
    expect(words({ ...failed, metadata: { reason: 'invalid_credentials' } })).toMatch(/^Unknown user could not/);
  });

  it('show the address of a deleted account', () => {
    expect(words({ action: 'user.deleted', metadata: { email: 'gone@example.com' } })).toBe(
      'Grace Hopper deleted the account of gone@example.com.',
    );
  });

  it('show apps and the system as actors', () => {
    expect(words({ actorType: 'service', actorId: LOST, action: 'user.created' })).toMatch(/^The server of app 0a/);
    expect(words({ actorType: 'system', actorId: 'start', action: 'signing_key.created', userId: null })).toBe(
      'The system created a signing key.',
    );
  });
});
