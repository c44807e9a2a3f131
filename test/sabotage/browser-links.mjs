/** Controls against links and redirects that would act for somebody who only followed them. */
export default [
  {
    item: '91',
    control: 'a link never begins to act as a tenant or an app',
    file: 'src/console/impersonation/impersonation-pages.ts',
    out: 'await this.ask(visit, await this.targetOf(visit, type, id), given, [], response);',
    into:
      'if (given) return this.submit(visit, type, id, given, response);\n' +
      '    await this.ask(visit, await this.targetOf(visit, type, id), given, [], response);',
    tests: ['test/e2e/console/forms.spec.ts'],
  },
  {
    item: '91',
    control: 'what would act asks first after a sign-in on the way',
    file: 'src/console/session/console-path.rules.ts',
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
];
