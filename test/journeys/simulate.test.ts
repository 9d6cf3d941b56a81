/**
 * Callers of every kind at work while the executable is killed and stopped: nothing that they were
 * promised is lost, and main holds nothing but what was merged and tested. `bun
 * test/system/simulate.ts` does the same with forty for ten minutes.
 */
import { expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { simulate, TEN } from '../system/simulate/run.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

test('what callers were promised is there, and what must not be is not', async () => {
  await requireExecutable()
  const directory = mkdtempSync(join(tmpdir(), 'hearth-journey-'))
  const seed = Math.floor(Math.random() * 1_000_000_000)
  const { problems, promised, ends, again } = await simulate({
    executable: EXECUTABLE,
    minutes: 0.1,
    seed,
    least: { issue: 1, pull: 1, commit: 1, push: 1, session: 1, review: 1, merge: 2 },
    idle_ms: 500,
    cast: TEN,
    directory,
  })
  if (problems.length > 0)
    throw new Error(`with seed ${seed}, kept in ${directory}:\n${problems.join('\n')}`)
  expect(ends.killed + ends.stopped).toBeGreaterThan(0)

  // It would have been seen.
  const db = new Database(join(directory, 'data', 'hearth.db'))
  db.run('PRAGMA foreign_keys = OFF')
  db.run('DELETE FROM reviews WHERE id = ?', [
    String(promised.find(({ what }) => what === 'review')?.with[0]),
  ])
  const merge = promised.find(({ what }) => what === 'merge')
  db.run('UPDATE pulls SET merge_commit_sha = head_sha WHERE id = ?', [String(merge?.with[0])])
  db.run(`DELETE FROM events WHERE id = (SELECT max(id) FROM events WHERE type = 'issue.opened')`)
  db.close()
  const seen = (await again()).problems.join('\n')
  for (const words of [
    'acknowledged and lost: review',
    'acknowledged and lost: merge',
    'to which main never moved',
    'which nobody merged or pushed',
    'a change without its issue.opened',
  ])
    expect(seen).toContain(words)
  rmSync(directory, { recursive: true, force: true })
}, 600_000)
