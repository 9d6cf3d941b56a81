/** Every object of every store, and every ref's place in it. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { listStores, listTipsOfStore, moveRefs } from '#features/repos/index.ts'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { listEarlier, listRefsAt, namesOfStore } from '../store-doctor.ts'
import { fault, some, type Check, type Finding } from './finding.ts'

/** What only makes reading quicker, and is made again by maintenance. */
function damagedAid(directory: string, line: string): string | null {
  if (line === 'the commit-graph is damaged') return join(directory, 'objects', 'info', 'commit-graph')
  const pack = /^(pack-[0-9a-f]+): the bitmap is damaged$/.exec(line)?.[1]
  return pack === undefined ? null : join(directory, 'objects', 'pack', `${pack}.bitmap`)
}

/**
 * A ref that is ahead of its objects, as after a copy of a machine whose last packs had not come. Clients that have them are not asked
 * for them while the ref says that they are here; where it was before is in its events, and so is where it is now.
 */
function aheadOfObjects(hearth: Hearth, store: string, line: string): Finding['mend'] {
  const missing = /^object ([0-9a-f]{40}) is missing, a ref points at it$/.exec(line)?.[1]
  const refs = missing === undefined ? [] : listRefsAt(hearth.db, store, missing)
  if (missing === undefined || refs.length === 0) return null
  const { db, git } = hearth
  return {
    would: `move ${some(refs.map(({ name }) => name))} back to the last commits that are here, so that a push brings the rest`,
    async run() {
      const moved: string[] = []
      for (const { repo_id, name } of refs) {
        let to: string | null = null
        for (const oid of listEarlier(db, repo_id, name)) {
          if (oid === missing || !(await git.commit(store, oid).catch(() => null))) continue
          to = oid
          break
        }
        await writeAs(hearth, null, (tx) => moveRefs(tx, { id: repo_id }, [{ name, old: missing, new: to, peeled: null, commits: 0, forced: true }]))
        moved.push(`${name} from ${missing.slice(0, 12)} ${to === null ? 'away' : `to ${to.slice(0, 12)}`}`)
      }
      return `moved ${moved.join(', ')}`
    },
  }
}

export const gitStores: Check = {
  name: 'git stores',
  ofCopies: true,
  async run({ hearth, signal }) {
    const { db, git, settings } = hearth
    const findings: Finding[] = []
    for (const store of listStores(db)) {
      signal.throwIfAborted()
      const directory = join(settings.data, 'repos', store)
      const names = some(namesOfStore(db, store))
      const tips = listTipsOfStore(db, store)
      if (!existsSync(directory)) {
        findings.push(
          tips.length > 0
            ? fault(`${store}: the store is missing, of ${names}`, 'Its code is gone from this disk: restore it from a backup.')
            : fault(`${store}: the store is missing, of ${names}`, 'No branch needs it, but nothing can be pushed there.', {
                would: 'make an empty one',
                run: async () => {
                  await git.createStore(store)
                  return `made an empty store ${store}`
                },
              }),
        )
        continue
      }
      const lines = await git.verify(store, tips).catch((error: unknown) => [error instanceof Error ? error.message : String(error)])
      for (const line of lines) {
        const aid = damagedAid(directory, line)
        findings.push(
          aid === null
            ? fault(`${store}: ${line}`, `Cloning or reading ${names} may fail. Objects do not heal: push them again from a clone that has them, or restore a backup.`, aheadOfObjects(hearth, store, line))
            : fault(`${store}: ${line}`, `It only makes ${names} slower to read; nothing is lost.`, {
                would: 'take it away; the next maintenance makes it anew',
                run: () => {
                  rmSync(aid, { force: true })
                  return `took ${aid} away`
                },
              }),
        )
      }
      const packs = join(directory, 'objects', 'pack')
      const halves = existsSync(packs) ? readdirSync(packs).filter((name, _, all) => name.endsWith('.pack') && !all.includes(name.replace(/pack$/, 'idx'))) : []
      if (halves.length > 0) findings.push(fault(`${store}: ${some(halves)} without an index`, 'A pack that was never finished, or one whose index was lost. The next start of the forge takes it away; look for lost objects first, in the lines above.'))
    }
    return findings
  },
}
