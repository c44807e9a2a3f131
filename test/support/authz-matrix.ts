import { readFileSync } from 'node:fs';
import { withStars } from './route-table.js';

export const ACTORS = ['PA', 'TA=', 'TA≠', 'AA=', 'AA≠', 'AM', 'U', 'S+', 'S−', 'S≠', '∅'] as const;
export type ActorName = (typeof ACTORS)[number];

export interface MatrixRow {
  readonly group: string;
  /** Method and path as the file says them: names the row. */
  readonly name: string;
  /** All spellings, in the words of `routesOf`. */
  readonly routes: readonly string[];
  /** Status by actor. */
  readonly cells: Readonly<Record<ActorName, number>>;
}

/**
 * Routes by actors: those of the specification, and in a file of their own those that were added to it. A `d` behind a
 * status marks what the specification leaves open.
 */
export function readAuthzMatrix(): MatrixRow[] {
  return ['authz-matrix.csv', 'authz-additions.csv'].flatMap(readRows);
}

function readRows(file: string): MatrixRow[] {
  const text = readFileSync(new URL(`../e2e/admin/${file}`, import.meta.url), 'utf8');
  const [header, ...lines] = text.trim().split('\n').map(cellsOf);
  const columns = ACTORS.map((actor) => header!.indexOf(actor));
  if (columns.includes(-1)) throw new Error('The matrix lacks an actor');
  let routes: string[] = [];
  return lines.map(([group, method, path, ...rest]) => {
    const spelled = spellings(method!, path!);
    if (spelled.length > 0) routes = spelled; // "same, …" speaks of the row above
    const cells = ACTORS.map((actor, index) => [actor, Number.parseInt(rest[columns[index]! - 3]!, 10)] as const);
    return { group: group!, name: `${method} ${path}`, routes, cells: Object.fromEntries(cells) as MatrixRow['cells'] };
  });
}

function spellings(method: string, text: string): string[] {
  const paths = text
    .replace(/\s*\([^)]*\)/g, '')
    .split(', ')
    .filter((part) => /^[/…]/.test(part))
    .map((part) => part.replace(/…$/, ''));
  const alias = /\(alias ([A-Z]+) ([^)]+)\)/.exec(text);
  const said = [...paths.map((path) => [method, path] as const), ...(alias ? [[alias[1]!, alias[2]!] as const] : [])];
  return said.map(([verb, path]) => `${verb} ${withStars(path.replace('…', parentOf(paths[0]!)))}`);
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function cellsOf(line: string): string[] {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return [...cells].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}
