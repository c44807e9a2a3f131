import { describe, expect, it } from '@jest/globals';
import type { TimelineFacts } from '../../../src/console/timeline/timeline-facts.js';
import { describeEvent } from '../../../src/console/timeline/timeline.rules.js';

function say(action: TimelineFacts['action'], facts: Partial<TimelineFacts> = {}): string {
  return describeEvent({
    action,
    outcome: 'success',
    by: null,
    app: 'Shop',
    from: null,
    on: null,
    metadata: {},
    ...facts,
  }).text;
}

describe('User timeline', () => {
  it.each([
    [
      'user.login',
      { metadata: { via: 'hosted', amr: ['pwd', 'otp'] } },
      'Signed in to Shop with a password and a second-factor code.',
    ],
    ['user.login', { metadata: { via: 'hosted', amr: ['fed', 'google'] } }, 'Signed in to Shop with Google.'],
    ['user.login', { metadata: { via: 'sso', amr: ['pwd'] } }, 'Signed in to Shop with a password by single sign-on.'],
    [
      'user.login_failed',
      { metadata: { reason: 'invalid_credentials' } },
      'A sign-in to Shop was refused: wrong password.',
    ],
    ['user.login_failed', { metadata: { reason: 'something_new' } }, 'A sign-in to Shop was refused: something new.'],
    ['user.suspended', { by: 'root@example.com' }, 'Suspended in Shop by root@example.com: its tokens were revoked.'],
    [
      'session.revoked',
      { metadata: { reason: 'signed_out_remotely', refresh_families: 2 } },
      'Ended another session from the account page, including 2 apps.',
    ],
    [
      'session.revoked',
      { by: 'root@example.com', metadata: { reason: 'ended_by_admin' } },
      'A sign-in to Shop was ended by root@example.com.',
    ],
    ['session.revoked', {}, 'Signed out of Shop.'],
    [
      'user.password_changed',
      { metadata: { by: 'reset' } },
      'Set a new password with a mailed link: all sessions and tokens were revoked.',
    ],
    [
      'user.password_changed',
      { outcome: 'failure', metadata: { by: 'owner' } },
      'Tried to change the password with a wrong current password.',
    ],
    [
      'totp.disabled',
      { by: 'root@example.com', metadata: { by: 'admin' } },
      'The second factor was reset by root@example.com: all sessions and tokens were revoked.',
    ],
    [
      'enrollment.removed',
      { by: 'root@example.com' },
      'Removed from Shop by root@example.com: its tokens were revoked.',
    ],
    [
      'enrollment.roles_changed',
      { metadata: { before: ['user'], after: ['user', 'admin'] } },
      'Roles in Shop changed from user to user, admin.',
    ],
    [
      'user.created',
      { app: null, by: 'root@example.com', metadata: { is_platform_admin: false } },
      'The account was created by root@example.com.',
    ],
    [
      'token.reused',
      { metadata: { kind: 'refresh_token', grace_seconds: 10 } },
      'A refresh token was used a second time in Shop, within the app’s grace period.',
    ],
    ['signing_key.rotated', { app: null }, 'Signing key: rotated.'],
  ] as const)('shows %s, %j', (action, facts, sentence) => {
    expect(say(action, facts as Partial<TimelineFacts>)).toBe(sentence);
  });

  it('names the place of a replayed refresh token, and what it ended', () => {
    const metadata = { kind: 'refresh_token', families_revoked: 2, device_id: 'd-1' };
    const facts = { from: '203.0.113.7', on: 'Safari on iPhone', metadata };
    expect(say('token.replay_detected', facts)).toBe(
      'Refresh token replayed at Shop from 203.0.113.7 on Safari on iPhone: 2 sign-ins of that device ended.',
    );
  });

  it('highlights what was rejected or ended against a user’s will', () => {
    const tone = (action: TimelineFacts['action']) =>
      describeEvent({ action, outcome: 'success', by: null, app: null, from: null, on: null, metadata: {} }).tone;
    expect(
      ['user.login', 'user.login_failed', 'token.replay_detected', 'user.promoted'].map((action) =>
        tone(action as TimelineFacts['action']),
      ),
    ).toEqual(['good', 'bad', 'bad', 'plain']);
  });

  it('accepts entries without the newer fields', () => {
    for (const action of [
      'user.login',
      'enrollment.roles_changed',
      'backup_code.used',
      'token.replay_detected',
      'user.created',
    ] as const)
      expect(say(action, { app: null, metadata: { amr: 7, before: null, left: 'x' } })).toMatch(/^[A-Z].*\.$/);
  });
});
