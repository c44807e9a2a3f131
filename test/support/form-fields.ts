import type { HostedAnswer } from './hosted-page.js';

/** What the fields of the form with this action hold. */
export function standing({ body }: HostedAnswer, action: string): Record<string, string> {
  const forms = body.match(/<form [\s\S]*?<\/form>/g) ?? [];
  const form = forms.find((each) => each.includes(`action="${action}"`) && each.includes('method="post"')) ?? '';
  const fields: Record<string, string> = {};
  for (const [, tag] of form.matchAll(/<input ([^>]*)>/g)) {
    const isBox = tag!.includes('type="checkbox"');
    if (!isBox || / checked/.test(tag!)) fields[attribute(tag!, 'name')] = attribute(tag!, 'value');
  }
  for (const [, name, text] of form.matchAll(/<textarea [^>]*name="([^"]+)"[^>]*>([\s\S]*?)<\/textarea>/g))
    fields[unescaped(name!)] = unescaped(text!);
  for (const [, name, options] of form.matchAll(/<select [^>]*name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g)) {
    const chosen = /<option value="([^"]*)" selected/.exec(options!) ?? /<option value="([^"]*)"/.exec(options!);
    fields[name!] = unescaped(chosen?.[1] ?? '');
  }
  return fields;
}

function attribute(tag: string, name: string): string {
  return unescaped(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
}

function unescaped(text: string): string {
  return text
    .replaceAll('&#x27;', "'")
    .replaceAll('&#x3D;', '=')
    .replaceAll('&#x60;', '`')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
