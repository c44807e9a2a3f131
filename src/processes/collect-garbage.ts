import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Called once, after everything has been loaded. Otherwise V8 keeps the garbage of the start until its heap has grown
 * by a multiple of it, which is up to 40 MB more for as long as the process runs (bench/README.md).
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
