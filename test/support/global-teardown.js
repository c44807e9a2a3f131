import { Rig } from './servers/rig.js';

export default async function globalTeardown() {
  await Rig.stopShared();
}
