import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import Handlebars, { type HelperOptions } from 'handlebars';
import type { HtmlTags } from '../../common/i18n/compiled-message.js';
import { Message, type MessageValues } from '../../common/i18n/message.js';
import type { Messages } from '../../common/i18n/messages.js';

const FOLDER = fileURLToPath(new URL('../../../views/mail/', import.meta.url));

export type MailPart = 'html' | 'text';
type Template = (model: object) => string;
type Helper = (key: string, options: Pick<HelperOptions, 'data'> & { readonly hash: MessageValues }) => unknown;

/**
 * Tags of messages in mails: a `<link>` links to its own text. Styles are inline, because mail programs ignore style
 * sheets.
 */
const TAGS: HtmlTags = {
  link: (address) => `<a href="${address}" style="color:inherit;">${address}</a>`,
  code: (inner) => `<strong style="font-family:ui-monospace,Menlo,Consolas,monospace;">${inner}</strong>`,
};

/** The templates of one part of the mails (HTML or text), compiled on first use. */
export class MailTemplates {
  private readonly handlebars = Handlebars.create();
  private readonly compiled = new Map<string, Promise<Template>>();

  constructor(
    private readonly part: MailPart,
    messages: Messages,
  ) {
    const inHtml: Helper = (key, { hash, data }) => messages.html(localeOf(data), key, hash, TAGS);
    const asText: Helper = (key, { hash, data }) => messages.text(localeOf(data), new Message(key, hash));
    this.handlebars.registerHelper('t', part === 'html' ? inHtml : asText);
  }

  /** @param name of the file in `views/mail/`, without its extension */
  find(name: string): Promise<Template> {
    let template = this.compiled.get(name);
    if (!template) this.compiled.set(name, (template = this.compile(name)));
    return template;
  }

  private async compile(name: string): Promise<Template> {
    const source = await readFile(`${FOLDER}${name}.${this.part}.hbs`, 'utf8');
    return this.handlebars.compile(source, { strict: true, noEscape: this.part === 'text' }) as Template;
  }
}

function localeOf(data: unknown): string {
  return (data as { root: { locale: string } }).root.locale;
}
