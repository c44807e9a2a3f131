import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pathOf } from '../../../src/console/help/help-article.js';
import { HELP_CATEGORIES, POPULAR_ARTICLES } from '../../../src/console/help/help-categories.js';
import { HelpLibrary } from '../../../src/console/help/help-library.js';
import { fillPlaceholders, type HelpValues } from '../../../src/console/help/help-values.js';
import { RATE_LIMIT_LABELS, rateLimitRules } from '../../../src/rate-limits/counters/rate-limit.rules.js';

const library = new HelpLibrary();
const articles = library.contents().flatMap((part) => part.articles);
const VALUES: HelpValues = {
  base_url: 'https://id.example.com',
  console_app_id: '10000000-0000-4000-8000-000000000001',
  app_id: '20000000-0000-4000-8000-000000000001',
  tenant_id: null,
};

describe('Help articles', () => {
  it('match the table of contents: every file is listed, every name has a file', () => {
    const files = readdirSync(resolve('docs/help'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => name.slice(0, -3));
    const listed = HELP_CATEGORIES.flatMap(({ slug, articles: names }) => names.map((name) => `${slug}/${name}`));
    expect([...files, 'administration/roles'].sort()).toEqual(listed.sort());
  });

  it.each(articles.map((article) => [pathOf(article), article] as const))(
    '%s has a title and a summary',
    (_, article) => {
      expect(article.title.length).toBeGreaterThan(3);
      expect(article.summary.length).toBeGreaterThan(20);
      expect(article.html).not.toMatch(/<h1|style=|<script|on\w+="/);
    },
  );

  it('that are popular exist', () => {
    expect(library.popular().map(pathOf)).toEqual(POPULAR_ARTICLES.map((path) => `/console/help/${path}`));
  });

  it('link to articles that exist', () => {
    const links = articles.flatMap(({ html }) => [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href!));
    const help = links.filter((href) => href.startsWith('/console/help/'));
    expect(help.length).toBeGreaterThan(10);
    expect(help.filter((href) => !articles.some((article) => pathOf(article) === href))).toEqual([]);
    for (const href of links) expect(href).toMatch(/^(\/|https:\/\/)/);
  });

  it('leave no placeholder unfilled, and use no unknown one', () => {
    for (const article of articles) {
      const page = fillPlaceholders(article.html, VALUES);
      expect([article.slug, page.match(/\{\{\w+\}\}/)]).toEqual([article.slug, null]);
    }
    expect(fillPlaceholders(library.find('start', 'first-app')!.html, VALUES)).toContain('&lt;tenant_id&gt;');
  });

  it('name each limit with its current number', () => {
    const limits = readFileSync(resolve('docs/help/operations/limits.md'), 'utf8');
    const rules = rateLimitRules({ enabled: true, overrides: {} });
    const spans = new Map([
      [60, 'a minute'],
      [900, '15 minutes'],
      [3600, 'an hour'],
      [86_400, 'a day'],
      [1_209_600, '14 days'],
    ]);
    for (const label of RATE_LIMIT_LABELS) {
      const { points, seconds } = rules[label];
      expect(limits).toContain(`| \`${label}\` | ${points.toLocaleString('en')} in ${spans.get(seconds)} |`);
    }
  });

  it('show raw HTML as text', async () => {
    const { renderArticle } = await import('../../../src/console/help/help-markdown.js');
    const { html, title } = renderArticle(
      '# <b>T</b>\n\nHello <img src=x onerror=alert(1)>.\n\n```js\n"</code><script>"\n```\n',
    );
    expect(title).toBe('<b>T</b>');
    expect(html).not.toMatch(/<img|<script/);
    expect(html).toContain('data-copy="&quot;&lt;/code&gt;&lt;script&gt;&quot;\n"');
    expect(() => renderArticle('No title')).toThrow('begins with a title');
  });

  it('are filled with escaped values', () => {
    const evil = { ...VALUES, app_id: `"><script>alert('1')</script>&` };
    const page = fillPlaceholders('<p title="{{app_id}}">{{app_id}} {{unknown}}</p>', evil);
    const safe = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;';
    expect(page).toBe(`<p title="${safe}">${safe} {{unknown}}</p>`);
  });
});
