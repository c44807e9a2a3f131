import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { CommonPasswords } from '../../../../src/users/passwords/common-passwords.js';
import { foldSpelling } from '../../../../src/users/passwords/password-spellings.rules.js';
import { guessableWords, judgeWeakness } from '../../../../src/users/passwords/weak-password.rules.js';

const packed = readFileSync('data/common-passwords/common-passwords.txt.br');
const lines = brotliDecompressSync(packed).toString('utf8').split('\n').slice(0, -1);
const NO_WORDS = guessableWords('', [], null);

// security 3
describe('List of common passwords', () => {
  const passwords = new CommonPasswords();

  it('contains more than a hundred thousand of eight characters or more in less than 500 kB', async () => {
    expect((await passwords.read()).size).toBe(lines.length);
    expect(lines.filter((line) => [...line].length >= 8).length).toBeGreaterThan(100_000);
    expect(packed.length).toBeLessThan(500_000);
  });

  it('finds its first entry, its last and a thousand between, and nothing else', async () => {
    const list = await passwords.read();
    const some = [...lines.filter((_, index) => index % 150 === 0), lines.at(-1)!];
    expect(some.filter((line) => !list.has(line))).toEqual([]);
    const absent = ['', '\n', '\0', '\u{10ffff}', lines[0]!.slice(0, -1), `${lines.at(-1)!}x`, 'x'.repeat(256)];
    expect(absent.filter((line) => list.has(line))).toEqual([]);
    expect(some.filter((line) => list.has(`${line}\u0007`))).toEqual([]);
  });

  it('is sorted, folded and without duplicates, as the search requires', () => {
    const bytes = lines.map((line) => Buffer.from(line));
    expect(bytes.findIndex((line, index) => index > 0 && Buffer.compare(bytes[index - 1]!, line) >= 0)).toBe(-1);
    expect(lines.filter((line) => foldSpelling(line) !== line)).toEqual([]);
  });

  it.each([
    'password',
    '12345678',
    'PassWord1',
    'iloveyou',
    'qwertyuiop',
    'p@$$w0rd',
    'Monkey2024!',
    'trustno1',
    'Summer24!',
  ])('contains %s', async (password) => {
    expect(judgeWeakness(password, await passwords.read(), NO_WORDS)).toBe('common');
  });

  it.each([
    'correct horse battery staple',
    'an entirely new secret',
    'difference engine',
    'kX7-mQ2vTz',
    '🔑'.repeat(8),
  ])('does not contain %s', async (password) => {
    expect(judgeWeakness(password, await passwords.read(), NO_WORDS)).toBeNull();
  });

  it('is searched in less than a millisecond per password, even the longest', async () => {
    const list = await passwords.read();
    const words = guessableWords('ada.lovelace@example.com', ['Acme GmbH', 'Notes'], 'Ada King Lovelace');
    const asked = Array.from({ length: 2_000 }, (_, index) => `${'difference engine'.repeat(15)}${index}`.slice(-256));
    const started = process.cpuUsage();
    for (const password of asked) judgeWeakness(password, list, words);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1_000 / asked.length).toBeLessThan(1);
  });

  it('is read once', () => {
    expect(passwords.read()).toBe(passwords.read());
  });
});
