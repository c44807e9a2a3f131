import { describe, expect, it } from '@jest/globals';
import type { AppDirectory } from '../../../../src/apps/directory/app-directory.js';
import type { RequestContext } from '../../../../src/common/request-context.js';
import type { VisibleUsers } from '../../../../src/enrollment/users/visible-users.service.js';
import type { TasksService } from '../../../../src/operations/tasks/tasks.service.js';
import { PREVIEW_TASK, PreviewTasks } from '../../../../src/previews/changes/preview-tasks.service.js';

const APP = { id: 'app', tenantId: 'tenant' };

describe('A preview that is still in progress', () => {
  const find = (
    task: { tenantId: string | null; appId: string | null; knowsAll: boolean },
    authority: { platform?: boolean; tenants?: string[]; apps?: string[] },
  ) => {
    const { knowsAll, ...of } = task;
    const stored = { kind: PREVIEW_TASK, startedBy: 'ada', outcome: null, ...of, details: { knowsAll } };
    const tasks = { get: () => Promise.resolve(stored) } as unknown as TasksService;
    const directory = {
      findOfAnyOrigin: (id: string) => Promise.resolve(id === APP.id ? { app: APP } : null),
    } as unknown as AppDirectory;
    const actor = {
      type: 'user',
      userId: 'ada',
      viaApp: null,
      authority: {
        platform: authority.platform ?? false,
        tenants: new Set(authority.tenants),
        appsAdministered: new Set(authority.apps),
        appsManaged: new Set(),
      },
    };
    return new PreviewTasks(tasks, {} as VisibleUsers, directory).find({ actor } as unknown as RequestContext, 'task');
  };
  const ofApp = { tenantId: null, appId: 'app', knowsAll: false };
  const ofTenant = { tenantId: 'tenant', appId: null, knowsAll: false };
  const ofProvider = { tenantId: null, appId: null, knowsAll: false };
  const isAdmin = { platform: true };

  it.each([
    ['of an app', 'an admin of the app', ofApp, { apps: ['app'] }, true],
    ['of an app', 'an admin of its tenant', ofApp, { tenants: ['tenant'] }, true],
    ['of an app', 'an admin of another app', ofApp, { apps: ['other'] }, false],
    ['of an app that is gone', 'an admin', { ...ofApp, appId: 'gone' }, { apps: ['app'] }, false],
    ['of a tenant', 'its admin', ofTenant, { tenants: ['tenant'] }, true],
    ['of a tenant', 'an admin of one of its apps', ofTenant, { apps: ['app'] }, false],
    ['of a provider', 'a tenant admin', ofProvider, { tenants: ['tenant'] }, false],
    ['of a provider', 'a platform admin', { ...ofProvider, knowsAll: true }, isAdmin, true],
    ['with unlimited visibility', 'an admin of the app', { ...ofApp, knowsAll: true }, { apps: ['app'] }, false],
    ['with unlimited visibility', 'a platform admin', { ...ofApp, knowsAll: true }, isAdmin, true],
  ])('%s is followed by %s, or not', async (_what, _who, task, authority, isFound) => {
    expect((await find(task, authority)) !== null).toBe(isFound);
  });
});
