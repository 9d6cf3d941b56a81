import { expect, test } from 'bun:test'
import { moveRefs, refsOf, repoByPath, type PreparedUpdate } from '#features/repos/index.ts'
import { renameRef } from '#features/repos/refs/move-refs.ts'
import { listRefs } from '#features/repos/store/refs.ts'
import { makeWorld } from '../../../world.ts'

const world = await makeWorld()
const { hearth } = world
const ada = await world.user('ada')
await world.workspace('acme', { owner: ada, members: [] })
await world.repo('acme/site')
const row = repoByPath(hearth.db, 'acme/site')
if (!row) throw new Error('there is no repository')
const { id } = row

const oid = (at: number): string => at.toString(16).padStart(40, '0')
const move = (
  name: string,
  old: string | null,
  to: string | null,
  peeled: string | null = null,
): PreparedUpdate => ({ name, old, new: to, peeled, commits: 0, forced: false })
const shown = () => refsOf(hearth, id).refs
const there = () => listRefs(hearth.db, id)

test('refs in memory follow every move as the database has it, whether or not they were looked at between', async () => {
  const now = new Map<string, string>()
  let state = 7
  const pick = (count: number): number =>
    (state = (state * 1103515245 + 12345) % 2147483648) % count
  for (let round = 0; round < 60; round++) {
    const names = new Set(
      Array.from({ length: 1 + pick(4) }, () =>
        pick(3) === 0
          ? `refs/tags/v${pick(20)}`
          : pick(9) === 0
            ? `refs/heads/näme-${pick(3)}`
            : `refs/heads/b${pick(30)}`,
      ),
    )
    const moves = [...names].map((name) => {
      const old = now.get(name) ?? null
      const to = old !== null && pick(3) === 0 ? null : oid(round * 100 + pick(90) + 1)
      if (to === null) now.delete(name)
      else now.set(name, to)
      return move(name, old, to, name.startsWith('refs/tags/') && to !== null ? oid(1) : null)
    })
    await world.write((tx) => moveRefs(tx, { id }, moves))
    if (pick(3) > 0) expect(shown()).toEqual(there())
  }
  expect(shown()).toEqual(there())
  expect(shown()).toHaveLength(now.size)
})

test('a move that was undone leaves no trace in memory, and neither do moves that nobody told of', async () => {
  const before = shown()
  const undone = world.write((tx) => {
    moveRefs(tx, { id }, [move('refs/heads/undone', null, oid(5000))])
    throw new Error('no')
  })
  expect(undone).rejects.toThrow('no')
  await undone.catch(() => {})
  expect(shown()).toEqual(before)
  await world.write((tx) => moveRefs(tx, { id }, [move('refs/heads/from', null, oid(5001))]))
  await world.write((tx) => renameRef(tx, row, 'refs/heads/from', 'refs/heads/onto'))
  await world.write((tx) => moveRefs(tx, { id }, [move('refs/heads/onto', oid(5001), oid(5002))]))
  expect(shown()).toEqual(there())
  expect(shown().find(({ name }) => name === 'refs/heads/onto')?.oid).toBe(oid(5002))
})
