/** A forge with a repository that has lock files. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { importAdvisories } from '#features/security/dependencies/import-advisories.ts'
import type { World } from '../../../world.ts'
import { makePullWorld, REPO } from '../../pulls/fixture.ts'

export { REPO }

/** `package-lock.json` with packages at the root; those in `development` are for development. */
export const packageLock = (
  packages: Readonly<Record<string, string>>,
  development: Readonly<Record<string, string>> = {},
): string =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: packages, devDependencies: development },
      ...Object.fromEntries(
        Object.entries(packages).map(([name, version]) => [`node_modules/${name}`, { version }]),
      ),
      ...Object.fromEntries(
        Object.entries(development).map(([name, version]) => [
          `node_modules/${name}`,
          { version, dev: true },
        ]),
      ),
    },
  })

export const LOCK = JSON.stringify({
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { left: '^1.0.0' }, devDependencies: { tester: '^2.0.0' } },
    'node_modules/left': { version: '1.2.0', license: 'MIT', dependencies: { deep: '1' } },
    'node_modules/deep': { version: '1.0.0', license: 'SEE LICENSE IN x' },
    'node_modules/tester': { version: '2.0.0', dev: true, license: '(MIT OR Apache-2.0)' },
  },
})

export const makeDependencyWorld = async () => {
  const fixture = await makePullWorld()
  const { world, ada } = fixture
  return {
    ...fixture,
    /** Commits files on the default branch and waits for what follows. */
    commit: async (files: Record<string, string | null>) => {
      await world.commit(REPO, 'main', files, { as: ada })
      await world.jobs()
    },
  }
}

export type OsvChange = Readonly<Record<string, unknown>>

/** An advisory of an npm package in the format of OSV. */
export const osv = (
  id: string,
  name: string,
  fixed: string | null,
  change: OsvChange = {},
): OsvChange => ({
  id,
  modified: '2026-01-01T00:00:00Z',
  summary: `${name} is broken`,
  database_specific: { severity: 'HIGH' },
  affected: [
    {
      package: { ecosystem: 'npm', name },
      ranges: [
        {
          type: 'SEMVER',
          events: [{ introduced: '0' }, ...(fixed === null ? [] : [{ fixed }])],
        },
      ],
    },
  ],
  ...change,
})

/** Writes advisories into a folder of their own and imports them. */
export async function importOsv(
  world: World,
  advisories: readonly OsvChange[],
): Promise<{ files: number; advisories: number; resumedAt: number }> {
  const folder = mkdtempSync(join(world.data, 'osv-'))
  for (const one of advisories)
    writeFileSync(join(folder, `${String(one.id)}.json`), JSON.stringify(one))
  const result = await importAdvisories(
    world.hearth,
    folder,
    () => {},
    new AbortController().signal,
  )
  await world.jobs()
  return result
}
