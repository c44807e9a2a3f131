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

/** What of a credential ends the sign-ins in progress when it is removed. */
const CREDENTIALS: Readonly<Record<string, 'proofs are voided' | 'a column of the user counts' | 'opens nothing'>> = {
  'auth/credentials/passkeys/stored/passkey.entity.ts': 'proofs are voided',
  'auth/providers/linked/linked-account.entity.ts': 'proofs are voided',
  // `users.totp_enabled_at` goes with it, which a trigger watches (docs/decisions/0024).
  'auth/credentials/second-factor/stored/second-factor.entity.ts': 'a column of the user counts',
  'auth/credentials/second-factor/stored/backup-code.entity.ts': 'a column of the user counts',
  'auth/credentials/second-factor/check/totp-challenge.entity.ts': 'opens nothing',
  // The link that undoes a new credential, and with it ends everything.
  'auth/credentials/notices/credential-notice.entity.ts': 'opens nothing',
  'auth/credentials/passkeys/challenges/passkey-challenge.entity.ts': 'opens nothing',
  'auth/credentials/passkeys/stored/passkey-handle.entity.ts': 'opens nothing',
  'auth/credentials/passkeys/offers/passkey-offer.entity.ts': 'opens nothing',
};
/** Parts of changes that end every session and token of the user. */
const WITH_EVERYTHING = ['dropped-passkeys.ts dropSince', 'linked-accounts.service.ts dropAll'];

/** Its name, and the text of the method around a place in the source. */
function wholeMethod(text: string, at: number): { name: string; body: string } {
  const head = [...text.slice(0, at).matchAll(/^ {2}(?:private )?(?:async )?(\w+)(?:<\w+>)?\(/gm)].at(-1)!;
  return { name: head[1]!, body: text.slice(head.index, text.indexOf('\n  }\n', at)) };
}

describe('Credentials in tables of their own', () => {
  it('are all known here', () => {
    const entities = files
      .map(({ path }) => path)
      .filter((path) => /^auth\/(credentials|providers\/linked)\/.*\.entity\.ts$/.test(path));
    expect(entities.sort()).toEqual(Object.keys(CREDENTIALS).sort());
  });

  it('void the proofs of sign-ins in progress before they are removed', () => {
    for (const [path, kind] of Object.entries(CREDENTIALS)) {
      if (kind !== 'proofs are voided') continue;
      const entity = /export class (\w+)/.exec(files.find((file) => file.path === path)!.text)![1]!;
      const repositories = files.filter(({ text }) => new RegExp(`\\.delete\\(${entity}\\b`).test(text));
      expect(repositories.map((file) => file.path)).toEqual([expect.stringMatching(/\.repository\.ts$/)]);
      const { path: repository, text } = repositories[0]!;
      const removing = [...text.matchAll(new RegExp(`\\.delete\\(${entity}\\b`, 'g'))].map(
        ({ index }) => wholeMethod(text, index).name,
      );
      const call = new RegExp(`this\\.\\w+\\.(?:${removing.join('|')})\\(tx, `, 'g');
      const removals = files
        .filter(({ imports }) => imports.includes(repository))
        .flatMap((file) =>
          [...file.text.matchAll(call)].map(({ index }) => ({ file, ...wholeMethod(file.text, index) })),
        );
      expect(removals.length).toBeGreaterThan(1);
      for (const { file, name, body } of removals) {
        const place = `${file.path.split('/').at(-1)} ${name}`;
        if (!WITH_EVERYTHING.includes(place))
          expect([place, body]).toEqual([place, expect.stringContaining('.voidProofs(tx, ')]);
      }
    }
  });
});

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

  it('are inserted by methods that require a held proof, which names the user in its own transaction', () => {
    for (const { text } of issuing) {
      const at = ISSUED.exec(text)!.index;
      expect(text).toContain('held.userIn(tx)');
      expect(text).not.toContain('held.userId');
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
