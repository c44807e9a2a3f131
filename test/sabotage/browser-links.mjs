/** Controls against links and redirects that would act for somebody who only followed them. */
export default [
  {
    item: '91',
    control: 'a link never begins to act as a tenant or an app',
    file: 'src/console/impersonation/impersonation-pages.ts',
    out: 'await this.ask(consoleRequest, await this.targetOf(consoleRequest, type, id), given, [], response);',
    into:
      'if (given) return this.submit(consoleRequest, type, id, given, response);\n' +
      '    await this.ask(consoleRequest, await this.targetOf(consoleRequest, type, id), given, [], response);',
    tests: ['test/e2e/console/forms.spec.ts'],
  },
  {
    item: '91',
    control: 'what would act asks first after a sign-in on the way',
    file: 'src/console/login/console-path.rules.ts',
    out: 'if (!isActingLink(url.pathname)) return to;',
    into: 'if (url.pathname) return to;',
    tests: ['test/e2e/console/forms.spec.ts'],
  },
  {
    item: '91',
    control: 'a link that asks first acts for nobody',
    file: 'src/console/frame/own-navigation.ts',
    out: ' || request.query[ASKS_FIRST] !== undefined',
    into: '',
    tests: ['test/e2e/console/forms.spec.ts'],
  },
  {
    item: '22',
    control: 'a magic link that is only followed signs nobody in',
    file: 'src/auth/magic-link/magic-link-flow.ts',
    out: 'if (!this.browser.isSentFromOwnPage(request, formOf(token))) {',
    into: 'if (token === null) {',
    tests: ['test/e2e/ways-in/magic-link-from-elsewhere.spec.ts'],
  },
  {
    item: '22',
    control: 'without Sec-Fetch-Site the form’s token proves our own page',
    file: 'src/auth/session/browser-binding.ts',
    out: "return this.isOwnForm(request, purpose, request.query['form_token']);",
    into: "return request.query['form_token'] !== undefined;",
    tests: ['test/e2e/ways-in/magic-link-from-elsewhere.spec.ts'],
  },
  {
    item: '22',
    control: 'an image or frame is no form of ours',
    file: 'src/auth/session/browser-binding.ts',
    out: 'return isOwnNavigation(request.headers, this.ownOrigin);',
    into: "return request.headers['sec-fetch-site'] === 'same-origin';",
    tests: ['test/e2e/ways-in/magic-link-from-elsewhere.spec.ts'],
  },
  {
    item: '22',
    control: 'the page of a magic link warns who is signed in as somebody else',
    file: 'src/auth/magic-link/magic-link-pages.ts',
    out: 'signedIn.userId !== link.userId',
    into: 'signedIn.userId === link.userId',
    tests: ['test/e2e/ways-in/magic-link-from-elsewhere.spec.ts'],
  },
];
