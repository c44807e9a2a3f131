import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { Assets } from '../../../../src/common/pages/assets/assets.js';
import { OWN_BRAND } from '../../../../src/common/pages/brand/brand.js';
import { message } from '../../../../src/common/i18n/message.js';
import { Messages } from '../../../../src/common/i18n/messages.js';
import type { Page } from '../../../../src/common/pages/page.js';
import { PageRenderer } from '../../../../src/common/pages/page-renderer.js';
import { SystemRandomness } from '../../../../src/common/system-randomness.js';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>'\`{{title}}`;
const renderer = new PageRenderer(new Assets(), new SystemRandomness(), new Messages());

const signIn = (model: Record<string, unknown> = {}): Page => ({
  view: 'sign-in/password',
  title: 'Sign in to Orbit',
  brand: { ...OWN_BRAND, appName: 'Orbit', tenantName: 'Northwind' },
  model: {
    action: '/sign-in/password',
    formToken: 'token',
    email: '',
    emailLocked: false,
    errors: [],
    forgotUrl: null,
    signUpUrl: null,
    invitedUrl: null,
    magicLinkAction: null,
    takesPassword: true,
    forAccount: false,
    otherMethodsUrl: null,
    lostPasskey: null,
    confirmsAs: null,
    onlyWay: null,
    again: null,
    passwordIsLast: false,
    mayFocus: true,
    passkeyAction: null,
    passkeyIsLast: false,
    emailAutocomplete: 'username',
    providers: [],
    lastProvider: null,
    otherProviders: [],
    ...model,
  },
});

/** Sends the page through a real response. A refused rendering comes back as status 599 with the message. */
function send(page: Page): request.Test {
  const app = express();
  app.get('/', (_request, response) => {
    renderer.send(response, page).catch((error: Error) => response.status(599).send(error.message));
  });
  return request(app).get('/');
}

