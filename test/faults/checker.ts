import { createHash } from 'node:crypto';
import type { ReceivedMail, SmtpInbox } from '../support/smtp.js';
import { eventually } from '../support/wait.js';
import type { World } from '../support/world.js';
import type { Journal, JournalEntry } from './journal.js';

/** Rows that must not exist, whatever happened: each statement counts some. */
const NEVER: Readonly<Record<string, string>> = {
  'refresh token families with two unused tokens': `
    SELECT family_id FROM refresh_tokens t JOIN refresh_families f ON f.id = t.family_id
    WHERE t.rotated_at IS NULL AND f.revoked_at IS NULL GROUP BY family_id HAVING count(*) > 1`,
  'users that were made without an audit entry': `
    SELECT u.id FROM users u WHERE u.email LIKE ANY (array['load-%', 'mail-%'])
      AND NOT EXISTS (SELECT FROM audit_entries e WHERE e.action = 'user.created' AND e.user_id = u.id)`,
  'audit entries of users that were not made': `
    SELECT e.id FROM audit_entries e WHERE e.action = 'user.created'
      AND NOT EXISTS (SELECT FROM users u WHERE u.id = e.user_id)`,
  'users whose sign-ins and audit entries differ in number': `
    SELECT u.id FROM users u WHERE u.email LIKE 'person-%' AND
      (SELECT count(*) FROM refresh_families f WHERE f.user_id = u.id) <>
      (SELECT count(*) FROM audit_entries e WHERE e.user_id = u.id AND e.action = 'user.login')`,
  'users without the enrollment that came with them': `
    SELECT u.id FROM users u WHERE u.email LIKE ANY (array['load-%', 'mail-%'])
      AND NOT EXISTS (SELECT FROM enrollments e WHERE e.user_id = u.id)`,
};

type Of<Kind> = Extract<JournalEntry, { kind: Kind }>;

/** Compares what was acknowledged with what is in the database. */
export class Checker {
  constructor(
    private readonly world: World,
    private readonly journal: Journal,
  ) {}

  /** @returns a sentence for each thing that was lost, half done or doubled */
  async check(): Promise<string[]> {
    const entries = this.journal.entries();
    const of = <Kind extends JournalEntry['kind']>(kind: Kind) =>
      entries.filter((entry) => entry.kind === kind) as unknown as Of<Kind>[];
    return [
      ...(await this.tokens(of('token'))),
      ...(await this.revoked(of('revoked'))),
      ...(await this.users(of('user'))),
      ...(await this.names(of('name'))),
      ...(await this.notifications(of('notification'))),
      ...(await this.never()),
    ];
  }

  /** Every mail that was promised must have come. @returns how many came, and sentences as {@link check} */
  async mails(smtp: SmtpInbox, within = 60_000): Promise<{ count: number; repeated: number; broken: string[] }> {
    const wanted = this.journal.entries().filter((entry): entry is Of<'mail'> => entry.kind === 'mail');
    const missing = () => wanted.filter(({ address }) => smtp.to(address).length === 0);
    await eventually('all mails have come', () => missing().length === 0, { within, every: 200 }).catch(
      () => undefined,
    );
    const broken = missing().map(({ address }) => `lost: the mail to ${address}`);
    const all = wanted.flatMap(({ address }) => smtp.to(address));
    for (const { address } of wanted) {
      const ids = new Set(smtp.to(address).map((mail: ReceivedMail) => mail.messageId));
      if (ids.size > 1) broken.push(`doubled: ${ids.size} different mails to ${address}`);
    }
    return { count: wanted.length, repeated: all.length - new Set(all.map((mail) => mail.messageId)).size, broken };
  }

  private async tokens(entries: readonly Of<'token'>[]): Promise<string[]> {
    const rows = await this.world.sql<{ hash: string; rotated: boolean }>(
      `SELECT encode(token_hash, 'hex') AS hash, rotated_at IS NOT NULL AS rotated FROM refresh_tokens`,
    );
    const known = new Map(rows.map(({ hash, rotated }) => [hash, rotated]));
    return entries.flatMap(({ token, parent }) => [
      ...(known.has(hashOf(token)) ? [] : [`lost: the refresh token ${token.slice(0, 6)}…`]),
      ...(parent && known.get(hashOf(parent)) === false
        ? [`half done: the parent of ${token.slice(0, 6)}… is unused`]
        : []),
    ]);
  }

  private async revoked(entries: readonly Of<'revoked'>[]): Promise<string[]> {
    const rows = await this.world.sql<{ hash: string }>(
      `SELECT encode(t.token_hash, 'hex') AS hash FROM refresh_tokens t JOIN refresh_families f ON f.id = t.family_id
       WHERE f.revoked_at IS NOT NULL`,
    );
    const known = new Set(rows.map(({ hash }) => hash));
    return entries
      .filter(({ token }) => !known.has(hashOf(token)))
      .map(({ token }) => `lost: the revocation of ${token.slice(0, 6)}…`);
  }

  private async users(entries: readonly Of<'user'>[]): Promise<string[]> {
    const ids = entries.map(({ id }) => id);
    const rows = await this.world.sql<{ id: string }>('SELECT id FROM users WHERE id = ANY ($1)', [ids]);
    const known = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => !known.has(id)).map((id) => `lost: the user ${id}`);
  }

  private async notifications(entries: readonly Of<'notification'>[]): Promise<string[]> {
    const ids = entries.map(({ id }) => id);
    const rows = await this.world.sql<{ id: string; status: string }>(
      'SELECT id, status FROM notifications WHERE id = ANY ($1)',
      [ids],
    );
    const known = new Map(rows.map(({ id, status }) => [id, status]));
    return ids
      .filter((id) => known.get(id) !== 'sent')
      .map((id) => `lost: the notification ${id} (${known.get(id) ?? 'not stored'})`);
  }

  /** Each client renames its tenant one request after the other: the name is the last acknowledged one or a later one. */
  private async names(entries: readonly Of<'name'>[]): Promise<string[]> {
    const rows = await this.world.sql<{ id: string; name: string }>(
      'SELECT id, name FROM tenants WHERE id = ANY ($1)',
      [entries.map(({ id }) => id)],
    );
    return rows.flatMap(({ id, name }) => {
      const known = entries.filter((entry) => entry.id === id).map((entry) => entry.name);
      const isOld = known.includes(name) && known.at(-1) !== name;
      return isOld ? [`lost: the newest name of ${id}`] : [];
    });
  }

  private async never(): Promise<string[]> {
    const broken: string[] = [];
    for (const [what, statement] of Object.entries(NEVER)) {
      const count = (await this.world.sql(statement)).length;
      if (count > 0) broken.push(`${count} ${what}`);
    }
    return broken;
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}
