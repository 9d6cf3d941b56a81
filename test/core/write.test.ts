import { expect, test } from 'bun:test'
import { event, listEvents, reaction, reactionToAll } from '#core/events.ts'
import { Type } from '#core/schema.ts'
import { writeAs } from '#core/write.ts'
import { Refusal } from '#lib/errors.ts'
import { makeFloor } from './floor.ts'

const lit = event(
  'hearth.lit',
  Type.Object({ logs: Type.Integer() }),
  ({ logs }, by) => `${by} lit ${logs} logs`,
)
const smoked = event('hearth.smoked', Type.Object({}), () => 'smoke')
const subject = { workspace_id: 'wsp_1', repo_id: 'rep_1' }

test('an event and its reactions are in the transaction of the change', async () => {
  const seen: string[] = []
  const { hearth } = makeFloor({
    events: [lit, smoked],
    reactions: [
      reaction('smoke', lit, (tx, { data }) => {
        if (data.logs > 1) tx.append(smoked, subject, {}, { actor_id: null })
      }),
      reactionToAll('watch', (_, { type }) => void seen.push(type)),
    ],
  })
  await writeAs(hearth, null, (tx) => tx.append(lit, subject, { logs: 2 }).id)
  expect(listEvents(hearth.db, { repo_id: 'rep_1', limit: 10 }).map(({ type }) => type)).toEqual([
    'hearth.smoked',
    'hearth.lit',
  ])
  expect(seen.sort()).toEqual(['hearth.lit', 'hearth.smoked'])
})

test('a reaction that refuses rolls back change and event, and nothing is published', async () => {
  const { hearth } = makeFloor({
    events: [lit],
    reactions: [
      reaction('no fires', lit, () => {
        throw new Refusal('conflict', 'not today', { reason: 'rule' })
      }),
    ],
  })
  const heard: string[] = []
  hearth.subscribe((row) => heard.push(row.type))
  let after = false
  const write = writeAs(hearth, null, (tx) => {
    tx.afterCommit(() => (after = true))
    tx.append(lit, subject, { logs: 1 })
    return null
  })
  expect(await write.catch((error: Refusal) => error.reason)).toBe('rule')
  expect(listEvents(hearth.db, { limit: 10 })).toEqual([])
  expect(heard).toEqual([])
  expect(after).toBe(false)
})

test('an event is published once it is on disk', async () => {
  const { hearth } = makeFloor({ events: [lit] })
  const heard: (string | undefined)[] = []
  const stop = hearth.subscribe((row) =>
    heard.push(listEvents(hearth.db, { limit: 1 })[0]?.id === row.id ? row.type : undefined),
  )
  await writeAs(hearth, null, (tx) => tx.append(lit, subject, { logs: 1 }).id)
  stop()
  await writeAs(hearth, null, (tx) => tx.append(lit, subject, { logs: 1 }).id)
  expect(heard).toEqual(['hearth.lit'])
})

test('endless chains of events are stopped', async () => {
  const { hearth } = makeFloor({
    events: [lit],
    reactions: [reaction('again', lit, (tx) => void tx.append(lit, subject, { logs: 1 }))],
  })
  const write = writeAs(hearth, null, (tx) => tx.append(lit, subject, { logs: 1 }).id)
  expect(write).rejects.toThrow('circle')
  await write.catch(() => {})
  expect(listEvents(hearth.db, { limit: 1 })).toEqual([])
})
