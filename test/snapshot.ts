/** Texts that are kept in files and read in review. `UPDATE=1 bun test …` writes them again. */
import { expect } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export function expectSnapshot(name: string, text: string): void {
  const path = join(import.meta.dir, 'snapshots', name)
  if (process.env.UPDATE === '1') writeFileSync(path, text)
  expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toBe(text)
}
