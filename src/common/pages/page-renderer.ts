import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { create } from 'express-handlebars';
import type { TemplateDelegate } from 'handlebars';
import { chooseLocale, DEFAULT_LOCALE, type Locale } from '../i18n/locale.rules.js';
import { message, type Text } from '../i18n/message.js';
import { Messages } from '../i18n/messages.js';
import { withTexts } from '../i18n/with-texts.js';
import { compressed } from '../http/streams/compressed.js';
import { mayCompressPage } from '../http/streams/compression.rules.js';
import { Randomness } from '../randomness.js';
import { Assets } from './assets/assets.js';
import { OWN_BRAND, type Brand } from './brand/brand.js';
import { brandTheme } from './brand/brand-theme.js';
import { compileOnce } from './compile-once.js';
import { contentSecurityPolicy, previewPolicy } from './content-security-policy.js';
import type { Page } from './page.js';
import { templateHelpers } from './template-helpers.js';
import { type Theme, themeOf } from './brand/theme.js';

/** Works from `src/common/pages` and from `dist/common/pages`, which have the same depth. */
const VIEWS = fileURLToPath(new URL('../../../views/', import.meta.url));
const NONCE_BYTES = 16;
/** Views for operators and developers, which are in English. */
const IN_ENGLISH = /^(?:console|dev)\//;

/** Renders a {@link Page} in the reader's language and sends it with the headers that all pages have. */
@Injectable()
export class PageRenderer {
  private readonly engine: ReturnType<typeof create>;
  private readonly ownBrand: Brand;
  private partials: Promise<Record<string, TemplateDelegate>> | undefined;

  constructor(
    assets: Assets,
    private readonly randomness: Randomness,
    private readonly messages: Messages,
  ) {
    this.ownBrand = { ...OWN_BRAND, logo: assets.url('icon.svg') };
    this.engine = create({
      handlebars: compileOnce,
      extname: '.hbs',
      partialsDir: `${VIEWS}partials`,
      helpers: templateHelpers(assets, messages),
      // No indentation, because it would change the content of text areas and code blocks.
      compilerOptions: { strict: true, preventIndent: true },
    });
  }

  /** Rejects before anything is sent if the view uses a variable that is not in the model. */
  async send(response: Response, page: Page): Promise<void> {
    const nonce = this.randomness.bytes(NONCE_BYTES).toString('base64');
    const isTranslated = !IN_ENGLISH.test(page.view);
    const locale = isTranslated ? this.localeOf(page, response.req) : DEFAULT_LOCALE;
    const html = await this.render(page, nonce, locale, page.preview ?? themeOf(response.req));
    if (isTranslated) response.vary('Accept-Language');
    const status = page.status ?? 200;
    const body = await compressed(response, html, mayCompressPage(response.req, status, html.length));
    response
      .status(status)
      .set('Content-Type', 'text/html; charset=utf-8')
      .set('Content-Language', locale)
      .set(page.preview ? previewHeaders(nonce) : policyHeader(nonce, page))
      .set('Referrer-Policy', 'no-referrer')
      .set('Cache-Control', 'no-store')
      .set('X-Content-Type-Options', 'nosniff')
      .send(body);
  }

  /** The one place where a page's language is chosen. */
  private localeOf({ uiLocales, userLocale, brand }: Page, { query, body, headers }: Request): Locale {
    const requested = query['ui_locales'] ?? (body as Record<string, unknown> | undefined)?.['ui_locales'];
    const wishes = {
      uiLocales: uiLocales ?? (typeof requested === 'string' ? requested : null),
      user: userLocale ?? null,
      acceptLanguage: headers['accept-language'] ?? null,
      tenant: brand?.locale ?? null,
    };
    return chooseLocale(wishes, this.messages.selectable);
  }

  /** Requests in the service's own name show its own logo. Every tenant has a name. */
  private brandOf({ brand }: Page): Brand {
    if (!brand) return this.ownBrand;
    const isOwn = brand.appName === OWN_BRAND.appName && brand.tenantName === '';
    return isOwn ? { ...brand, logo: this.ownBrand.logo } : brand;
  }

  private async render(page: Page, nonce: string, locale: Locale, colorScheme: Theme): Promise<string> {
    const brand = this.brandOf(page);
    const model = withTexts(present(page.model), (text) => this.messages.text(locale, text));
    const variables = {
      ...model,
      title: this.messages.text(locale, titleOf(page)),
      brand: { ...brand, ...picturesFor(brand, colorScheme), place: this.messages.text(locale, appNameOf(brand)) },
      legalLinks: legalLinks(brand).map(({ href, label }) => ({ href, label: this.messages.text(locale, label) })),
      theme: brandTheme(brand),
      nonce,
      locale,
      colorScheme: colorScheme === 'system' ? null : colorScheme,
      isPreview: page.preview !== undefined,
    };
    const options = { cache: true, partials: await this.compiledPartials() };
    const body = await this.engine.render(`${VIEWS}${page.view}.hbs`, variables, options);
    const layout = `${VIEWS}layouts/${page.layout ?? 'hosted'}.hbs`;
    return this.engine.render(layout, { ...variables, body }, options);
  }

  /** Cached here, because the engine would collect them for every page. */
  private compiledPartials(): Promise<Record<string, TemplateDelegate>> {
    this.partials ??= this.engine.getPartials({ cache: true }) as Promise<Record<string, TemplateDelegate>>;
    return this.partials;
  }
}

function policyHeader(nonce: string, page: Page): Record<string, string> {
  return { 'Content-Security-Policy': contentSecurityPolicy(nonce, page.formTargets ?? [], page) };
}

function previewHeaders(nonce: string): Record<string, string> {
  return { 'Content-Security-Policy': previewPolicy(nonce), 'X-Frame-Options': 'SAMEORIGIN' };
}

/** Removes undefined values: strict mode checks whether a name exists, not whether it has a value. */
function present(model: Page['model']): Page['model'] {
  return Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined));
}

/** Screen readers read the title first: a page with errors must sound different from the page before it. */
function titleOf({ title, model }: Page): Text {
  const { errors } = model;
  return Array.isArray(errors) && errors.length > 0 ? message('common.error_title', { title }) : title;
}

/** A theme that the reader has chosen uses one logo; with the system's theme, the browser chooses (`darkLogo`). */
function picturesFor({ logo, darkLogo = null, favicon = null }: Brand, theme: Theme) {
  return {
    logo: theme === 'dark' ? (darkLogo ?? logo) : logo,
    darkLogo: theme === 'system' ? darkLogo : null,
    favicon,
  };
}

function legalLinks({ termsUrl, privacyUrl, supportUrl }: Brand): { href: string; label: Text }[] {
  return [
    ...(termsUrl ? [{ href: termsUrl, label: message('common.terms') }] : []),
    ...(privacyUrl ? [{ href: privacyUrl, label: message('common.privacy') }] : []),
    ...(supportUrl ? [{ href: supportUrl, label: message('common.support') }] : []),
  ];
}

/** Name of the app, with its tenant if that should be shown. */
function appNameOf({ appName: app, tenantName: tenant }: Brand): Text {
  return tenant ? message('common.app_of_tenant', { app, tenant }) : app;
}
