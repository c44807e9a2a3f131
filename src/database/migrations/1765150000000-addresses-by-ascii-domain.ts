import { domainToASCII } from 'node:url';
import type { MigrationInterface, QueryRunner } from 'typeorm';

interface Row {
  readonly id: string;
  readonly compared: string;
}

/**
 * An address is compared by the ASCII form of its domain (IDNA): `a@müller.example` and `a@xn--mller-kva.example` are one
 * mailbox. Rows with other letters in the domain are changed, one by one, because there are few. An account whose ASCII
 * form another account has is left as it is: `users suspicious-addresses` of the command line lists it. The version before
 * this one writes, and finds, the form that it knows, which stays allowed.
 */
export class AddressesByAsciiDomain1765150000000 implements MigrationInterface {
  name = 'AddressesByAsciiDomain1765150000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(IS_AS_MAILED);
    for (const [table, key] of TABLES) {
      const rows = (await db.query(
        `SELECT ${key}::text AS id, email_canonical AS compared FROM ${table}
         WHERE octet_length(split_part(email_canonical, '@', 2)) <> char_length(split_part(email_canonical, '@', 2))`,
      )) as Row[];
      for (const { id, compared } of rows) await this.change(db, [table, key], id, compared);
    }
  }

  /** The addresses stay: the version before this one compares them as they are, and would make a second account of each. */
  async down(db: QueryRunner): Promise<void> {
    await db.query(IS_AS_MAILED_BEFORE);
  }

  private async change(db: QueryRunner, [table, key]: Table, id: string, compared: string): Promise<void> {
    const [local, domain] = compared.split('@') as [string, string];
    const ascii = domainToASCII(domain);
    if (ascii === '') return;
    const isFree = `NOT EXISTS (SELECT FROM users WHERE email_canonical = $2)`;
    await db.query(
      `UPDATE ${table} SET email_canonical = $2 WHERE ${key}::text = $1 ${table === 'users' ? `AND ${isFree}` : ''}`,
      [id, `${local}@${ascii}`],
    );
  }
}

type Table = readonly [table: string, key: string];

const TABLES: readonly Table[] = [
  ['users', 'id'],
  ['invites', 'id'],
  ['mail_links', 'token_hash'],
];

/** As in `AddressesAsMailed1763700002200`; beside it, a domain with other letters is compared as one with an ASCII label `xn--…`. */
const IS_AS_MAILED = isAsMailed(`
          OR char_length(split_part(mailed, '@', 1)) = char_length(split_part(compared, '@', 1))
            AND CASE WHEN octet_length(split_part(mailed, '@', 1)) = char_length(split_part(mailed, '@', 1))
              THEN lower(split_part(mailed, '@', 1) COLLATE "C") = split_part(compared, '@', 1) COLLATE "C"
              ELSE octet_length(split_part(compared, '@', 1)) > char_length(split_part(compared, '@', 1)) END
            AND octet_length(split_part(mailed, '@', 2)) > char_length(split_part(mailed, '@', 2))
            AND octet_length(split_part(compared, '@', 2)) = char_length(split_part(compared, '@', 2))
            AND split_part(compared, '@', 2) ~ '(^|[.])xn--'`);

const IS_AS_MAILED_BEFORE = isAsMailed('');

function isAsMailed(besides: string): string {
  return `
  CREATE OR REPLACE FUNCTION is_address_as_mailed(mailed text, compared text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT mailed IS NFKC NORMALIZED AND compared IS NFKC NORMALIZED
      AND CASE WHEN octet_length(mailed) = char_length(mailed)
        THEN lower(mailed COLLATE "C") = compared COLLATE "C"
        ELSE char_length(mailed) = char_length(compared) AND octet_length(compared) > char_length(compared)${besides} END
      AND mailed !~ '[\\u00AD\\u034F\\u061C\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uFE00-\\uFE0F\\uFEFF]'
  $$
`;
}
