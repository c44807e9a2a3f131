import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../../docs/decisions');
const index = readFileSync(join(folder, 'README.md'), 'utf8');
const records = readdirSync(folder).filter((name) => name !== 'README.md');

describe('Decision records', () => {
  it.each(records)('have the common format: %s', (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const number = Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1]);
    expect(text).toMatch(new RegExp(`^# ${number}\\. .+\\n\\nDate: \\d{4}-\\d\\d-\\d\\d\\. Status: [a-z]`));
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings.filter((heading) => heading !== 'Alternatives')).toEqual(['Context', 'Decision', 'Consequences']);
  });

  it.each(records)('are in the index under their title: %s', (name) => {
    const title = /^# (\d+)\. (.+)$/m.exec(readFileSync(join(folder, name), 'utf8'));
    expect(index).toContain(`| ${title?.[1]} | [${title?.[2]}](${name}) |`);
  });
});
