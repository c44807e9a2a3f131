import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Users whose names have a word for each of these beginnings, in no order, at most `most`. Read through the index alone: the
 * planner multiplies how common the words are, and would read the newest users one by one in search of words that
 * never meet. PL/pgSQL, because the settings are for this statement only, and because its words must be known when it is planned.
 */
const FUNCTION = `
  CREATE FUNCTION users_named(beginnings text[], most integer) RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_indexscan = off AS $$
  DECLARE
    conditions text := (
      SELECT string_agg(format('searchable_name(display_name) LIKE %L', '%' || searchable_name(beginning) || '%'), ' AND ')
      FROM unnest(beginnings) AS beginning);
  BEGIN
    RETURN QUERY EXECUTE format('SELECT id FROM users WHERE %s LIMIT %s', conditions, most);
  END $$
`;

export class UsersNamed1764961000000 implements MigrationInterface {
  name = 'UsersNamed1764961000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(FUNCTION);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP FUNCTION users_named(text[], integer)');
  }
}
