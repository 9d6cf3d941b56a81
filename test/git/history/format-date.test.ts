import { afterAll, beforeAll, expect, test } from 'bun:test'
import { formatHumanDate, formatRelativeDate } from '../../../src/git/history/format-date.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

/** A Thursday evening, so that days before and months before are near. */
const NOW = Date.UTC(2026, 10, 12, 21, 30, 15) / 1000
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]
const AGES = [
  ...[0, 1, 59, 89, 90, 5 * MINUTE, 89 * MINUTE, 89 * MINUTE + 30, 90 * MINUTE, -1, -DAY],
  ...[2, 21, 22, 23, 35, 36, 37].map((hours) => hours * HOUR),
  ...[2, 3, 4, 5, 6, 11, 12, 13, 14, 20, 69, 70, 100, 364, 365, 366, 380, 500, 700, 730, 1000].map(
    (days) => days * DAY,
  ),
  ...[1824, 1825, 1826, 4000, 10_000].map((days) => days * DAY),
]
const ZONES = ['+0000', '+0530', '-0330', '+1400']

let work: string
beforeAll(async () => {
  work = scratch()
  await git(work, 'init', '-q', '.')
})
afterAll(() => discard(work))

test('relative and human dates are those of git', async () => {
  const commits: { oid: string; time: number; zone: string }[] = []
  const tree = await git(work, 'write-tree')
  for (const age of AGES)
    for (const zone of age < 20 * DAY ? ZONES : ZONES.slice(0, 2)) {
      const date = `${NOW - age} ${zone}`
      const env = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
      const { out } = await tryGit(work, ['commit-tree', '-m', 'x', tree], { env })
      commits.push({ oid: out.trim(), time: NOW - age, zone })
    }
  const { out } = await tryGit(
    work,
    ['log', '--no-walk=unsorted', '--format=%ar|%ah', ...commits.map(({ oid }) => oid)],
    { env: { GIT_TEST_DATE_NOW: String(NOW), TZ: 'UTC' } },
  )
  const signature = { name: '', email: '' }
  const ours = commits.map(
    ({ time, zone }) =>
      `${formatRelativeDate(time, NOW)}|${formatHumanDate({ ...signature, time, zone }, NOW)}`,
  )
  expect(ours).toEqual(out.trim().split('\n'))
})
