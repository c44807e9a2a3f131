import type { QueryRunner } from 'typeorm';
import type { ImpatientClient } from './impatient-client.js';

/**
 * Gives the statements of the open transaction more time than those of a request have, both on the server and in the
 * client, which closes a silent connection. It is the only way to do so.
 * @param ms maximum time of a statement; 0: no limit
 */
export async function allowLongStatements(runner: QueryRunner, ms: number): Promise<void> {
  await runner.query(`SET LOCAL statement_timeout = ${ms}`);
  const client = (await runner.connect()) as ImpatientClient;
  client.waitLonger(ms);
}
