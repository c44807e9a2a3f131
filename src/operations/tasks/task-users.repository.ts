import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Statements } from '../../database/statements.js';

export interface FailedUser {
  readonly userId: string;
  readonly problem: string;
}

const INSERT = {
  name: 'task_people.insert',
  text: `INSERT INTO operator_task_people (task_id, user_id, position)
    SELECT $1, given.id, given.place - 1 FROM unnest($2::uuid[]) WITH ORDINALITY AS given (id, place)
    JOIN users u ON u.id = given.id`,
};
const NEXT = {
  name: 'task_people.next',
  text: `SELECT user_id FROM operator_task_people WHERE task_id = $1 AND state = 'waiting' ORDER BY position LIMIT $2`,
};
const FIRST = {
  name: 'task_people.first',
  text: `SELECT user_id FROM operator_task_people WHERE task_id = $1 ORDER BY position LIMIT $2`,
};
const SETTLE = {
  name: 'task_people.settle',
  text: `UPDATE operator_task_people SET state = $3, problem = $4
    WHERE task_id = $1 AND user_id = $2 AND state = 'waiting' RETURNING user_id`,
};
const NOTE = {
  name: 'task_people.note',
  text: `UPDATE operator_task_people SET problem = $3 WHERE task_id = $1 AND user_id = $2 AND state = 'done'`,
};
const COUNT_NOTED = {
  name: 'task_people.count_noted',
  text: `SELECT count(*)::int AS count FROM operator_task_people
    WHERE task_id = $1 AND state = 'done' AND problem IS NOT NULL`,
};
const COUNT = {
  name: 'task_people.count',
  text: `UPDATE operator_tasks SET (done, failed) = (
      SELECT count(*) FILTER (WHERE state = 'done'), count(*) FILTER (WHERE state = 'failed')
      FROM operator_task_people WHERE task_id = $1)
    WHERE id = $1`,
};
const FAILED = {
  name: 'task_people.failed',
  text: `SELECT user_id, problem FROM operator_task_people WHERE task_id = $1 AND state = 'failed' ORDER BY position LIMIT $2`,
};

/** All statements on `operator_task_people`: the users of a task, and the result for each. */
@Injectable()
export class TaskUsersRepository {
  constructor(private readonly statements: Statements) {}

  /** Keeps the order, and leaves out users whose account was deleted. @param userIds must not contain an id twice */
  async insert(tx: EntityManager, taskId: string, userIds: readonly string[]): Promise<void> {
    await this.statements.run(INSERT, [taskId, userIds], tx);
  }

  /** The first waiting users. */
  async next(taskId: string, limit: number): Promise<string[]> {
    return ids(await this.statements.run<{ user_id: string }>(NEXT, [taskId, limit]));
  }

  /** The first users in any state. */
  async first(taskId: string, limit: number): Promise<string[]> {
    return ids(await this.statements.run<{ user_id: string }>(FIRST, [taskId, limit]));
  }

  /**
   * @returns false if the user already has a result. Of two concurrent calls, the second waits for the first one's
   * transaction
   */
  async settle(
    taskId: string,
    userId: string,
    state: 'done' | 'failed',
    problem: string | null,
    tx?: EntityManager,
  ): Promise<boolean> {
    return (await this.statements.run(SETTLE, [taskId, userId, state, problem], tx)).length > 0;
  }

  async note(tx: EntityManager, taskId: string, userId: string, note: string): Promise<void> {
    await this.statements.run(NOTE, [taskId, userId, note], tx);
  }

  async countNoted(taskId: string): Promise<number> {
    return (await this.statements.run<{ count: number }>(COUNT_NOTED, [taskId]))[0]!.count;
  }

  /** Updates the numbers of the task. */
  async count(taskId: string): Promise<void> {
    await this.statements.run(COUNT, [taskId]);
  }

  async listFailed(taskId: string, limit: number): Promise<FailedUser[]> {
    const rows = await this.statements.run<{ user_id: string; problem: string }>(FAILED, [taskId, limit]);
    return rows.map((row) => ({ userId: row.user_id, problem: row.problem }));
  }
}

function ids(rows: readonly { user_id: string }[]): string[] {
  return rows.map((row) => row.user_id);
}
