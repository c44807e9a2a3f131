import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/app-directory.js';
import { canAdministerApp } from '../../common/actor.js';
import { AppMembers } from '../../enrollment/app-members.js';
import type { OperatorTask } from '../../operations/tasks/operator-task.entity.js';
import type { ConsoleRequest } from '../frame/console-request.js';

/** The people whom a task is about, by name. */
@Injectable()
export class TaskPeople {
  constructor(
    private readonly members: AppMembers,
    private readonly directory: AppDirectory,
  ) {}

  /** In the order of the ids: those who are in the app now, and only where the visitor governs it now. */
  async named({ actor }: ConsoleRequest, { appId }: OperatorTask, userIds: readonly string[]) {
    const known = appId && userIds.length > 0 ? await this.directory.find(appId) : null;
    if (!known || !canAdministerApp(actor, known.app)) return [];
    const found = new Map((await this.members.listAmong(known.app.id, userIds)).map((each) => [each.userId, each]));
    return userIds.flatMap((userId) => {
      const person = found.get(userId);
      const href = `/console/apps/${known.app.id}/members/${userId}`;
      return person ? [{ userId, name: person.displayName, email: person.email, href }] : [];
    });
  }
}
