// oidcc-login-hint: login_hint must not be an error; the page comes with the hinted address filled in.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-login-hint: login_hint fills in the email address on the sign-in page', async () => {
  const page = await fixture.visit({ login_hint: 'buffy@client.example' });
  expect([page.status, page.body.includes('value="buffy@client.example"')]).toEqual([200, true]);
  await fixture.signIn({ login_hint: fixture.user.email });
});
