import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { findBrokenReferences, findUntestedRequirements, readTree, type Tree } from './references.js';

const root = join(import.meta.dirname, '../../..');
/** These two files name broken references on purpose. */
const EXAMPLES = /^test\/unit\/docs\/references|^src\/console\/apps\/integration\/snippets\//;

/** A small repository in which everything resolves. */
const SOUND: Tree = new Map([
  ['package.json', '{"scripts": {"lint": "eslint ."}}'],
  [
    'README.md',
    '# House\n\n## Module map\n\n[here](#module-map), [there](docs/flows.md#push), `src/a.ts`, `npm run lint`\n',
  ],
  ['docs/flows.md', '## Push\n\nSee decision 14 and [its text](decisions/0014-way-out.md).\n'],
  ['docs/conventions.md', '## 2. Authority\n'],
  [
    'docs/requirements.md',
    '- **security 72** Scopes.\n- **security 73** Service tokens.\n- **F2** PostgreSQL restarts.\n',
  ],
  ['docs/decisions/0014-way-out.md', '# 14. One way out\n'],
  ['src/a.ts', '// docs/conventions.md, section 2; docs/decisions/0014\nexport const a = 1; // src/a.ts\n'],
  ['test/a.spec.ts', "// security 72, 73; F2\nit('goes on (F2)', () => {});\n"],
  ['test/sabotage/list.mjs', "  item: 72,\n  item: '72, 73 scopes',\n  item: 'limits: IPv6',\n"],
]);

/** What is found once this file has this text instead. */
function planted(path: string, text: string): string[] {
  return findBrokenReferences(new Map([...SOUND, [path, text]]));
}

describe('References in comments, test titles and Markdown', () => {
  it('all point to something in this repository', () => {
    const broken = findBrokenReferences(readTree(root));
    expect(broken.filter((line) => !EXAMPLES.test(line))).toEqual([]);
  });

  it('all point to something in the small repository that the next cases break', () => {
    expect(findBrokenReferences(SOUND)).toEqual([]);
  });

  it.each([
    ['a link to a file that is not there', 'README.md', '[gone](docs/gone.md)\n', 'README.md: link to docs/gone.md'],
    [
      'a link to a heading that is not there',
      'README.md',
      '[gone](docs/flows.md#pull)',
      'README.md: link to docs/flows.md#pull',
    ],
    [
      'a link to an article of the help that is not there',
      'README.md',
      '[gone](/console/help/a/b)',
      'README.md: link to /console/help/a/b',
    ],
    ['a path in a document', 'README.md', 'Read `src/gone.ts`.', 'README.md: path src/gone.ts'],
    ['a script that package.json does not have', 'README.md', '```\nnpm run gone\n```\n', 'README.md: npm run gone'],
    ['a decision in a document', 'docs/flows.md', 'See decisions 14 and 15.', 'docs/flows.md: decision 15'],
    ['the name of a file in a document', 'README.md', 'Read `gone.rules.ts`.', 'README.md: file gone.rules.ts'],
    ['the name of a file in a comment', 'src/a.ts', '// As in gone.ts.', 'src/a.ts: file gone.ts'],
    ['a path in a comment', 'src/a.ts', '/** See test/gone.spec.ts. */\n', 'src/a.ts: path test/gone.spec.ts'],
    ['a decision in a comment', 'src/a.ts', '// docs/decisions/0099\n', 'src/a.ts: path docs/decisions/0099'],
    [
      'a section of the conventions',
      'src/a.ts',
      '// docs/conventions.md, section 3\n',
      'src/a.ts: section 3 of docs/conventions.md',
    ],
    [
      'a section of a document that is not here',
      'src/a.ts',
      '/** Two (decisions, section 2). */\n',
      'src/a.ts: decisions, section 2',
    ],
    [
      'a heading of a document that is not here',
      'src/a.ts',
      '/** Text (specification, Errors). */\n',
      'src/a.ts: specification, Errors',
    ],
    ['a requirement in a test', 'test/a.spec.ts', '// security 72, 74\n', 'test/a.spec.ts: requirement security 74'],
    [
      'a fault in a comment of a test',
      'test/a.spec.ts',
      '// F3: what was answered stays true\n',
      'test/a.spec.ts: requirement F3',
    ],
    ['a fault in a title', 'test/a.spec.ts', "it('goes on (F3)', () => {});\n", 'test/a.spec.ts: requirement F3'],
    [
      'a requirement in a sabotage list',
      'test/sabotage/list.mjs',
      '  item: 118,\n',
      'test/sabotage/list.mjs: requirement security 118',
    ],
    [
      'a number without a list in a sabotage list',
      'test/sabotage/list.mjs',
      "  item: 'proofs 3',\n",
      'test/sabotage/list.mjs: item proofs 3',
    ],
  ])('are reported when planted: %s', (_, path, text, report) => {
    expect(planted(path, text)).toContain(report);
  });
});

describe('Requirements', () => {
  it('each have a test that names them', () => {
    const specs = new Map([...readTree(root)].filter(([path]) => !EXAMPLES.test(path)));
    expect(findUntestedRequirements(specs)).toEqual([]);
  });

  it('without a test are reported', () => {
    expect(findUntestedRequirements(SOUND)).toEqual([]);
    const others = new Map([...SOUND, ['test/a.spec.ts', "// security 73\nit('goes on (F3)', () => {});\n"]]);
    expect(findUntestedRequirements(others)).toEqual(['security 72', 'F2']);
  });
});
