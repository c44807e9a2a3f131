import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { DataSource, Repository } from 'typeorm';
import { Statements } from '../../../../src/database/statements.js';
import type { OperatorTask } from '../../../../src/operations/tasks/operator-task.entity.js';
import type { TaskUsersRepository } from '../../../../src/operations/tasks/task-users.repository.js';
import { TasksRepository } from '../../../../src/operations/tasks/tasks.repository.js';
import { freshDatabase, type TestDatabase } from '../../../support/test-database.js';

describe('Tasks that no worker runs', () => {
  let database: TestDatabase;
  let pool: Pool;
  let tasks: TasksRepository;

  beforeAll(async () => {
    database = await freshDatabase();
    // No foreign keys: only tasks and jobs matter.
    pool = new Pool({ connectionString: database.url, max: 1, options: '-c session_replication_role=replica' });
    tasks = new TasksRepository(
      {} as Repository<OperatorTask>,
      {} as TaskUsersRepository,
      new Statements({ driver: { master: pool } } as unknown as DataSource),
    );
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function add(status: string): Promise<string> {
    const id = randomUUID();
    await pool.query(
      `INSERT INTO operator_tasks (id, kind, status, started_by, amr, request_id, details, total, created_at, expires_at)
       VALUES ($1, 'some', $2, gen_random_uuid(), '{pwd}', 'r', '{}', 1, now() - interval '25 hours', now() + interval '1 day')`,
      [id, status],
    );
    return id;
  }
  const addJob = (task: string, ended: 'done_at' | 'dead_at' | null) =>
    pool.query(
      `INSERT INTO outbox_messages (id, queue, job, payload, max_attempts, ${ended ?? 'expires_at'})
       VALUES (gen_random_uuid(), 'tasks', 'task.run', $1, 8, now())`,
      [{ task }],
    );

  it('are given up after a day without a pending job, and kept with one', async () => {
    const [queued, running, done, dead, never] = await Promise.all(
      ['queued', 'running', 'running', 'queued', 'queued'].map(add),
    );
    await addJob(queued!, null);
    await addJob(running!, 'done_at');
    await addJob(running!, null);
    await addJob(done!, 'done_at');
    await addJob(dead!, 'dead_at');
    await tasks.giveUpOld('stopped');
    const { rows } = await pool.query<{ id: string; status: string }>('SELECT id, status FROM operator_tasks');
    expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual({
      [queued!]: 'queued',
      [running!]: 'running',
      [done!]: 'failed',
      [dead!]: 'failed',
      [never!]: 'failed',
    });
  });

  it('are given up at once when their last job failed, and kept with another one', async () => {
    const [alone, other] = [await add('running'), await add('running')];
    await addJob(alone, 'dead_at');
    await addJob(other, 'dead_at');
    await addJob(other, null);
    await tasks.giveUp(alone, 'stopped');
    await tasks.giveUp(other, 'stopped');
    const text = 'SELECT id, status, problem FROM operator_tasks WHERE id = ANY ($1) ORDER BY status';
    expect((await pool.query(text, [[alone, other]])).rows).toEqual([
      { id: alone, status: 'failed', problem: 'stopped' },
      { id: other, status: 'running', problem: null },
    ]);
  });
});
