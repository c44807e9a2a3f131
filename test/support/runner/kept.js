/** How many resources of a kind the files of this process have opened for those that follow them. */
export const kept = {};

/**
 * @param {string} kind as `process.getActiveResourcesInfo()` names it
 */
export function keepForNextFiles(kind) {
  kept[kind] = (kept[kind] ?? 0) + 1;
}
