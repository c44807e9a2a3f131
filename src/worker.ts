import { loadProgram } from './load-program.js';

await loadProgram(process.env).worker(process.env);
