// oidcc-prompt-none-not-logged-in: prompt=none in a browser without a session must come back with login_required,
// without any page.
import { expect, it } from '@jest/globals';
import { useConformanceFixture } from '../../../support/conformance.js';

const fixture = useConformanceFixture();

it('oidcc-prompt-none-not-logged-in: prompt=none returns login_required without a session', async () => {
  expect(fixture.errorOf(await fixture.visit({ prompt: 'none' }))).toBe('login_required');
});
