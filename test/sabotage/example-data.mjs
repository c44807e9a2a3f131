// Controls around the example data; see scripts/sabotage.mjs.
export default [
  {
    item: 'example data',
    control: 'example data: made in the embedded mode only',
    file: 'src/embedded/dev/example/example-data.service.ts',
    out: 'if (!this.settings.embedded) throw new OnlyInEmbeddedMode();',
    into: '',
    tests: ['test/e2e/embedded/example-data.spec.ts'],
  },
  {
    item: 'example data',
    control: 'example data: the button needs its form token',
    file: 'src/embedded/dev/example/example-data.controller.ts',
    out: 'this.browser.checkForm(request, EXAMPLE_DATA_FORM.purpose);',
    into: '',
    tests: ['test/e2e/embedded/example-data.spec.ts'],
  },
];
