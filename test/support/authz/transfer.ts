import type { Exercises } from './exercise.js';

/** Export and import. */
export const TRANSFER: Exercises = {};
