import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { create } from 'express-handlebars';
import { Randomness } from '../randomness.js';
import { Assets } from './assets.js';
import { OWN_BRAND, type Brand } from './brand.js';
import { brandTheme } from './brand-theme.js';
import { contentSecurityPolicy } from './content-security-policy.js';
import type { Page } from './page.js';
import { templateHelpers } from './template-helpers.js';

/** The same number of steps up from `src/common/pages` and from `dist/common/pages`. */
const VIEWS = fileURLToPath(new URL('../../../views/', import.meta.url));
const NONCE_BYTES = 16;

/** Turns a {@link Page} into HTML and sends it with the headers that every page carries. */
@Injectable()
export class PageRenderer {
  private readonly engine: ReturnType<typeof create>;
  private readonly ownBrand: Brand;

  constructor(
    assets: Assets,
    private readonly randomness: Randomness,
  ) {
    this.ownBrand = { ...OWN_BRAND, logo: assets.url('icon.svg') };
    this.engine = create({
      extname: '.hbs',
      partialsDir: `${VIEWS}partials`,
      helpers: templateHelpers(assets),
      // No indentation: it would get into what a text area or a code block shows.
      compilerOptions: { strict: true, preventIndent: true },
    });
  }

  /** Rejects before anything is sent when the view names a variable that the model lacks. */
  async send(response: Response, page: Page): Promise<void> {
    const nonce = this.randomness.bytes(NONCE_BYTES).toString('base64');
    const html = await this.render(page, nonce);
    response
      .status(page.status ?? 200)
      .set('Content-Type', 'text/html; charset=utf-8')
      .set('Content-Security-Policy', contentSecurityPolicy(nonce, page.formTargets ?? [], page.hasWorker))
      .set('Referrer-Policy', 'no-referrer')
      .set('Cache-Control', 'no-store')
      .set('X-Content-Type-Options', 'nosniff')
      .send(html);
  }

  private async render(page: Page, nonce: string): Promise<string> {
    const brand = page.brand ?? this.ownBrand;
    const variables = { ...present(page.model), title: titleOf(page), brand, theme: brandTheme(brand), nonce };
    const body = await this.engine.render(`${VIEWS}${page.view}.hbs`, variables, { cache: true });
    const layout = `${VIEWS}layouts/${page.layout ?? 'hosted'}.hbs`;
    return this.engine.render(layout, { ...variables, body }, { cache: true });
  }
}

/** Without what is undefined: strict mode asks whether a name is there, not whether it holds anything. */
function present(model: Page['model']): Page['model'] {
  return Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined));
}

/** Screen readers say the title first: a page that came back with errors should sound different from the one before. */
function titleOf({ title, model }: Page): string {
  const { errors } = model;
  return Array.isArray(errors) && errors.length > 0 ? `Error: ${title}` : title;
}
