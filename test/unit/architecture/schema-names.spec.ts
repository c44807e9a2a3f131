import { describe, expect, it } from '@jest/globals';
import { resolve } from 'node:path';
import { readSourceTree } from './source-tree.js';

/** @returns classes of more than one file whose fields the OpenAPI document describes */
function namesTwice(sources: readonly { readonly text: string }[]): string[] {
  const names = sources
    .filter(({ text }) => /@nestjs\/swagger|validation\/fields/.test(text))
    .flatMap(({ text }) => [...text.matchAll(/^(?:export )?class (\w+)/gm)].map(([, name]) => name!));
  return [...new Set(names.filter((name, place) => names.indexOf(name) !== place))];
}

// Of two classes of one name the OpenAPI document describes only one, and gives its fields to both.
describe('Classes that the OpenAPI document names', () => {
  it('have names of their own', () => {
    expect(namesTwice(readSourceTree(resolve('src')))).toEqual([]);
  });

  it('are found in different files', () => {
    const file = { text: "import { ApiProperty } from '@nestjs/swagger';\nclass SentView {}" };
    expect(namesTwice([file, { text: `${file.text}\nexport class Other {}` }])).toEqual(['SentView']);
  });
});
