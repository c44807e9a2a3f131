import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { activeMs } from '../../support/active-time.js';
import { BLUE_SQUARE, bombPng, decodeLogo, svg } from '../../support/images.js';
import { logoForm, postLogo } from '../../support/multipart.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

// These tests need seconds of processor time, possibly on a busy machine.
jest.setTimeout(180_000);

// security 92
describe('POST /admin/apps/{app_id}/logo with an image that is expensive to process', () => {
  let service: TestApp;
  let world: World;
  let app: TestClient;

  beforeAll(async () => {
    service = await startTestApp({ settings: { rateLimits: { enabled: false, overrides: {} } } });
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
  });

  afterAll(async () => {
    await world.close();
    await service.close();
  });

  const upload = (image: Buffer) =>
    postLogo(service.baseUrl, app.id, world.admin.token, logoForm(image, 'logo.svg', 'image/svg+xml'));

  const COSTLY: Record<string, () => Buffer> = {
    'a hundred thousand pixels each way': () => svg(BLUE_SQUARE, { root: 'width="100000" height="100000"' }),
    'a hundred million copies': () => {
      const copies = Array.from(
        { length: 8 },
        (_, n) => `<g id="a${n + 1}">${`<use href="#a${n}"/>`.repeat(10)}</g>`,
      ).join('');
      return svg(`<defs><rect id="a0" width="1" height="1"/>${copies}</defs><use href="#a8"/>`);
    },
  };

  it.each(Object.entries(COSTLY))('returns 400 for an SVG with %s', async (_, image) => {
    const answer = await upload(image());
    expect([answer.status, answer.body]).toEqual([400, { detail: 'Unsupported image type' }]);
  });

  it.each([
    ['just above 25 megapixels', { width: 5001, height: 5000 }],
    ['far above 25 megapixels', { width: 16_000, height: 16_000 }],
    ['above 25 megapixels in a very wide image', { width: 4_000_000, height: 7 }],
  ])('returns 400 for a small file with a number of pixels %s', async (_, size) => {
    const bomb = bombPng(size);
    expect(bomb.length).toBeLessThan(200_000);
    const answer = await upload(bomb);
    expect([answer.status, answer.body]).toEqual([400, { detail: 'Unsupported image type' }]);
  });

  it('accepts an image of 25 megapixels', async () => {
    const { status, body } = await upload(bombPng({ width: 5000, height: 5000 }));
    expect(status).toBe(200);
    expect(await decodeLogo(body.config.branding['logo_data'])).toMatchObject({ width: 256, height: 256 });
  });

  it('keeps memory low for a decompression bomb inside an SVG', async () => {
    const bomb = `data:image/png;base64,${bombPng({ width: 20_000, height: 20_000 }).toString('base64')}`;
    const before = process.memoryUsage.rss();
    const answer = await upload(svg(`<image href="${bomb}" width="64" height="64"/>`));
    expect([200, 400]).toContain(answer.status);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
  });

  it('stops the endless drawing of an SVG and answers other requests meanwhile', async () => {
    const turbulence = '<feTurbulence baseFrequency="0.05" numOctaves="1000"/>'.repeat(3000);
    const endless = svg(
      `<filter id="f" x="0" y="0" width="1" height="1">${turbulence}</filter><rect filter="url(#f)" width="64" height="64"/>`,
    );
    const drawing = upload(endless);
    let finished = false;
    void drawing.then(() => (finished = true));
    let slowest = 0;
    let asked = 0;
    for (; !finished; asked++) {
      const took = await activeMs(async () => {
        expect((await fetch(`${service.baseUrl}/.well-known/jwks.json`)).status).toBe(200);
        await world.asAdmin('GET', '/admin/apps?limit=1');
      });
      slowest = Math.max(slowest, took);
      await sleep(50);
    }
    expect(asked).toBeGreaterThan(0);
    expect(slowest).toBeLessThan(10_000);
    const answer = await drawing;
    // Two seconds of processor time: at the parent's limit of a minute it would be 503.
    expect([answer.status, answer.body]).toEqual([400, { detail: 'Unsupported image type' }]);
    const next = await upload(svg(BLUE_SQUARE));
    expect(next.status).toBe(200);
  });
});
