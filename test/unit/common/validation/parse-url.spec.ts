import { describe, expect, it } from '@jest/globals';
import { parseUrl } from '../../../../src/common/validation/parse-url.js';

describe('parseUrl', () => {
  it('returns null for a text that is no absolute URL', () => {
    expect(['', 'x', '//host/path', 'https://', 'https://a b/'].map(parseUrl)).toEqual([null, null, null, null, null]);
  });

  it('finds letters such as ü valid however often it is called (URL.canParse does not, in Node 20 and 22)', () => {
    const results = new Set<string | undefined>();
    for (let calls = 0; calls < 50_000; calls++) results.add(parseUrl('https://bücher.example/ü')?.href);
    expect([...results]).toEqual(['https://xn--bcher-kva.example/%C3%BC']);
  });
});
