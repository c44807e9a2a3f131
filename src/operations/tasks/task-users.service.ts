import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ResultAlreadyRecorded } from './task.errors.js';
import { type FailedUser, TaskUsersRepository } from './task-users.repository.js';

/** The users of a task: which ones are next, and the result for each. */
@Injectable()
export class TaskUsersService {
  constructor(private readonly users: TaskUsersRepository) {}

  /** The first users without a result. */
  nextUsers(id: string, limit: number): Promise<string[]> {
    return this.users.next(id, limit);
  }

  firstUsers(id: string, limit: number): Promise<string[]> {
    return this.users.first(id, limit);
  }

  listFailed(id: string, limit: number): Promise<FailedUser[]> {
    return this.users.listFailed(id, limit);
  }

  /**
   * Called in the transaction of the action, before it, so that both are committed or neither is. @throws
   * ResultAlreadyRecorded
   */
  async settle(tx: EntityManager, id: string, userId: string): Promise<void> {
    if (!(await this.users.settle(id, userId, 'done', null, tx))) throw new ResultAlreadyRecorded();
  }

  /** Adds a note to a user who is done, in the transaction of the action. */
  async note(tx: EntityManager, id: string, userId: string, note: string): Promise<void> {
    await this.users.note(tx, id, userId, note);
  }

  /** Number of users who are done and have a note. */
  countNoted(id: string): Promise<number> {
    return this.users.countNoted(id);
  }

  async failUser(id: string, userId: string, problem: string): Promise<void> {
    await this.users.settle(id, userId, 'failed', problem);
  }

  countUsers(id: string): Promise<void> {
    return this.users.count(id);
  }
}
