import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { readSourceTree } from './source-tree.js';

const files = readSourceTree(resolve('src'));
const ISSUED = /INSERT INTO (sso_sessions|refresh_families|authorization_codes|totp_challenges|console_sessions)\b/;
const ENTITIES =
  /\b(?:insert|save|create)\((?:\s*)(SsoSession|RefreshFamily|AuthorizationCode|TotpChallenge|ConsoleSession)\b/;

/** The method around a place in the source: from its name to the end of its parameters. */
function methodAround(text: string, at: number): string {
  const heads = [...text.slice(0, at).matchAll(/^ {2}(?:private )?async (\w+)(?:<\w+>)?\(/gm)];
  const head = heads.at(-1)!;
  return text.slice(head.index, text.indexOf('{\n', head.index));
}

/** Methods of the file that run a statement kept in a constant. */
function usersOf(text: string, constant: string): string[] {
  return [...text.matchAll(new RegExp(`run(?:<[^(]*>)?\\(\\s*${constant}\\b`, 'g'))].map(({ index }) =>
    methodAround(text, index),
  );
}

describe('Sessions, codes and tokens of a sign-in', () => {
  const issuing = files.filter(({ text, path }) => ISSUED.test(text) && !path.startsWith('database/migrations/'));

  it('are inserted in one repository for each table', () => {
    const tables = issuing.map(({ text }) => ISSUED.exec(text)![1]);
    expect(tables.sort()).toEqual([
      'authorization_codes',
      'console_sessions',
      'refresh_families',
      'sso_sessions',
      'totp_challenges',
    ]);
    expect(files.filter(({ text }) => ENTITIES.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('are inserted by methods that require a held proof, which names the user', () => {
    for (const { text } of issuing) {
      const at = ISSUED.exec(text)!.index;
      const constant = /const (\w+) = \{\s+name: '[^']+',\s+text: `[^`]*$/.exec(text.slice(0, at))?.[1];
      const methods = constant ? usersOf(text, constant) : [methodAround(text, at)];
      expect(methods.length).toBeGreaterThan(0);
      for (const method of methods) expect(method).toContain('held: HeldProof');
    }
  });

  it('are never dated by the start of a transaction', () => {
    for (const { text } of issuing) expect(text).toMatch(/\$\{issuedAt\('\$\d'\)\}/);
  });

  it('include set-up tokens, which also require a held proof', () => {
    const maker = files.find(({ path }) => path.endsWith('totp-challenges.service.ts'))!;
    expect(maker.text).toMatch(/setupToken\(\{[^}]*\}: HeldProof,/);
    const signing = files.filter(({ text }) => /signStep\(\s*'totp_setup'/.test(text)).map(({ path }) => path);
    expect(signing).toEqual([maker.path]);
  });

  it('depend on one creator of held proofs', () => {
    const makers = files.filter(({ text }) => /new Held\(|as HeldProof|as unknown as HeldProof/.test(text));
    expect(makers.map(({ path }) => path)).toEqual(['users/proof-guard.ts']);
  });
});
