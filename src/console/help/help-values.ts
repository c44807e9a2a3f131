/** Values for the placeholders in an article. */
export interface HelpValues {
  readonly base_url: string;
  readonly console_app_id: string;
  /** An app of the reader, or null: the snippet then shows a placeholder. */
  readonly app_id: string | null;
  readonly tenant_id: string | null;
}

const PLACEHOLDER = /\{\{(base_url|console_app_id|app_id|tenant_id)\}\}/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For HTML text and attributes: every value is escaped for both. */
export function fillPlaceholders(html: string, values: HelpValues): string {
  return html.replace(PLACEHOLDER, (_, name: keyof HelpValues) => escaped(values[name] ?? `<${name}>`));
}

/** For text that is escaped later. */
export function fillText(text: string, values: HelpValues): string {
  return text.replace(PLACEHOLDER, (_, name: keyof HelpValues) => values[name] ?? `<${name}>`);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
