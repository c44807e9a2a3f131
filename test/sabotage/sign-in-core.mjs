/** One way to redirect and to answer a prefetch, and one end of every sign-in. */
export default [
  {
    item: 14,
    control: 'redirects: none is repeated with a body',
    file: 'src/common/http/redirect-to.ts',
    out: "return method === 'GET' || method === 'HEAD' ? 302 : 303;",
    into: "return method === 'NONE' ? 303 : 302;",
    tests: ['test/unit/common/http/redirect-to.spec.ts'],
  },
  {
    item: 14,
    control: 'redirects: none names the address that led there',
    file: 'src/common/http/redirect-to.ts',
    out: "  response.setHeader('Referrer-Policy', 'no-referrer');\n",
    into: '',
    tests: ['test/unit/common/http/redirect-to.spec.ts'],
  },
  {
    item: 14,
    control: 'prefetches: get no content',
    file: 'src/common/http/prefetch.ts',
    out: '  if (!isPrefetch(request)) return false;',
    into: '  if (isPrefetch !== undefined) return false;',
    tests: ['test/unit/common/http/redirect-to.spec.ts', 'test/e2e/ways-in/magic-link.spec.ts'],
  },
];
