import { describe, expect, it } from '@jest/globals';
import { type Authority, NO_AUTHORITY, type UserActor } from '../../../../src/common/actor.js';
import type { OperatorTask } from '../../../../src/operations/tasks/operator-task.entity.js';
import { TaskOperator } from '../../../../src/operators/tasks/task-operator.js';

const CONSOLE = '11111111-1111-4111-8111-111111111111';
const APP = '22222222-2222-4222-8222-222222222222';
const OTHER = '33333333-3333-4333-8333-333333333333';

const WHOLE: Authority = {
  ...NO_AUTHORITY,
  platform: true,
  tenants: new Set(['44444444-4444-4444-8444-444444444444']),
  appsAdministered: new Set([APP, OTHER]),
  appsManaged: new Set([APP, OTHER]),
};

/** The operator of a task with these details, whose starter has the whole authority above. */
async function operatorOf(details: object): Promise<UserActor> {
  const startedBy = '55555555-5555-4555-8555-555555555555';
  const own = { type: 'user', userId: startedBy, email: 'a@example.com', audience: CONSOLE, viaApp: null };
  const dependencies = [
    { identify: () => Promise.resolve({ ...own, authority: WHOLE }) },
    { findUserAuthority: () => Promise.resolve({ tokensValidFrom: 0, credentialsVersion: 1 }) },
    {},
  ] as unknown as ConstructorParameters<typeof TaskOperator>;
  const task = { startedBy, amr: ['pwd'], createdAt: new Date(), credentialsVersion: 1, actingAs: null, details };
  const ctx = await new TaskOperator(...dependencies).identify(task as unknown as OperatorTask);
  return ctx!.actor as UserActor;
}

describe('TaskOperator', () => {
  it('gives a task from the console the authority of its starter', async () => {
    expect(await operatorOf({})).toMatchObject({ audience: CONSOLE, viaApp: null, authority: WHOLE });
  });

  it('gives a task that was started with the token of an app the authority in that app only', async () => {
    expect(await operatorOf({ viaApp: APP })).toMatchObject({
      audience: APP,
      viaApp: APP,
      authority: { ...NO_AUTHORITY, appsAdministered: new Set([APP]), appsManaged: new Set([APP]) },
    });
  });

  it('gives a task of an app in which its starter has no role no authority', async () => {
    expect((await operatorOf({ viaApp: CONSOLE })).authority).toEqual(NO_AUTHORITY);
  });
});
