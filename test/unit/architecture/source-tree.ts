import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ts from 'typescript';

/** From top to bottom; a module may import what stands on lower lines only, never a neighbor on its own. */
export const LEVELS: readonly (readonly string[])[] = [
  ['processes'],
  ['embedded'],
  ['console'],
  ['operators'],
  ['previews'],
  ['admin', 'transfer', 'operations', 'docs'],
  ['auth'],
  ['invites', 'push'],
  ['tokens'],
  ['enrollment'],
  ['users', 'apps'],
  ['tenants'],
  ['audit'],
  ['mail'],
  ['delivery', 'rate-limits', 'outbound'],
  ['database', 'crypto'],
  ['config'],
  ['common'],
];

/** Folders of one module that still import each other. May only become fewer. */
export const KNOWN_TWO_WAY_FOLDERS: readonly (readonly [string, string])[] = [];

/** Entry points hand `process.env` to the one reader of the environment. */
const MAY_READ_ENVIRONMENT = new Set(['config/env.ts', 'main.ts', 'worker.ts', 'migrate.ts', 'cli.ts']);

interface SourceFile {
  /** Relative to the source folder, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Files of the same tree that it imports, types and dynamic imports included. */
  readonly imports: readonly string[];
}

/** Everything in the source folder that breaks the house's rules, one sentence each; empty when it is in order. */
export function findViolations(folder: string): string[] {
  const files = readSourceTree(folder);
  return [
    ...misplaced(files),
    ...upward(files),
    ...cycles(files),
    ...twoWayFolders(files).filter((violation) => !isKnown(violation)),
    ...barrels(files),
    ...environmentReaders(files),
  ];
}

export function readSourceTree(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => {
      const absolute = join(entry.parentPath, entry.name);
      const text = readFileSync(absolute, 'utf8');
      const imports = ts
        .preProcessFile(text, true, true)
        .importedFiles.filter(({ fileName }) => fileName.startsWith('.'))
        .map(({ fileName }) => slashes(relative(folder, join(dirname(absolute), fileName.replace(/\.js$/, '.ts')))));
      return { path: slashes(relative(folder, absolute)), text, imports };
    });
}

function misplaced(files: readonly SourceFile[]): string[] {
  const known = new Set(LEVELS.flat());
  const unknown = new Set(files.map(moduleOf).filter((module) => module !== null && !known.has(module)));
  return [...unknown].map((module) => `${module}/ has no place in the direction table`);
}

function upward(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    file.imports
      .filter((target) => moduleOf(file) !== moduleOf({ path: target }) && level(file) >= level({ path: target }))
      .map((target) => `${file.path} must not import ${target}`),
  );
}

function cycles(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push(`cycle: ${[...trail.slice(start), path].join(' → ')}`);
    if (start >= 0 || done.has(path)) return;
    for (const target of byPath.get(path)?.imports ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}

/** Two folders of one module that import each other are one folder, whatever their names say. */
export function twoWayFolders(files: readonly SourceFile[]): string[] {
  const pairs = new Set(
    files
      .flatMap((file) => file.imports.map((target) => [dirname(file.path), dirname(target)] as const))
      .filter(([from, to]) => from !== to && isOfOneModule(from, to))
      .map(([from, to]) => `${from} ${to}`),
  );
  return [...pairs]
    .map((pair) => pair.split(' ') as [string, string])
    .filter(([from, to]) => from < to && pairs.has(`${to} ${from}`))
    .map(([from, to]) => `${from}/ and ${to}/ import each other`)
    .sort();
}

function isOfOneModule(one: string, other: string): boolean {
  return one !== '.' && one.split('/')[0] === other.split('/')[0];
}

function isKnown(violation: string): boolean {
  return KNOWN_TWO_WAY_FOLDERS.some(([one, other]) => violation === `${one}/ and ${other}/ import each other`);
}

function barrels(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => /(^|\/)index\.ts$/.test(path) || /^export \* from /m.test(text))
    .map(({ path }) => `${path} is a barrel`);
}

function environmentReaders(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => !MAY_READ_ENVIRONMENT.has(path) && readsEnvironment(text))
    .map(({ path }) => `${path} reads process.env, which only config/env.ts may`);
}

/** By syntax, so that comments and strings may mention it. */
function readsEnvironment(text: string): boolean {
  const visit = (node: ts.Node): boolean =>
    isEnvironmentAccess(node) || (ts.forEachChild(node, (child) => visit(child) || undefined) ?? false);
  return visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.ESNext));
}

function isEnvironmentAccess(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return isProcess(node.expression) && node.name.text === 'env';
  if (ts.isElementAccessExpression(node)) {
    return (
      isProcess(node.expression) &&
      ts.isStringLiteral(node.argumentExpression) &&
      node.argumentExpression.text === 'env'
    );
  }
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const bindings = node.importClause?.namedBindings;
    const fromProcess = /^(node:)?process$/.test(node.moduleSpecifier.text);
    return (
      fromProcess &&
      !!bindings &&
      ts.isNamedImports(bindings) &&
      bindings.elements.some((e) => (e.propertyName ?? e.name).text === 'env')
    );
  }
  return false;
}

function isProcess(node: ts.Expression): boolean {
  return ts.isIdentifier(node) && node.text === 'process';
}

/** Folder right below the source folder; null for the entry points, which stand on top. */
function moduleOf({ path }: { path: string }): string | null {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : null;
}

function level(file: { path: string }): number {
  const module = moduleOf(file);
  return module === null ? -1 : LEVELS.findIndex((line) => line.includes(module));
}

function slashes(path: string): string {
  return path.split(sep).join('/');
}
