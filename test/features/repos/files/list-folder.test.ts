import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listFolder } from '#features/repos/files/list-folder.ts'
import { refusal } from '../../../world.ts'
import { makeCode, repo } from '../code.ts'

const [wait_ms, most] = [20_000, 100]

/** What the engine itself says, without anything kept. */
async function truth(made: Awaited<ReturnType<typeof makeCode>>, commit: string, path: string) {
  const found = await made.world.hearth.git.findLastCommits(made.row().store, commit, path)
  return Object.fromEntries(found.map(({ name, commit: last }) => [name, last.oid]))
}

test('every entry has its last commit, also where an earlier answer is built upon', async () => {
  const made = await makeCode()
  const { world, one, two } = made
  const ask = async (ref: string, path?: string) => {
    const { items } = await world.call(listFolder, anonymous, { repo, ref, path, most, wait_ms })
    return Object.fromEntries(items.map(({ name, last_commit }) => [name, last_commit?.sha]))
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

test('who does not wait gets the entries, with nothing rather than something wrong', async () => {
  const { world, one, two } = await makeCode()
  const { items, late, more } = await world.call(listFolder, anonymous, {
    repo,
    ref: two,
    most: 1,
    wait_ms: 0,
  })
  expect([
    items.map(({ name, size }) => [name, size]),
    more,
    [undefined, two, one].includes(items[0]?.last_commit?.sha),
  ]).toEqual([[['a.ts', null]], true, true])
  expect(late).toBe(items[0]?.last_commit === null)
  expect(
    await refusal(
      world.call(listFolder, anonymous, { repo, ref: two, path: 'nowhere', most, wait_ms }),
    ),
  ).toMatchObject({ status: 404 })
})
