import type { MigrationInterface, QueryRunner } from 'typeorm';

const EVENTS = [
  ['insert', 'INSERT', 'NEW'],
  ['update', 'UPDATE', 'NEW'],
  ['delete', 'DELETE', 'OLD'],
] as const;

/**
 * Notifies of the changed rows of apps and tenants instead of the whole table, so that a change of one tenant leaves the
 * cached apps of all others alone. A statement that changes more than 20 rows still names the table only.
 *
 * The triggers of the whole table stay for processes of an earlier version, which run until a deploy is over.
 */
export class ChangedRows1765420000000 implements MigrationInterface {
  name = 'ChangedRows1765420000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(notifyFunction('apps', "id || ':' || tenant_id"));
    await db.query(notifyFunction('tenants', 'id::text'));
    for (const table of ['tenants', 'apps'])
      // locked in the order in which the service locks them
      for (const [name, event, rows] of EVENTS)
        await db.query(`
          CREATE TRIGGER tr_${table}_${name}_rows AFTER ${event} ON ${table}
            REFERENCING ${rows} TABLE AS changed
            FOR EACH STATEMENT EXECUTE FUNCTION notify_changed_${table}()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP FUNCTION notify_changed_apps() CASCADE');
    await db.query('DROP FUNCTION notify_changed_tenants() CASCADE');
  }
}

/** @param key SQL of the part of the payload after the table's name */
function notifyFunction(table: string, key: string): string {
  return `
    CREATE FUNCTION notify_changed_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE keys text[];
    BEGIN
      SELECT array_agg(key) INTO keys FROM (SELECT ${key} AS key FROM changed LIMIT 21) AS first;
      IF cardinality(keys) > 20 THEN
        PERFORM pg_notify('changed_rows', '${table}');
      ELSE
        PERFORM pg_notify('changed_rows', '${table}:' || key) FROM unnest(keys) AS key;
      END IF;
      RETURN NULL;
    END $$`;
}