describe('PageRenderer', () => {
  it.each([
    ['in the language of the browser', {}, 'fr, en-XA;q=0.5', 'en-XA'],
    ['in the language that the app asked for', { uiLocales: 'se en-XA' }, 'en', 'en-XA'],
    ['in English where no other language is known', { uiLocales: 'se' }, 'de', 'en'],
  ])('sends a page %s', async (_how, wishes, accepted, locale) => {
    const { headers, text } = await send({ ...signIn(), ...wishes }).set('Accept-Language', accepted);
    expect(text).toContain(`<html lang="${locale}">`);
    expect(headers['content-language']).toBe(locale);
    expect(headers['vary']).toContain('Accept-Language');
    expect(text).toContain(locale === 'en' ? 'Use your Northwind account.' : '[Ûšé ýöûŕ Northwind åççöûñţ.]');
  });

  it('translates the messages of titles and models', async () => {
    const errors = [{ field: 'email', message: message('sign-in.password.email_missing') }];
    const { text } = await send({
      ...signIn({ errors }),
      title: message('sign-in.password.title', { app: '<Orbit>' }),
    });
    expect(text).toContain('<title>Error: Sign in to &lt;Orbit&gt;</title>');
    expect(text).toContain('Enter your e-mail address.');
  });

  it('sends headers that keep a page out of caches, frames and referrers', async () => {
    const { status, headers } = await send({ ...signIn(), status: 401 });
    expect(status).toBe(401);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  it('gives every script and style block the nonce of its own response', async () => {
    const first = await send(signIn());
    const second = await send(signIn());
    const nonceOf = (policy: string | undefined) => /script-src 'nonce-([A-Za-z0-9+/=]{24})'/.exec(policy ?? '')?.[1];
    const nonce = nonceOf(first.headers['content-security-policy']);
    expect(nonce).toBeDefined();
    expect(nonceOf(second.headers['content-security-policy'])).not.toBe(nonce);
    const shown = nonce!.replaceAll('=', '&#x3D;');
    const tags = first.text.match(/<(script|style)\b[^>]*>/g) ?? [];
    expect(tags).toHaveLength(2);
    for (const tag of tags) expect(tag).toContain(`nonce="${shown}"`);
  });

  it('lets forms lead to the registered redirect URI only', async () => {
    const { headers } = await send({ ...signIn(), formTargets: ['https://orbit.example/cb'] });
    expect(headers['content-security-policy']).toContain("form-action 'self' https://orbit.example;");
  });

  it('shows hostile strings as text in every place', async () => {
    const page = signIn({
      action: HOSTILE,
      formToken: HOSTILE,
      email: HOSTILE,
      errors: [{ field: 'email', message: HOSTILE }],
    });
    const brand = { appName: HOSTILE, tenantName: HOSTILE, primaryColor: HOSTILE, logo: HOSTILE, logoHeight: 40 };
    const { status, text } = await send({ ...page, title: HOSTILE, brand });
    expect(status).toBe(200);
    expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('<img src=x');
    expect(text).toContain('--brand-fill: light-dark(#2563eb, #2563eb);');
  });

  it('rejects a misspelled variable instead of printing nothing', async () => {
    const { formToken, ...model } = signIn().model;
    const { status, text } = await send({ ...signIn(), model: { ...model, formtoken: formToken } });
    expect(status).toBe(599);
    expect(text).toContain('"formToken" not defined');
  });

  it('rejects a variable without a value', async () => {
    const { status, text } = await send(signIn({ action: undefined }));
    expect(status).toBe(599);
    expect(text).toContain('"action" not defined');
  });

  it('rejects a condition on a variable that the model lacks', async () => {
    const { status, text } = await send(signIn({ forgotUrl: undefined }));
    expect(status).toBe(599);
    expect(text).toContain('"if" a variable that the model does not have');
  });

  it('marks the title of a page that is shown again with errors', async () => {
    const clean = await send(signIn());
    const failed = await send(signIn({ errors: [{ field: null, message: 'Wrong password' }] }));
    expect(clean.text).toContain('<title>Sign in to Orbit</title>');
    expect(failed.text).toContain('<title>Error: Sign in to Orbit</title>');
  });

  it('names the method used last to screen readers as the description of its button', async () => {
    const { text } = await send(signIn({ passwordIsLast: true }));
    expect(text).toMatch(/<button[^>]* aria-describedby="last-used">Sign in<span class="last-used" id="last-used"/);
    const passkey = await send(signIn({ passkeyAction: '/passkey', passkeyIsLast: true }));
    expect(passkey.text).toMatch(
      /<button[^>]* aria-describedby="last-used">[^<]+<span class="last-used" id="last-used"/,
    );
  });

  it('shows the error of a field below the field, and focuses the first such field', async () => {
    const errors = ['password', 'email'].map((field) => ({ field, message: `Enter your ${field}.` }));
    const { text } = await send(signIn({ errors: errors.slice(0, 1) }));
    expect(text).toMatch(/id="password-line"><span class="field-error">Enter your password\.<\/span>/);
    expect(text).toMatch(/<input id="password"[^>]*aria-describedby="password-line"[^>]*aria-invalid="true" autofocus/);
    expect(text).not.toMatch(/<input id="email"[^>]*(aria-invalid|autofocus)/);
    expect(text).not.toContain('error-summary');
    const both = await send(signIn({ errors: errors.toReversed() }));
    expect(both.text.match(/ autofocus/g)).toHaveLength(1);
    expect(both.text).toMatch(/<input id="email"[^>]*aria-invalid="true" autofocus/);
  });

  it('shows an error that belongs to no field above the form, with the focus', async () => {
    const { text } = await send(signIn({ errors: [{ field: null, message: 'Try again later.' }] }));
    expect(text).toMatch(
      /<div class="error-summary" role="alert" tabindex="-1" autofocus[^>]*>\s*<ul>\s*<li>Try again later/,
    );
    expect(text.match(/ autofocus/g)).toHaveLength(1);
  });

  it('never fills a password in again', async () => {
    const { text } = await send(signIn({ password: 'correct horse' }));
    expect(text).not.toContain('correct horse');
  });

  it('sends no request to other hosts', async () => {
    const { text } = await send(signIn());
    const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1]!);
    expect(addresses.length).toBeGreaterThan(3);
    for (const address of addresses) expect(address).toMatch(/^(\/assets\/|#)/);
  });
});
