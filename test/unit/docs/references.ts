import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const NOT_OURS = new Set(['node_modules', 'dist', 'coverage', '.git', '.data']);
const CODE = /\.(?:ts|js|mjs)$/;
const MARKDOWN = /\.md$/;
const REQUIREMENTS = 'docs/requirements.md';
const CONVENTIONS = 'docs/conventions.md';
/** A path of this repository as comments and documents write it; a placeholder or an asterisk ends it. */
const PATH = /(?<![\w./<{-])(?:src|test|views|scripts|bench|assets|data|docs|examples|\.ci|\.github)\/[\w./-]*/g;

/** The name of a file alone, as `admission.rules.ts`. */
const FILE_NAME = /(?<![\w./<*{-])[a-z][\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|hbs|csv|md|sql)(?![\w/-])/g;

/** Path relative to the root, with slashes, to its text. Files that are neither code nor Markdown have an empty text. */
export type Tree = ReadonlyMap<string, string>;

interface Reference {
  readonly text: string;
  readonly resolves: boolean;
}

export function readTree(root: string): Tree {
  const tree = new Map<string, string>();
  const read = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory() && !NOT_OURS.has(entry.name)) read(path);
      if (entry.isFile()) tree.set(path, isRead(path) ? readFileSync(join(root, path), 'utf8') : '');
    }
  };
  read('');
  return tree;
}

/** Every reference in comments, test titles and Markdown that leads nowhere, one line each; empty when all resolve. */
export function findBrokenReferences(tree: Tree): string[] {
  const broken: string[] = [];
  for (const [path, text] of tree) {
    const references = CODE.test(path)
      ? inCode(tree, path, text)
      : MARKDOWN.test(path)
        ? inMarkdown(tree, path, text)
        : [];
    broken.push(...references.filter(({ resolves }) => !resolves).map((reference) => `${path}: ${reference.text}`));
  }
  return [...new Set(broken)];
}

/** Requirements that no test names: in a comment or a title, as `security 72` or `F2`. */
export function findUntestedRequirements(tree: Tree): string[] {
  const named = new Set<string>();
  for (const [path, text] of tree) {
    if (!/^test\/.*\.ts$/.test(path)) continue;
    for (const [, numbers] of text.matchAll(/security (\d+(?:(?:, | and )\d+)*)/g))
      for (const number of numbers!.split(/, | and /)) named.add(`security ${number}`);
    for (const [fault] of text.matchAll(/\bF\d+\b/g)) named.add(fault);
  }
  const all = [...(tree.get(REQUIREMENTS) ?? '').matchAll(/^- \*\*(security \d+|F\d+)\*\* /gm)].map(
    ([, name]) => name!,
  );
  return all.filter((name) => !named.has(name));
}

function isRead(path: string): boolean {
  return CODE.test(path) || MARKDOWN.test(path) || path === 'package.json' || path === '.env.example';
}

function inCode(tree: Tree, path: string, text: string): Reference[] {
  const comments = commentsOf(text);
  const references = [
    ...paths(tree, comments),
    ...fileNames(tree, comments),
    ...decisions(tree, comments),
    ...sections(tree, comments),
  ];
  if (path.startsWith('test/')) references.push(...requirements(tree, text), ...faults(tree, comments, text));
  if (path.startsWith('test/sabotage/')) references.push(...sabotageItems(tree, text));
  return references;
}

function inMarkdown(tree: Tree, path: string, text: string): Reference[] {
  const prose = text.replace(/^```.*?^```$/gms, '');
  const inlineCode = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!).join('\n');
  return [
    ...links(tree, path, prose.replace(/`[^`\n]+`/g, 'code')),
    ...paths(tree, inlineCode),
    ...fileNames(tree, inlineCode),
    ...decisions(tree, prose),
    ...sections(tree, prose),
    ...scripts(tree, text),
  ];
}

function commentsOf(code: string): string {
  return code
    .split('\n')
    .map((line) => /^\s*(?:\/\/|\/\*|\*)(.*)$/.exec(line)?.[1] ?? / \/\/ (.*)$/.exec(line)?.[1] ?? '')
    .join('\n');
}

/** `[text](target)`: a file, a folder or an article of the help, and the heading behind `#`. */
function links(tree: Tree, from: string, prose: string): Reference[] {
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target) && (!target.startsWith('/') || target.startsWith('/console/help/')))
    .map((target) => ({ text: `link to ${target}`, resolves: linkResolves(tree, from, target) }));
}

function linkResolves(tree: Tree, from: string, target: string): boolean {
  const [address = '', anchor] = target.split('#');
  if (address.startsWith('/console/help/')) return helpArticleExists(tree, address.slice('/console/help/'.length));
  const path = address === '' ? from : posix.join(posix.dirname(from), address);
  if (!exists(tree, path)) return false;
  return anchor === undefined || anchorsOf(tree.get(path) ?? '').includes(anchor);
}

