/** Bundle id of the demo app, which the embedded mode creates. */
export const DEMO_BUNDLE_ID = 'dev.demo.playground';

/**
 * The form that adds example data in the embedded mode: on its start page and in the console, which is a lower module.
 */
export const EXAMPLE_DATA_FORM = { action: '/dev/example-data', purpose: 'example-data' } as const;
