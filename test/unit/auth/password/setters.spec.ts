import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BEFORE_TENANTS, PASSWORD_SETTERS } from '../../../support/password-setters.js';

const SRC = resolve('src');

interface Source {
  readonly path: string;
  readonly text: string;
}

function sources(): Source[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(SRC, path), 'utf8') }));
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

// security 2, 3
describe('Code that stores a new password', () => {
  const hashing = sources().filter(({ path, text }) => !path.startsWith('users/') && /\.hashPassword\(/.test(text));

  it('is on the list that is tested over HTTP', () => {
    const listed = new Set([...Object.values(PASSWORD_SETTERS).map(({ file }) => file), ...BEFORE_TENANTS]);
    expect(hashing.map(({ path }) => path).sort()).toEqual([...listed].sort());
  });

  it.each(hashing)('applies the policy each time: $path', ({ text }) => {
    expect(text).toContain('PasswordPolicyService');
    expect(count(text, /\.hashPassword\(/g)).toBeLessThanOrEqual(
      count(text, /await this\.(?:policy|passwords)\.check\(/g) + count(text, /await this\.checkPassword\(/g),
    );
  });

  it('has no other way to a hash', () => {
    const direct = sources().filter(({ text }) => /PasswordHasher\b/.test(text) && /\.hash\(/.test(text));
    expect(direct.map(({ path }) => path)).toEqual(['users/users.service.ts']);
  });
});
