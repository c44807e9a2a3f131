import MarkdownIt, { type Token } from 'markdown-it';
import { highlighted } from '../../common/pages/highlight.js';

export interface RenderedMarkdown {
  readonly title: string;
  readonly summary: string;
  readonly html: string;
  readonly text: string;
  readonly headings: readonly string[];
}

/** Raw HTML is disabled: it is shown as text. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
const { escapeHtml } = markdown.utils;

// Wide code and tables can be scrolled separately, also with the keyboard. Without JavaScript, the button stays hidden.
markdown.renderer.rules.fence = (tokens, index) => {
  const { content, info } = tokens[index]!;
  const code = escapeHtml(content);
  const name = info.trim();
  const language = escapeHtml(name) || 'text';
  return (
    `<div class="snippet"><pre tabindex="0" role="group" aria-label="Code, ${language}"><code>${highlighted(content, name)}</code></pre>` +
    `<button class="quiet" type="button" hidden data-copy="${code}" aria-label="Copy the code">Copy</button></div>\n`
  );
};
markdown.renderer.rules.table_open = () =>
  '<div class="prose-table" tabindex="0" role="group" aria-label="Table"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';
markdown.renderer.rules.th_open = () => '<th scope="col">';

/** Called once for each file of this repository. @throws if the title or the first paragraph is missing */
export function renderArticle(source: string): RenderedMarkdown {
  // Removed, because an HTML comment would be shown as text like all HTML.
  const tokens = markdown.parse(source.replace(/^<!--[\s\S]*?-->$/gm, ''), {});
  const [open, title, close, paragraph, summary] = tokens;
  if (open?.type !== 'heading_open' || open.tag !== 'h1' || paragraph?.type !== 'paragraph_open' || !close)
    throw new Error('An article begins with a title and a paragraph');
  const inline = tokens.filter(({ type }) => type === 'inline');
  const headings = tokens.flatMap((token, index) =>
    token.type === 'heading_open' && token.tag !== 'h1' ? [plain(tokens[index + 1]!)] : [],
  );
  const fences = tokens.filter(({ type }) => type === 'fence').map(({ content }) => content);
  return {
    title: plain(title!),
    summary: plain(summary!),
    html: markdown.renderer.render(tokens.slice(3), markdown.options, {}),
    text: [...inline.map(plain), ...fences].join('\n'),
    headings,
  };
}

function plain(token: Token): string {
  return (token.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');
}
