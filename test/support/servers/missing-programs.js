import { MissingProgram } from './program.js';

const VARIABLE = 'TEST_MISSING_PROGRAMS';

/** Programs that this machine lacks, by name, with how to get each: found by the set-up, read by the runner. */
export function missingPrograms() {
  return JSON.parse(process.env[VARIABLE] ?? '{}');
}

/** @returns what was found or started; null where the program is missing, which is noted for the end of the run */
export async function ifThere(name, findOrStart) {
  try {
    return await findOrStart();
  } catch (error) {
    if (!(error instanceof MissingProgram)) throw error;
    process.env[VARIABLE] = JSON.stringify({ ...missingPrograms(), [name]: error.message });
    return null;
  }
}
