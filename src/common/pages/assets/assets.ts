import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { AssetNotFound } from './asset-not-found.js';

export class Asset {
  private compressed: Buffer | undefined;

  constructor(
    readonly contentType: string,
    readonly body: Buffer,
  ) {}

  /**
   * Created for the first request that accepts it: compressing all assets takes 20 ms, which should not delay the
   * start.
   */
  get gzipped(): Buffer {
    return (this.compressed ??= gzipSync(this.body, { level: 9 }));
  }
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** Works from `src/common/pages` and from `dist/common/pages`, which have the same depth. */
const FOLDER = fileURLToPath(new URL('../../../../assets/', import.meta.url));

/** Third-party scripts, by their module specifier. */
const HTMX = 'htmx.org/dist/htmx.min.js';
const WEBAUTHN = '@simplewebauthn/browser';

/** One style sheet per layout, so that a page makes one request. In the order of the cascade. */
const STYLE_SHEETS: Readonly<Record<string, readonly string[]>> = {
  'hosted.css': ['tokens.css', 'app.css'],
  'plain.css': ['tokens.css', 'app.css', 'components.css', 'console.css', 'console-audit.css', 'dev.css'],
  'account.css': ['tokens.css', 'app.css', 'components.css', 'account.css'],
  'console.css': ['tokens.css', 'app.css', 'components.css', 'console.css', 'console-audit.css'],
};
/** One script per layout, and one for a worker. Each part checks whether the page has elements for it. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'hosted.js': ['page.js', WEBAUTHN, 'passkeys.js', 'passkey-signals.js'],
  'plain.js': ['page.js'],
  'dev.js': ['page.js', 'push-demo.js'],
  'console.js': ['form-draft.js', 'page.js', HTMX],
  'push-worker.js': ['push-worker.js'],
};
const SPRITE = 'icons.svg';

/** The service's own scripts are in strict mode and have no globals; third-party scripts define a global name. */
function scriptText(part: string): string {
  const { resolve } = createRequire(import.meta.url);
  if (part === HTMX) return `${readFileSync(resolve(HTMX), 'utf8')};\n`;
  if (part === WEBAUTHN) {
    const bundle = new URL('../dist/bundle/index.umd.min.js', `file://${resolve(WEBAUTHN)}`);
    return `${readFileSync(bundle, 'utf8')};\n`;
  }
  return `(() => {\n${readFileSync(`${FOLDER}${part}`, 'utf8')}})();\n`;
}

/** Styles and scripts of the pages, read once at the start. Their URLs contain a hash of the content. */
@Injectable()
export class Assets {
  private readonly byFileName = new Map<string, Asset>();
  private readonly urls = new Map<string, string>();
  private readonly icons = new Set<string>();

  constructor() {
    const { resolve } = createRequire(import.meta.url);
    const pico = readFileSync(resolve('@picocss/pico/css/pico.min.css'));
    for (const [name, parts] of Object.entries(STYLE_SHEETS)) {
      this.add(name, Buffer.concat([pico, ...parts.map((part) => readFileSync(`${FOLDER}${part}`))]));
    }
    for (const [name, parts] of Object.entries(SCRIPTS)) this.add(name, Buffer.from(parts.map(scriptText).join('')));
    const others = readdirSync(FOLDER).filter((name) => !['.css', '.js'].includes(extname(name)));
    for (const name of others) this.add(name, readFileSync(`${FOLDER}${name}`));
    for (const [, icon] of this.text(SPRITE).matchAll(/<symbol id="([^"]+)"/g)) this.icons.add(icon!);
  }

  /** URL of an asset, for example `hosted.css` → `/assets/hosted.1f2e3d4c5b6a.css`. */
  url(name: string): string {
    const url = this.urls.get(name);
    if (url === undefined) throw new Error(`There is no asset ${name}`);
    return url;
  }

  /** URL of an icon in the sprite, for `<use>`. @throws Error if the icon does not exist (scripts/icons.mjs) */
  iconUrl(name: string): string {
    if (!this.icons.has(name)) throw new Error(`There is no icon ${name}`);
    return `${this.url(SPRITE)}#${name}`;
  }

  /** Finds an asset by the file name in its URL. An older hash is not found: the page with that URL is outdated. */
  get(fileName: string): Asset {
    const asset = this.byFileName.get(fileName);
    if (!asset) throw new AssetNotFound();
    return asset;
  }

  private text(name: string): string {
    return this.get(this.url(name).slice('/assets/'.length)).body.toString('utf8');
  }

  private add(name: string, body: Buffer): void {
    const extension = extname(name);
    const contentType = CONTENT_TYPES[extension];
    if (!contentType) throw new Error(`No content type is known for the asset ${name}`);
    const hash = createHash('sha256').update(body).digest('hex').slice(0, 12);
    const fileName = `${name.slice(0, -extension.length)}.${hash}${extension}`;
    this.byFileName.set(fileName, new Asset(contentType, body));
    this.urls.set(name, `/assets/${fileName}`);
  }
}
