import type { Exercises } from './exercise.js';

export const INVITES: Exercises = {};
