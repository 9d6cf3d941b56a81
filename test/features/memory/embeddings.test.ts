/** Memories that mean the same in other words, where a model for embeddings is set. */
import { expect, test } from 'bun:test'
import { recall } from '#features/memory/recall.ts'
import { remember } from '#features/memory/remember.ts'
import { updateMemory } from '#features/memory/update-memory.ts'
import { setModelRoutes } from '#features/models/set-model-routes.ts'
import { makeModelWorld } from '../integrations/fixture.ts'

const REPO = 'acme/site'

/** Texts about ovens, about nights, and others are at right angles; with a little noise. */
const vectorOf = (text: string): number[] => {
  const heat = /oven|bake|heat|stove/i.test(text) ? 1 : 0
  const night = /night|dark/i.test(text) ? 1 : 0
  return [heat, night, heat + night === 0 ? 1 : 0.05, text.length / 1_000]
}

async function setUp(vector: (text: string) => number[] = vectorOf) {
  let isDown = false
  const made = await makeModelWorld(({ path, body }) => {
    if (!path.endsWith('/embeddings')) return { text: 'Hello' }
    if (isDown) return { status: 400, message: 'down' }
    const inputs = Array.isArray(body.input) ? (body.input as string[]) : [String(body.input)]
    return { vectors: inputs.map(vector), input_tokens: 10 }
  })
  const { world, ada, connect, provider, db } = made
  await world.repo(REPO, { as: ada })
  const { id } = await connect()
  const setRoute = (task: 'embed' | 'default') =>
    world.call(setModelRoutes, ada, {
      workspace: 'acme',
      routes: [{ task, integration: id, model: 'small' }],
    })
  const note = (text: string, more: object = {}) =>
    world.call(remember, ada, { repo: REPO, text, ...more })
  const find = async (query?: string) => {
    const input = { repo: REPO, ...(query === undefined ? {} : { query }) }
    const { project, workspace } = await world.call(recall, ada, input)
    await world.jobs()
    return [...project, ...workspace].map(({ text }) => text)
  }
  const asked = () => provider.asked.filter(({ path }) => path.endsWith('/embeddings')).length
  return { ...made, setRoute, note, find, asked, fail: () => (isDown = true), db }
}

test('what means the same follows what has the words, at both levels, and is paid for', async () => {
  const { setRoute, note, find, asked, db } = await setUp()
  await note('Ovens are hot')
  await note('Bake for an hour')
  await note('Deploys run at night')
  await note('The stove is shared', { scope: 'workspace' })
  expect(await find('oven')).toEqual(['Ovens are hot'])
  await setRoute('default')
  expect([await find('oven'), asked()]).toEqual([['Ovens are hot'], 0])
  await setRoute('embed')
  // The first search has the model read the memories.
  expect(await find('oven')).toEqual(['Ovens are hot'])
  expect(await find('oven')).toEqual(['Ovens are hot', 'Bake for an hour', 'The stove is shared'])
  // One for the query, whose vector is kept, and one for each level.
  expect(asked()).toBe(3)
  expect(await find('dark')).toEqual(['Deploys run at night'])
  expect(await find()).toHaveLength(4)
  expect(asked()).toBe(4)
  const calls = db.all<{ task: string; cost: number }>('SELECT task, cost FROM model_calls')
  expect([calls.length, calls.every(({ task, cost }) => task === 'embed' && cost > 0)]).toEqual([
    4,
    true,
  ])
})

test('a changed text is read again, and a model that fails leaves the search by words', async () => {
  const { world, ada, setRoute, note, find, fail } = await setUp()
  const { id } = await note('Ovens are hot')
  await setRoute('embed')
  await find('stove')
  expect(await find('stove')).toEqual(['Ovens are hot'])
  await world.call(updateMemory, ada, { repo: REPO, id, text: 'Nights are long' })
  expect(await find('stove')).toEqual([])
  expect(await find('dark')).toEqual(['Nights are long'])
  fail()
  await note('Bake for an hour')
  expect(await find('heat')).toEqual([])
  expect(await find('bake')).toEqual(['Bake for an hour'])
})

test('among many memories those count that stand out, however near all texts are to the model', async () => {
  // In some models all texts are nearer than 0.9.
  const { setRoute, note, find } = await setUp((text) => [4, ...vectorOf(text)])
  await setRoute('embed')
  for (let at = 0; at < 12; at++) await note(`Number ${at} of the paint`)
  await note('Ovens are hot')
  await find('stove')
  expect(await find('stove')).toEqual(['Ovens are hot'])
})
