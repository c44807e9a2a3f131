import fc from 'fast-check';

/**
 * fast-check with one seed for all files: a run that fails can be run again, and one that passed passes again.
 * `TEST_SEED=<number>` looks at other values.
 */
fc.configureGlobal({ seed: Number(process.env['TEST_SEED'] ?? 20_261_126) });

export default fc;
