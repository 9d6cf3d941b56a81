/**
 * The thread that derives keys from passwords, one at a time: see `password-thread.ts`. It gives
 * way to every other thread of the machine that has something to do.
 */
import { pbkdf2Sync } from 'node:crypto'
import { setPriority } from 'node:os'
import type { Derivation, Derived } from './password-thread.ts'

declare const self: Worker

/** The lowest there is: its share under full load is small, and never nothing. */
const NICE = 19

// Linux keeps a priority for each thread, and 0 is the one that asks (setpriority(2), notes);
// elsewhere it would be the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(0, NICE)
  } catch {
    // Then it competes like any other thread.
  }
}

self.onmessage = ({ data: { password, salt, rounds, bytes } }: MessageEvent<Derivation>) => {
  const key: Derived = pbkdf2Sync(password, salt, rounds, bytes, 'sha256')
  postMessage(key)
}
