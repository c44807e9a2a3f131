import { NIL_UUID } from '../../common/validation/nil-uuid.js';
import { readEmail } from '../../common/validation/email.rules.js';

/** An address from before such addresses were refused: it looks like another one, or is compared as another one. */
export interface SuspiciousAddress {
  readonly of: 'account' | 'invite' | 'support address';
  /** Id of the account, the invite or the tenant. */
  readonly id: string;
  readonly email: string;
  /** Its canonical form; null for an address that is only used for mails. */
  readonly comparedAs: string | null;
  readonly isVerified: boolean;
}

type Query = (text: string, values: unknown[]) => Promise<SuspiciousAddress[]>;

const BATCH = 1000;

/** Checks accounts, unused invites and tenants, each oldest first. Reads each table once. */
export async function* findSuspiciousAddresses(query: Query): AsyncGenerator<SuspiciousAddress> {
  for (const text of [ACCOUNTS, INVITES, SUPPORT_ADDRESSES]) {
    for (let after = NIL_UUID; ;) {
      const candidates = await query(text, [after, BATCH]);
      yield* candidates.filter(isSuspicious);
      if (candidates.length < BATCH) break;
      after = candidates.at(-1)!.id;
    }
  }
}

/**
 * One line; everything but printable ASCII is written as code points, because it may be invisible or look like another
 * character, for example `vic<U+200B>tim@example.com`.
 */
export function describeAddress({ of, id, email, comparedAs, isVerified }: SuspiciousAddress): string {
  const alike = comparedAs === null ? '' : `, compared as ${spelledOut(comparedAs)}`;
  return `${of} ${id}: ${spelledOut(email)}${alike}${isVerified ? ', verified' : ''}`;
}

function isSuspicious({ email, comparedAs }: SuspiciousAddress): boolean {
  const address = readEmail(email);
  return !address || (comparedAs !== null && comparedAs !== address.canonical);
}

function spelledOut(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return `<U+${code}>`;
  });
}

/** An address in plain ASCII whose canonical form is its lower case is never suspicious. */
const CANDIDATES = `(octet_length(email) <> char_length(email) OR lower(email COLLATE "C") <> email_canonical COLLATE "C")`;

const ACCOUNTS = `
  SELECT 'account' AS of, id, email, email_canonical AS "comparedAs", email_verified AS "isVerified"
  FROM users WHERE id > $1 AND ${CANDIDATES} ORDER BY id LIMIT $2`;

const INVITES = `
  SELECT 'invite' AS of, id, email, email_canonical AS "comparedAs", false AS "isVerified"
  FROM invites WHERE id > $1 AND use_count < max_uses AND ${CANDIDATES} ORDER BY id LIMIT $2`;

const SUPPORT_ADDRESSES = `
  SELECT 'support address' AS of, id, support_email AS email, NULL AS "comparedAs", false AS "isVerified"
  FROM tenants WHERE id > $1 AND octet_length(support_email) <> char_length(support_email) ORDER BY id LIMIT $2`;
