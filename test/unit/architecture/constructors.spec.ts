import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import ts from 'typescript';
import { readSourceTree } from './source-tree.js';

const MAX_DEPENDENCIES = 5;

/** The only files above it, with how many they have. May only become fewer, and smaller. */
const KNOWN: Readonly<Record<string, number>> = {
  'auth/access/access.guard.ts': 6,
  'auth/credentials/password-reset/password-reset.service.ts': 6,
};

/** Most parameters of a constructor in the file; 0 without one. */
function dependencies(text: string): number {
  let most = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isConstructorDeclaration(node)) most = Math.max(most, node.parameters.length);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.ESNext));
  return most;
}

describe('Constructors of the source', () => {
  const found = readSourceTree(resolve('src')).map(({ path, text }) => [path, dependencies(text)] as const);

  it('have at most five dependencies, except those of the list, which have exactly its number', () => {
    const above = Object.fromEntries(found.filter(([, count]) => count > MAX_DEPENDENCIES));
    expect(above).toEqual(KNOWN);
  });

  it('are counted by their parameters', () => {
    const text = 'class A { constructor() {} }\nclass B { constructor(a: A, private readonly b: B) { super(); } }';
    expect([dependencies(text), dependencies('export const a = 1;')]).toEqual([2, 0]);
  });
});
