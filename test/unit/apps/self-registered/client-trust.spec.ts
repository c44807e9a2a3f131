import { describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { ClientTrust } from '../../../../src/apps/self-registered/client-trust.js';
import type { NotificationListener } from '../../../../src/database/notifications/notification-listener.js';
import type { AcceptedClients } from '../../../../src/tenants/accepted-clients.js';
import type { TenantsService } from '../../../../src/tenants/tenants.service.js';

/** A database with one answer, which counts how often it is asked. */
class Tenants {
  accepted: AcceptedClients = { documents: false, registrations: false };
  reads = 0;
  /** Answers of reads that wait; null: they answer at once. */
  waiting: (() => void)[] | null = null;

  async acceptedClients(): Promise<AcceptedClients> {
    this.reads++;
    const { accepted, waiting } = this;
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve));
    return accepted;
  }
}

describe('ClientTrust', () => {
  const start = async (tenants: Tenants) => {
    const handlers: ((payload: string) => void)[] = [];
    const listener = {
      connected: true,
      on: (_channel: string, handler: (payload: string) => void) => handlers.push(handler),
      onReconnect: () => undefined,
    };
    const trust = new ClientTrust(listener as unknown as NotificationListener, tenants as unknown as TenantsService);
    await trust.onApplicationBootstrap();
    const notify = async (...payloads: string[]) => {
      for (const payload of payloads) for (const handler of handlers) handler(payload);
      await setImmediate();
      await setImmediate();
    };
    return { trust, notify };
  };

  it('knows a change before the next request, and reads once for notifications that arrive together', async () => {
    const tenants = new Tenants();
    const { trust, notify } = await start(tenants);
    tenants.accepted = { documents: true, registrations: false };
    await notify('tenants:1', 'tenants:2', 'tenants');
    expect([trust.takes, tenants.reads]).toEqual([tenants.accepted, 2]);
  });

  it('reads once more, one after the other, for all notifications that arrive during a read', async () => {
    const tenants = new Tenants();
    const { trust, notify } = await start(tenants);
    tenants.waiting = [];
    await notify('tenants:1');
    for (const id of [2, 3, 4]) await notify(`tenants:${id}`);
    expect(tenants.reads).toBe(2);
    tenants.accepted = { documents: true, registrations: true };
    for (const answer of tenants.waiting.splice(0)) answer();
    await notify();
    expect(tenants.reads).toBe(3);
    for (const answer of tenants.waiting.splice(0)) answer();
    await notify();
    expect([trust.takes, tenants.reads]).toEqual([tenants.accepted, 3]);
  });

  it('does not read when rows of other tables change', async () => {
    const tenants = new Tenants();
    const { notify } = await start(tenants);
    await notify('apps:1:2');
    expect(tenants.reads).toBe(1);
  });
});
