import { expect, test } from 'bun:test'
import { Histogram, Metrics, instrumentGit } from '#core/metrics.ts'
import type { Git } from '#git'
import type { Log } from '#lib/log.ts'

const made = (slow = { query_ms: 100, git_ms: 1 }) => {
  const lines: { message: string; fields: Record<string, unknown> }[] = []
  const note = (message: string, fields: Record<string, unknown> = {}) =>
    void lines.push({ message, fields })
  const log: Log = { debug: note, info: note, warn: note, error: note }
  return { lines, measures: new Metrics(log, () => slow) }
}

test('a histogram puts each value into the first bucket that holds it', () => {
  const histogram = new Histogram()
  for (const seconds of [0.001, 0.0011, 0.5, 1000]) histogram.add(seconds)
  expect(histogram.count).toBe(4)
  expect(histogram.buckets[0]).toBe(1)
  expect(histogram.buckets[1]).toBe(1)
  expect(histogram.buckets.at(-1)).toBe(1)
  expect(histogram.buckets.reduce((a, b) => a + b)).toBe(4)
})

test('queries above the threshold are logged without their parameters', () => {
  const { measures, lines } = made()
  measures.recordQuery('SELECT 1', 99)
  measures.recordQuery('SELECT *\n   FROM users WHERE id = ?', 100)
  expect(lines).toEqual([
    { message: 'slow query', fields: { ms: 100, sql: 'SELECT * FROM users WHERE id = ?' } },
  ])
  expect(measures).toMatchObject({ queries: 2, query_ms: 199, slow_queries: 1 })
  const quiet = made({ query_ms: 0, git_ms: 0 })
  quiet.measures.recordQuery('SELECT 1', 1e6)
  expect(quiet.lines).toEqual([])
})

test('an instrumented engine returns the same and records durations, also of failures', async () => {
  const { measures, lines } = made()
  const opened = Promise.withResolvers<string>()
  const git = instrumentGit(
    {
      blob: () => opened.promise,
      tree: async () => Promise.reject(new Error('no tree')),
      archive: () => 'a stream',
    } as unknown as Git,
    measures,
  ) as unknown as Record<string, (store: string) => unknown>
  const blob = git.blob?.('rep_1')
  expect(measures.gitInFlight.get('blob')).toBe(1)
  await Bun.sleep(5)
  opened.resolve('bytes')
  expect(await blob).toBe('bytes')
  expect(measures.gitInFlight.get('blob')).toBe(0)
  expect(lines).toMatchObject([
    { message: 'slow git operation', fields: { operation: 'blob', store: 'rep_1' } },
  ])
  await expect(git.tree?.('rep_1') as Promise<unknown>).rejects.toThrow('no tree')
  expect(measures.gitDurations.get('tree')?.count).toBe(1)
  expect(git.archive?.('rep_1')).toBe('a stream')
})
