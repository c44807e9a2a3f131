import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ExportFiles } from '../../../../src/auth/access/export-files.js';
import type { CallerAuthorities } from '../../../../src/auth/access/caller-authorities.service.js';
import type { RequestContext } from '../../../../src/common/request-context.js';
import { activeMs } from '../../../support/active-time.js';

const TENANT = { tenantId: 'tenant', appId: null };
const PIECES = 3;

describe('Files of exports', () => {
  const newFiles = () =>
    new ExportFiles({ watch: (_ctx: unknown, pieces: unknown) => pieces } as unknown as CallerAuthorities);
  const caller = (userId: string, authority: { platform?: boolean; tenants?: string[]; apps?: string[] }) =>
    ({
      actor: {
        type: 'user',
        userId,
        viaApp: null,
        authority: {
          platform: authority.platform ?? false,
          tenants: new Set(authority.tenants),
          appsAdministered: new Set(authority.apps),
          appsManaged: new Set(),
        },
      },
    }) as unknown as RequestContext;
  const tenantAdmin = (id: string, tenantId = 'tenant') => caller(id, { tenants: [tenantId] });
  const appAdmin = (id: string, appId: string) => caller(id, { apps: [appId] });
  /** @param each is called before each piece */
  const begin = (
    files: ExportFiles,
    ctx: RequestContext,
    holder: { tenantId: string; appId: string | null },
    each?: () => Promise<unknown>,
  ) =>
    files.begin(ctx, [holder], undefined, () =>
      Promise.resolve({ fileName: 'a', contentType: 'b', chunks: pieces(each) }),
    );

  it('are one at a time for a caller, until all of it is read or the client leaves', async () => {
    const files = newFiles();
    const first = await begin(files, tenantAdmin('one'), TENANT);
    const again = () => begin(files, tenantAdmin('one'), { tenantId: 'tenant', appId: 'app' });
    await expect(again()).rejects.toThrow('Your last export is still in progress');
    expect(await all(first.chunks)).toHaveLength(PIECES);
    const left = (await again()).chunks;
    await left.next();
    await left.return(undefined);
    expect(await all((await again()).chunks)).toHaveLength(PIECES);
  });

  it('are one at a time for an app and three for a tenant; other tenants and platform admins do not wait', async () => {
    const files = newFiles();
    const ofApp = (id: string, appId: string) => begin(files, appAdmin(id, appId), { tenantId: 'tenant', appId });
    await ofApp('one', 'app');
    await expect(ofApp('two', 'app')).rejects.toThrow('Too many exports are in progress');
    await ofApp('two', 'other');
    await expect(ofApp('three', 'third')).rejects.toThrow('Too many exports are in progress');
    await begin(files, tenantAdmin('four'), TENANT);
    await expect(begin(files, tenantAdmin('five'), TENANT)).rejects.toThrow('Too many exports are in progress');
    await begin(files, tenantAdmin('six', 'elsewhere'), { tenantId: 'elsewhere', appId: null });
    await begin(files, caller('root', { platform: true }), TENANT);
  });

  it('keep their permit while nothing was opened only as long as that takes', async () => {
    const files = newFiles();
    const refused = files.begin(tenantAdmin('one'), [TENANT], undefined, () => Promise.reject(new Error('refused')));
    await expect(refused).rejects.toThrow('refused');
    await begin(files, tenantAdmin('one'), TENANT);
  });

  it('are read at full speed however long they are, and have 30 minutes', async () => {
    let count = 0;
    const slowAtLast = () => (++count > 20 ? sleep(40) : Promise.resolve());
    const file = await newFiles().begin(tenantAdmin('one'), [TENANT], undefined, () =>
      Promise.resolve({ fileName: 'a', contentType: 'b', chunks: pieces(slowAtLast, 30) }),
    );
    const took = await activeMs(async () => expect(await all(file.chunks)).toHaveLength(30));
    // 400 ms; with a rest of three times as long, 1,600 ms at least, which are slept in this process and so all count.
    expect(took).toBeLessThan(1_000);
    expect(file.longestMs).toBe(1_800_000);
  });

  it('are read a page at a time for each tenant, two for all of them, and one for platform admins', async () => {
    const files = newFiles();
    const busy = new Map<string, number>();
    const most = new Map<string, number>();
    const counting = (names: string[]) => async () => {
      for (const name of names) {
        busy.set(name, (busy.get(name) ?? 0) + 1);
        most.set(name, Math.max(most.get(name) ?? 0, busy.get(name)!));
      }
      await new Promise((resolve) => setImmediate(resolve));
      for (const name of names) busy.set(name, busy.get(name)! - 1);
    };
    const read = async (ctx: RequestContext, tenantId: string, names: string[]) =>
      all((await begin(files, ctx, { tenantId, appId: null }, counting(names))).chunks);
    await Promise.all([
      ...['a', 'b', 'c'].map((id) => read(tenantAdmin(id, 'big'), 'big', ['big', 'tenants'])),
      ...['d', 'e', 'f'].map((id) => read(tenantAdmin(id, id), id, ['tenants'])),
      ...['g', 'h'].map((id) => read(caller(id, { platform: true }), 'big', ['platform'])),
    ]);
    expect(Object.fromEntries(most)).toEqual({ big: 1, tenants: 2, platform: 1 });
  });
});

async function* pieces(each: () => Promise<unknown> = () => Promise.resolve(), count = PIECES): AsyncGenerator<string> {
  for (let n = 0; n < count; n++) {
    await each();
    yield String(n);
  }
}

async function all(chunks: AsyncGenerator<string>): Promise<string[]> {
  const read: string[] = [];
  for await (const piece of chunks) read.push(piece);
  return read;
}
