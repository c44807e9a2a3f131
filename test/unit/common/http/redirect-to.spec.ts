import { describe, expect, it } from '@jest/globals';
import { inAscii } from '../../../../src/common/http/redirect-to.js';

describe('Address in a header', () => {
  it.each([
    ['https://app.example/callback?code=a%20b', 'https://app.example/callback?code=a%20b'],
    ['https://\u00fc.example/\u65e5?a=b', 'https://xn--tda.example/%E6%97%A5?a=b'],
    ['com.example.app:/\u00fc?code=1', 'com.example.app:/%C3%BC?code=1'],
    ['/account?x=\u{1f600}', '/account?x=%F0%9F%98%80'],
    ['com.example.app:/\ud800', 'com.example.app:/%EF%BF%BD'],
  ])('of %s is %s', (address, sent) => {
    expect(inAscii(address)).toBe(sent);
  });
});
