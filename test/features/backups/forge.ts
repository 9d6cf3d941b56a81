/** A small forge with something of everything that a backup must bring back. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'bun:test'
import type { Settings } from '#core/settings.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { makeWorld, type World } from '../../world.ts'

/** A directory that goes with the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'hearth-backup-'))
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export const backupSettings = (
  change: Partial<Settings['backups']> = {},
): { backups: Settings['backups'] } => ({
  backups: {
    to: null,
    every_ms: null,
    verify_every_ms: null,
    keep: { last: 7, daily: 7, weekly: 5, monthly: 12 },
    recipients: [],
    identity: null,
    s3: null,
    ...change,
  },
})

export async function furnish(world: World) {
  const ada = await world.user('ada', { site_admin: true })
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/site')
  await world.repo('acme/tools')
  const tip = await world.commit('acme/site', 'main', {
    'a.txt': 'a\n'.repeat(5000),
    'b/c.txt': 'c\n',
  })
  await world.commit('acme/site', 'topic', { 'a.txt': 'b\n' })
  await world.commit('acme/tools', 'main', { 'run.sh': 'true\n' })
  for (const title of ['The door squeaks', 'So does the gate'])
    await world.call(createIssue, ada, { repo: 'acme/site', title })
  return { ada, tip }
}

export const makeFurnished = async (change: Partial<Settings['backups']> = {}) => {
  const world = await makeWorld(backupSettings(change))
  return { world, ...(await furnish(world)) }
}
