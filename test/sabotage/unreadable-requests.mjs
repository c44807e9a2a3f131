/** Controls that keep a request which cannot be read from becoming a fault of the service. */
export default [
  {
    item: '116',
    control: 'a form without a body is as good as an empty one',
    file: 'src/common/validation/input.pipe.ts',
    out: "return place === 'body' ? (value ?? {}) : value;",
    into: 'return value;',
    tests: ['test/e2e/http/error-shapes.spec.ts', 'test/e2e/http/fuzz.spec.ts'],
  },
  {
    item: '116',
    control: 'what is not HTTP is refused with a detail like everything else',
    file: 'src/processes/web-app.ts',
    out: 'answerMalformedRequests(server, logger, API_VERSION);',
    into: '',
    tests: ['test/e2e/http/error-shapes.spec.ts', 'test/e2e/http/fuzz.spec.ts'],
  },
  {
    item: '116',
    control: 'an upload of a document whose sender hangs up gives its place back',
    file: 'src/console/tenants/import/document-upload.interceptor.ts',
    out: 'Promise.race([this.multipart.intercept(host, next), hungUp(request)])',
    into: 'Promise.race([this.multipart.intercept(host, next), hungUp(request).catch(() => new Promise(() => {}))])',
    tests: ['test/e2e/console/tenant-import.spec.ts'],
  },
];
