import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importAdvisories, ImportFault } from '#features/security/dependencies/import-advisories.ts'
import { listAdvisoriesOf } from '#features/security/dependencies/store-advisories.ts'
import { makeWorld, type World } from '../../../world.ts'
import { importOsv, osv } from './fixture.ts'

const never = new AbortController().signal
const ids = (world: World, name = 'left') =>
  listAdvisoriesOf(world.hearth.db, 'npm', [name], null).map(({ id }) => id)

/** A folder with `count` advisories of the package `left`. */
function folderOf(world: World, count: number): string {
  const folder = mkdtempSync(join(world.data, 'osv-'))
  mkdirSync(join(folder, 'deeper'))
  for (let at = 0; at < count; at++)
    writeFileSync(
      join(folder, at % 2 === 0 ? '.' : 'deeper', `A-${String(at).padStart(4, '0')}.json`),
      JSON.stringify(osv(`A-${at}`, 'left', null)),
    )
  return folder
}

test('a file, a list, a folder and a zip archive are taken', async () => {
  const world = await makeWorld()
  const folder = folderOf(world, 3)
  const list = join(world.data, 'list.json')
  writeFileSync(list, JSON.stringify([osv('B-1', 'left', null), osv('B-2', 'left', null)]))
  const zip = join(world.data, 'all.zip')
  await Bun.$`cd ${folder} && zip -qr ${zip} .`
  const take = (path: string) => importAdvisories(world.hearth, path, () => {}, never)
  expect(await take(folder)).toEqual({ files: 3, advisories: 3, resumedAt: 0 })
  expect(await take(list)).toEqual({ files: 1, advisories: 2, resumedAt: 0 })
  // What is known in the same state is not stored again.
  expect(await take(zip)).toEqual({ files: 3, advisories: 0, resumedAt: 0 })
  expect(ids(world).sort()).toEqual(['A-0', 'A-1', 'A-2', 'B-1', 'B-2'])
})

test('nothing counts before all is read, and an import that was cut off goes on', async () => {
  const world = await makeWorld()
  const folder = folderOf(world, 700)
  const stop = new AbortController()
  const cut = importAdvisories(
    world.hearth,
    folder,
    ({ files }) => void (files >= 400 && stop.abort(new Error('stopped'))),
    stop.signal,
  )
  await expect(cut).rejects.toThrow('stopped')
  expect(ids(world)).toEqual([])
  const result = await importAdvisories(world.hearth, folder, () => {}, never)
  expect(result).toEqual({ files: 700, advisories: 700, resumedAt: 400 })
  expect(ids(world)).toHaveLength(700)
})

test('one file with a fault leaves everything as it was, and is named', async () => {
  const world = await makeWorld()
  await importOsv(world, [osv('OLD-1', 'left', null)])
  const folder = folderOf(world, 450)
  writeFileSync(join(folder, 'deeper/Z.json'), '{"id": "Z-1"}')
  const failed = importAdvisories(world.hearth, folder, () => {}, never)
  await expect(failed).rejects.toThrow(ImportFault)
  await expect(failed).rejects.toThrow('deeper/Z.json is no advisory')
  expect(ids(world)).toEqual(['OLD-1'])
  expect(world.hearth.db.all('SELECT seq FROM osv_advisories')).toHaveLength(1)
  rmSync(folder, { recursive: true })
  for (const path of [folder, mkdtempSync(join(world.data, 'empty-'))])
    await expect(importAdvisories(world.hearth, path, () => {}, never)).rejects.toThrow(ImportFault)
})

test('a newer advisory replaces the old one, which is deleted afterwards', async () => {
  const world = await makeWorld()
  await importOsv(world, [osv('A-1', 'left', null), osv('A-2', 'left', null)])
  await importOsv(world, [osv('A-1', 'right', null, { modified: '2026-05-01T00:00:00Z' })])
  expect([ids(world), ids(world, 'right')]).toEqual([['A-2'], ['A-1']])
  expect(world.hearth.db.all('SELECT seq FROM osv_advisories')).toHaveLength(2)
})
