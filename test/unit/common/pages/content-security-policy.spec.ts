import { describe, expect, it } from '@jest/globals';
import { contentSecurityPolicy } from '../../../../src/common/pages/content-security-policy.js';

const formAction = (...targets: string[]): string | undefined =>
  contentSecurityPolicy('n', targets)
    .split('; ')
    .find((directive) => directive.startsWith('form-action'));

describe('Content security policy', () => {
  it('allows nothing that is not named', () => {
    expect(contentSecurityPolicy('abc=', []).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'nonce-abc='",
      "style-src 'self' 'nonce-abc='",
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "object-src 'none'",
    ]);
  });

  it('allows forms to lead to the app’s origin, named once', () => {
    expect(formAction('https://app.example/callback?x=1', 'https://app.example/other')).toBe(
      "form-action 'self' https://app.example",
    );
  });

  it('limits no form of a page without fields', () => {
    expect(contentSecurityPolicy('n', 'any')).not.toContain('form-action');
  });

  it('names the custom scheme of a native app', () => {
    expect(formAction('com.example.app:/callback')).toBe("form-action 'self' com.example.app:");
  });

  it('names neither an IPv6 address, which a policy cannot contain, nor its whole scheme', () => {
    expect(formAction('http://[::1]:8080/callback')).toBe("form-action 'self'");
  });

  it('accepts no directive from an address', () => {
    expect(formAction("https://app.example/;script-src 'unsafe-inline'")).toBe(
      "form-action 'self' https://app.example",
    );
    expect(() => formAction("https://app.example;script-src 'unsafe-inline'/")).toThrow('Invalid URL');
  });
});
