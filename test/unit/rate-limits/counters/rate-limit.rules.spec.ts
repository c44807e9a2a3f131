import { describe, expect, it } from '@jest/globals';
import {
  RATE_LIMIT_LABELS,
  rateLimitRules,
  unknownLabels,
} from '../../../../src/rate-limits/counters/rate-limit.rules.js';

describe('rateLimitRules', () => {
  it('matches the table of the help', () => {
    const rules = rateLimitRules({ enabled: true, overrides: {} });
    const table = Object.fromEntries(
      RATE_LIMIT_LABELS.map((label) => [label, `${rules[label].points}/${rules[label].seconds}`]),
    );
    expect(table).toEqual({
      login_email: '5/900',
      login_ip: '20/900',
      login_page_ip: '600/60',
      oauth_start_ip: '600/60',
      oauth_callback_ip: '600/60',
      pushed_requests: '6000/60',
      device_requests: '600/60',
      token_exchange: '6000/60',
      refresh_failures: '6000/60',
      device_code_failures: '10/900',
      device_code_failures_all: '10000/900',
      passkey_ip: '600/60',
      vapid_ip: '600/60',
      stop_link_ip: '600/60',
      dpop_ip: '600/60',
      dpop_key: '600/60',
      dpop_server_key: '6000/60',
      client_reads: '60/60',
      client_documents: '30/60',
      client_registrations: '20/3600',
      registered_clients: '60/3600',
      client_credentials: '10/900',
      magic_link: '3/900',
      forgot_password: '3/900',
      forgot_password_ip: '20/900',
      reset_password: '20/900',
      reset_password_ip: '100/900',
      mail_ip: '30/900',
      send_verification: '3/900',
      member_mail: '3/900',
      administrator_mail: '20/3600',
      access_request_mail: '20/3600',
      invite_mail: '1000/3600',
      approval_mail: '5000/3600',
      webhook_notice: '1/86400',
      email_change: '5/3600',
      email_change_address: '5/3600',
      test_mail: '5/900',
      account_deletion: '5/3600',
      passkey_recovery: '3/86400',
      continued_sign_ins: '300/900',
      own_account: '100/900',
      account_export: '5/3600',
      totp: '5/900',
      totp_failures: '5/1209600',
      totp_lock: '8/86400',
      device_register: '10/3600',
      signup_ip: '100/3600',
      code_failures: '10/900',
      invite_failures: '10/900',
      admin: '600/60',
      audit_export: '20/900',
      change_preview: '60/900',
      scheduled_change: '20/3600',
      scheduled_change_tenant: '30/3600',
      app_changes: '300/3600',
      membership_changes: '3000/3600',
      scheduled_change_mail: '20/3600',
      user_list_export: '20/900',
      denials: '20/60',
      token_reuses: '20/900',
      refused_clients: '10/900',
    });
    expect(RATE_LIMIT_LABELS.every((label) => rules[label].active)).toBe(true);
  });

  it('returns the specified texts', () => {
    const rules = rateLimitRules({ enabled: true, overrides: {} });
    expect(rules.login_email.detail).toBe('rate_limited');
    expect(rules.login_ip.detail).toBe('rate_limited');
    expect(rules.client_credentials.detail).toBe('too_many_requests');
    expect(rules.totp.detail).toBe('Too many TOTP attempts');
  });

  it('accepts only numbers from RATE_LIMITS', () => {
    const rules = rateLimitRules({ enabled: true, overrides: { login_email: { points: 50, seconds: 60 } } });
    expect(rules.login_email).toEqual({ points: 50, seconds: 60, detail: 'rate_limited', active: true });
    expect(rules.login_ip.points).toBe(20);
  });

  it('removes all limits except the second factor’s when limits are off', () => {
    const rules = rateLimitRules({ enabled: false, overrides: {} });
    expect(RATE_LIMIT_LABELS.filter((label) => rules[label].active)).toEqual(['totp', 'totp_failures', 'totp_lock']);
  });

  it('rejects a misspelled label', () => {
    const one = { points: 1, seconds: 1 };
    expect(unknownLabels({ enabled: true, overrides: { login_mail: one, totp: one } })).toEqual(['login_mail']);
  });
});
