import { loadProgram } from './load-program.js';

await loadProgram(process.env).migrations(process.env);
