import { loadProgram } from './load-program.js';

await loadProgram().command(process.env);
