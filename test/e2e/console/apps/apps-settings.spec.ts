import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleFixture } from '../../../support/console-fixture.js';
import { standing } from '../../../support/form-fields.js';
import type { HostedAnswer } from '../../../support/hosted-page.js';
import { contentToken, contentWords } from '../../../support/console-visitor.js';
import { HostedBrowser, loginPath } from '../../../support/hosted-page.js';
import { plainImage } from '../../../support/images.js';
import type { TestClient } from '../../../support/world.js';

describe('Console: settings of an app', () => {
  let fixture: ConsoleFixture;
  let app: TestClient;
  let home: string;

  beforeAll(async () => {
    fixture = await ConsoleFixture.open();
  });

  afterAll(() => fixture.close());

  beforeEach(async () => {
    app = await fixture.world.app(fixture.tenant);
    home = `/console/apps/${app.id}`;
  });

  describe('overview tab', () => {
    it('shows the ids, a quick start with the app’s values and a usage chart', async () => {
      await fixture.world.tokens(await fixture.world.user(app), app.id);
      const words = contentWords(await fixture.browser.get(home));
      expect(words).toContain(app.id);
      expect(words).toContain(app.tenantId);
      const page = (await fixture.browser.get(home)).body;
      expect(page).toContain(`app_id&#x3D;${app.id}&amp;redirect_uri&#x3D;${encodeURIComponent(app.redirectUri)}`);
      expect(page).toContain('<figure class="chart"');
    });

    it('changes the name and the bundle id, and shows errors', async () => {
      const done = await fixture.fill(home, { name: 'Renamed', bundle_id: `com.example.renamed.${app.id}` });
      expect([done.status, done.location]).toEqual([303, home]);
      expect(await fixture.shown(app)).toMatchObject({ name: 'Renamed', bundle_id: `com.example.renamed.${app.id}` });
      expect(contentWords(await fixture.browser.get(home))).toContain('The name was saved.');
      const wrong = await fixture.fill(home, { name: '', bundle_id: 'console.mine' });
      expect(wrong.status).toBe(422);
      const spaced = await fixture.fill(home, { bundle_id: 'com example' });
      expect(contentWords(spaced)).toContain('Use letters, digits, dots, hyphens and underscores.');
      const other = await fixture.world.app(fixture.tenant);
      const taken = await fixture.fill(home, { bundle_id: (await fixture.shown(other)).bundle_id });
      expect([taken.status, contentWords(taken)]).toEqual([422, expect.stringContaining('Bundle ID already exists.')]);
      expect((await fixture.shown(app)).name).toBe('Renamed');
    });

    it('switches the app off after its name was typed, and on again', async () => {
      const { name } = await fixture.shown(app);
      const asked = await fixture.browser.get(`${home}/danger/off`);
      expect(contentWords(asked)).toContain('Members 0');
      const wrong = await fixture.fill(`${home}/danger/off`, { confirm_name: 'something else' });
      expect([wrong.status, (await fixture.shown(app)).is_active]).toEqual([422, true]);
      const off = await fixture.fill(`${home}/danger/off`, { confirm_name: name });
      expect([off.status, (await fixture.shown(app)).is_active]).toEqual([303, false]);
      expect(contentWords(await fixture.browser.get(home))).toContain('Users can’t sign in to it');
      const on = await fixture.press(`${home}/danger`, `${home}/on`);
      expect([on.status, (await fixture.shown(app)).is_active]).toEqual([303, true]);
    });
  });

  describe('sign-in tab', () => {
    const tab = () => `${home}/sign-in`;

    it('saves every setting as the API shows it', async () => {
      const answer = await fixture.fill(tab(), {
        registration_policy: 'approval',
        provider_password: null,
        provider_google: 'on',
        client_type: 'public',
        require_2fa: 'on',
        require_verified_email: 'on',
        redirect_uris: 'https://one.example/callback\r\ncom.example.app:/callback',
        post_logout_redirect_uris: 'https://one.example/bye',
        initiate_login_uri: 'https://one.example/login',
        backchannel_logout_uri: 'https://one.example/backchannel',
        token_lifetime_minutes: '5',
        refresh_lifetime_days: '14',
        refresh_grace_seconds: '10',
        available_roles: 'user\r\nadmin\r\neditor',
        auto_assign_roles: 'editor',
      });
      expect([answer.status, answer.location]).toEqual([303, tab()]);
      const { registration_policy, config } = await fixture.shown(app);
      expect(registration_policy).toBe('approval');
      expect(config).toMatchObject({
        allowed_providers: ['magic_link', 'google'],
        client_type: 'public',
        require_2fa: true,
        require_verified_email: true,
        redirect_uris: ['https://one.example/callback', 'com.example.app:/callback'],
        post_logout_redirect_uris: ['https://one.example/bye'],
        initiate_login_uri: 'https://one.example/login',
        backchannel_logout_uri: 'https://one.example/backchannel',
        token_lifetime_minutes: 5,
        refresh_lifetime_days: 14,
        refresh_grace_seconds: 10,
        available_roles: ['user', 'admin', 'editor'],
        auto_assign_roles: ['user', 'editor'],
      });
    });

    it('changes nothing if the form is sent unchanged', async () => {
      const before = await fixture.shown(app);
      expect((await fixture.browser.get(tab())).body).toContain('>user\nmanager\nadmin</textarea>');
      expect((await fixture.fill(tab(), {})).status).toBe(303);
      const after = await fixture.shown(app);
      expect([after.registration_policy, after.config]).toEqual([before.registration_policy, before.config]);
    });

    it.each([
      ['redirect_uris', 'http://evil.example/', 'Line 1: Redirect URI must use https'],
      ['redirect_uris', 'javascript:alert(1)', 'Redirect URI scheme is not allowed'],
      ['post_logout_redirect_uris', 'ftp:x', 'Line 1:'],
      ['token_lifetime_minutes', '0', 'Enter 1 or more.'],
      ['token_lifetime_minutes', 'ten', 'Enter a whole number.'],
      ['refresh_lifetime_days', '91', 'Refresh token lifetime (days): Enter 90 or less.'],
      ['available_roles', 'two words', 'Roles of this app: Use letters, digits and the characters . : _ -'],
      ['auto_assign_roles', 'ä', 'Default roles for new members: Use letters, digits'],
      ['auto_assign_roles', 'unknown', 'Add the role to “Roles of this app” first.'],
    ])('shows the error beside %s for %j and keeps everything that was typed', async (field, value, message) => {
      const before = await fixture.shown(app);
      const answer = await fixture.fill(tab(), { refresh_lifetime_days: '77', [field]: value });
      expect([answer.status, contentWords(answer)]).toEqual([422, expect.stringContaining(message)]);
      expect(answer.body).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`));
      if (field !== 'refresh_lifetime_days') expect(answer.body).toContain('value="77"');
      expect(await fixture.shown(app)).toEqual(before);
    });

    it('warns that sign-in links are not sent without a redirect URI', async () => {
      const nowhere = await fixture.world.app(fixture.tenant, { config: { redirect_uris: [] } });
      const words = 'Sign-in links are not sent';
      const said = (id: string) =>
        Promise.all(
          ['', '/sign-in'].map(async (each) =>
            contentWords(await fixture.browser.get(`/console/apps/${id}${each}`)).includes(words),
          ),
        );
      expect(await said(nowhere.id)).toEqual([true, true]);
      expect(await said(app.id)).toEqual([false, false]);
      await fixture.world.asAdmin('PUT', `/admin/apps/${nowhere.id}`, { config: { allowed_providers: ['password'] } });
      expect(await said(nowhere.id)).toEqual([false, false]);
    });

    it('changes the order of providers, also without scripts', async () => {
      const own = await fixture.world.app(fixture.tenant);
      const path = `/console/apps/${own.id}/sign-in`;
      const order = (answer: HostedAnswer) => [...answer.body.matchAll(/name="place_(\w+)"/g)].map(([, name]) => name);
      const fields = { provider_google: 'on', provider_apple: 'on', provider_magic_link: null };
      let page = await fixture.fill(path, { ...fields, move_up: 'apple' });
      for (let times = 0; times < 2; times++)
        page = await fixture.browser.post(path, { ...standing(page, path), move_up: 'apple' });
      expect([page.status, order(page).slice(3)]).toEqual([200, ['apple', 'google', 'microsoft', 'github']]);
      // No provider goes above what is none.
      page = await fixture.browser.post(path, { ...standing(page, path), move_up: 'apple' });
      expect(order(page).slice(2, 4)).toEqual(['passkey', 'apple']);
      expect((await fixture.browser.post(path, standing(page, path))).status).toBe(303);
      expect((await fixture.shown(own)).config['allowed_providers']).toEqual(['password', 'apple', 'google']);
    });

    it('requires at least one sign-in method', async () => {
      const answer = await fixture.fill(tab(), { provider_password: null, provider_magic_link: null });
      expect([answer.status, contentWords(answer)]).toEqual([
        422,
        expect.stringContaining('Choose at least one sign-in method'),
      ]);
      expect((await fixture.shown(app)).config['allowed_providers']).toEqual(['password', 'magic_link']);
    });

    it('does not change the redirect URIs, roles and registration policy of a Console app', async () => {
      const console = { ...app, id: fixture.tenant.consoleAppId };
      const before = await fixture.shown(console);
      const path = `/console/apps/${console.id}/sign-in`;
      const fields = { redirect_uris: 'https://evil.example/', registration_policy: 'open', available_roles: 'x' };
      const answer = await fixture.fill(path, { ...fields, token_lifetime_minutes: '7' });
      expect(answer.status).toBe(303);
      const after = await fixture.shown(console);
      expect(after).toMatchObject({ registration_policy: 'invite', config: { token_lifetime_minutes: 7 } });
      expect(after.config['redirect_uris']).toEqual(before.config['redirect_uris']);
      expect(after.config['available_roles']).toEqual(before.config['available_roles']);
    });
  });

  describe('branding tab', () => {
    const tab = () => `${home}/branding`;
    const upload = async (content: Buffer, picture = 'logo') => {
      const form_token = contentToken(await fixture.browser.get(tab()));
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(content)], { type: 'image/png' }), 'logo.png');
      return fixture.browser.postForm(`${tab()}/${picture}?${new URLSearchParams({ form_token }).toString()}`, form);
    };

    it('saves color, logo URL and logo height', async () => {
      const logo_url = 'https://cdn.example.com/logo.png';
      const answer = await fixture.fill(tab(), { primary_color: '#AA3300', logo_url, logo_height: '64' });
      expect(answer.status).toBe(303);
      const { branding } = (await fixture.shown(app)).config;
      expect(branding).toMatchObject({ primary_color: '#aa3300', logo_url, logo_height: 64 });
      await fixture.fill(tab(), { logo_url: '' });
      expect((await fixture.shown(app)).config.branding['logo_url']).toBeNull();
    });

    it('saves links to the terms of service, the privacy policy and the support page, which the sign-in page shows', async () => {
      const support_uri = 'https://app.example.com/help';
      const tos_uri = 'https://app.example.com/terms?a=1&b="2"'.replaceAll('"', '%22');
      const links = { tos_uri, policy_uri: '', support_uri };
      expect((await fixture.fill(tab(), links)).status).toBe(303);
      expect((await fixture.shown(app)).config.branding).toMatchObject({ ...links, policy_uri: null });
      const page = async () => (await new HostedBrowser(fixture.world.baseUrl).get(loginPath(app))).body;
      const shown = (await page()).replaceAll('&#x3D;', '=').replaceAll('&amp;', '&');
      expect(shown).toContain(
        `<a href="${links.tos_uri}" target="_blank" rel="noopener noreferrer">Terms of service</a>`,
      );
      expect(shown).toContain(`<a href="${support_uri}" target="_blank" rel="noopener noreferrer">Get help</a>`);
      expect(shown).not.toContain('Privacy policy');
      await fixture.fill(tab(), { tos_uri: '' });
      expect(await page()).not.toContain('Terms of service');
    });

    it.each([
      ['primary_color', 'red; } body { display: none', ''],
      ['primary_color', 'red', 'Enter a color, like #2563eb.'],
      ['logo_url', 'http://plain.example/logo.png', 'Enter an address that begins with https://.'],
      ['logo_url', 'https://127.0.0.1/logo.png', ''],
      ['logo_height', '1000', 'Enter 256 or less.'],
      ['tos_uri', 'javascript:alert(1)', 'Enter an address that begins with https://.'],
      ['tos_uri', 'http://plain.example/terms', 'Enter an address that begins with https://.'],
      ['policy_uri', 'https://accounts.google.com@evil.example/', ''],
      ['support_uri', 'https://accounts.google.com@evil.example/', ''],
    ])('rejects %s %j with an error beside the field', async (field, value, message) => {
      const answer = await fixture.fill(tab(), { [field]: value });
      expect([answer.status, contentWords(answer)]).toEqual([422, expect.stringContaining(message)]);
      expect(answer.body).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`));
    });

    it('saves a logo, shows it in the preview and removes it after a confirmation', async () => {
      const png = await plainImage('png', { width: 40, height: 20 });
      const answer = await upload(png);
      expect([answer.status, answer.location]).toEqual([303, tab()]);
      const { logo_data } = (await fixture.shown(app)).config.branding;
      expect(logo_data).toMatch(/^data:image\/png;base64,/);
      const picture = await fixture.browser.get(`${tab()}/preview/sign-in`);
      expect(picture.body).toContain('<img class="brand-logo" src="data:image/png;base64,');
      const question = `${tab()}/logo/remove`;
      expect((await fixture.browser.get(tab())).body).toContain(`href="${question}"`);
      expect(contentWords(await fixture.browser.get(question))).toContain('Remove the uploaded logo of');
      expect((await fixture.shown(app)).config.branding['logo_data']).toBe(logo_data);
      expect((await fixture.press(question, question)).status).toBe(303);
      expect((await fixture.shown(app)).config.branding['logo_data']).toBeNull();
    });

    it.each([
      ['dark-logo', 'dark_logo_data', 'logo for the dark theme'],
      ['favicon', 'favicon_data', 'favicon'],
    ])('saves and removes a picture of its own: %s', async (path, field, words) => {
      const shown = async () => (await fixture.shown(app)).config.branding[field];
      const refused = await upload(Buffer.from('hello'), path);
      expect(refused.status).toBe(422);
      expect(refused.body).toMatch(new RegExp(`id="${path.replace('-', '_')}_file"[^>]*aria-invalid="true"`));
      expect(refused.body).not.toMatch(/id="file"[^>]*aria-invalid="true"/);
      await upload(await plainImage('png', { width: 40, height: 20 }), path);
      expect(await shown()).toMatch(/^data:image\/png;base64,/);
      const question = `${tab()}/${path}/remove`;
      expect(contentWords(await fixture.browser.get(question))).toContain(`Remove the uploaded ${words} of`);
      expect((await fixture.press(question, question)).status).toBe(303);
      expect(await shown()).toBeNull();
    });

    it.each([
      ['another file type', Buffer.from('hello'), 'Unsupported image type'],
      ['no file', Buffer.alloc(0), 'Unsupported image type'],
      ['more than 2 MB', Buffer.alloc(2 * 1024 * 1024 + 1), 'The file is too large. The limit is 2 MB.'],
    ])('shows the error beside the field for an upload with %s', async (_, content, message) => {
      const answer = await upload(content);
      expect([answer.status, contentWords(answer)]).toEqual([422, expect.stringContaining(message)]);
      expect(answer.body).toMatch(/id="file"[^>]*aria-invalid="true"/);
      expect((await fixture.shown(app)).config.branding['logo_data']).toBeNull();
    });

    it('previews typed values only for the form’s own request, and only if they are valid', async () => {
      const query = (typed: Record<string, string>) => `${tab()}?${new URLSearchParams(typed).toString()}`;
      const preview = async (typed: Record<string, string>, headers: Record<string, string>) => {
        const page = (await fixture.browser.get(query(typed), headers)).body;
        return /<div id="preview"[\s\S]*/.exec(page)![0];
      };
      const asked = { 'HX-Request': 'true' };
      const logo = 'https://cdn.example.com/typed.png';
      const typed = await preview({ primary_color: '#00ff00', logo_url: logo, logo_height: '90' }, asked);
      // No browser loads a picture from another origin, not even the operator's.
      expect(typed).not.toContain(logo);
      expect(typed).toContain('primary_color&#x3D;%2300ff00&amp;logo_height&#x3D;90');
      const linked = await preview({ primary_color: '#00ff00', logo_url: logo }, {});
      expect(linked).not.toContain('00ff00');
      expect(linked).not.toContain(logo);
      const hostile = await preview({ primary_color: '"><script>', logo_url: 'https://10.0.0.1/x.png' }, asked);
      expect(hostile).toContain('primary_color&#x3D;%232563eb');
      expect(hostile).not.toContain('10.0.0.1');
    });

    it('shows the real sign-in page as a picture, in the typed color and one theme, without scripts', async () => {
      const picture = async (typed: Record<string, string>) =>
        fixture.browser.get(`${tab()}/preview/sign-in?${new URLSearchParams(typed).toString()}`);
      const good = await picture({ primary_color: '#00ff00', logo_height: '90', theme: 'dark' });
      expect([good.status, good.headers.get('x-frame-options'), good.headers.get('cache-control')]).toEqual([
        200,
        'SAMEORIGIN',
        'no-store',
      ]);
      const policy = good.headers.get('content-security-policy')!;
      expect(policy).toContain("frame-ancestors 'self'; sandbox allow-same-origin");
      expect(policy).toContain("form-action 'none'");
      expect(policy).not.toContain('script-src');
      expect(good.body).toContain('data-theme="dark"');
      expect(good.body).toContain('<body inert>');
      expect(good.body).not.toContain('<script');
      expect(good.body).toContain('--brand-fill: light-dark(#00ff00, #00ff00)');
      expect(good.body).toContain('--logo-height: 90px');
      expect(good.body).toMatch(/<input[^>]*id="password"/);
      const hostile = await picture({ primary_color: '#fff;} * {display:none} /*', logo_height: '1;}' });
      expect(hostile.body).toContain('--brand-fill: light-dark(#2563eb, #2563eb)');
      expect(hostile.body).not.toContain('* {display');
    });

    it('shows the real mails as pictures with sample data, in the typed color', async () => {
      expect((await upload(await plainImage('png', { width: 40, height: 20 }))).status).toBe(303);
      const picture = async (query: string) => fixture.browser.get(`${tab()}/preview/mail?${query}`);
      const mail = await picture('mail=magic-link&primary_color=%2300aa00');
      expect(mail.headers.get('content-security-policy')).toMatch(
        /^default-src 'none';.*frame-ancestors 'self'; sandbox$/,
      );
      expect(mail.body).toContain('Sent to ada@example.com');
      expect(mail.body).toContain('background:#00aa00');
      expect(mail.body).toContain('<img src="data:image/png;base64,');
      expect((await picture('mail=nonsense')).body).toContain('Confirm this address');
    });
  });
});
