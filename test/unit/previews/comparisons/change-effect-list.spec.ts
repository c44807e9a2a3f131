import { describe, expect, it } from '@jest/globals';
import type { AppDirectory } from '../../../../src/apps/directory/app-directory.js';
import type { AppsService } from '../../../../src/apps/directory/apps.service.js';
import type { ChangeComparison } from '../../../../src/apps/comparisons/change-comparison.entity.js';
import type { ChangeEffects } from '../../../../src/previews/effects/change-effects.js';
import { ChangeEffectList } from '../../../../src/previews/comparisons/change-effect-list.js';
import type { ComparisonUsersRepository } from '../../../../src/previews/comparisons/comparison-users.repository.js';
import type { DraftedChanges } from '../../../../src/previews/proposals/drafted-changes.js';

describe('ChangeEffectList', () => {
  const sides = { before: {}, after: {} };
  const comparison = { auditEntryId: 'change', appId: 'app', sides } as unknown as ChangeComparison;
  const written: string[] = [];
  let walked = 0;
  const list = new ChangeEffectList(
    {
      walk: async function* () {
        for (const userId of ['a', 'b', 'c']) {
          walked++;
          yield await Promise.resolve({ affected: [{ appId: 'app', userId, effect: 'shut_out' }] });
        }
      },
    } as unknown as ChangeEffects,
    { between: () => Promise.resolve({ clients: [], tenantId: null }) } as unknown as DraftedChanges,
    {
      insert: (_id: string, users: { userId: string }[]) => {
        written.push(...users.map(({ userId }) => userId));
        return Promise.resolve();
      },
      count: () => Promise.resolve({ shut_out: written.length }),
    } as unknown as ComparisonUsersRepository,
    {} as AppsService,
    { findOfAnyOrigin: () => Promise.resolve({ app: { config: {} }, tenant: {} }) } as unknown as AppDirectory,
  );

  it('writes down whom a change affects', async () => {
    expect(await list.write(comparison, () => Promise.resolve(false))).toEqual({ shut_out: 3 });
    expect(written.splice(0)).toEqual(['a', 'b', 'c']);
  });

  it('ends at the next batch when a setting is changed again', async () => {
    walked = 0;
    expect(await list.write(comparison, () => Promise.resolve(written.length > 0))).toBeNull();
    expect([written, walked]).toEqual([['a'], 2]);
  });
});
