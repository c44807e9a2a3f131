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
  /** Whether a user's last sign-in must be recent. */
  readonly recentSignIn: string;
  /** Status by actor. */
  readonly cells: Readonly<Record<ActorName, number>>;
}

/** `authz-matrix.csv`: routes by actors. A `d` behind a status marks what the specification leaves open. */
export function readAuthzMatrix(): MatrixRow[] {
  const text = readFileSync(new URL('../e2e/admin/authz-matrix.csv', import.meta.url), 'utf8');
  const [header, ...lines] = text.trim().split('\n').map(cellsOf);
  const columns = ACTORS.map((actor) => header!.indexOf(actor));
  if (columns.includes(-1)) throw new Error('The matrix lacks an actor');
  const recent = header!.indexOf('recent');
  let routes: string[] = [];
  return lines.map(([group, method, path, ...rest]) => {
    const spelled = spellings(method!, path!);
    if (spelled.length > 0) routes = spelled; // "same, …" speaks of the row above
    const cells = ACTORS.map((actor, index) => [actor, Number.parseInt(rest[columns[index]! - 3]!, 10)] as const);
    const recentSignIn = rest[recent - 3] || 'never';
    return {
      group: group!,
      name: `${method} ${path}`,
      routes,
      recentSignIn,
      cells: Object.fromEntries(cells) as MatrixRow['cells'],
    };
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
