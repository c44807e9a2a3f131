import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BLUE_SQUARE, decodeLogo, plainImage, svg } from '../../support/images.js';
import { logoForm, postLogo } from '../../support/multipart.js';
import { sharedTestApp, type SharedTestApp } from '../../support/test-app.js';
import { type TestClient, World } from '../../support/world.js';

const BLUE = '0000ffff';

// security 93
describe('POST /admin/apps/{app_id}/logo with a hostile SVG', () => {
  let service: SharedTestApp;
  let world: World;
  let app: TestClient;
  let folder: string;
  let canary: Server;
  const contacts: string[] = [];

  beforeAll(async () => {
    service = await sharedTestApp();
    world = await World.open(service.baseUrl, service.settings.databaseUrl!);
    app = await world.app(await world.tenant());
    folder = mkdtempSync(join(tmpdir(), 'logo-'));
    writeFileSync(join(folder, 'red.png'), await plainImage('png', { width: 64, height: 64 }, '#ff0000'));
    writeFileSync(join(folder, 'red.svg'), svg('<rect id="x" width="64" height="64" fill="red"/>'));
    writeFileSync(join(folder, 'red.css'), 'rect { fill: red !important }');
    writeFileSync(join(folder, 'secret.txt'), 'WWWWWWWWWWWW');
    canary = createServer((request, response) => {
      contacts.push(request.url!);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(canary, 'listening');
  });

  afterAll(async () => {
    canary.close();
    rmSync(folder, { recursive: true });
    await world.close();
  });

  const upload = (image: Buffer) =>
    postLogo(service.baseUrl, app.id, world.admin.token, logoForm(image, 'logo.svg', 'image/svg+xml'));
  const stored = async () =>
    (await world.sql<{ row: string }>('SELECT to_jsonb(a)::text AS row FROM apps a WHERE id = $1', [app.id]))[0]!.row;
  const file = (name: string) => `file://${folder}/${name}`;
  const outside = () => `http://127.0.0.1:${(canary.address() as AddressInfo).port}`;
  const dataUri = (image: Buffer) => `data:image/svg+xml;base64,${image.toString('base64')}`;
  const text = (inner: string) => `${BLUE_SQUARE}<text y="40" font-size="30" fill="red">${inner}</text>`;

  const DRAWN: Record<string, () => string> = {
    'a script': () => `<script>while (true) {}</script>${BLUE_SQUARE}`,
    'event handlers': () => `<g onload="alert(1)" onclick="alert(1)">${BLUE_SQUARE}</g>`,
    'a foreignObject': () =>
      `${BLUE_SQUARE}<foreignObject width="64" height="64"><body xmlns="http://www.w3.org/1999/xhtml" style="background:red;width:64px;height:64px"><script>alert(1)</script></body></foreignObject>`,
    'an iframe in another namespace': () =>
      `${BLUE_SQUARE}<h:iframe xmlns:h="http://www.w3.org/1999/xhtml" src="${outside()}/iframe"/>`,
    'a link to a script': () => `<a xlink:href="javascript:alert(1)">${BLUE_SQUARE}</a>`,
    'an image from a file': () => `${BLUE_SQUARE}<image xlink:href="${file('red.png')}" width="64" height="64"/>`,
    'an image from a path': () => `${BLUE_SQUARE}<image href="${folder}/red.png" width="64" height="64"/>`,
    'an image from a relative path': () =>
      `${BLUE_SQUARE}<image href="../../../../../../..${folder}/red.png" width="64" height="64"/>`,
    'an image from another host': () => `${BLUE_SQUARE}<image href="${outside()}/image.png" width="64" height="64"/>`,
    'elements of another file': () => `${BLUE_SQUARE}<use href="${file('red.svg')}#x" width="64" height="64"/>`,
    'elements from another host': () => `${BLUE_SQUARE}<use href="${outside()}/use.svg#x" width="64" height="64"/>`,
    'an image in an image': () =>
      `${BLUE_SQUARE}<image href="${dataUri(svg(`<image href="${file('red.png')}" width="64" height="64"/>`))}" width="64" height="64"/>`,
    'a style sheet from a file': () => `<style>@import url("${file('red.css')}");</style>${BLUE_SQUARE}`,
    'a style sheet from another host': () => `<style>@import url("${outside()}/a.css");</style>${BLUE_SQUARE}`,
    'a fill from another host': () =>
      `${BLUE_SQUARE}<rect width="64" height="64" fill="url(${outside()}/paint.svg#p) none"/>`,
    'a font from another host': () =>
      `<style>@font-face { font-family: f; src: url("${outside()}/f.woff") }</style>${BLUE_SQUARE}`,
    'an included text file': () =>
      text(`<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${file('secret.txt')}" parse="text"/>`),
    'an included picture': () =>
      `${BLUE_SQUARE}<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${file('red.svg')}"/>`,
  };

  it.each(Object.entries(DRAWN))('draws an SVG with %s without it and stores only the picture', async (_, inner) => {
    const { status, body } = await upload(svg(inner()));
    expect([status, body.detail]).toEqual([200, undefined]);
    const logo = await decodeLogo(body.config.branding['logo_data']);
    expect([...logo.colors]).toEqual([BLUE]);
    expect(logo.png.includes('script')).toBe(false);
    expect(await stored()).not.toMatch(/svg|script|alert/);
    expect(contacts).toEqual([]);
  });

  it('draws an SVG without its external style sheet', async () => {
    const before = `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="${file('red.css')}"?>`;
    const { status, body } = await upload(svg(BLUE_SQUARE, { before }));
    expect(status).toBe(200);
    expect([...(await decodeLogo(body.config.branding['logo_data'])).colors]).toEqual([BLUE]);
  });

  it('accepts an SVG with the DOCTYPE of older editors', async () => {
    const before =
      '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- made by hand -->\n' +
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "${outside()}/svg11.dtd">\n`;
    expect((await upload(svg(BLUE_SQUARE, { before }))).status).toBe(200);
    expect(contacts).toEqual([]);
  });

  const nested = Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join('');
  const REFUSED: Record<string, () => Buffer> = {
    'an entity from a file': () =>
      svg(text('&x;'), { before: `<!DOCTYPE svg [<!ENTITY x SYSTEM "${file('secret.txt')}">]>` }),
    'an entity from another host': () =>
      svg(text('&x;'), { before: `<!DOCTYPE svg [<!ENTITY x SYSTEM "${outside()}/x">]>` }),
    'a parameter entity from another host': () =>
      svg(BLUE_SQUARE, { before: `<!DOCTYPE svg [<!ENTITY % x SYSTEM "${outside()}/x.dtd"> %x;]>` }),
    'an entity of its own': () => svg(text('&x;'), { before: '<!DOCTYPE svg [<!ENTITY x "W">]>' }),
    'a billion laughs': () => svg(text('&a9;'), { before: `<!DOCTYPE svg [<!ENTITY a0 "ha">${nested}]>` }),
    'entities behind UTF-16': () =>
      Buffer.from(`\ufeff${svg(text('&x;'), { before: '<!DOCTYPE svg [<!ENTITY x "W">]>' }).toString()}`, 'utf16le'),
    'entities behind UTF-7': () =>
      svg(text('&x;'), {
        before: '<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE svg [+ADwAIQ-ENTITY x "W"+AD4]+AD4-',
      }),
    'compression around it': () => gzipSync(svg(BLUE_SQUARE)),
    'no end': () => svg(BLUE_SQUARE).subarray(0, 120),
  };

  it.each(Object.entries(REFUSED))('returns 400 for an SVG with %s and keeps the old logo', async (_, image) => {
    const before = await stored();
    const answer = await upload(image());
    expect([answer.status, answer.body]).toEqual([400, { detail: 'Unsupported image type' }]);
    expect(await stored()).toBe(before);
    expect(contacts).toEqual([]);
  });
});
