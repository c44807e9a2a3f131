import { deliveryOf } from '../../../../apps/app/redirect-uri.rules.js';
import { curlSnippet } from './curl.js';
import { goSnippet } from './go.js';
import { nextSnippet } from './next.js';
import { nodeSnippet } from './node.js';
import { pythonSnippet } from './python.js';
import { singlePageSnippet } from './single-page.js';
import type { SnippetValues } from './snippet.js';

/** Frameworks with a snippet, which contains the app's own values. */
export const FRAMEWORKS = [
  { name: 'node', language: 'js', label: 'Node.js', write: nodeSnippet },
  { name: 'next', language: 'js', label: 'Next.js', write: nextSnippet },
  { name: 'spa', language: 'js', label: 'Single-page app', write: singlePageSnippet },
  { name: 'python', language: 'python', label: 'Python', write: pythonSnippet },
  { name: 'go', language: 'go', label: 'Go', write: goSnippet },
  { name: 'curl', language: 'sh', label: 'curl', write: curlSnippet },
] as const;

/** For an app with a key, only frameworks whose libraries can sign with it. A page in a browser has no key. */
export function frameworksFor({ method }: SnippetValues): (typeof FRAMEWORKS)[number][] {
  return FRAMEWORKS.filter(({ name }) => method !== 'key' || name === 'node' || name === 'curl');
}

/** @param name as in the URL; by default `curl` for an app on a device, otherwise Node.js */
export function chosenFramework(name: unknown, values: SnippetValues): (typeof FRAMEWORKS)[number] {
  const { redirectUri } = values;
  const offered = frameworksFor(values);
  const isNative = redirectUri !== null && deliveryOf(redirectUri) === 'native';
  const preset = isNative ? 'curl' : 'node';
  return offered.find((each) => each.name === name) ?? offered.find((each) => each.name === preset)!;
}
