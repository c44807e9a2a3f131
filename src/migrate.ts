import { loadProgram } from './load-program.js';

await loadProgram().migrations(process.env);
