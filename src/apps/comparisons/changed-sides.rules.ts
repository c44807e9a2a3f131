import { isDeepStrictEqual } from 'node:util';
import { snakeCase } from '../../database/connection/snake-naming.js';
import type { Tenant } from '../../tenants/tenant.entity.js';
import type { App } from '../app/app.entity.js';
import type { ChangedSide } from './change-comparison.entity.js';

/** A change of an app or a tenant: the settings that have another value, on both sides. */
export interface ChangedSides {
  readonly tenantId: string;
  /** Null: a change of the tenant itself. */
  readonly appId: string | null;
  /** Named as in the triggers that compare them. */
  readonly settings: readonly string[];
  readonly before: ChangedSide;
  readonly after: ChangedSide;
}

/** Sign-in reads only the switch and the config of an app. */
export function sidesOfApp(before: App, after: App): ChangedSides {
  const switched = before.isActive === after.isActive ? [] : ['is_active'];
  const config = changedNames(before.config, after.config);
  const side = ({ isActive, config: all }: App) => ({ isActive, config: picked(all, config) });
  return {
    tenantId: after.tenantId,
    appId: after.id,
    settings: [...switched, ...config],
    before: side(before),
    after: side(after),
  };
}

export function sidesOfTenant(before: Tenant, after: Tenant): ChangedSides {
  const names = changedNames(before, after).filter((name) => name !== 'updatedAt');
  const columns = names.map((name) => (name === 'require2fa' ? 'require_2fa' : snakeCase(name)));
  return {
    tenantId: after.id,
    appId: null,
    settings: columns,
    before: picked(before, names),
    after: picked(after, names),
  };
}

function changedNames(before: object, after: object): string[] {
  const old = before as Readonly<Record<string, unknown>>;
  return Object.entries(after).flatMap(([name, value]) => (isDeepStrictEqual(old[name], value) ? [] : [name]));
}

function picked(settings: object, names: readonly string[]): ChangedSide {
  const all = settings as Readonly<Record<string, unknown>>;
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}
