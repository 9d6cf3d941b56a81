/** Limits that tests run commands within. */
import type { Limits } from '../../src/runner/index.ts'

export const MIB = 1024 ** 2
export const LIMITS: Limits = {
  time: 20_000,
  memory: 256 * MIB,
  disk: 64 * MIB,
  processes: 64,
  files: 256,
  output: 64 * 1024,
}
