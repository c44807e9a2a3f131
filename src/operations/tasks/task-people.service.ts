import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AlreadySettled } from './task.errors.js';
import { type FailedPerson, TaskPeopleRepository } from './task-people.repository.js';

/** The people of a task: who is next, and what became of each. */
@Injectable()
export class TaskPeopleService {
  constructor(private readonly people: TaskPeopleRepository) {}

  /** Of those for whom nothing was done yet, the first. */
  nextPeople(id: string, limit: number): Promise<string[]> {
    return this.people.next(id, limit);
  }

  firstPeople(id: string, limit: number): Promise<string[]> {
    return this.people.first(id, limit);
  }

  listFailed(id: string, limit: number): Promise<FailedPerson[]> {
    return this.people.listFailed(id, limit);
  }

  /** In the transaction of the act, before it: both or neither. @throws AlreadySettled */
  async settle(tx: EntityManager, id: string, userId: string): Promise<void> {
    if (!(await this.people.settle(id, userId, 'done', null, tx))) throw new AlreadySettled();
  }

  async failPerson(id: string, userId: string, problem: string): Promise<void> {
    await this.people.settle(id, userId, 'failed', problem);
  }

  countPeople(id: string): Promise<void> {
    return this.people.count(id);
  }
}
