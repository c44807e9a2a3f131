import { Injectable } from '@nestjs/common';
import { AppDirectory } from '../../apps/directory/app-directory.js';
import { AppsService } from '../../apps/directory/apps.service.js';
import type { ChangeComparison, Prediction } from '../../apps/comparisons/change-comparison.entity.js';
import { ChangeEffects } from '../effects/change-effects.js';
import { type DraftedChange, DraftedChanges } from '../proposals/drafted-changes.js';
import { visibleToAllMakers } from '../proposals/proposal.js';
import { ComparisonUsersRepository } from './comparison-users.repository.js';

/**
 * Stores the affected users soon after a change, by the walk of its preview with the settings before and after it. So
 * the predicted users, possibly a million, need not be stored while the operator decides, nor written while the change
 * is saved.
 */
@Injectable()
export class ChangeEffectList {
  constructor(
    private readonly effects: ChangeEffects,
    private readonly drafts: DraftedChanges,
    private readonly users: ComparisonUsersRepository,
    private readonly apps: AppsService,
    private readonly directory: AppDirectory,
  ) {}

  /**
   * Writes each batch separately. After a restart it skips existing rows.
   * @param hasEnded called before each batch
   * @returns number of users by effect; null: the comparison has ended
   */
  async write(comparison: ChangeComparison, hasEnded: () => Promise<boolean>): Promise<Prediction | null> {
    const draft = await this.draftOf(comparison);
    if (!draft) return {};
    for await (const { affected } of this.effects.walk(draft, visibleToAllMakers(draft))) {
      if (await hasEnded()) return null;
      await this.users.insert(
        comparison.auditEntryId,
        affected.map(({ appId, userId, effect }) => ({ appId, userId, effect })),
      );
    }
    return this.users.count(comparison.auditEntryId);
  }

  private async draftOf({ appId, tenantId, sides }: ChangeComparison): Promise<DraftedChange | null> {
    if (!sides) return null;
    const { before, after } = sides;
    const client = await this.directory.findOfAnyOrigin(appId ?? (await this.apps.getConsole(tenantId)).id);
    if (!client) return null;
    const { app, tenant } = client;
    if (appId === null) return this.drafts.betweenTenants({ ...tenant, ...before }, { ...tenant, ...after });
    const sideOf = (side: typeof before) => ({
      ...app,
      ...side,
      config: { ...app.config, ...(side['config'] as object) },
    });
    return this.drafts.between(sideOf(before), sideOf(after));
  }
}
