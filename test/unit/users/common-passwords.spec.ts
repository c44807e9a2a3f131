import { describe, expect, it } from '@jest/globals';
import { CommonPasswords } from '../../../src/users/common-passwords.js';

// security 3
describe('the common passwords', () => {
  const passwords = new CommonPasswords();

  it('are all of the list that the policy lets through, more than seventeen thousand', async () => {
    const common = await passwords.atLeast(8);
    expect(common.size).toBeGreaterThan(17_000);
    expect([...common].filter((password) => [...password].length < 8)).toEqual([]);
    for (const password of ['password', '12345678', 'password1', 'iloveyou', 'qwertyuiop'])
      expect([password, common.has(password)]).toEqual([password, true]);
    expect(common.has('correct horse battery staple')).toBe(false);
  });

  it('are fewer where the policy asks for more characters', async () => {
    const [eight, twelve] = [await passwords.atLeast(8), await passwords.atLeast(12)];
    expect(twelve.size).toBeGreaterThan(100);
    expect([...twelve].filter((password) => [...password].length < 12)).toEqual([]);
    expect(twelve.size).toBeLessThan(eight.size);
  });

  it('are in lower case, as they are compared', async () => {
    for (const password of await passwords.atLeast(8)) expect(password).toBe(password.toLowerCase());
  });

  it('are read once per length', async () => {
    expect(passwords.atLeast(10)).toBe(passwords.atLeast(10));
  });
});
