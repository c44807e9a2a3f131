import { Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../../apps/directory/app-directory.js';
import type {
  ChangeComparison,
  ComparisonResult,
  EffectOutcome,
} from '../../apps/comparisons/change-comparison.entity.js';
import { Clock } from '../../common/clock.js';
import { ChangeEffects } from '../effects/change-effects.js';
import { ComparisonUsersRepository, type ComparedUser, type SignInsSince } from './comparison-users.repository.js';
import { judgeOutcome, NO_OUTCOMES, withOne } from './outcome.rules.js';

/** Number of users read at once. */
const BATCH = 500;

/**
 * The outcome for the users of a change, according to the current rules of sign-in and the audit log since the change.
 */
@Injectable()
export class ChangeOutcome {
  constructor(
    private readonly users: ComparisonUsersRepository,
    private readonly effects: ChangeEffects,
    private readonly directory: AppDirectory,
    private readonly clock: Clock,
  ) {}

  /** Reads in batches, without a lock or a connection between them. */
  async read(comparison: ChangeComparison): Promise<ComparisonResult> {
    const counts = new Map<string, EffectOutcome>();
    for (let after: ComparedUser | null = null; ;) {
      const batch: ComparedUser[] = await this.users.list(comparison.auditEntryId, after, BATCH);
      for (const appId of new Set(batch.map((each) => each.appId)))
        await this.add(
          counts,
          comparison,
          appId,
          batch.filter((each) => each.appId === appId),
        );
      if (batch.length < BATCH) break;
      after = batch.at(-1)!;
    }
    return { at: this.clock.now().toISOString(), effects: withDeleted(counts, comparison) };
  }

  private async add(
    counts: Map<string, EffectOutcome>,
    comparison: ChangeComparison,
    appId: string,
    users: readonly ComparedUser[],
  ): Promise<void> {
    const client = await this.directory.findOfAnyOrigin(appId);
    // The rows are about to be deleted with the app.
    if (!client) return;
    const ids = users.map(({ userId }) => userId);
    const now = new Map(
      (await this.effects.listOutcomes(client, ids, comparison.tenantId)).map((each) => [each.row.userId, each]),
    );
    const log = await this.logOf(client, ids, comparison);
    for (const { userId, effect } of users) {
      const outcome = judgeOutcome(effect, client.app, now.get(userId) ?? null, log.get(userId) ?? null);
      counts.set(effect, withOne(counts.get(effect) ?? NO_OUTCOMES, outcome));
    }
  }

  /** Only platform admins may know of sign-ins at a client of another tenant, such as the platform's Console. */
  private async logOf(
    { app, tenant }: RegisteredClient,
    ids: readonly string[],
    { changedAt, tenantId }: ChangeComparison,
  ): Promise<ReadonlyMap<string, SignInsSince>> {
    if (tenant.id !== tenantId) return new Map();
    const signIns = await this.users.listSignIns(app.id, ids, changedAt);
    return new Map(signIns.map((each) => [each.userId, each]));
  }
}

/** A stored user who no longer exists has been deleted. */
function withDeleted(
  counts: ReadonlyMap<string, EffectOutcome>,
  { found }: ChangeComparison,
): Record<string, EffectOutcome> {
  return Object.fromEntries(
    Object.entries(found ?? {}).map(([effect, all]) => {
      const one = counts.get(effect) ?? NO_OUTCOMES;
      return [effect, { ...one, gone: all - one.met - one.refused - one.waiting }];
    }),
  );
}
