import { describe, expect, it } from '@jest/globals';
import { readRange } from '../../../../../src/auth/credentials/password/breach-range.rules.js';

const [ONE, TWO] = ['0018A45C4D1DEF81644B54AB7F969B88D65', '00D4F6E8FA6EECAD2A3AA415EEC418D38EC'];

// security 3
describe('Range of digests from data breaches', () => {
  it.each([
    ['lines with carriage returns', `${ONE}:1\r\n${TWO}:52579`],
    ['lines with line feeds, and one at the end', `${ONE}:1\n${TWO}:2\n`],
    ['small letters', `${ONE.toLowerCase()}:1\n${TWO.toLowerCase()}:2`],
    ['padding with a count of 0', `${ONE}:1\n${'F'.repeat(35)}:0\n${TWO}:2`],
  ])('is read from %s', (_, text) => expect(readRange(text)).toEqual(new Set([ONE, TWO])));

  it.each(['', '<html>', `${ONE}`, `${ONE}:`, `${ONE}:-1`, `F${ONE}:1`, `${ONE}:1\nnonsense`, `${ONE.slice(1)}:3`])(
    'is rejected with %j',
    (text) => expect(readRange(text)).toBeNull(),
  );
});
