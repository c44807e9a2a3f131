// Controls around how pages are sent; see scripts/sabotage.mjs.
const rule = (control, out, into) => ({
  item: 'compression',
  control: `compression: ${control}`,
  file: 'src/common/http/streams/compression.rules.ts',
  out,
  into,
  tests: ['test/unit/common/http/streams/compression.rules.spec.ts'],
});

export default [
  rule(
    'a page that another site opens is not compressed',
    "(site === 'same-origin' || site === 'none') &&",
    "(site === 'same-origin' || site === 'none' || site === 'cross-site') &&",
  ),
  rule(
    'a page that a neighbor below the same domain opens is not compressed',
    "(site === 'same-origin' || site === 'none') &&",
    "(site === 'same-origin' || site === 'none' || site === 'same-site') &&",
  ),
  rule(
    'a page that is asked for as an image is not compressed',
    "(destination === 'document' || destination === 'empty')",
    "(destination !== 'iframe')",
  ),
  rule('a page that may repeat the query is not compressed', "!originalUrl.includes('?') &&", ''),
  rule(
    'a page of errors is not compressed',
    '    status === 200 &&\n    bytes >= MIN_BYTES &&\n    !originalUrl',
    '    bytes >= MIN_BYTES &&\n    !originalUrl',
  ),
  rule(
    'the answer to a form is not compressed',
    "    method === 'GET' &&\n    status === 200 &&",
    '    status === 200 &&',
  ),
  rule('an answer with a token is not compressed', "return method === 'GET' && status", 'return status'),
  rule('JSON for cookies is not compressed', 'bytes >= MIN_BYTES && isWithoutCookies', 'bytes >= MIN_BYTES'),
];
