/** Control that keeps answers out of caches. */
export default [
  {
    item: '46',
    control: 'no cache keeps an answer unless its handler says so',
    file: 'src/processes/web-app.ts',
    out: "  response.setHeader('Cache-Control', 'no-store');\n",
    into: '',
    tests: ['test/e2e/http/no-store.spec.ts'],
  },
];
