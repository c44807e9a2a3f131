import { chmodSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, on Linux. */
const IN_MEMORY = '/dev/shm';
/** A run of the tests takes some 200 MB. Containers have 64 MB by default, which is too little. */
const BYTES_NEEDED = 2 * 1024 ** 3;

/**
 * A new folder for a server's data, in memory where there is room. A database is 1,200 files: to make and drop one
 * takes 50 ms in memory, on a disk up to a second. Users other than ours may enter it. A run that is killed by SIGKILL
 * leaves it behind.
 */
export function makeDataFolder(prefix, bytesNeeded = BYTES_NEEDED) {
  const folder = mkdtempSync(join(hasRoom(bytesNeeded) ? IN_MEMORY : tmpdir(), prefix));
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoom(bytesNeeded) {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= bytesNeeded;
  } catch {
    return false; // not Linux
  }
}
