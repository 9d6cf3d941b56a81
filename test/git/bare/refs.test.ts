import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readBareRefs, updateBareRefs } from '#git'
import { makeHistory } from '../support/history.ts'
import { discard, git, scratch } from '../support/real-git.ts'

let work: string
let path: string
let tip: string
let older: string

beforeEach(async () => {
  work = scratch()
  path = await makeHistory(work, 'one', { seed: 9, commits: 6, tags: false, merges: false })
  tip = await git(path, 'rev-parse', 'main')
  older = await git(path, 'rev-parse', 'main~2')
})

afterEach(() => discard(work))

const locks = () =>
  readdirSync(path, { recursive: true }).filter((name) => String(name).endsWith('.lock'))

describe('updates of several refs', () => {
  test('update loose and packed refs, visible to git', async () => {
    await git(path, 'branch', 'gone', older)
    await git(path, 'pack-refs', '--all')
    const said = updateBareRefs(
      path,
      [
        { name: 'refs/heads/main', old: tip, new: older },
        { name: 'refs/heads/new/deep', old: null, new: tip },
        { name: 'refs/heads/gone', old: older, new: null },
      ],
      true,
    )
    expect(said).toEqual([null, null, null])
    expect(await git(path, 'for-each-ref', '--format=%(refname) %(objectname)')).toBe(
      `refs/heads/main ${older}\nrefs/heads/new/deep ${tip}`,
    )
    expect(locks()).toEqual([])
  })

  test('change no ref when one has another value, is locked or has a bad name', async () => {
    const fine = { name: 'refs/heads/new', old: null, new: tip }
    expect(
      updateBareRefs(path, [fine, { name: 'refs/heads/main', old: older, new: tip }], true),
    ).toEqual(['atomic transaction failed', 'fetch first'])
    expect(
      updateBareRefs(path, [fine, { name: 'refs/heads/a..b', old: null, new: tip }], true),
    ).toEqual(['atomic transaction failed', 'funny refname'])
    mkdirSync(join(path, 'refs/heads/main.lock'))
    expect(
      updateBareRefs(path, [{ name: 'refs/heads/main', old: tip, new: older }, fine], true),
    ).toEqual(['atomic transaction failed', 'atomic transaction failed'])
    expect(
      updateBareRefs(path, [{ name: 'refs/heads/main', old: tip, new: older }], false),
    ).toEqual(['failed to update ref'])
    expect(existsSync(join(path, 'refs/heads/main.lock'))).toBe(true)
    expect([...readBareRefs(path).refs]).toEqual([['refs/heads/main', tip]])
    // Without `atomic` the other refs are updated.
    expect(
      updateBareRefs(path, [{ name: 'refs/heads/other', old: older, new: tip }, fine], false),
    ).toEqual(['fetch first', null])
    expect(readBareRefs(path).refs.get('refs/heads/new')).toBe(tip)
  })

  test('change no ref when two names would be a file and a directory', async () => {
    const create = (name: string) => ({ name: `refs/heads/${name}`, old: null, new: tip })
    const failed = 'atomic transaction failed'
    const before = await git(path, 'for-each-ref')
    for (const names of [
      ['a', 'a/b'],
      ['x/y/z', 'x'],
      ['main/b', 'c'],
      ['c', 'main/b/c'],
    ]) {
      expect(updateBareRefs(path, names.map(create), true)).toEqual([failed, failed])
      expect(await git(path, 'for-each-ref')).toBe(before)
    }
    await git(path, 'branch', 'deep/one', tip)
    await git(path, 'pack-refs', '--all')
    expect(updateBareRefs(path, [create('deep'), create('c')], true)).toEqual([failed, failed])
    expect(locks()).toEqual([])
    // The directories that the refused transactions made do not stand in the way.
    expect(updateBareRefs(path, [create('a'), create('x')], true)).toEqual([null, null])
    expect(await git(path, 'rev-parse', 'a', 'x')).toBe(`${tip}\n${tip}`)
  })
})
