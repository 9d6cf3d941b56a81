import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeWorld } from '../world.ts'
import { PROGRAM } from './program.ts'

const work = mkdtempSync(join(tmpdir(), 'hearth-advisories-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))
// A forge that runs meanwhile.
const { data } = await makeWorld()
const folder = join(work, 'osv')
const COUNT = 6_000

const begin = () =>
  Bun.spawn([...PROGRAM, 'advisories', 'import', folder, '--data', data], {
    env: { PATH: process.env.PATH, HOME: work, TMPDIR: work },
    stdout: 'pipe',
    stderr: 'pipe',
  })

const ask = <T>(sql: string): T => {
  const db = new Database(join(data, 'hearth.db'), { readonly: true })
  try {
    return db.query(sql).get() as T
  } finally {
    db.close()
  }
}
type Import = { state: string; position: number; advisories: number }
const readImport = () => ask<Import | null>('SELECT state, position, advisories FROM osv_imports')

/** Kills an import as soon as it has stored something after a position. Returns where it was. */
async function killAfter(position: number): Promise<Import> {
  const child = begin()
  const { promise, resolve } = Promise.withResolvers<void>()
  // Each transaction changes a file of the database.
  const watcher = watch(data, () => {
    if ((readImport()?.position ?? 0) > position) resolve()
  })
  await Promise.race([promise, child.exited])
  watcher.close()
  child.kill('SIGKILL')
  await child.exited
  const row = readImport()
  if (row === null) throw new Error(await new Response(child.stderr).text())
  return row
}

test('an import that is killed counts for nothing, goes on where it was, and is whole in the end', async () => {
  mkdirSync(folder)
  for (let at = 0; at < COUNT; at++)
    writeFileSync(
      join(folder, `A-${at}.json`),
      JSON.stringify({
        id: `A-${at}`,
        modified: '2026-01-01T00:00:00Z',
        summary: 'Broken',
        affected: [
          {
            package: { ecosystem: 'npm', name: `package-${at}` },
            ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
          },
        ],
      }),
    )
  let position = 0
  for (let round = 0; round < 2; round++) {
    const killed = await killAfter(position)
    expect(killed.state).toBe('running')
    expect(killed.advisories).toBe(killed.position)
    expect(killed.position).toBeGreaterThan(position)
    position = killed.position
  }
  expect(ask('PRAGMA quick_check')).toEqual({ quick_check: 'ok' })
  const last = begin()
  expect(await new Response(last.stdout).text()).toContain('went on after')
  expect(await last.exited).toBe(0)
  expect(readImport()).toEqual({ state: 'complete', position: COUNT, advisories: COUNT })
  expect(ask('SELECT count(*) AS n, count(DISTINCT id) AS ids FROM osv_advisories')).toEqual({
    n: COUNT,
    ids: COUNT,
  })
})
