import { loadProgram } from './load-program.js';
import { limitThreadPool } from './thread-pool.js';

limitThreadPool(process.env);
await loadProgram(process.env).web(process.env);
