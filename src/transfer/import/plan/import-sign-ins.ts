import { setImmediate as others } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type Effect, effectOf, EFFECTS } from '../../../auth/entry/effect.rules.js';
import { entrantOf, methodsOfUser, type SignInSettings } from '../../../auth/entry/entrant-of-row.js';
import { type EntrantRow, EntrantsRepository, NO_APP } from '../../../auth/entry/entrants.repository.js';
import { SignInWorlds, withClients } from '../../../auth/entry/sign-in-worlds.js';
import { limitToVisible, visibilityOf } from '../../../auth/entry/visibility.js';
import { findOutcome } from '../../../auth/entry/sign-in-outcome.js';
import { canAdministerPlatform } from '../../../common/actor.js';
import type { RequestContext } from '../../../common/request-context.js';
import type { Tenant } from '../../../tenants/tenant.entity.js';
import { UsersService } from '../../../users/users.service.js';
import type { AccountOutcome } from '../document/account.rules.js';
import { clientsAfter, type ImportedMembership, membershipsIn, newUser } from './imported-entrants.js';
import type { ImportDocument } from '../document/import-document.js';

/** Users whose first sign-in after an import would need more than a sign-in. */
export interface PredictedSignIns {
  readonly effect: Effect;
  readonly count: number;
  readonly users: readonly { readonly email: string; readonly app: string; readonly rule: string }[];
}

const BATCH = 500;
const NAMED = 50;

/** The users who could not sign in after an import, or would be asked for more, by the rules of sign-in. */
@Injectable()
export class ImportSignIns {
  constructor(
    private readonly entrants: EntrantsRepository,
    private readonly users: UsersService,
    private readonly worlds: SignInWorlds,
  ) {}

  /** @param tenant of the apps; null: the document's own */
  async foresee(
    ctx: RequestContext,
    document: ImportDocument,
    outcomes: ReadonlyMap<string, AccountOutcome>,
    tenant: Tenant | null,
  ): Promise<PredictedSignIns[]> {
    const clients = clientsAfter(document, tenant);
    const memberships = membershipsIn(document, clients);
    const found = new Map<Effect, { count: number; users: PredictedSignIns['users'][number][] }>();
    const keys = [...memberships.keys()].filter((key) => ['create', 'enroll'].includes(outcomes.get(key) ?? ''));
    for (let start = 0; start < keys.length; start += BATCH) {
      const batch = keys.slice(start, start + BATCH);
      const rows = await this.rowsOf(ctx, document, batch, outcomes);
      const world = withClients(await this.worlds.of([...rows.values()]), clients);
      for (const [key, row] of rows) {
        for (const [index, effect] of await judge(ctx, row, memberships.get(key)!, world)) {
          const known = found.get(effect.effect) ?? { count: 0, users: [] };
          known.count += 1;
          if (known.users.length < NAMED)
            known.users.push({ email: row.email, app: clients[index]!.app.name, rule: effect.rule });
          found.set(effect.effect, known);
        }
      }
      await others();
    }
    return EFFECTS.flatMap((effect) => (found.has(effect) ? [{ effect, ...found.get(effect)! }] : []));
  }

  /** By canonical address: existing accounts unchanged, others as the import would create them. */
  private async rowsOf(
    ctx: RequestContext,
    { accounts }: ImportDocument,
    keys: readonly string[],
    outcomes: ReadonlyMap<string, AccountOutcome>,
  ): Promise<Map<string, EntrantRow>> {
    const existing = await this.users.findByEmails(keys.filter((key) => outcomes.get(key) === 'enroll'));
    const ids = [...existing.values()].map(({ id }) => id);
    const read = ids.length > 0 ? await this.entrants.list(NO_APP, ids, { after: null, limit: BATCH }) : [];
    const byId = new Map(read.map((row) => [row.userId, row]));
    return new Map(
      keys.map((key) => {
        const id = existing.get(key)?.id;
        return [key, (id && byId.get(id)) || newUser(accounts.get(key)!, canAdministerPlatform(ctx.actor))] as const;
      }),
    );
  }
}

/** By the index of the app in the document. */
async function judge(
  { actor }: RequestContext,
  row: EntrantRow,
  memberships: readonly ImportedMembership[],
  world: SignInSettings,
) {
  const active = memberships.filter(({ status }) => status === 'active');
  const held = [...row.memberships, ...active.map(({ client, roles }) => ({ appId: client.app.id, roles }))];
  const effects: [number, NonNullable<ReturnType<typeof effectOf>>][] = [];
  for (const { index, client, status, roles } of memberships) {
    const member = limitToVisible(visibilityOf(actor), { ...row, status, roles, memberships: held }, client, world);
    const methods = methodsOfUser(member, world);
    const outcome = await findOutcome(entrantOf(member, world), client, methods, world.requireAdmin2fa);
    // Compared with a user who only signs in, with a second factor if they have one.
    const effect = effectOf({ method: outcome.method, asksSecondFactor: true, obstacle: null }, outcome);
    if (effect) effects.push([index, effect]);
  }
  return effects;
}
