import { describe, expect, it } from '@jest/globals';
import { highlighted } from '../../../../src/common/pages/highlight.js';

const pieces = (code: string, language: string): string[] =>
  [...highlighted(code, language).matchAll(/<span class="code-(\w+)">([^<]*)<\/span>/g)].map(
    ([, piece, text]) => `${piece}: ${text}`,
  );

describe('Highlighted code', () => {
  it.each([
    ['js', 'const a = "x"; // so', ['keyword: const', 'string: &quot;x&quot;', 'comment: // so']],
    ['js', 'fetch(`http://a/${b}`, 12)', ['string: `http://a/${b}`', 'number: 12']],
    ['python', 'if a == "#":  # so', ['keyword: if', 'string: &quot;#&quot;', 'comment: # so']],
    ['go', 'func main() {}', ['keyword: func']],
    ['sh', "A=1\ncurl -d 'a\nb' $A # so", ['name: A', 'name: -d', "string: 'a\nb'", 'name: $A', 'comment: # so']],
    [
      'json',
      '{"a": "b", "c": [1, true]}',
      ['name: &quot;a&quot;', 'string: &quot;b&quot;', 'name: &quot;c&quot;', 'number: 1', 'keyword: true'],
    ],
    ['yaml', 'a:\n  - b: "c" # so', ['name: a', 'name:   - b', 'string: &quot;c&quot;', 'comment: # so']],
  ])('in %s has marks: %s', (language, code, expected) => {
    expect(pieces(code, language)).toEqual(expected);
  });

  it.each(['js', 'python', 'sh', 'json', 'apache', '__proto__', 'constructor', ''])('in %j is escaped', (language) => {
    const hostile = `<script>"</span>'&amp; <b>'`;
    const html = highlighted(hostile, language).replace(/<span class="code-\w+">|<\/span>/g, '');
    expect(html).toBe("&lt;script&gt;&quot;&lt;/span&gt;'&amp;amp; &lt;b&gt;'");
  });

  it.each(['js', 'python', 'sh', 'json', 'yaml'])('in %s is made quickly, whatever it is', (language) => {
    for (const part of ['"', "'", '`', '/*', '"\\', '-', '{{', ' #', 'a.', '"""'])
      expect(highlighted(part.repeat(20_000), language).length).toBeGreaterThan(0);
  });
});
