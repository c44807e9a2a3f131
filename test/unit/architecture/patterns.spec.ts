import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import ts from 'typescript';
import { readSourceTree } from './source-tree.js';

const LAST = /[+*]\$\/[a-z]*/;

/** Such as `/x+$/`: any number at the end, and no beginning. */
function endlessPatterns(text: string): string[] {
  if (!LAST.test(text)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node) && LAST.test(node.text) && !node.text.startsWith('/^'))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest));
  return found;
}

describe('Patterns', () => {
  it('take no square of the length of a text for its end: withoutEnd does that', () => {
    expect(readSourceTree(resolve('src')).flatMap(({ text }) => endlessPatterns(text))).toEqual([]);
  });

  it('are found', () => {
    const source = String.raw`a.replace(/\/+$/, ''); b.replace(/=*$/u, ''); /^[a/]+$/.test(c); // /x+$/`;
    expect(endlessPatterns(source)).toEqual([String.raw`/\/+$/`, '/=*$/u']);
  });
});
