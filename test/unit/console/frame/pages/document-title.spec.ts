import { describe, expect, it } from '@jest/globals';
import { documentTitle } from '../../../../../src/console/frame/pages/document-title.js';

describe('The title of a page of the console', () => {
  it.each([
    ['Apps', [], 'Apps · Console'],
    ['Driver App', ['Apps'], 'Driver App · Console'],
    ['Members', ['Apps', 'Driver App'], 'Members · Driver App · Console'],
    ['Ada', ['Apps', 'Driver App', 'Members'], 'Ada · Members · Driver App · Console'],
  ])('%s below %j is %s', (title, above, expected) => {
    expect(
      documentTitle(
        title,
        above.map((label) => ({ label, href: '/' })),
      ),
    ).toBe(expected);
  });
});
