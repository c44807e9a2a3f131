import { loadProgram } from './load-program.js';

await loadProgram(process.env).command(process.env);
