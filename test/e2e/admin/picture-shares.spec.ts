import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LogoImages } from '../../../src/apps/logo/logo-images.js';
import { plainImage } from '../../support/images.js';
import { logoForm, postLogo } from '../../support/multipart.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { eventually } from '../../support/wait.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

/** What a test reaches of the service that converts. */
interface Images {
  convert(image: Buffer, kind: string, side: number): Promise<Buffer>;
  inTurn(...args: unknown[]): Promise<Buffer>;
}

/** A tenant with an app and the tokens of its administrators. */
interface Place {
  readonly tenant: TestTenant;
  readonly app: TestClient;
  readonly tenantAdmin: string;
  readonly appAdmin: string;
}

/** Each sends a picture to the service. @returns the status */
type Way = (place: Place, png: Buffer) => Promise<number>;

const uriOf = (png: Buffer) => `data:image/png;base64,${png.toString('base64')}`;

// security 94
describe('Conversion of pictures', () => {
  let service: TestApp;
  let world: World;
  let images: Images;
  let convert: Images['convert'];
  let crowd: Place;
  let other: Place;
  /** Those of the crowd are held until they are let go. */
  let held: Buffer;
  let png: Buffer;
  /** Pictures that have come to the line. */
  let came = 0;
  let running = 0;
  let most = 0;
  let letGo: () => void;

  beforeAll(async () => {
    service = await startTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    images = service.nest.get(LogoImages, { strict: false }) as unknown as Images;
    convert = images.convert.bind(images);
    const inTurn = images.inTurn.bind(images);
    images.inTurn = (...args) => {
      came++;
      return inTurn(...args);
    };
    [crowd, other] = [await place(), await place()];
    held = await plainImage('png', { width: 8, height: 8 }, '#ff0000');
    png = await plainImage('png', { width: 8, height: 8 }, '#00ff00');
  });

  beforeEach(() => {
    const gate = new Promise<void>((resolve) => (letGo = resolve));
    [came, running, most] = [0, 0, 0];
    images.convert = async (image, kind, side) => {
      if (!image.equals(held)) return convert(image, kind, side);
      most = Math.max(most, ++running);
      await gate;
      running--;
      return convert(image, kind, side);
    };
  });

  afterEach(() => letGo());

  afterAll(async () => {
    await world?.close();
    await service?.close();
  });

  async function place(): Promise<Place> {
    const tenant = await world.tenant();
    const app = await world.app(tenant);
    const [admin, ofApp] = [await world.tenantAdmin(tenant), await world.user(app, { roles: ['admin'] })];
    return {
      tenant,
      app,
      tenantAdmin: (await world.tokens(admin, tenant.consoleAppId)).access_token,
      appAdmin: (await world.tokens(ofApp, app.id)).access_token,
    };
  }

  const save = async (app: TestClient, token: string, image: Buffer) =>
    (await world.call('PUT', `/admin/apps/${app.id}`, { config: { branding: { logo_data: uriOf(image) } } }, { token }))
      .status;

  const uploads: Way = async ({ app, appAdmin }, image) =>
    (await postLogo(service.baseUrl, app.id, appAdmin, logoForm(image))).status;
  const saves: Way = ({ app, appAdmin }, image) => save(app, appAdmin, image);
  const creates: Way = async ({ tenant, tenantAdmin }, image) => {
    const bundle_id = `com.example.${unique()}`;
    const branding = { favicon_data: uriOf(image) };
    const body = { name: bundle_id, tenant_id: tenant.id, bundle_id, config: { branding } };
    return (await world.call('POST', '/admin/apps', body, { token: tenantAdmin })).status;
  };
  const imports: Way = async ({ tenant, tenantAdmin }, image) => {
    const bundle_id = `com.example.${unique()}`;
    const app = { name: bundle_id, bundle_id, config: { branding: { dark_logo_data: uriOf(image) } } };
    const body = { tenant_id: tenant.id, app, users: [] };
    return (await world.call('POST', '/admin/apps/import', body, { token: tenantAdmin })).status;
  };

  it.each([
    ['uploads', uploads],
    ['saved settings', saves],
    ['new apps', creates],
    ['imports', imports],
  ])('that a tenant sends as %s without end keeps no picture of another tenant out', async (_what, way) => {
    const statuses: number[] = [];
    const sent = Array.from({ length: 30 }, async () => void statuses.push(await way(crowd, held)));
    await eventually('most are refused', () => statuses.filter((status) => status === 503).length >= 20);
    // Bodies of uploads that were taken may still be on their way.
    await eventually('one is converted', () => most === 1);
    for (const each of [uploads, saves, creates, imports]) expect(await each(other, png)).toBeLessThan(300);
    letGo();
    await Promise.all(sent);
    expect(new Set(statuses.filter((status) => status >= 300))).toEqual(new Set([503]));
    expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(0);
    expect(most).toBe(1);
  });

  it.each([
    ['an upload', uploads, 'appAdmin'],
    ['saved settings', saves, 'appAdmin'],
    ['a new app', creates, 'tenantAdmin'],
    ['an import', imports, 'tenantAdmin'],
  ] as const)(
    'of %s is in vain if its sender is suspended meanwhile: 403, and nothing is saved',
    async (_, way, who) => {
      const sender = await place();
      const apps = () =>
        world.sql('SELECT id, logo_data, updated_at FROM apps WHERE tenant_id = $1 ORDER BY id', [sender.tenant.id]);
      const before = await apps();
      images.convert = async (...picture) => {
        await world.sql(`UPDATE enrollments SET status = 'suspended' WHERE app_id = $1`, [
          who === 'appAdmin' ? sender.app.id : sender.tenant.consoleAppId,
        ]);
        return convert(...picture);
      };
      expect(await way(sender, png)).toBe(403);
      expect(await apps()).toEqual(before);
    },
  );

  it('of one app leaves places in line to other apps of the tenant and to its administrators', async () => {
    const second = await world.app(crowd.tenant);
    const admin = await world.user(second, { roles: ['admin'] });
    const { access_token } = await world.tokens(admin, second.id);
    const statuses: number[] = [];
    const sent = Array.from({ length: 10 }, async () => void statuses.push(await saves(crowd, held)));
    await eventually('seven are refused', () => statuses.length === 7);
    expect(statuses).toEqual(Array(7).fill(503));
    const waiting = [save(second, access_token, png), creates(crowd, png)];
    await eventually('all have come', () => came === 12);
    letGo();
    expect(await Promise.all(waiting)).toEqual([200, 201]);
    await Promise.all(sent);
    expect(statuses.slice(7)).toEqual([200, 200, 200]);
  });
});
