import { beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { AppDirectory } from '../../../../src/apps/directory/app-directory.js';
import type { NotificationListener } from '../../../../src/database/notifications/notification-listener.js';
import type { Statements } from '../../../../src/database/statements.js';
import { EntryCache } from '../../../../src/enrollment/memberships/entry-cache.js';
import type { EnrollmentService } from '../../../../src/enrollment/memberships/enrollment.service.js';

const TENANT = randomUUID();
const SIGNED_IN = Date.now();

interface Held {
  readonly app_id: string;
  readonly status: 'active' | 'suspended';
  readonly valid_from: number;
  readonly operated_by: string | null;
}

describe('Entry at a self-registered client', () => {
  const client = { id: randomUUID(), tenantId: TENANT, origin: 'metadata_document', isActive: true, config: {} };
  let held: Held[];
  let off: Set<string>;
  let read: string[];
  /** Numbers of apps that the database looks at in one statement. */
  let atOnce: number[];
  let cache: EntryCache;

  const membership = (operated_by: string | null, status: Held['status'] = 'active'): Held => ({
    app_id: randomUUID(),
    status,
    valid_from: 0,
    operated_by,
  });

  beforeEach(() => {
    off = new Set();
    read = [];
    atOnce = [];
    const directory = {
      findOfAnyOrigin: async () => ({ app: client, tenant: { isActive: true }, isOpen: true }),
      find: async (id: string) => {
        read.push(id);
        return { app: { id, isActive: !off.has(id) } };
      },
    };
    const person = () => ({ is_active: true, email_verified: true, valid_from: 0, held });
    const statements = {
      run: async ({ name }: { name: string }, [ids]: [string[]]) => {
        if (name === 'enrollment.person') return [person()];
        atOnce.push(ids.length);
        return ids.some((id) => !off.has(id)) ? [{}] : [];
      },
    };
    cache = new EntryCache(
      { connected: false, on: () => undefined, onReconnect: () => undefined } as unknown as NotificationListener,
      statements as unknown as Statements,
      directory as unknown as AppDirectory,
      {} as EnrollmentService,
    );
    held = [{ ...membership(null), app_id: client.id }];
  });

  const admission = () => cache.admission(randomUUID(), client.id, SIGNED_IN);

  it('reads no app of other tenants, however many the user has joined', async () => {
    held.push(...Array.from({ length: 1_000 }, () => membership(randomUUID())));
    expect([await admission(), read]).toEqual(['not_enrolled', []]);
    const own = membership(TENANT);
    held.push(own, membership(TENANT));
    expect([await admission(), read]).toEqual(['admitted', [own.app_id]]);
  });

  it('asks about more than ten apps of the tenant in one statement', async () => {
    held.push(...Array.from({ length: 500 }, () => membership(TENANT)));
    for (const { app_id } of held) off.add(app_id);
    expect([await admission(), read.length, atOnce]).toEqual(['not_enrolled', 10, [490]]);
    off.delete(held.at(-1)!.app_id);
    expect([await admission(), read.length, atOnce]).toEqual(['admitted', 20, [490, 490]]);
  });

  it('is not opened by an app that is switched off, a suspended membership or another self-registered client', async () => {
    const own = membership(TENANT);
    off.add(own.app_id);
    held.push(own, membership(TENANT, 'suspended'), membership(null));
    expect([await admission(), read]).toEqual(['not_enrolled', [own.app_id]]);
  });
});
