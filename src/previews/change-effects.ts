import { Inject, Injectable } from '@nestjs/common';
import { AppDirectory, type RegisteredClient } from '../apps/app-directory.js';
import { RelyingParty } from '../auth/credentials/passkeys/relying-party.js';
import { findWayIn } from '../auth/entry/way-in.js';
import type { Authority } from '../common/actor.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { EnrollmentService } from '../enrollment/enrollment.service.js';
import { type EffectWithRule, effectOf } from './effect.rules.js';
import { entrantOf, waysOf, type World } from './entrant-of-row.js';
import { type EntrantRow, EntrantsRepository, type Place } from './entrants.repository.js';

/** One app with its tenant, as it is and as it would be. */
export interface ClientChange {
  readonly before: RegisteredClient;
  readonly after: RegisteredClient;
}

export interface Affected extends EffectWithRule {
  readonly appId: string;
  readonly appName: string;
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  /** As `allowed_providers` calls them; null: no way in. */
  readonly methodBefore: string | null;
  readonly methodAfter: string | null;
}

/** What was found about some members of an app. */
export interface Judged {
  /** How many were looked at. */
  readonly members: number;
  readonly affected: readonly Affected[];
}

/** Members read by one statement. */
const BATCH = 500;

/**
 * What changed settings would do to each member of the apps: their next sign-in is judged twice by the rules of sign-in,
 * with the settings before and after. Reads in batches, holds no connection between them, and writes nothing.
 */
@Injectable()
export class ChangeEffects {
  constructor(
    private readonly entrants: EntrantsRepository,
    private readonly directory: AppDirectory,
    private readonly enrollment: EnrollmentService,
    private readonly party: RelyingParty,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param knowsAllWays see {@link waysOf} */
  async *walk(changes: readonly ClientChange[], knowsAllWays: boolean): AsyncGenerator<Judged> {
    for (const change of changes) {
      const { app, tenant } = change.before;
      for (let after: Place | null = null; ;) {
        const rows = await this.entrants.list(app.id, app.isConsoleApp && tenant.isPlatform, { after, limit: BATCH });
        yield await this.judge(change, changes, rows, knowsAllWays);
        if (rows.length < BATCH) break;
        after = rows.at(-1)!;
      }
    }
  }

  private async judge(
    change: ClientChange,
    changes: readonly ClientChange[],
    rows: readonly EntrantRow[],
    knowsAllWays: boolean,
  ): Promise<Judged> {
    const [before, after] = await this.worlds(change, changes, rows);
    const { id: appId, name: appName } = change.before.app;
    const affected: Affected[] = [];
    for (const row of rows) {
      const ways = waysOf(row, before, knowsAllWays);
      const [was, is] = [
        await findWayIn(entrantOf(row, before), change.before, ways, before.ofAdministrators),
        await findWayIn(entrantOf(row, after), change.after, ways, after.ofAdministrators),
      ];
      const effect = effectOf(was, is);
      if (!effect) continue;
      const { userId, email, displayName } = row;
      const methods = { methodBefore: was.method, methodAfter: is.method };
      affected.push({ ...effect, appId, appName, userId, email, displayName, ...methods });
    }
    return { members: rows.length, affected };
  }

  /** Both worlds of these members. They may belong to apps of other tenants, too. */
  private async worlds(change: ClientChange, changes: readonly ClientChange[], rows: readonly EntrantRow[]) {
    const appIds = new Set(rows.flatMap(({ memberships }) => memberships.map(({ appId }) => appId)));
    const clients = new Map<string, RegisteredClient | null>();
    for (const appId of appIds) clients.set(appId, await this.directory.findOfAnyOrigin(appId));
    const shared = {
      authorities: change.before.app.isConsoleApp ? await this.authorities(rows) : new Map<string, Authority>(),
      passkeyHost: this.party.isUsable ? this.party.id : null,
      ofAdministrators: this.settings.requireAdmin2fa,
    };
    const world = (side: 'before' | 'after'): World => {
      const changed = new Map(changes.map((each) => [each[side].app.id, each[side]]));
      return { ...shared, clientOf: (appId) => changed.get(appId) ?? clients.get(appId) ?? null };
    };
    return [world('before'), world('after')] as const;
  }

  /** As they are: a tenant that is switched off takes its administrators' authority by the rule `tenant_active`. */
  private async authorities(rows: readonly EntrantRow[]): Promise<Map<string, Authority>> {
    const found = await this.enrollment.listUserAuthorities(rows.map(({ userId }) => userId));
    return new Map([...found].map(([userId, { authority }]) => [userId, authority]));
  }
}
