import { loadProgram } from './load-program.js';

await loadProgram().web(process.env);