/** One article of the help is made from the table of roles and is no file. */
function helpArticleExists(tree: Tree, article: string): boolean {
  const [category, slug] = article.split('/');
  const listed = tree.get('src/console/help/help-categories.ts') ?? '';
  return tree.has(`docs/help/${article}.md`) || (listed.includes(`'${category}'`) && listed.includes(`'${slug}'`));
}

/** As GitHub makes them from headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function paths(tree: Tree, text: string): Reference[] {
  return [...text.matchAll(PATH)].map(([found]) => {
    const path = found.replace(/[.]+$/, '');
    return { text: `path ${path}`, resolves: exists(tree, path) || isDecision(tree, path) };
  });
}

function fileNames(tree: Tree, text: string): Reference[] {
  const names = new Set([...tree.keys()].map((path) => posix.basename(path)));
  return [...text.matchAll(FILE_NAME)].map(([name]) => ({ text: `file ${name}`, resolves: names.has(name) }));
}

function exists(tree: Tree, path: string): boolean {
  const folder = path.endsWith('/') ? path : `${path}/`;
  return tree.has(path) || [...tree.keys()].some((each) => each.startsWith(folder));
}

function isDecision(tree: Tree, path: string): boolean {
  return /^docs\/decisions\/\d{4}$/.test(path) && decisionExists(tree, path.slice(-4));
}

/** "decision 14", "decisions 0010 and 0011". */
function decisions(tree: Tree, text: string): Reference[] {
  return [...text.matchAll(/\bdecisions? (\d{1,4}(?:(?:, | and )\d{1,4})*)\b/gi)].flatMap(([, numbers]) =>
    numbers!.split(/, | and /).map((number) => ({
      text: `decision ${number}`,
      resolves: decisionExists(tree, number),
    })),
  );
}

function decisionExists(tree: Tree, number: string): boolean {
  const start = `docs/decisions/${number.padStart(4, '0')}-`;
  return [...tree.keys()].some((path) => path.startsWith(start));
}

/** A section of the conventions is named by its file: "decisions, section …" and the like name no file of this repository. */
function sections(tree: Tree, text: string): Reference[] {
  const headings = tree.get(CONVENTIONS) ?? '';
  const named = [...text.matchAll(/docs\/conventions\.md,\s+section (\d+)/g)].map(([, number]) => ({
    text: `section ${number} of ${CONVENTIONS}`,
    resolves: new RegExp(`^## ${number}\\. `, 'm').test(headings),
  }));
  const nameless = [...text.matchAll(/\bdecisions,? section \d+|\bspecification, [A-Z]\w+/gi)].map(([found]) => ({
    text: found,
    resolves: false,
  }));
  return [...named, ...nameless];
}

/** "security 72, 73" and "performance 8". */
function requirements(tree: Tree, text: string): Reference[] {
  return [...text.matchAll(/\b(security|performance) (\d+(?:(?:, | and )\d+)*)/g)].flatMap(([, area, numbers]) =>
    numbers!.split(/, | and /).map((number) => requirement(tree, `${area} ${number}`)),
  );
}

/** "F12" in a comment, or in brackets at the end of a test's title. */
function faults(tree: Tree, comments: string, text: string): Reference[] {
  const inTitles = [...text.matchAll(/\((F\d{1,2})\)'/g)];
  const inComments = [...comments.matchAll(/(?<![\w-])(F\d{1,2})(?=[,;:.)]|\s|$)/gm)];
  return [...inTitles, ...inComments].map(([, fault]) => requirement(tree, fault!));
}

/** `item: 30`, `item: '8, 47'`, `item: '17 second factor'`: the numbers in front. An item in words names a topic. */
function sabotageItems(tree: Tree, text: string): Reference[] {
  return [...text.matchAll(/^ *item: '?([^'\n]+?)'?,$/gm)].flatMap(([, item]) => {
    if (/^[A-Z]\d+$/.test(item!)) return [requirement(tree, item!)];
    const numbers = /^\d+(?:, \d+)*/.exec(item!)?.[0].split(', ') ?? [];
    const stray = /\d/.test(item!.replace(/^\d+(?:, \d+)*/, '').replace('IPv6', ''));
    return [
      ...numbers.map((number) => requirement(tree, `security ${number}`)),
      { text: `item ${item}`, resolves: !stray },
    ];
  });
}

function requirement(tree: Tree, name: string): Reference {
  return { text: `requirement ${name}`, resolves: (tree.get(REQUIREMENTS) ?? '').includes(`- **${name}** `) };
}

function scripts(tree: Tree, text: string): Reference[] {
  const { scripts: known = {} } = JSON.parse(tree.get('package.json') ?? '{}') as { scripts?: Record<string, string> };
  return [...text.matchAll(/\bnpm run (?:--silent )?([a-z][a-z0-9:-]*)/g)].map(([, script]) => ({
    text: `npm run ${script}`,
    resolves: script! in known,
  }));
}
