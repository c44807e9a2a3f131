import { DataSource, type EntityTarget, type ObjectLiteral } from 'typeorm';
import type { Query } from '../../src/database/queries/query.js';
import { SnakeNaming } from '../../src/database/connection/snake-naming.js';

/** A connection that notes every statement in `asked`. The caller destroys it. */
export async function loggedDataSource(url: string, entities: readonly EntityTarget<ObjectLiteral>[], asked: Query[]) {
  const ignored = (): void => undefined;
  return new DataSource({
    type: 'postgres',
    url,
    entities: [...entities] as never,
    namingStrategy: new SnakeNaming(),
    logging: true,
    logger: {
      logQuery: (text: string, values?: unknown[]) => asked.push({ text, values: values ?? [] }),
      logQueryError: ignored,
      logQuerySlow: ignored,
      logSchemaBuild: ignored,
      logMigration: ignored,
      log: ignored,
    },
  }).initialize();
}
