import { Injectable } from '@nestjs/common';
import { administeredScope } from '../../common/actor.js';
import type { AuditEntry } from '../../audit/entries/audit-entry.entity.js';
import type { RequestContext } from '../../common/request-context.js';
import { isUuid } from '../../common/validation/fields.js';
import { AuditNamesRepository, type FoundName } from './audit-names.repository.js';

/** Names for the ids in audit entries, limited to what the reader may see. */
export class EntryNames {
  private readonly found: ReadonlyMap<string, FoundName>;

  /** @param seesAll if true, a missing name means that the object was deleted */
  constructor(
    names: readonly FoundName[],
    readonly seesAll: boolean,
  ) {
    this.found = new Map(names.map((each) => [`${each.kind} ${each.id}`, each]));
  }

  find(kind: FoundName['kind'], id: string | null): FoundName | null {
    return this.found.get(`${kind} ${id}`) ?? null;
  }
}

/** Ids to find names for. */
export interface NamedIds {
  readonly users: readonly (string | null)[];
  readonly apps: readonly (string | null)[];
  readonly tenants: readonly (string | null)[];
}

/** Turns the ids in audit entries into names. */
@Injectable()
export class AuditNames {
  constructor(private readonly names: AuditNamesRepository) {}

  /** @param more additional user ids to name */
  async of(ctx: RequestContext, entries: readonly AuditEntry[], more: readonly string[] = []): Promise<EntryNames> {
    const actors = (type: AuditEntry['actorType']) =>
      entries.map(({ actorType, actorId }) => (actorType === type ? actorId : null));
    return this.ofIds(ctx, {
      users: [...entries.map(({ userId }) => userId), ...actors('user'), ...more],
      apps: [...entries.map(({ appId }) => appId), ...actors('service')],
      tenants: entries.map(({ tenantId }) => tenantId),
    });
  }

  async ofIds(ctx: RequestContext, named: NamedIds): Promise<EntryNames> {
    const scope = administeredScope(ctx.actor);
    const ids = { users: distinct(named.users), apps: distinct(named.apps), tenants: distinct(named.tenants) };
    return new EntryNames(await this.names.find(ids, scope), scope.everything);
  }
}

function distinct(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter(isUuid))];
}
