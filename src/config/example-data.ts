/** Bundle id of the demo app, which the embedded mode makes by itself. */
export const DEMO_BUNDLE_ID = 'dev.demo.playground';

/** The form that fills the embedded mode with example data: on its start page and in the console, which lies below it. */
export const EXAMPLE_DATA_FORM = { action: '/dev/example-data', purpose: 'example-data' } as const;
