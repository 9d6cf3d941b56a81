import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'bun:test'
import { TaskLog } from '#features/runners/protocol/task-log.ts'

const directory = mkdtempSync(join(tmpdir(), 'hearth-task-log-'))
afterAll(() => rmSync(directory, { recursive: true }))

const openLog = (name: string): TaskLog =>
  new TaskLog(
    {
      path: join(directory, name),
      lines: 0,
      bytes: 0,
      rows: 0,
      places: [],
      annotations: [],
      masks: [],
    },
    {
      secrets: { KEYS: Array.from({ length: 200 }, (_, n) => `secret/${n}`).join('\n') },
      token: '',
    },
    () => 0,
  )

const ROWS = Array.from({ length: 5_000 }, (_, n) => ({ time: null, content: `row ${n}` }))

test('many rows let other events through, and stay in order', async () => {
  const log = openLog('many')
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await log.append(ROWS, 0)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(1)
  expect([log.rows, log.lines]).toEqual([5_000, 5_000])
  log.close()
})

test('a log that is closed meanwhile gets no more rows', async () => {
  const log = openLog('closed')
  const appending = log.append(ROWS, 0).catch((error: unknown) => String(error))
  log.close()
  expect(await appending).toContain('closed')
  expect(log.rows).toBeLessThan(5_000)
})
