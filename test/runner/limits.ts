/** Limits that tests run commands within. */
import type { Limits } from '../../src/runner/index.ts'

export const MIB = 1024 ** 2
export const LIMITS: Limits = {
  timeMs: 20_000,
  memoryBytes: 256 * MIB,
  diskBytes: 64 * MIB,
  processes: 64,
  files: 256,
  outputBytes: 64 * 1024,
}
