import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A name as it is searched: ` ada lovelace`, a blank before each word, without accents and in small letters. Compatibility
 * forms are unfolded (NFKD), marks over letters left out, and letters that consist of one piece are written as users type
 * them. Immutable, as an index needs it.
 */
const FOLD = `
  CREATE FUNCTION searchable_name(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ' ' || btrim(regexp_replace(
      replace(replace(replace(replace(
        translate(lower(regexp_replace(normalize(name, NFKD), '[\\u0300-\\u036f\\u064b-\\u065f]', '', 'g')), 'ıøłđð', 'ioldd'),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
      '[[:space:][:punct:]]+', ' ', 'g'))
  $$
`;

/** Beginnings of words are found by trigrams where the server has them; without them a search reads every name. */
const INDEX = `
  DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND pg_opclass_is_visible(oid)) THEN
      CREATE INDEX ix_users_name_trigrams ON users USING gin (searchable_name(display_name) gin_trgm_ops);
    END IF;
  END $$
`;

/** Users are found by their name. */
export class NamesFound1764500000000 implements MigrationInterface {
  name = 'NamesFound1764500000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(FOLD);
    await db.query(INDEX);
    // What was counted while a table was empty would be planned with until the next automatic ANALYZE.
    const filled = (await db.query('SELECT FROM users LIMIT 1')) as unknown[];
    if (filled.length > 0) await db.query('ANALYZE users');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX IF EXISTS ix_users_name_trigrams');
    await db.query('DROP FUNCTION searchable_name(text)');
  }
}
