import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { AssetNotFound } from '../../../../../src/common/pages/assets/asset-not-found.js';
import { Assets } from '../../../../../src/common/pages/assets/assets.js';

const assets = new Assets();
const fileName = (name: string): string => assets.url(name).split('/').at(-1)!;

describe('Assets', () => {
  it.each([
    ['hosted.css', 'text/css; charset=utf-8'],
    ['console.css', 'text/css; charset=utf-8'],
    ['hosted.js', 'text/javascript; charset=utf-8'],
    ['icon.svg', 'image/svg+xml; charset=utf-8'],
  ])('include %s at a URL that changes with its content', (name, contentType) => {
    expect(assets.url(name)).toMatch(/^\/assets\/[a-z]+\.[0-9a-f]{12}\.[a-z]+$/);
    const asset = assets.get(fileName(name));
    expect(asset.contentType).toBe(contentType);
    expect(asset.body.length).toBeGreaterThan(0);
    expect(gunzipSync(asset.gzipped)).toEqual(asset.body);
  });

  it.each(['hosted.css', 'hosted.000000000000.css', '../package.json', '', '__proto__', 'constructor'])(
    'do not include a file called %j',
    (name) => {
      expect(() => assets.get(name)).toThrow(AssetNotFound);
    },
  );

  it('have no URL for a file that does not exist', () => {
    expect(() => assets.url('app.css')).toThrow('There is no asset app.css');
  });
});
