import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getTree } from '#features/repos/get-tree.ts'
import { listLastCommits } from '#features/repos/list-last-commits.ts'
import { makeCode, repo } from './code.ts'

const wait_ms = 20_000

/** What the engine itself says, without anything kept. */
async function truth(made: Awaited<ReturnType<typeof makeCode>>, commit: string, path: string) {
  const found = await made.world.hearth.git.lastCommits(made.row().store, commit, path)
  return Object.fromEntries(found.map(({ name, commit: last }) => [name, last.oid]))
}

test('every entry has its last commit, also where an earlier answer is built upon', async () => {
  const made = await makeCode()
  const { world, one, two } = made
  const ask = async (ref: string, path?: string) => {
    const { entries } = await world.call(listLastCommits, anonymous, { repo, ref, path, wait_ms })
    return Object.fromEntries(Object.entries(entries ?? {}).map(([name, { sha }]) => [name, sha]))
  }
  expect(await ask('main')).toEqual({ 'a.ts': two, docs: one })
  await world.commit(repo, 'main', { 'docs/guide.md': 'changed\n', 'new/b.ts': 'b\n' })
  await world.commit(repo, 'main', { 'a.ts': 'touched\n' })
  await world.commit(repo, 'main', { 'a.ts': 'a\nb\n' }, { message: 'And back' })
  const last = await world.commit(repo, 'main', { 'new/b.ts': null, 'new/c.ts': 'b\n' })
  expect(await ask('main')).toEqual(await truth(made, last, ''))
  expect(await ask('main', 'docs')).toEqual(await truth(made, last, 'docs'))
  // The earlier commit is still right, and a branch beside it is no continuation of the latest.
  expect(await ask(two)).toEqual(await truth(made, two, ''))
  expect(Object.keys(await ask(one))).toEqual(['a.ts', 'docs'])
})

test('who does not wait gets nothing rather than something wrong, and a listing can do without', async () => {
  const { world, two } = await makeCode()
  const { entries } = await world.call(listLastCommits, anonymous, { repo, ref: two, wait_ms: 0 })
  if (entries !== null) expect(entries).toMatchObject({ 'a.ts': { sha: two } })
  const tree = await world.call(getTree, anonymous, { repo, ref: two, last_commits: false, sizes: false })
  expect(tree.items.map(({ last_commit, size }) => [last_commit, size])).toEqual([[null, null], [null, null]])
})
