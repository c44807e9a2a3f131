import { readFileSync, writeFileSync } from 'node:fs';
import { CREDENTIAL_KINDS, type CredentialKind } from './credential-fixture.js';

const FILE = new URL('../../e2e/authorization/credentials.csv', import.meta.url);

/** Status of the answer, or `sign-in` for a redirect to a page that asks to sign in. */
export type Cell = string;

export interface CredentialRow {
  /** `GET /admin/users/:user_id/detail` */
  readonly route: string;
  readonly cells: Readonly<Record<CredentialKind, Cell>>;
}

export function readCredentialTable(): CredentialRow[] {
  const [, ...lines] = readFileSync(FILE, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [method, path, ...cells] = line.split(',');
    const entries = CREDENTIAL_KINDS.map((kind, index) => [kind, cells[index] ?? ''] as const);
    return { route: `${method} ${path}`, cells: Object.fromEntries(entries) as CredentialRow['cells'] };
  });
}

export function writeCredentialTable(rows: readonly CredentialRow[]): void {
  const lines = rows.map(({ route, cells }) =>
    [...route.split(' '), ...CREDENTIAL_KINDS.map((kind) => cells[kind])].join(','),
  );
  writeFileSync(FILE, `${['method,path', ...CREDENTIAL_KINDS].join(',')}\n${lines.join('\n')}\n`);
}
