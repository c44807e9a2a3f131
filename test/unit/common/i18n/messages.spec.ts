import { parse } from '@formatjs/icu-messageformat-parser';
import { describe, expect, it } from '@jest/globals';
import Handlebars from 'handlebars';
import { CompiledMessage } from '../../../../src/common/i18n/compiled-message.js';
import { message, Message, reviveMessage } from '../../../../src/common/i18n/message.js';
import { Messages } from '../../../../src/common/i18n/messages.js';
import { withTexts } from '../../../../src/common/i18n/with-texts.js';

const messages = new Messages();
const HOSTILE = `<img src=x onerror=alert(1)>"'`;
const strong = (inner: string) => `<strong>${inner}</strong>`;

describe('Messages as text', () => {
  it('are in English, and in the pseudo-locale with accents', () => {
    expect(messages.text('en', message('common.continue'))).toBe('Continue');
    expect(messages.text('en-XA', message('common.continue'))).toBe('[Çöñţîñûé]');
  });

  it('leave a text that is not a message unchanged', () => {
    expect(messages.text('en-XA', 'Orbit')).toBe('Orbit');
  });

  it('are in English for a language without them', () => {
    expect(messages.text('de', message('common.continue'))).toBe('Continue');
  });

  it('can contain other messages as values', () => {
    const wait = message('common.wait.minutes', { count: 2 });
    const tooMany = message('common.wait.too_many_attempts', { wait });
    expect(messages.text('en', tooMany)).toBe('Too many attempts. Wait 2 minutes, then try again.');
    expect(messages.text('en-XA', tooMany)).toContain('[2 ɱîñûţéš]');
  });

  it('join the alternatives in a list', () => {
    const again = (...methods: (string | Message)[]) =>
      messages.text('en', message('sign-in.again.with', { methods, app: 'Orbit' }));
    const password = message('sign-in.again.password');
    expect(again(password)).toMatch(/^Sign in again with your password\. /);
    expect(again(password, 'Google')).toMatch(/^Sign in again with your password or Google\. /);
    expect(again(password, 'Google', 'GitHub')).toMatch(/^Sign in again with your password, Google, or GitHub\. /);
  });

  it('have no tags', () => {
    const logout = message('sign-in.logout.about_to_as', { email: HOSTILE });
    expect(messages.text('en', logout)).toBe(`You are about to sign out as ${HOSTILE}.`);
  });

  it('are rejected if their key or one of their values is missing', () => {
    expect(() => messages.text('en', message('common.nothing'))).toThrow('There is no message common.nothing');
    expect(() => messages.text('en', message('common.back_to_app'))).toThrow('app');
    const noApp = { app: undefined } as unknown as Record<string, string>;
    expect(() => messages.text('en', message('common.back_to_app', noApp))).toThrow('The value app');
  });
});

describe('Messages as HTML', () => {
  const html = (key: string, values: Record<string, string | Handlebars.SafeString>) =>
    String(messages.html('en', key, values, { strong }));

  it('escape values, also inside tags', () => {
    const escaped = Handlebars.escapeExpression(HOSTILE);
    expect(html('common.back_to_app', { app: HOSTILE })).toBe(`Back to ${escaped}`);
    expect(html('sign-in.logout.about_to_as', { email: HOSTILE })).toBe(
      `You are about to sign out as <strong>${escaped}</strong>.`,
    );
  });

  it('accept values that are already HTML', () => {
    expect(html('common.back_to_app', { app: new Handlebars.SafeString('<b>Orbit</b>') })).toBe('Back to <b>Orbit</b>');
  });

  it('are rejected with a tag that the page does not know', () => {
    expect(() => messages.html('en', 'sign-in.logout.about_to_as', { email: 'a@b.example' }, {})).toThrow('<strong>');
  });

  it('escape their own text', () => {
    const compiled = new CompiledMessage(parse('Terms & conditions of "Orbit"'), 'en');
    expect(String(compiled.html({}, {}))).toBe('Terms &amp; conditions of &quot;Orbit&quot;');
  });

  it('without values are created once', () => {
    expect(messages.html('en', 'common.continue', {}, {})).toBe(messages.html('en', 'common.continue', {}, {}));
  });
});

describe('Messages in a model', () => {
  it('become text at any depth, and other values stay unchanged', () => {
    const at = new Date(0);
    const model = { a: message('common.copy'), list: [{ b: message('common.copied') }, 1, null], at, f: undefined };
    const texts = withTexts(model, (each) => messages.text('en', each));
    expect(texts).toEqual({ a: 'Copy', list: [{ b: 'Copied' }, 1, null], at, f: undefined });
    expect(texts['at']).toBe(at);
  });

  it('can be stored as JSON', () => {
    const wait = message('common.wait.then_try_again', { wait: message('common.wait.hours', { count: 2 }) });
    const model = { wait, key: 'x', values: {}, other: { key: 1, values: {} } };
    expect(JSON.parse(JSON.stringify(model), reviveMessage)).toEqual(model);
    const revived = JSON.parse(JSON.stringify(model), reviveMessage) as { wait: Message };
    expect(revived.wait).toBeInstanceOf(Message);
    expect(messages.text('en', revived.wait)).toBe('Wait 2 hours, then try again.');
  });
});
