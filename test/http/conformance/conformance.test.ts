/**
 * The official conformance suite against the tool server, with what it does not offer named and
 * explained in the lists beside this.
 */
import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveFixture } from './fixture.ts'
import { suite } from './suite.ts'

const url = serveFixture()
const listOf = (revision: string) => join(import.meta.dir, `${revision}.yml`)
const revisions = ['2025-11-25', '2026-07-28']
const run = (revision: string, expected: string) =>
  suite(['server', '--url', url, '--expected-failures', expected, '--requirements', revision])

test.each(revisions)(
  'revision %s: everything passes that is not on the list, and nothing that is',
  async (revision) => {
    const { status, out } = await run(revision, listOf(revision))
    // What the suite says of it is what a person needs to see.
    if (status !== 0) throw new Error(out.slice(out.indexOf('=== SUMMARY ===')))
    expect(out).toMatch(/Total: [1-9]\d* passed/)
  },
  120_000,
)

test('the list is held in both directions', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-lists-'))
  const list = readFileSync(listOf('2025-11-25'), 'utf8')
  const [shorter, longer] = [join(directory, 'shorter.yml'), join(directory, 'longer.yml')]
  writeFileSync(shorter, list.replace('  - tools-call-audio\n', ''))
  writeFileSync(longer, `${list}  - ping\n`)
  expect((await run('2025-11-25', shorter)).status).toBe(1)
  expect((await run('2025-11-25', longer)).status).toBe(1)
}, 120_000)
