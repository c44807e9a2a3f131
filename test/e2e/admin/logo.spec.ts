import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { HostedBrowser, loginPath } from '../../support/hosted-page.js';
import { decodeLogo, jpegWithMetadata, noisyPng, plainImage, svg } from '../../support/images.js';
import { logoForm, multipart, MULTIPART_TYPE, postLogo } from '../../support/multipart.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, type TestTenant, unique, World } from '../../support/world.js';

const MAX_BYTES = 2 * 1024 * 1024;

interface AppBody {
  id: string;
  updated_at: string;
  detail?: unknown;
  config: { branding: Record<string, unknown> };
}

// security 92, 95
describe('App logo: upload and settings', () => {
  let service: SharedTestApp;
  let world: World;
  let tenant: TestTenant;
  let app: TestClient;

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    tenant = await world.tenant();
    app = await world.app(tenant);
  });

  afterAll(() => world.close());

  const upload = (image: Buffer, filename?: string, type?: string, id = app.id) =>
    postLogo(service.baseUrl, id, world.admin.token, logoForm(image, filename, type));
  const update = (id: string, branding: object) =>
    world.call<AppBody>('PUT', `/admin/apps/${id}`, { config: { branding } }, { token: world.admin.token });
  const stored = async (id: string) =>
    (await world.sql<{ logo_data: string | null }>('SELECT logo_data FROM apps WHERE id = $1', [id]))[0]!.logo_data;
  const entries = async (id: string, action: string) =>
    (await world.sql('SELECT 1 FROM audit_entries WHERE app_id = $1 AND action = $2', [id, action])).length;

  it.each([
    ['png', 'image/png'],
    ['jpeg', 'image/jpeg'],
  ] as const)('converts a %s to a PNG of at most 256 pixels', async (kind, type) => {
    const answer = await upload(await plainImage(kind, { width: 800, height: 400 }), `logo.${kind}`, type);
    expect(answer.status).toBe(200);
    const logo = await decodeLogo(answer.body.config.branding['logo_data']);
    expect([logo.width, logo.height, logo.colors.size]).toEqual([256, 128, 1]);
    expect(await stored(app.id)).toBe(answer.body.config.branding['logo_data']);
  });

  it('draws an SVG with 256 pixels whatever size it states', async () => {
    const answer = await upload(
      svg('<circle cx="12" cy="12" r="12" fill="#f00"/>', { root: 'width="24" height="24"' }),
    );
    expect(answer.status).toBe(200);
    const logo = await decodeLogo(answer.body.config.branding['logo_data']);
    expect([logo.width, logo.height]).toEqual([256, 256]);
    // Round and transparent outside: drawn, not enlarged from 24 pixels.
    expect(logo.colors).toContain('ff0000ff');
    expect(logo.colors).toContain('00000000');
  });

  it('does not enlarge a small image', async () => {
    const { body } = await upload(await plainImage('png', { width: 40, height: 30 }));
    expect(await decodeLogo(body.config.branding['logo_data'])).toMatchObject({ width: 40, height: 30 });
  });

  it('detects the type by content and ignores file name and Content-Type', async () => {
    const png = await plainImage('png', { width: 10, height: 10 });
    for (const [filename, type] of [
      ['logo.svg', 'image/svg+xml'],
      ['../../etc/passwd', 'text/html'],
      ['', 'application/octet-stream'],
    ] as const) {
      const answer = await postLogo(service.baseUrl, app.id, world.admin.token, logoForm(png, filename || 'x', type));
      expect([filename, answer.status]).toEqual([filename, 200]);
    }
    for (const [content, filename, type] of [
      [await plainImage('gif', { width: 10, height: 10 }), 'logo.png', 'image/png'],
      [await plainImage('webp', { width: 10, height: 10 }), 'logo.png', 'image/png'],
      [Buffer.from('%PDF-1.7 hello'), 'logo.png', 'image/png'],
      [Buffer.from('<html><body>hello</body></html>'), 'logo.svg', 'image/svg+xml'],
      [Buffer.from('<html><body><svg width="9" height="9"/></body></html>'), 'logo.svg', 'image/svg+xml'],
      [Buffer.from('hello'), 'logo.jpg', 'image/jpeg'],
      [png.subarray(0, 40), 'logo.png', 'image/png'],
      [Buffer.alloc(0), 'logo.png', 'image/png'],
    ] as const) {
      const answer = await upload(content, filename, type);
      expect([filename, answer.status, answer.body]).toEqual([filename, 400, { detail: 'Unsupported image type' }]);
    }
  });

  it('removes metadata of the camera or editor', async () => {
    const marker = `marker-${unique()}`;
    const image = await jpegWithMetadata({ width: 300, height: 200 }, marker);
    expect(image.includes(marker)).toBe(true);
    const { body } = await upload(image);
    const { png } = await decodeLogo(body.config.branding['logo_data']);
    expect(png.includes(marker)).toBe(false);
    const metadata = await sharp(png).metadata();
    expect([metadata.exif, metadata.xmp, metadata.iptc, metadata.icc]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('applies the orientation in the EXIF data', async () => {
    const sideways = await sharp(await plainImage('jpeg', { width: 300, height: 200 }))
      .withExif({ IFD0: { Orientation: '6' } })
      .jpeg()
      .toBuffer();
    const turned = await sharp(sideways).withMetadata({ orientation: 6 }).toBuffer();
    const { body } = await upload(turned);
    const { width, height } = await decodeLogo(body.config.branding['logo_data']);
    expect(height).toBeGreaterThan(width);
  });

  it('stores a logo small enough to be sent with the settings', async () => {
    const { status, body } = await upload(await noisyPng({ width: 700, height: 700 }));
    expect(status).toBe(200);
    expect(String(body.config.branding['logo_data']).length).toBeLessThan(128 * 1024);
    // So the settings can be sent back unchanged.
    expect((await update(app.id, body.config.branding)).body.config.branding).toEqual(body.config.branding);
  });

  it('accepts exactly 2 MB and returns 413 for one byte more', async () => {
    const png = await plainImage('png', { width: 10, height: 10 });
    const ofSize = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)]);
    expect((await upload(ofSize(MAX_BYTES))).status).toBe(200);
    const before = await stored(app.id);
    for (const bytes of [MAX_BYTES + 1, MAX_BYTES + 100_000, 4 * MAX_BYTES]) {
      const answer = await upload(ofSize(bytes));
      expect([bytes, answer.status, answer.body]).toEqual([bytes, 413, { detail: 'Logo too large' }]);
    }
    expect(await stored(app.id)).toBe(before);
  });

  it('returns 422 without a file in the field file', async () => {
    const png = await plainImage('png', { width: 10, height: 10 });
    for (const body of [
      multipart(),
      multipart({ name: 'logo', filename: 'a.png', content: png }),
      multipart({ name: 'file', content: 'text' }),
    ]) {
      const answer = await postLogo(service.baseUrl, app.id, world.admin.token, body);
      expect([answer.status, answer.body.detail]).toEqual([
        422,
        [expect.objectContaining({ loc: expect.arrayContaining(['body']) })],
      ]);
    }
    const other = multipart({ name: 'note', content: 'hi' }, { name: 'file', filename: 'a.png', content: png });
    expect((await postLogo(service.baseUrl, app.id, world.admin.token, other)).status).toBe(200);
  });

  it('is described in OpenAPI as a multipart upload', async () => {
    const document = (await (await fetch(`${service.baseUrl}/openapi.json`)).json()) as {
      paths: Record<string, { post: { requestBody: { content: object }; responses: object } }>;
    };
    const { requestBody, responses } = document.paths['/admin/apps/{app_id}/logo']!.post;
    expect(requestBody.content).toEqual({
      'multipart/form-data': {
        schema: { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } },
      },
    });
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '404', '413', '422', '503']),
    );
  });

  it('shows the logo on the sign-in page at the next request', async () => {
    const own = await world.app(tenant);
    const before = await new HostedBrowser(service.baseUrl).get(loginPath(own));
    expect(before.body).not.toContain('data:image/png');
    const { body } = await upload(await plainImage('png', { width: 10, height: 10 }), undefined, undefined, own.id);
    const after = await new HostedBrowser(service.baseUrl).get(loginPath(own));
    expect(after.body.replaceAll('&#x3D;', '=')).toContain(String(body.config.branding['logo_data']));
  });

  it('keeps the logo when the config is saved without it, until DELETE removes it', async () => {
    const own = await world.app(tenant);
    const uploaded = await upload(await plainImage('png', { width: 10, height: 10 }), undefined, undefined, own.id);
    const { logo_data } = uploaded.body.config.branding;
    for (const branding of [{ primary_color: '#123456' }, { logo_data: null }, { logo_data }]) {
      const saved = await update(own.id, branding);
      expect([saved.status, saved.body.config.branding['logo_data']]).toEqual([200, logo_data]);
    }
    const removed = await world.asAdmin<AppBody>('DELETE', `/admin/apps/${own.id}/logo`);
    expect(removed.config.branding).toMatchObject({ primary_color: '#123456', logo_data: null });
    expect(await stored(own.id)).toBeNull();
    expect(await entries(own.id, 'app.logo_changed')).toBe(2);
    // Without a logo nothing changes, and there is no audit entry.
    expect(await world.asAdmin<AppBody>('DELETE', `/admin/apps/${own.id}/logo`)).toEqual(removed);
    expect(await entries(own.id, 'app.logo_changed')).toBe(2);
  });

  it('accepts a data URI in the config and converts it to PNG too', async () => {
    const own = await world.app(tenant);
    const sent = (kind: string, image: Buffer) => `data:image/${kind};base64,${image.toString('base64')}`;
    const jpeg = await plainImage('jpeg', { width: 500, height: 500 });
    for (const logo_data of [
      sent('jpeg', jpeg),
      sent('png', jpeg),
      sent('svg+xml', svg('<script>alert(1)</script><rect width="9" height="9"/>')),
    ]) {
      const { status, body } = await update(own.id, { logo_data });
      expect(status).toBe(200);
      expect((await decodeLogo(body.config.branding['logo_data'])).width).toBe(256);
      expect(await stored(own.id)).not.toContain('svg');
    }
    // The second is the same picture as the first.
    expect(await entries(own.id, 'app.logo_changed')).toBe(2);
    const made = await world.asAdmin<AppBody>('POST', '/admin/apps', {
      name: 'With a logo',
      tenant_id: tenant.id,
      bundle_id: `com.example.${unique()}`,
      config: { branding: { logo_data: sent('jpeg', jpeg) } },
    });
    expect((await decodeLogo(made.config.branding['logo_data'])).width).toBe(256);
  });

  it('returns 422 for a logo_data that is not an image', async () => {
    const own = await world.app(tenant);
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    for (const logo_data of [
      'https://example.com/logo.png',
      'javascript:alert(1)',
      `data:text/html;base64,${base64('<script>alert(1)</script>')}`,
      `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>`,
      `data:image/svg+xml;utf8;base64,${base64('<svg/>')}`,
      `data:image/png;base64,${base64('not an image')}`,
      `data:image/svg+xml;base64,${base64('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>')}`,
      'data:image/png;base64,',
      '',
      7,
      {},
    ]) {
      const answer = await update(own.id, { logo_data });
      expect([logo_data, answer.status]).toEqual([logo_data, 422]);
      expect(answer.body.detail).toMatchObject([{ loc: ['body', 'config', 'branding', 'logo_data'] }]);
    }
    expect(await stored(own.id)).toBeNull();
  });

  it('accepts only public https hosts in logo_url', async () => {
    const own = await world.app(tenant);
    for (const logo_url of ['https://cdn.example.com/logo.png?v=2', 'https://example.com', null])
      expect([logo_url, (await update(own.id, { logo_url })).body.config.branding['logo_url']]).toEqual([
        logo_url,
        logo_url,
      ]);
    for (const logo_url of [
      'http://example.com/logo.png',
      'https:example.com/logo.png',
      '//example.com/logo.png',
      'https://user:pw@example.com/logo.png',
      'https://127.0.0.1/logo.png',
      'https://0x7f.1/logo.png',
      'https://2130706433/',
      'https://192.168.0.1/restart',
      'https://169.254.169.254/latest/meta-data',
      'https://[::1]/logo.png',
      'https://[::ffff:10.0.0.1]/',
      'https://localhost/logo.png',
      'https://localhost./logo.png',
      'https://printer.local/',
      'https://metadata.google.internal/',
      'https://intranet/logo.png',
      'data:image/png;base64,AAAA',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https://example.com/"><script>',
    ]) {
      const answer = await update(own.id, { logo_url });
      expect([logo_url, answer.status]).toEqual([logo_url, 422]);
    }
  });

  describe('for the dark theme, and the favicon', () => {
    const send = (id: string, path: string, image: Buffer) =>
      postLogo(service.baseUrl, id, world.admin.token, logoForm(image), MULTIPART_TYPE, path);

    it.each([
      ['dark-logo', 'dark_logo_data', 256],
      ['favicon', 'favicon_data', 64],
    ])('%s: is kept apart from the logo as a PNG, audited, and removed', async (path, field, side) => {
      const own = await world.app(tenant);
      const sent = await send(own.id, path, await plainImage('jpeg', { width: 500, height: 500 }));
      expect(sent.status).toBe(200);
      const { branding } = sent.body.config;
      expect((await decodeLogo(branding[field])).width).toBe(side);
      expect(branding).toMatchObject({ logo_data: null });
      for (const refused of [Buffer.from('hello'), await plainImage('gif', { width: 10, height: 10 })])
        expect(await send(own.id, path, refused)).toMatchObject({
          status: 400,
          body: { detail: 'Unsupported image type' },
        });
      const entry = await world.sql(
        `SELECT metadata FROM audit_entries WHERE app_id = $1 AND action = 'app.logo_changed'`,
        [own.id],
      );
      expect(entry).toEqual([{ metadata: { picture: path.replace('-', '_'), logo: 'replaced' } }]);
      const removed = await world.asAdmin<AppBody>('DELETE', `/admin/apps/${own.id}/${path}`);
      expect(removed.config.branding[field]).toBeNull();
      expect(await entries(own.id, 'app.logo_changed')).toBe(2);
    });

    it.each(['dark_logo_data', 'favicon_data'])(
      '%s: is taken within the config, and refused as a logo is',
      async (field) => {
        const own = await world.app(tenant);
        const png = (await plainImage('png', { width: 20, height: 20 })).toString('base64');
        const taken = await update(own.id, { [field]: `data:image/png;base64,${png}` });
        expect([taken.status, (await decodeLogo(taken.body.config.branding[field])).width]).toEqual([200, 20]);
        expect((await update(own.id, { [field]: null })).body.config.branding[field]).toMatch(/^data:image\/png/);
        for (const value of [
          'https://example.com/logo.png',
          `data:text/html;base64,${png}`,
          'data:image/png;base64,AAAA',
        ])
          expect([value, (await update(own.id, { [field]: value })).body.detail]).toMatchObject([
            value,
            [{ loc: ['body', 'config', 'branding', field] }],
          ]);
      },
    );

    it('are on the sign-in page: the dark logo only beside a logo, by the system’s theme or the chosen one', async () => {
      const own = await world.app(tenant);
      const color = async (fill: string) => plainImage('png', { width: 8, height: 8 }, fill);
      const page = async (theme?: string) => {
        const browser = new HostedBrowser(service.baseUrl);
        if (theme) browser.setCookie('theme', theme);
        const { body } = await browser.get(loginPath(own));
        return {
          img: /<img class="brand-logo" src="([^"]*)"/.exec(body)?.[1]?.replaceAll('&#x3D;', '='),
          dark: /<source srcset="([^"]*)" media="\(prefers-color-scheme: dark\)">/
            .exec(body)?.[1]
            ?.replaceAll('&#x3D;', '='),
          icon: /<link rel="icon" type="([^"]*)" href="([^"]*)">/
            .exec(body)!
            .slice(1)
            .map((each) => each.replaceAll('&#x3D;', '=')),
        };
      };
      const dark = (await send(own.id, 'dark-logo', await color('#ffffff'))).body.config.branding['dark_logo_data'];
      expect(await page()).toMatchObject({
        img: undefined,
        dark: undefined,
        icon: ['image/svg+xml', expect.any(String)],
      });
      const { branding } = (await send(own.id, 'logo', await color('#000000'))).body.config;
      const icon = (await send(own.id, 'favicon', await color('#ff0000'))).body.config.branding['favicon_data'];
      expect(await page()).toEqual({ img: branding['logo_data'], dark, icon: ['image/png', icon] });
      expect(await page('dark')).toMatchObject({ img: dark, dark: undefined });
      expect(await page('light')).toMatchObject({ img: branding['logo_data'], dark: undefined });
    });
  });

  it('returns 403 for another tenant’s app before reading the body, and 404 for an unknown app', async () => {
    const foreign = await world.tenant();
    const { access_token } = await world.tokens(await world.tenantAdmin(foreign), foreign.consoleAppId);
    const tooLarge = logoForm(Buffer.alloc(3 * MAX_BYTES));
    for (const id of [app.id, '00000000-0000-4000-8000-000000000000']) {
      const answer = await postLogo(service.baseUrl, id, access_token, tooLarge);
      expect([answer.status, answer.body]).toEqual([403, { detail: 'Insufficient permissions' }]);
    }
    const png = logoForm(await plainImage('png', { width: 4, height: 4 }));
    const absent = '00000000-0000-4000-8000-000000000000';
    expect(await postLogo(service.baseUrl, absent, world.admin.token, png)).toMatchObject({
      status: 404,
      body: { detail: 'App not found' },
    });
    expect((await postLogo(service.baseUrl, 'no-id', world.admin.token, png)).status).toBe(422);
    expect((await postLogo(service.baseUrl, app.id, undefined, png)).status).toBe(401);
  });
});
