import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The address that is compared is the one that gets e-mails, except for letter case: two rows never have one mailbox,
 * and one row never has two. The service refuses other addresses earlier. Triggers and not constraints: existing rows
 * stay as they are, and their other columns can still be changed. The command `users suspicious-addresses` lists them.
 */
export class AddressesAsMailed1763700002200 implements MigrationInterface {
  name = 'AddressesAsMailed1763700002200';

  async up(db: QueryRunner): Promise<void> {
    for (const statement of [IS_AS_MAILED, REFUSE, TRIGGERS]) await db.query(statement);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TRIGGER tr_users_address ON users;
      DROP TRIGGER tr_invites_address ON invites;
      DROP FUNCTION refuse_address();
      DROP FUNCTION is_address_as_mailed(text, text);
    `);
  }
}

/**
 * Independent of the collation, which knows other letters' cases on every system: ASCII is compared in full, the rest
 * by its length. The last line names the formatting and bidirectional controls in common use.
 */
const IS_AS_MAILED = `
  CREATE FUNCTION is_address_as_mailed(mailed text, compared text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT mailed IS NFKC NORMALIZED AND compared IS NFKC NORMALIZED
      AND CASE WHEN octet_length(mailed) = char_length(mailed)
        THEN lower(mailed COLLATE "C") = compared COLLATE "C"
        ELSE char_length(mailed) = char_length(compared) AND octet_length(compared) > char_length(compared) END
      AND mailed !~ '[\\u00AD\\u034F\\u061C\\u180E\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uFE00-\\uFE0F\\uFEFF]'
  $$
`;

const REFUSE = `
  CREATE FUNCTION refuse_address() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the address of % is not the one that it is compared by', TG_TABLE_NAME
      USING ERRCODE = 'check_violation';
  END $$
`;

const TRIGGERS = `
  CREATE TRIGGER tr_users_address BEFORE INSERT OR UPDATE OF email, email_canonical ON users
    FOR EACH ROW WHEN (NOT is_address_as_mailed(NEW.email, NEW.email_canonical)) EXECUTE FUNCTION refuse_address();
  CREATE TRIGGER tr_invites_address BEFORE INSERT OR UPDATE OF email, email_canonical ON invites
    FOR EACH ROW WHEN (NEW.email IS NOT NULL AND NOT is_address_as_mailed(NEW.email, NEW.email_canonical))
    EXECUTE FUNCTION refuse_address();
`;
